"""A series of releases: whoever is in several has as many possible values as after one of them."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from anonagram import Anatomy, Key, Microdata, MInvariance, Release
from anonagram.attacks import intersect
from anonagram.errors import CannotAnonymize, InputError, ReleaseDamaged
from anonagram.measures import Workload, run_workload
from anonagram.methods import balanced
from anonagram.methods.publication import Publication
from anonagram.methods.remembered import who_was_in
from anonagram.release import PrivateFile

ROLES = {"who": "identifier", "age": "quasi", "sex": "quasi", "pay": "sensitive"}
Table = dict[int, tuple[int, str, int | None]]
"""Of each person: age, sex and pay."""


def read(table: Table) -> Microdata:
    rows = [(f"p{who}", *values) for who, values in table.items()]
    schema = {"who": pl.String, "age": pl.Int64, "sex": pl.String, "pay": pl.Int64}
    return Microdata.read(pl.DataFrame(rows, schema, orient="row"), ROLES)


def values_by_group(release: Release) -> dict[int, list[object]]:
    """Read from the published table alone."""
    found: dict[int, list[object]] = {}
    for group, value, count in release.tables["sensitive"].iter_rows():
        found.setdefault(group, []).extend([value] * count)
    return found


def candidates(table: Table, publication: Publication) -> dict[int, frozenset[object]]:
    """The values that each person can have by the release, for whoever knows her group."""
    groups = values_by_group(publication.release)
    for values in groups.values():
        assert len(values) == len(set(values))
    found = zip(table, publication.mapping["group"], strict=True)
    return {who: frozenset(groups[group]) for who, group in found}


@st.composite
def histories(draw) -> tuple[int, list[Table]]:
    m = draw(st.integers(2, 3))
    pays = st.sampled_from([None, *range(2 * m + 2)])
    person = st.tuples(st.integers(20, 29), st.sampled_from("fm"), pays)
    months: list[Table] = []
    everybody: Table = {}
    for _ in range(draw(st.integers(2, 4))):
        for who in draw(st.lists(st.integers(0, 25), unique=True, max_size=12)):
            everybody[who] = draw(person)
        there = draw(st.lists(st.sampled_from(range(26)), unique=True, max_size=22))
        months.append({who: everybody[who] for who in there if who in everybody})
    return m, months


def is_a_table(table: Table, m: int) -> bool:
    return (
        len({age for age, _, _ in table.values()}) > 1
        and len({sex for _, sex, _ in table.values()}) > 1
        and len({pay for _, _, pay in table.values()}) >= m
    )


@settings(max_examples=15)
@given(histories(), st.integers(0, 255))
def test_nobody_falls_below_m_whoever_comes_goes_returns_or_changes(history, number):
    m, months = history
    series, seen = None, {}
    for month, table in enumerate(months):
        if not is_a_table(table, m) or (series and not set(table) & set(seen)):
            continue
        data, key = read(table), Key(bytes([number]) * 31 + bytes([month]))
        try:
            publication = MInvariance(m).publish(data, key, earlier=series)
        except (
            CannotAnonymize
        ) as refused:  # not m values that were ruled out before, or a first one
            if "changed to a value" not in str(refused) and "first time" not in str(refused):
                raise
            return
        rows = publication.release.manifest.rows
        assert rows.published - rows.added == rows.original == len(table)
        for who, possible in candidates(table, publication).items():
            assert table[who][2] in possible
            assert len(possible) >= m
            for before in seen.setdefault(who, []):
                assert before == possible or not before & possible
            seen[who].append(possible)
        series = publication.series
        hold_bounds(publication.release, table)


def hold_bounds(release: Release, table: Table) -> None:
    """Truths about people lie between bounds, whatever counterfeits there are."""
    for condition, holds in (
        ("TRUE", lambda age, sex, pay: True),
        ("age < 25", lambda age, sex, pay: age < 25),
        ("pay > 2", lambda age, sex, pay: pay is not None and pay > 2),
        (
            "sex = 'f' AND pay <= 3",
            lambda age, sex, pay: sex == "f" and pay is not None and pay <= 3,
        ),
        ("age > 23 OR pay IS NULL", lambda age, sex, pay: age > 23 or pay is None),
    ):
        met = [person for person in table.values() if holds(*person)]
        pays = [pay for _, _, pay in met if pay is not None]
        truths = {
            "COUNT(*)": len(met),
            "COUNT(pay)": len(pays),
            "SUM(age)": sum(age for age, _, _ in met) if met else None,
            "SUM(pay)": sum(pays) if pays else None,
            "MAX(pay)": max(pays, default=None),
        }
        answers = release.query(f"SELECT {', '.join(truths)} FROM data WHERE {condition}")
        for name, truth in truths.items():
            answer = answers.rows[0][name]
            if truth is not None:
                assert answer.lower is None or answer.lower <= truth, (condition, name)
                assert answer.upper is None or truth <= answer.upper, (condition, name)
        if condition == "TRUE":
            assert answers.rows[0]["COUNT(*)"].exact


def counterfeits(
    kept: list[frozenset[int]], values: list[int], new: list[int], m: int
) -> list[int]:
    """How many there must be for each choice of who fills a place; values: of those who are kept."""
    missing: Counter[int] = Counter()
    for signature in set(kept):
        inside = Counter(v for s, v in zip(kept, values, strict=True) if s == signature)
        missing.update({v: max(inside.values()) - inside[v] for v in signature})
    can = Counter(new) & missing
    choices = [range(can[value] + 1) for value in can]
    found = []
    for chosen in itertools.product(*choices):
        filled = Counter(dict(zip(can, chosen, strict=True)))
        found.append(missing.total() - filled.total() + beside_new(Counter(new) - filled, m))
    return found


def beside_new(left: Counter[int], m: int) -> int:
    """How many counterfeits stand in groups of new people."""
    cost = 0
    while left and m * max(left.values()) > left.total():
        frequent = left.most_common(m)
        cost += m * frequent[0][1] - sum(count for _, count in frequent)
        left = left - Counter(dict(frequent))
    return cost


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=7),
    st.lists(st.integers(0, 3), max_size=4),
    st.sets(st.integers(0, 6)),
)
def test_counterfeits_stand_only_where_nobody_can(first, more, gone):
    first = [*first, 0, 1]
    table: Table = {who: (20 + who, "fm"[who % 2], pay) for who, pay in enumerate(first)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balanced, "BY_CHANCE", 0.0)
        try:
            hold_number(table, more, gone)
        except CannotAnonymize as refused:  # a value that nobody can have made up
            if "first time" not in str(refused):
                raise


def hold_number(table: Table, more: list[int], gone: set[int]) -> None:
    """Where chance has no say, there are as few as can be if new people can be groups by themselves."""
    one = MInvariance(2).publish(read(table), Key(bytes(32)))
    had = candidates(table, one)
    stay: Table = {who: values for who, values in table.items() if who not in gone}
    new: Table = {100 + i: (20 + i, "fm"[i % 2], pay) for i, pay in enumerate(more)}
    after = stay | new
    if not stay or not is_a_table(after, 2):
        return
    two = MInvariance(2).publish(read(after), Key(bytes(32)), earlier=one.series)
    kept = [had[who] for who in stay]
    values = [pay for _, _, pay in stay.values()]
    possible, added = counterfeits(kept, values, more, 2), two.release.manifest.rows.added
    assert added == min(possible) if beside_new(Counter(more), 2) == 0 else added in possible


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 5), min_size=9, max_size=24),
    st.lists(st.integers(0, 5), min_size=3, max_size=12),
    st.sets(st.integers(0, 23), max_size=12),
    st.integers(0, 255),
)
def test_new_people_stand_beside_counterfeits_only_where_they_must(first, more, gone, number):
    """In groups of their own; else who is beside counterfeits would have the value that is frequent."""
    if beside_new(Counter(first), 3) or beside_new(Counter(more), 3):
        reject()
    table: Table = {who: (20 + who % 7, "fm"[who % 2], pay) for who, pay in enumerate(first)}
    one = MInvariance(3).publish(read(table), Key(bytes(32)))
    stay: Table = {who: values for who, values in table.items() if who not in gone}
    new: Table = {100 + i: (20 + i % 7, "fm"[i % 2], pay) for i, pay in enumerate(more)}
    if not stay:
        reject()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(balanced, "BY_CHANCE", 0.0)
            key = Key(bytes([number]) * 32)
            two = MInvariance(3).publish(read(stay | new), key, earlier=one.series)
    except CannotAnonymize as refused:  # a value that nobody can have made up
        if "first time" not in str(refused):
            raise
        return
    with_fakes = set(two.release.tables["real"].filter(~pl.col("real"))["group"])
    group_of = dict(zip(stay | new, two.mapping["group"], strict=True))
    of_old = {group for who, group in group_of.items() if who in stay}
    assert with_fakes <= of_old


def test_counterfeits_of_a_signature_are_spread_evenly():
    """All of them new, and one value too frequent: nobody stands beside two more than another."""
    pays = [0] * 12 + [1] * 6 + [2] * 5 + [3] * 4
    table: Table = {who: (20 + who % 7, "fm"[who % 2], pay) for who, pay in enumerate(pays)}
    for number in range(10):
        made = MInvariance(4).publish(read(table), Key(bytes([number]) * 32))
        fakes = made.release.tables["real"].filter(~pl.col("real"))["count"]
        assert fakes.sum() == 4 * 12 - len(pays)
        assert sorted(set(fakes)) == [1, 2]
        assert len(fakes) == 12


JANUARY: Table = {who: (20 + who % 7, "fm"[who % 2], who % 6) for who in range(60)}
FEBRUARY: Table = {
    who: (age, sex, (pay + 3) % 7 if who % 11 == 0 else pay)
    for who, (age, sex, pay) in JANUARY.items()
    if who % 5 and pay != 2
} | {100 + who: (21 + who % 5, "mf"[who % 2], (0, 1, 3, 4, 6)[who % 5]) for who in range(9)}


@pytest.fixture(scope="module")
def two_months() -> tuple[Publication, Publication]:
    one = MInvariance(3).publish(read(JANUARY), Key(bytes([1]) * 32))
    return one, MInvariance(3).publish(read(FEBRUARY), Key(bytes([2]) * 32), earlier=one.series)


def test_counterfeits_are_told_and_survive_writing(two_months, tmp_path):
    release = two_months[1].release
    assert release.manifest.rows.added > 0
    two_months[1].write(tmp_path / "r", tmp_path / "private", format="csv")
    again = Release.read(tmp_path / "r")
    assert again.manifest.rows == release.manifest.rows
    assert again.query("SELECT COUNT(*) FROM data").rows[0]["COUNT(*)"].estimate == len(FEBRUARY)
    kept = PrivateFile.read(tmp_path / "private").series
    assert kept is not None
    assert kept.people.equals(two_months[1].series.people)
    assert not {"who", "p0"} & {*again.tables["quasi"].columns, *map(str, again.to_dict())}


def test_a_value_that_nobody_has_any_more_stays_possible(two_months):
    assert 2 not in {pay for _, _, pay in FEBRUARY.values()}
    assert 2 in two_months[1].release.tables["sensitive"]["pay"].to_list()


def test_the_temporal_attack_finds_nobody_in_a_series_and_many_without(two_months):
    one, two = two_months
    data = read(FEBRUARY)
    present = who_was_in(data, one.release, two.series)
    left = intersect(data, two.release, [one.release], [present]).columns["pay"]
    assert left.below(3) == 0
    plain = [
        Anatomy(3).anonymize(read(table), Key(bytes([n]) * 32))
        for n, table in ((1, JANUARY), (2, FEBRUARY))
    ]
    assert intersect(data, plain[1], [plain[0]], [present]).columns["pay"].below(3) > 0


def test_bounds_of_workloads_hold_with_counterfeits(two_months):
    release, data = two_months[1].release, read(FEBRUARY)
    for aggregate in ("COUNT", "SUM"):
        workload = Workload.draw(data, conditions=2, queries=60, aggregate=aggregate)
        found = run_workload(release, data, workload).answers
        assert found.select(
            ((pl.col("lower") <= pl.col("truth")) & (pl.col("truth") <= pl.col("upper"))).all()
        ).item()


def test_worlds_have_no_counterfeits(two_months):
    release = two_months[1].release
    assert [world.height for world in release.worlds(2)] == [len(FEBRUARY)] * 2
    learned = release.query("SELECT COUNT(*) FROM data WHERE pay > 2", learned=True)
    truth = sum(pay is not None and pay > 2 for _, _, pay in FEBRUARY.values())
    answer = learned.rows[0]["COUNT(*)"]
    assert answer.lower <= truth <= answer.upper


def test_a_lie_about_counterfeits_is_found(two_months):
    release = two_months[1].release
    tables = dict(release.tables)
    real = release.manifest.layout["real"]
    tables["real"] = (
        tables["real"]
        .with_columns(pl.lit(value=True).alias(real))
        .unique(release.manifest.layout["group"])
    )
    with pytest.raises(ReleaseDamaged, match="real"):
        type(release).from_tables(release.manifest, tables)


def test_one_new_person_is_hidden_among_counterfeits():
    one = MInvariance(3).publish(read(JANUARY), Key(bytes([1]) * 32))
    alone = JANUARY | {500: (23, "f", 3)}
    two = MInvariance(3).publish(read(alone), Key(bytes([2]) * 32), earlier=one.series)
    assert two.release.manifest.rows.added == 2
    assert len(candidates(alone, two)[500]) == 3


def test_whoever_returns_gets_the_signature_she_had():
    months = [JANUARY, {w: v for w, v in JANUARY.items() if w > 5}, JANUARY]
    series, had = None, []
    for number, table in enumerate(months):
        publication = MInvariance(3).publish(read(table), Key(bytes([number]) * 32), earlier=series)
        series = publication.series
        had.append(candidates(table, publication))
    assert had[0] == had[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: {who + 1000: values for who, values in t.items()}, "nobody of it was in"),
        (lambda t: t | {0: (20, "f", 77), 6: (21, "f", 77)}, None),
    ],
)
def test_another_table_is_refused(change, message):
    one = MInvariance(3).publish(read(JANUARY), Key(bytes([1]) * 32))
    data = read(change(JANUARY))
    if message is None:
        assert MInvariance(3).publish(data, Key(bytes(32)), earlier=one.series).series.number == 2
        return
    with pytest.raises(InputError, match=message):
        MInvariance(3).publish(data, Key(bytes(32)), earlier=one.series)


def test_what_cannot_be_continued_says_why():
    one = MInvariance(3).publish(read(JANUARY), Key(bytes([1]) * 32)).series
    with pytest.raises(CannotAnonymize, match="left some people 3 values"):
        MInvariance(4).publish(read(JANUARY), Key(bytes(32)), earlier=one)
    with pytest.raises(CannotAnonymize, match="not together with 1 earlier"):
        Anatomy(2).publish(read(JANUARY), Key(bytes(32)), earlier=one)
    twice = pl.concat(
        [pl.DataFrame({"who": ["p1"]}), pl.DataFrame({"who": [f"p{i}" for i in range(11)]})]
    )
    frame = twice.with_columns(
        age=pl.int_range(pl.len()), sex=pl.Series(["f", "m"] * 6), pay=pl.int_range(pl.len()) % 6
    )
    with pytest.raises(InputError, match="row 1: its person has more than one row"):
        MInvariance(3).publish(Microdata.read(frame, ROLES), Key(bytes(32)), earlier=one)


def test_a_changed_value_that_cannot_be_hidden_is_refused():
    table: Table = {who: (20 + who, "fm"[who % 2], who % 3) for who in range(6)}
    one = MInvariance(3).publish(read(table), Key(bytes(32))).series
    with pytest.raises(CannotAnonymize, match="pay of 1 person changed"):
        MInvariance(3).publish(read(table | {0: (20, "f", 9)}), Key(bytes(32)), earlier=one)


def test_positions_of_the_curve_keep_like_rows_together():
    from anonagram.methods.balanced import _along_a_curve

    codes = np.array([0, 0, 1, 1, 9, 9], np.int32)
    places = _along_a_curve([codes, codes])
    assert places[0] == places[1] < places[2] == places[3] < places[4]
