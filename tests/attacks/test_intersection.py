"""What several releases leave open, against an intruder who goes through them person by person."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from anonagram import Anatomy, Key, Method, Microdata, Release
from anonagram.attacks import intersect
from anonagram.attacks.several_releases import narrowed_sentence
from anonagram.errors import CallError, CannotAnonymize, SchemaError
from anonagram.release import AnatomizedRelease, PermutedRelease
from tests.rearranged import rearranged

ROLES = {
    "age": "quasi",
    "town": "quasi",
    "rank": {"role": "quasi", "kind": "ordinal", "order": ["low", "mid", "top"]},
    "born": "quasi",
    "ill": "sensitive",
}
CALLS = [
    "anatomy(l=2)",
    'anatomy(l=3, partition="neighbours")',
    "permutation(l=2)",
    'permutation(l=3, partition="deal")',
    "generalize(l=2)",
    'generalize(l=2, partition="buckets")',
]


def possible(release: Release, person: dict[str, Any], sensitive: str) -> set[Any] | None:
    """The values of all groups that can be hers; None where there is no such group."""
    known = [
        each
        for each in release.manifest.columns
        if each.name in person and each.name != sensitive and each.role in ("quasi", "plain")
    ]
    groups = {}
    for name, table in release.tables.items():
        for row in table.iter_rows(named=True):
            number = row[release.manifest.layout["group"]]
            groups.setdefault(number, {}).setdefault(name, []).append(row)
    found, met = set(), False
    for group in groups.values():
        if can_hold(release, group, person, known):
            met = True
            values = group.get("sensitive", group.get("rows"))
            found |= {row[sensitive] for row in values}
    return found if met else None


def can_hold(release: Release, group: Any, person: Any, known: Any) -> bool:
    if isinstance(release, AnatomizedRelease):
        return any(all(row[c.name] == person[c.name] for c in known) for row in group["quasi"])
    if isinstance(release, PermutedRelease):
        return all(any(row[c.name] == person[c.name] for row in group["quasi"]) for c in known)
    (told,) = group["groups"]
    for column in known:
        if column.role != "quasi":
            continue
        value, names = person[column.name], release.told_as(column)
        if len(names) == 1:
            if value not in told[names[0]]:
                return False
            continue
        low, high, missing = (told[name] for name in names)
        if value is None:
            if not missing:
                return False
        elif low is None:
            return False
        else:
            ends = low, value, high
            if column.order is not None:
                if value not in column.order:
                    return False
                ends = tuple(column.order.index(end) for end in ends)
            if not ends[0] <= ends[1] <= ends[2]:
                return False
    return True


def expected(table: pl.DataFrame, releases: list[Release]) -> list[tuple[int, int, bool]]:
    """For each person: values left by the first release, by all, and whether one is left and hers."""
    figures = []
    for person in table.iter_rows(named=True):
        first, *others = (possible(release, person, "ill") for release in releases)
        assert first is not None
        assert person["ill"] in first
        left = first.intersection(*(each for each in others if each is not None))
        figures.append((len(first), len(left), left == {person["ill"]}))
    return figures


def compare(table: pl.DataFrame, roles: Any, releases: list[Release]) -> None:
    found = intersect(Microdata.read(table, roles), releases[0], releases[1:]).columns["ill"]
    figures = expected(table.select(n for n, role in roles.items() if role != "drop"), releases)
    assert found.alone.tolist() == [alone for alone, _, _ in figures]
    assert found.together.tolist() == [together for _, together, _ in figures]
    assert found.pinned_rightly == sum(right for *_, right in figures)


people = st.fixed_dictionaries(
    {
        "age": st.one_of(st.none(), st.integers(20, 26)),
        "town": st.sampled_from(["Rome", "Oslo", "Bonn", None]),
        "rank": st.sampled_from(["low", "mid", "top", None]),
        "born": st.dates(date(1990, 1, 1), date(1990, 1, 9)),
        "ill": st.sampled_from(["flu", "cut", "burn", "ulcer", None, "cough"]),
    }
)
SCHEMA = {"age": pl.Int64, "town": pl.String, "rank": pl.String, "born": pl.Date, "ill": pl.String}


@given(
    rows=st.lists(people, min_size=6, max_size=24),
    calls=st.lists(st.sampled_from(CALLS), min_size=2, max_size=4),
    kept=st.integers(4, 24),
    without=st.sampled_from([None, "age", "town", "rank", "born"]),
    order=st.permutations(["low", "mid", "top"]),
    seed=st.binary(min_size=32, max_size=32),
)
def test_as_person_by_person(rows, calls, kept, without, order, seed):
    """Earlier releases may be of other people, with other columns and another order of labels."""
    table = pl.DataFrame(rows, schema=SCHEMA)
    roles = ROLES | {"rank": {"role": "quasi", "kind": "ordinal", "order": order}}
    if without is not None:
        roles[without] = "drop"
    tables = [(table, ROLES), *((table.tail(kept), roles) for _ in calls[1:])]
    try:
        releases = [
            rearranged(
                Method.parse(call), Microdata.read(part, rules), Key(seed).derived(bytes([n]))
            ).release
            for n, (call, (part, rules)) in enumerate(zip(calls, tables, strict=True))
        ]
    except (CannotAnonymize, SchemaError):  # too many with one value, or a constant column
        reject()
    compare(table, ROLES, releases)


def twice(call: str, table: Any, roles: Any) -> list[Release]:
    data = Microdata.read(table, roles)
    return [Method.parse(call).anonymize(data, Key(bytes([n]) * 32)) for n in (1, 2)]


@pytest.mark.parametrize("call", CALLS)
def test_types_that_differ_between_releases(call):
    """Whole numbers, floats and decimals of the same size are the same values; so are days."""
    table = pl.DataFrame(
        {
            "age": [20 + i % 7 for i in range(24)],
            "born": [date(1990, 1, 1 + i % 9) for i in range(24)],
            "ill": [i % 5 for i in range(24)],
        }
    )
    roles = {"age": "quasi", "born": "quasi", "ill": {"role": "sensitive", "kind": "nominal"}}
    other = table.with_columns(
        pl.col("age").cast(pl.Float64),
        pl.col("born").cast(pl.Datetime("ms")),
        pl.col("ill").cast(pl.Decimal(10, 2)),
    )
    (new, _), (same, _), (old, _) = (
        twice(call, each, roles) for each in (table, table.reverse(), other.reverse())
    )
    data = Microdata.read(table, roles)
    one, two = (intersect(data, new, [each]).columns["ill"] for each in (same, old))
    assert two.alone.tolist() == one.alone.tolist()
    found = [p is not None for p in (possible(old, row, "ill") for row in other.rows(named=True))]
    assert all(found)
    left = [
        len(
            possible(new, row, "ill")
            & {int(value) for value in possible(old, was, "ill") if value == Decimal(value)}
        )
        for row, was in zip(table.rows(named=True), other.rows(named=True), strict=True)
    ]
    assert two.together.tolist() == left


def test_somebody_else_in_her_place_is_a_contradiction():
    roles = {"age": "quasi", "ill": "sensitive"}
    now = {"age": [30, 30, 40, 40], "ill": ["a", "b", "a", "b"]}
    then = {"age": [30, 30, 50, 50], "ill": ["c", "d", "c", "d"]}
    new, _ = twice("anatomy(l=2)", now, roles)
    old, _ = twice("anatomy(l=2)", then, roles)
    found = intersect(Microdata.read(now, roles), new, [old])
    left = found.columns["ill"]
    assert left.together.tolist() == [0, 0, 2, 2]
    assert (left.contradicted, left.pinned, found.met) == (2, 0, 2)
    assert left.counted().rows() == [(0, 0, 2), (2, 4, 2)]
    assert not left.is_worse
    assert narrowed_sentence(left) == "Nobody has fewer than 2 values of ill left."


def test_verdict_tells_the_worst():
    roles = {"age": "quasi", "ill": "sensitive"}
    one = {"age": [30, 40, 50, 60], "ill": ["a", "b", "a", "c"]}
    data = Microdata.read(one, roles)
    releases = [
        Anatomy(l=2, partition="buckets").anonymize(data, Key(bytes([n]) * 32)) for n in range(12)
    ]
    found = [intersect(data, releases[0], [each]).columns["ill"] for each in releases]
    assert not found[0].is_worse  # the same release again
    pinned = next(each for each in found if each.pinned)
    assert pinned.is_worse
    assert narrowed_sentence(pinned).startswith(f"{pinned.pinned} of 4 people")
    assert pinned.pinned_rightly == pinned.pinned


@pytest.mark.parametrize("call", ["rank_swapping(p=5)", "random()"])
def test_shapes_without_groups_are_refused(call):
    table = {"age": list(range(20)), "pay": list(range(20)), "ill": ["a", "b", "c", "d"] * 5}
    roles = {"age": "quasi", "pay": "quasi", "ill": "sensitive"}
    grouped, _ = twice("anatomy(l=2)", table, roles)
    rows, _ = twice(call, table, roles)
    data = Microdata.read(table, roles)
    for new, old in ((grouped, rows), (rows, grouped)):
        with pytest.raises(CallError, match="is not compared"):
            intersect(data, new, [old])


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"age": "quasi", "ill": "quasi", "pay": "sensitive"}, "tells 'ill' openly, as quasi"),
        ({"age": "quasi", "ill": "drop", "pay": "sensitive"}, "shares no sensitive column"),
    ],
)
def test_what_cannot_be_compared_is_refused(roles, message):
    table = {"age": list(range(20)), "pay": list(range(20)), "ill": ["a", "b", "c", "d"] * 5}
    own = {"age": "quasi", "ill": "sensitive", "pay": "drop"}
    new, _ = twice("anatomy(l=2)", table, own)
    old, _ = twice("anatomy(l=2)", table, roles)
    with pytest.raises(CallError, match=message):
        intersect(Microdata.read(table, own), new, [old])


@pytest.mark.parametrize("call", CALLS)
def test_earlier_release_with_no_known_column_leaves_its_values(call):
    table = pl.DataFrame(
        {"age": range(12), "pay": [i % 5 for i in range(12)], "ill": list("abcd") * 3}
    )
    roles = {"age": "quasi", "pay": "drop", "ill": "sensitive"}
    new, _ = twice(call, table, roles)
    other = table.with_columns(pl.col("ill").replace({"d": "e"}))
    old, _ = twice(call, other, {"age": "drop", "pay": "quasi", "ill": "sensitive"})
    compare(table, roles, [new, old])


def test_columns_too_wide_to_be_listed_give_the_same(monkeypatch):
    from anonagram.registers import told_groups

    table = {
        "age": list(range(40)),
        "pay": [i * 7 % 40 for i in range(40)],
        "ill": list("abcd") * 10,
    }
    roles = {"age": "quasi", "pay": "quasi", "ill": "sensitive"}
    for call in ("generalize(l=2)", "permutation(l=2)", "anatomy(l=2)"):
        new, old = twice(call, table, roles)
        data = Microdata.read(table, roles)
        listed = intersect(data, new, [old]).columns["ill"]
        with monkeypatch.context() as patch:
            patch.setattr(told_groups, "MOST_LISTED", 0)
            scanned = intersect(data, new, [old]).columns["ill"]
        assert scanned.together.tolist() == listed.together.tolist()


def test_many_records_go_in_blocks(monkeypatch):
    from anonagram.attacks.figures import intersection

    table = {"age": list(range(40)), "ill": list("abcd") * 10}
    roles = {"age": "quasi", "ill": "sensitive"}
    new, old = twice("anatomy(l=2)", table, roles)
    data = Microdata.read(table, roles)
    whole = intersect(data, new, [old]).columns["ill"]
    monkeypatch.setattr(intersection, "BLOCK", 7)
    parts = intersect(data, new, [old]).columns["ill"]
    assert parts.together.tolist() == whole.together.tolist()
    assert parts.pinned_rightly == whole.pinned_rightly
