"""The help table gives in plain SQL what `query` gives."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import Release
from anonagram.errors import CallError, ReleaseDamaged
from anonagram.release import AnatomizedRelease
from tests.databases import connect
from tests.queries.releases import released

# what docs/query.md tells an analyst to write
BY_HAND = """
WITH hits AS (
    SELECT "group", COUNT(*) AS hits FROM quasi WHERE {condition} GROUP BY "group"
)
SELECT {aggregates} FROM hits JOIN help USING ("group", hits)
"""
NUMBERS = {
    "SUM(pay)": ("SUM(sum_low)", "SUM(sum_high)"),
    "AVG(pay)": (
        "CAST(SUM(sum_low) AS DOUBLE) / SUM(hits)",
        "CAST(SUM(sum_high) AS DOUBLE) / SUM(hits)",
    ),
}
ANY_ORDER = {
    "COUNT(pay)": ("COALESCE(SUM(count_low), 0)", "COALESCE(SUM(count_high), 0)"),
    "MIN(pay)": ("MIN(min_low)", "COALESCE(MIN(min_high), MAX(max_high))"),
    "MAX(pay)": ("COALESCE(MAX(max_low), MIN(min_low))", "MAX(max_high)"),
}
CONDITIONS = ["age >= 2", "age BETWEEN 1 AND 2", "TRUE", "age > 99", "age = 1 OR age = 3"]

KINDS = {
    "whole": st.integers(-5, 9),
    "real": st.integers(-50, 90).map(lambda tenths: tenths / 10),
    "decimal": st.integers(-50, 90).map(lambda tenths: Decimal(tenths) / 10),
    "day": st.integers(0, 30).map(lambda days: date(2024, 1, 1) + timedelta(days=days)),
}
DTYPES = {
    "whole": pl.Int64,
    "real": pl.Float64,
    "decimal": pl.Decimal(10, 1),
    "day": pl.Date,
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=settings().max_examples // 4)  # each table is asked with all conditions
@given(data=st.data())
def test_hand_written_sql_gives_the_same_bounds(kind, data):
    rows = data.draw(st.integers(2, 12))
    with_missing = data.draw(st.booleans())
    value = st.one_of(st.none(), KINDS[kind]) if with_missing else KINDS[kind]
    pay = pl.Series(data.draw(st.lists(value, min_size=rows, max_size=rows)), dtype=DTYPES[kind])
    ages = data.draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
    groups = [row % data.draw(st.integers(1, 3)) for row in range(rows)]
    groups = [sorted(set(groups)).index(group) for group in groups]
    table = pl.DataFrame({"age": ages, "pay": pay})
    release = released("anatomized", table, {"age": "quasi", "pay": "sensitive"}, groups)
    helped = release.with_help_tables()
    aggregates = dict(ANY_ORDER)
    if kind != "day":
        aggregates["SUM(pay)"] = NUMBERS["SUM(pay)"]
        if not pay.has_nulls():  # a mean of an unknown number of values does not add up by groups
            aggregates["AVG(pay)"] = NUMBERS["AVG(pay)"]
    with connect() as connection:
        for name, each in helped.tables.items():
            connection.register(name, each.to_arrow())
        for condition in CONDITIONS:
            answers = helped.query(f"SELECT {', '.join(aggregates)} FROM data WHERE {condition}")[0]
            bounds = ", ".join(f"{low}, {high}" for low, high in aggregates.values())
            by_hand = connection.execute(
                BY_HAND.format(condition=condition, aggregates=bounds)
            ).fetchone()
            for place, name in enumerate(aggregates):
                low, high = by_hand[2 * place : 2 * place + 2]
                answer = answers[name]
                if answer.lower is None:
                    assert (low or 0, high or 0) == (0, 0)  # nobody has a value
                elif kind == "real" and name in NUMBERS:
                    assert (low, high) == pytest.approx(
                        (answer.lower, answer.upper), rel=1e-12, abs=1e-12
                    )
                elif name == "AVG(pay)" and kind == "decimal":
                    assert (low, high) == pytest.approx((answer.lower, answer.upper), rel=1e-12)
                else:
                    assert (low, high) == (answer.lower, answer.upper), (name, condition)


def test_bundle_carries_the_help_table_and_notices_a_changed_one(tmp_path):
    table = pl.DataFrame({"age": [1, 2, 3, 4], "pay": [1, 2, 3, 40], "loss": [0.5, 1.5, None, 7.0]})
    roles = {"age": "quasi", "pay": "sensitive", "loss": "sensitive"}
    release = released("anatomized", table, roles, [0, 0, 1, 1]).with_help_tables()
    for file_format in ("parquet", "csv"):
        release.write(tmp_path / file_format, file_format)
        again = Release.read(tmp_path / file_format)
        assert isinstance(again, AnatomizedRelease)
        assert list(again.tables) == ["quasi", "sensitive", "sensitive_2", "help", "help_2"]
        assert again.tables["help_2"].equals(release.tables["help_2"])
        assert again.query("SELECT SUM(pay) FROM data")[0]["SUM(pay)"].exact
    forged = release.help_tables["pay"].with_columns(sum_high=pl.lit(10**6, pl.Int64))
    replace(release, help_tables={**release.help_tables, "pay": forged}).write(tmp_path / "forged")
    with pytest.raises(ReleaseDamaged, match="help does not follow from the other tables"):
        Release.read(tmp_path / "forged")


def test_sums_that_need_more_than_64_bits():
    values = pl.Series([2**62, 2**62 + 1, 2**62 + 2], dtype=pl.Int64)
    table = pl.DataFrame({"age": [1, 2, 3], "pay": values})
    release = released("anatomized", table, {"age": "quasi", "pay": "sensitive"}, [0, 0, 0])
    help_table = release.with_help_tables().tables["help"]
    assert help_table["sum_low"].to_list()[-1] == sum(values)
    help_table.to_arrow()  # in a type that others can read
    wide = table.with_columns(pay=pl.Series([2**125 + v for v in (1, 2, 3)], dtype=pl.Int128))
    release = released("anatomized", wide, {"age": "quasi", "pay": "sensitive"}, [0, 0, 0])
    with pytest.raises(CallError, match="38 digits"):
        release.with_help_tables()


@pytest.mark.parametrize("shape", ["permuted", "generalized"])
def test_shapes_without_exact_rows_have_none(shape):
    table = pl.DataFrame({"age": [1, 2, 3, 4], "pay": [1, 2, 3, 40]})
    release = released(shape, table, {"age": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    with pytest.raises(CallError, match="does not publish exact rows"):
        release.with_help_tables()
