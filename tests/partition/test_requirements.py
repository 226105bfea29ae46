"""Groups fulfil what is required of them, seen by oracles that share nothing with the kernels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from benchmarks.census import census
from hypothesis import assume, example, given
from hypothesis import strategies as st

from anonagram import Key, Microdata
from anonagram.errors import CallError, CannotAnonymize
from anonagram.partition import (
    Buckets,
    Closeness,
    Conjunction,
    Deal,
    Diversity,
    MinSum,
    NcpSplit,
    Neighbours,
    Requirement,
    Size,
    Spread,
)
from tests.models import oracles

KEY = Key(bytes(32))


def equal_distance(members: list[int], table: list[int]) -> Fraction:
    """Half the sum of differences of shares."""
    both = set(members) | set(table)
    return sum(abs(share(members, v) - share(table, v)) for v in both) / Fraction(2)


def ordered_distance(members: list[int], table: list[int]) -> Fraction:
    """Shares carried over every step of the domain, over its number of steps."""
    domain = sorted(set(table))
    carried, total = Fraction(0), Fraction(0)
    for value in domain:
        carried += share(members, value) - share(table, value)
        total += abs(carried)
    return total / max(1, len(domain) - 1)


def share(members: list[int], value: int) -> Fraction:
    return Fraction(members.count(value), len(members))


def is_fulfilled(requirement: Requirement, members: list[int], table: list[int]) -> bool:
    match requirement:
        case Size(k=k):
            return oracles.k_anonymity(members, k)
        case Diversity(l=l):
            return oracles.l_diversity(members, l)
        case Spread(k=k, e=e):
            return oracles.ke_anonymity(members, k, e)
        case Closeness(t=t, distance="equal"):
            return equal_distance(members, table) <= Fraction(str(t))
        case Closeness(t=t, distance="ordered"):
            return ordered_distance(members, table) <= Fraction(str(t))
        case Conjunction(parts=parts):
            return all(is_fulfilled(part, members, table) for part in parts)
    raise AssertionError(requirement)


shares = st.sampled_from([0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 1])
sizes, diversities = st.builds(Size, st.integers(1, 6)), st.builds(Diversity, st.integers(1, 4))
spreads = st.builds(Spread, st.integers(1, 4), st.integers(0, 5))
closenesses = st.builds(Closeness, shares, st.sampled_from(["equal", "ordered"]))
# kernels are compiled for every combination of kinds, so these are few
requirements = st.one_of(
    sizes,
    spreads,
    closenesses,
    st.builds(Conjunction, diversities, closenesses),
    st.builds(Conjunction, closenesses, sizes, diversities),
    st.builds(Conjunction, spreads, sizes),
)
tables = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 30), st.sampled_from("xyz")),
    min_size=2,
    max_size=90,
)


def read(rows: list[tuple[int, int, str]]) -> tuple[Microdata, list[int]]:
    values, numbers, words = (list(column) for column in zip(*rows, strict=True))
    assume(len(set(values)) > 1 and len(set(words)) > 1)
    table = {"a": numbers, "b": words, "row": list(range(len(rows))), "s": values}
    roles = {"a": "quasi", "b": "quasi", "row": "quasi", "s": "sensitive"}
    if len(set(numbers)) == 1:
        roles["a"] = "plain"
    return Microdata.read(table, roles), values


@given(rows=tables, requirement=requirements, seed=st.binary(min_size=32, max_size=32))
@example([(i % 4, i, "xy"[i % 2]) for i in range(64)], Closeness(0), bytes(32))
@example([(i % 10, i, "xy"[i % 2]) for i in range(40)], Closeness(0.25, "ordered"), bytes(32))
def test_every_group_fulfils_the_requirement(rows, requirement, seed):
    check_groups(Neighbours(), rows, requirement, seed)


@given(rows=tables, t=shares, l=st.integers(1, 3), seed=st.binary(min_size=32, max_size=32))
def test_sub_tables_of_algorithm_2_fulfil_the_requirement(rows, t, l, seed):
    check_groups(NcpSplit(tries=3), rows, Conjunction(Diversity(l), Closeness(t)), seed)


def check_groups(partitioner, rows, requirement, seed):
    microdata, values = read(rows)
    whole = is_fulfilled(requirement, values, values)
    try:
        partition = partitioner.divide(microdata, requirement, Key(seed))
    except CannotAnonymize:
        assert not whole  # the whole table is a group whenever there is a partition at all
        return
    assert whole
    groups = oracles.groups_of(partition.group_of.tolist(), values)
    assert len(groups) == partition.count
    for group in groups:
        assert is_fulfilled(requirement, group, values), (requirement, group)


@given(
    table=st.lists(st.integers(0, 400), min_size=2, max_size=60),
    picked=st.lists(st.integers(0, 59), min_size=1, max_size=12),
    t=shares,
)
def test_distances_where_most_values_are_not_in_the_group(table, picked, t):
    """Gaps between the group's values are walked over at once; the table's shares differ."""
    from anonagram.kernels.needs import is_group

    assume(len(set(table)) > 1)
    domain = sorted(set(table))
    rows = [table[i % len(table)] for i in picked]
    codes = np.array([[domain.index(value)] for value in rows], np.int32)
    column = Microdata.read({"s": table}, {"s": "sensitive"}).column("s")
    needs = Closeness(t, "ordered").needs([column])
    counts = np.zeros(len(domain), np.int32)
    assert is_group(needs, codes, 0, len(rows), counts) == (
        ordered_distance(rows, table) <= Fraction(str(t))
    )
    assert not counts.any()


def test_neighbours_cut_on_until_the_requirement_stops_them():
    microdata = census(5000)
    smallest = {
        repr(r): Neighbours().divide(microdata, r, KEY).count
        for r in (
            Size(10),
            Closeness(0.5),
            Closeness(0.05, "ordered"),
            Conjunction(Diversity(4), Closeness(0.5)),
            Conjunction(Size(5), Diversity(3), Closeness(0.1, "ordered")),
        )
    }
    assert all(count > 20 for count in smallest.values()), smallest


def test_several_sensitive_columns_are_all_close():
    random = np.random.default_rng(1)
    table = {"a": random.integers(0, 99, 900), "s": random.integers(0, 5, 900)}
    table["t"] = table["a"] // 50 + random.integers(0, 5, 900)
    roles = {"a": "quasi", "s": "sensitive", "t": "sensitive"}
    requirement = Conjunction(Closeness(0.4), Size(4))
    partition = Neighbours().divide(Microdata.read(table, roles), requirement, KEY)
    assert partition.count > 10
    for name in ("s", "t"):
        values = table[name].tolist()
        for group in oracles.groups_of(partition.group_of.tolist(), values):
            assert is_fulfilled(requirement, group, values)


@pytest.mark.parametrize("partitioner", [Buckets(), Deal(), MinSum()], ids=repr)
def test_who_cannot_says_who_can(partitioner):
    with pytest.raises(CallError) as refusal:
        partitioner.divide(census(100), Conjunction(Size(2), Closeness(0.5)), KEY)
    assert "neighbours" in refusal.value.remedy


def test_what_cannot_be_fulfilled_says_what_can():
    plain = Microdata.read({"a": [1, 2, 3]}, {"a": "quasi"})
    for requirement, remedy in (
        (Size(4), "k = 3 is the largest"),
        (Conjunction(Size(2), Diversity(4)), "l = 3 is the largest"),
        (Closeness(0.1), 'the role "sensitive"'),
        (Spread(2, 1), 'the role "sensitive"'),
    ):
        with pytest.raises(CannotAnonymize) as refusal:
            Neighbours().divide(plain, requirement, KEY)
        assert remedy in refusal.value.remedy
    for wrong in (lambda: Closeness(2), lambda: Closeness(0.1, "far"), lambda: Conjunction()):
        with pytest.raises(CallError):
            wrong()


def test_every_requirement_reads_back():
    for member in Requirement.known().values():
        requirement = Requirement.parse(member.example)
        assert Requirement.parse(repr(requirement)) == requirement


def test_the_largest_l_that_is_named_works_for_every_column():
    """Seen: l = 400 was told to be 31 at most, and 31 then 16."""
    table = {
        "age": list(range(60)),
        "a": [n % 20 for n in range(60)],
        "b": [n % 6 for n in range(60)],
    }
    data = Microdata.read(table, {"age": "quasi", "a": "sensitive", "b": "sensitive"})
    with pytest.raises(CannotAnonymize, match="l = 6 is the largest that works"):
        Diversity(l=30).require_possible(data)
    Diversity(l=6).require_possible(data)
