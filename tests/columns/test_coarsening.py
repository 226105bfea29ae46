"""Columns published coarser than they are read: one step before every method."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata, Release
from anonagram.columns.coarsening import Coarsening, coarsen, read_steps
from anonagram.columns.hierarchy import HierarchyRule
from anonagram.columns.original import COMMON
from anonagram.demo import hospital_table
from anonagram.errors import InputError, SchemaError
from anonagram.measures import measure, read_original
from anonagram.methods.masking import MaskingMethod
from anonagram.verify import verify

KEY = Key(bytes(range(32)))
COARSE = {
    "name": "drop", "patient": "drop",
    "age": {"role": "quasi", "publish": ["round(to=5)", "clip(high=80)"]},
    "sex": "quasi",
    "zip": {"role": "quasi", "kind": "nominal", "publish": "mask(keep=3)"},
    "admitted": {"role": "quasi", "kind": "date", "publish": "month"},
    "disease": "sensitive",
}  # fmt: skip
METHODS = [Method.parse(member.example) for member in Method.known().values()]


def published(method: Method) -> tuple[Release, Microdata]:
    rules = dict(COARSE)
    if isinstance(method, MaskingMethod) and method.needs_numbers:
        rules |= {"zip": "drop", "sex": "drop"}
    table = hospital_table(600)
    if method.call == "ke":
        rules["disease"] = "drop"
        rules["pay"] = "sensitive"
        table = table.with_columns(pay=pl.int_range(pl.len()) % 97 * 40)
    data = Microdata.read(table, rules)
    return method.publish(data, KEY).release, data


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_publishes_the_coarser_values_and_no_others(method, tmp_path):
    release, data = published(method)
    ages = release.values("age")
    if ages is not None and "age" not in release.masked:
        assert set(ages.to_list()) == {
            min(5 * ((2 * a + 5) // 10), 80) for a in hospital_table(600)["age"]
        }
    days = release.values("admitted")
    if days is not None and "admitted" not in release.masked:
        assert {day.day for day in days.to_list()} == {1}
    assert release.manifest.column("age").original.publish == (
        "round(to=5)",
        "clip(low=None, high=80)",
    )
    assert "80 stands for 80 or more" in release.note_on("age")
    release.write(tmp_path / "release")
    again = Release.read(tmp_path / "release")
    assert again.manifest.column("age") == release.manifest.column("age")
    source = hospital_table(600)
    if method.call == "ke":
        source = source.with_columns(pay=pl.int_range(pl.len()) % 97 * 40)
    original = read_original(source, again)
    assert original.digest == data.digest
    lost = measure(again, original).detail_lost
    assert set(lost) == {name for name in ("age", "zip", "admitted") if name in lost}
    assert 0 < lost["age"] < 0.2
    assert lost["admitted"] > 0


GIVEN = ["anatomy(l=3)", "permutation(l=3)", "generalize(l=3)", "rank_swapping(p=20)", "random()"]


@pytest.mark.parametrize("call", GIVEN)
def test_a_subject_gives_her_own_value(call):
    release, _ = published(Method.parse(call))
    fine = verify(release, {"age": "43", "zip": "91234", "admitted": "2024-03-17"})
    coarse = verify(release, {"age": "45", "zip": "912*", "admitted": "2024-03-01"})
    same = ("candidate_rows", "candidate_groups", "beliefs", "distance", "unknown", "open_rows")
    assert [getattr(fine, name) for name in same] == [getattr(coarse, name) for name in same]


def test_questions_are_about_the_coarser_value():
    release, data = published(Method.parse("anatomy(l=3)"))
    answers = release.query("SELECT COUNT(*) FROM data WHERE age = 80")
    truth = int((hospital_table(600)["age"] >= 78).sum())
    assert answers[0]["COUNT(*)"].estimate == truth
    assert "80 stands for 80 or more" in answers.notes[0]
    assert not release.query("SELECT COUNT(*) FROM data WHERE sex = 'F'").notes
    assert data.column("age").kind == "numeric"


def test_coarsening_enters_the_draws():
    table = {"age": [20, 30, 40, 50] * 5, "ill": ["flu", "cut", "burn", "gout"] * 5}
    one, two = (
        Microdata.read(table, {"age": {"role": "quasi", "publish": step}, "ill": "sensitive"})
        for step in ("round(to=10)", "clip(high=90)")
    )
    assert one.frame().equals(two.frame())
    assert one.digest != two.digest
    plain = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    assert plain.digest != one.digest


LEVELS = {
    "age": {"role": "quasi", "hierarchy": "intervals(width=10, levels=2)", "publish": "level 1"},
    "ill": "sensitive",
}
PEOPLE = {
    "age": [20 + i % 40 for i in range(1000)] + [93],
    "ill": ["flu", "cut", "burn", "gout", "cold"] * 200 + ["flu"],
}


def test_labels_of_a_level_are_ordered_where_values_are(tmp_path):
    data = Microdata.read(PEOPLE, LEVELS)
    age = data.column("age")
    assert age.kind == "ordinal"
    assert age.domain.to_list() == ["[20, 30)", "[30, 40)", "[40, 50)", "[50, 60)", "[90, 100)"]
    assert age.hierarchy.levels[1] == ("[20, 40)", "[20, 40)", "[40, 60)", "[40, 60)", "[80, 100)")
    release = Method.parse("anatomy(l=3)").anonymize(data, KEY)
    assert release.query("SELECT COUNT(*) FROM data WHERE age = '[20, 30)'")[0]["COUNT(*)"].exact
    assert verify(release, {"age": 33}).open_rows == 250
    # the only person of 93 is not told of beside her label
    assert "93" not in release.manifest.column("age").original.coarser
    assert (
        verify(release, {"age": 93}).open_rows == 1
    )  # but everybody sees in which interval she is
    with pytest.raises(InputError, match="give the coarser value itself"):
        verify(release, {"age": 73})


def test_levels_compare_with_the_original_by_the_schema():
    release = Method.parse("anatomy(l=3)").anonymize(Microdata.read(PEOPLE, LEVELS), KEY)
    with pytest.raises(InputError, match="only the schema knows"):
        read_original(PEOPLE, release)
    original = read_original(PEOPLE, release, LEVELS)
    assert measure(release, original).detail_lost["age"] == pytest.approx(9 * 1000 / 1001 / 73)
    with pytest.raises(InputError, match="does not say what the release tells"):
        read_original(PEOPLE, release, {"age": "quasi", "ill": "sensitive"})


def test_rare_values_of_a_level_are_never_told():
    table = {
        "town": ["big"] * COMMON + ["tiny"] * (COMMON - 1) + ["far"],
        "ill": ["a", "b", "c", "d"] * 10,
    }
    tree = 'tree({"north": ["big", "tiny"], "south": ["far"]})'
    rule = {"role": "quasi", "hierarchy": tree, "publish": "level 1"}
    data = Microdata.read(table, {"town": rule, "ill": "sensitive"})
    assert data.column("town").kind == "nominal"
    assert data.column("town").original.coarser == {"big": "north"}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"publish": "level 2"}, "the column has none"),
        ({"publish": "level 9", "hierarchy": "intervals(width=10)"}, "hierarchy that has"),
        ({"publish": "month"}, "needs dates"),
        ({"publish": "round(to=2.5)"}, "whole numbers"),
        ({"publish": "round(to=0)"}, "above 0"),
        ({"publish": "clip()"}, "give low, high or both"),
        ({"publish": "clip(low=9, high=3)"}, "no range"),
        ({"publish": 'clip(low="1990-01-01")'}, "whole numbers"),
        ({"publish": ["level 1", "mask(keep=1)"], "hierarchy": "intervals(width=10)"}, "alone"),
        ({"publish": "rond(to=5)"}, "round"),
        ({"publish": 5}, "does not say how"),
        ({"publish": "round(to=1000)"}, "in every row"),
    ],
)
def test_bad_steps_name_the_column(rule, message):
    with pytest.raises(SchemaError, match="age") as caught:
        Microdata.read(PEOPLE, {"age": {"role": "quasi", **rule}, "ill": "sensitive"})
    assert message in str(caught.value)


def test_dates_become_the_first_day_of_their_period():
    days = pl.Series([date(1969, 12, 31), date(2008, 7, 14), date(2008, 8, 31), date(2009, 1, 1)])
    units = ("week", "month", "quarter", "year", "decade")
    told = {unit: read_steps(unit)[0].coarser(days, None).to_list() for unit in units}
    assert told["week"][1] == date(2008, 7, 14)
    assert told["week"][2] == date(2008, 8, 25)
    assert told["month"][0] == date(1969, 12, 1)
    assert told["quarter"][2] == date(2008, 7, 1)
    assert told["year"][0] == date(1969, 1, 1)
    assert told["decade"] == [date(1960, 1, 1), *[date(2000, 1, 1)] * 3]
    clipped = read_steps('clip(low="2008-01-01")')[0].coarser(days, None)
    assert clipped.to_list()[0] == date(2008, 1, 1)


def test_days_of_moments_begin_on_the_clocks_of_their_zone():
    noon = datetime(2008, 1, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    moments = pl.Series([noon], dtype=pl.Datetime("us", "Europe/Berlin"))
    (clip,) = read_steps('clip(high="2008-01-01")')
    assert clip.coarser(moments, None).to_list() == [noon.replace(hour=0)]
    skipped = moments.dt.convert_time_zone("America/Sao_Paulo")
    (clip,) = read_steps('clip(high="2008-10-19")')
    with pytest.raises(SchemaError, match="skip the midnight of 2008-10-19"):
        clip.coarser(skipped, None)


numbers = st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30, unique=True)


@given(
    numbers,
    st.sampled_from(["round(to=7)", "round(to=10)", "clip(low=-5, high=90)", "mask(keep=2)"]),
)
def test_coarse_values_stay_and_keep_the_order(values, text):
    steps = read_steps(text)
    domain = pl.Series("x", sorted(values))
    code_of, published, kind = coarsen(domain, "numeric", steps)
    assert published.n_unique() == len(published)
    assert code_of[-1] == len(published)
    again = steps[0].coarser(published, None)
    assert again.equals(published)  # done twice is done once
    if kind != "nominal":
        assert (np.diff(code_of) >= 0).all()
    if text.startswith("round"):
        assert (published.gather(code_of[:-1]) - domain).abs().max() * 2 <= steps[0].to


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.sampled_from([0.1, 0.25, 3.0]))
def test_decimals_are_rounded_to_what_is_written(values, to):
    rounded = Coarsening.parse(f"round(to={to})").coarser(pl.Series(values), None)
    assert all(len(str(abs(each)).split(".")[1]) <= 2 for each in rounded.to_list())
    assert (rounded - pl.Series(values)).abs().max() <= to / 2 + 1e-9


def test_labels_without_an_order_of_their_own_are_nominal():
    # hidden digits put 9 and 10 apart from 90: no order of the labels would be that of the numbers
    _, _, kind = coarsen(pl.Series([9, 10, 19, 90]), "numeric", read_steps("mask(keep=1)"))
    assert kind == "nominal"
    hierarchy = HierarchyRule.parse("intervals(width=10)").over("x", pl.Series([9, 10, 19, 90]))
    _, _, kind = coarsen(pl.Series([9, 10, 19, 90]), "numeric", read_steps("level 1"), hierarchy)
    assert kind == "ordinal"


def test_periods_that_begin_before_nanoseconds_do_are_refused():
    early = pl.Series([-(2**63) + 10**15]).cast(pl.Datetime("ns"))
    with pytest.raises(SchemaError, match="1678"):
        Coarsening.parse("period(unit=decade)").coarser(early, None)
    assert Coarsening.parse("period(unit=decade)").coarser(early.dt.cast_time_unit("us"), None)[0]
