"""Ranges of moments with a zone, asked by the clocks of the zone: also when clocks are set back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonagram.queries.clocks import shown_between
from tests.queries.releases import released
from tests.queries.test_bounds import assert_bounded, truth

ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Juneau", "Asia/Manila",
    "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "UTC",
]  # fmt: skip
SET_BACK = {
    "Europe/Berlin": datetime(2024, 10, 27, 1, tzinfo=UTC),
    "America/New_York": datetime(2024, 11, 3, 6, tzinfo=UTC),
    "Australia/Lord_Howe": datetime(2024, 4, 6, 15, tzinfo=UTC),
    "America/Juneau": datetime(1867, 10, 18, 23, 30, tzinfo=UTC),
    "Africa/Casablanca": datetime(2024, 3, 10, 2, tzinfo=UTC),
}


def moments(zone: str) -> st.SearchStrategy[datetime]:
    around = SET_BACK.get(zone, datetime(2020, 3, 29, 1, tzinfo=UTC))
    near = st.integers(-180, 180).map(lambda minutes: around + timedelta(minutes=minutes))
    far = st.integers(-2000, 2000).map(lambda hours: around + timedelta(hours=hours))
    return st.one_of(near, near, far)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, list[int]]:
    zone, unit = draw(st.sampled_from(ZONES)), draw(st.sampled_from(["ms", "us", "ns"]))
    rows = draw(st.integers(2, 8))
    found = draw(st.lists(moments(zone), min_size=rows, max_size=rows))
    at = pl.Series(found).cast(pl.Datetime(unit, "UTC")).dt.convert_time_zone(zone)
    groups = draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))
    numbers = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    table = pl.DataFrame({"moment": at, "pay": range(rows)})
    return table, [numbers[group] for group in groups]


QUESTIONS = [
    "COUNT(*) FROM data WHERE moment {compare} '{time}'",
    "COUNT(*) FROM data WHERE moment BETWEEN '{time}' AND '{other}'",
    "COUNT(*) FROM data WHERE moment NOT BETWEEN '{time}' AND '{other}'",
    "COUNT(*) FROM data WHERE moment IN ('{time}', '{other}')",
    "COUNT(*) FROM data WHERE moment NOT IN ('{time}', '{other}')",
    "COUNT(*) FROM data WHERE CAST(moment AS DATE) {compare} '{day} 00:00'",
    "COUNT(*) FROM data WHERE DATE_TRUNC('hour', moment) {compare} '{time}'",
    "MIN(moment) FROM data WHERE moment {compare} '{time}'",
    "MAX(moment) FROM data",
]


@given(
    data=tables(),
    asked=st.sampled_from(QUESTIONS),
    compare=st.sampled_from(["<", "<=", "=", "<>", ">", ">="]),
    places=st.tuples(st.integers(0, 7), st.integers(0, 7)),
    off=st.integers(-30, 30),
)
def test_the_truth_of_clocks_lies_between_the_bounds(data, asked, compare, places, off):
    table, groups = data
    clocks = table.with_columns(pl.col("moment").dt.replace_time_zone(None))
    times = [clocks["moment"][place % table.height] + timedelta(minutes=off) for place in places]
    sql = "SELECT " + asked.format(
        compare=compare, time=times[0], other=times[1], day=times[0].date()
    )
    release = released("generalized", table, {"moment": "quasi", "pay": "sensitive"}, groups)
    (row,) = release.query(sql)
    ((true,),) = truth(clocks, sql, 0).values()
    (answer,) = row.values()
    assert_bounded(answer, true, sql)


def test_clocks_that_were_set_back():
    utc = ["2024-10-27 00:20", "2024-10-27 01:10", "2024-10-27 01:40", "2024-10-27 04:00"]
    at = pl.Series(utc).str.to_datetime().dt.replace_time_zone("UTC")
    table = pl.DataFrame({"moment": at.dt.convert_time_zone("Europe/Berlin"), "pay": [1, 2, 3, 4]})
    release = released("generalized", table, {"moment": "quasi", "pay": "sensitive"}, [0, 0, 0, 1])
    asked = "SELECT COUNT(*) FROM data WHERE moment <= '2024-10-27 02:15'"
    answer = release.query(asked)[0]["COUNT(*)"]
    assert answer.lower <= 1 <= answer.upper  # the first at 02:20, then 02:10 for the second time
    assert not answer.exact


@example(zone="Europe/Berlin", start=-30, length=60)
@example(zone="Europe/Berlin", start=-180, length=90)
@example(zone="America/Juneau", start=-30, length=60)
@given(
    zone=st.sampled_from(sorted(SET_BACK)),
    start=st.integers(-200, 200),
    length=st.integers(0, 300),
)
def test_ranges_of_clocks_are_what_clocks_show(zone, start, length):
    first = SET_BACK[zone] + timedelta(minutes=start)
    every = [first + timedelta(minutes=minutes) for minutes in range(length + 1)]
    shown = [each.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for each in every]
    ends = pl.Series([every[0], every[-1]]).dt.convert_time_zone(zone)
    low, high = (each[0] for each in shown_between(ends.head(1), ends.tail(1)))
    assert min(shown) - timedelta(minutes=1) < low <= min(shown)
    assert max(shown) <= high < max(shown) + timedelta(minutes=1)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_missing_moments_stay_missing(unit):
    none = pl.Series([None, None], dtype=pl.Datetime(unit, "Europe/Berlin"))
    assert [each.null_count() for each in shown_between(none, none)] == [2, 2]


@pytest.mark.parametrize("zone", ZONES)
def test_moments_at_the_ends_of_a_type(zone):
    ticks = [-(2**63) + 10**15, 0, 2**62, 2**63 - 10**15]
    at = pl.Series("at", ticks).cast(pl.Datetime("ns", "UTC")).dt.convert_time_zone(zone)
    table = pl.DataFrame({"at": at, "pay": [1, 2, 3, 4]})
    release = released("generalized", table, {"at": "quasi", "pay": "sensitive"}, [0, 1, 0, 1])
    (row,) = release.query("SELECT COUNT(*) FROM data WHERE at > TIMESTAMP '2000-01-01 00:00:00'")
    assert row["COUNT(*)"].lower <= 2 <= row["COUNT(*)"].upper
