"""Numbers of every type, and of any size: what is added up keeps every digit that the truth has."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from anonagram import Key, Microdata, Random
from anonagram.errors import UnsupportedQuery
from anonagram.queries import Answer
from tests.queries import test_bounds
from tests.queries.releases import SHAPES, released

ROLES = {"a": "quasi", "b": "quasi", "x": "sensitive"}


def ask(shape: str, table: pl.DataFrame, groups: list[int], sql: str) -> Answer:
    (row,) = released(shape, table, ROLES, groups).query(sql)
    (answer,) = row.values()
    return answer


def true_answer(table: pl.DataFrame, sql: str) -> Any:
    """The one answer of the original; Arrow has no whole numbers of 128 bits."""
    wide = table.with_columns(pl.col(pl.Int128).cast(pl.Decimal(38, 0)))
    ((true,),) = test_bounds.truth(wide, sql, 0).values()
    return true


def assert_holds(answer: Answer, true: Any, number: Fraction, sql: str) -> None:
    """Bounds hold what the database answers and, but for its rounding, the number itself."""
    assert answer.lower <= true <= answer.upper, (answer, true, sql)
    nearest = float(number) if isinstance(true, float) else number
    assert answer.lower <= nearest <= answer.upper, (answer, nearest, sql)
    assert not answer.exact or answer.estimate == true == nearest, (answer, true, sql)


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize(
    "condition", ["", " WHERE a > 0", " WHERE a > 1 AND x > 0", " WHERE a = 2"]
)
def test_numbers_of_32_bits_that_occur_several_times(shape, condition):
    x = pl.Series([5.9, 2.8, 7.7, 1.1] * 3, dtype=pl.Float32)
    table = pl.DataFrame({"a": [1, 2, 3] * 4, "b": range(12), "x": x})
    for aggregate in ("SUM(x)", "AVG(x)", "SUM(x * 2)", "MIN(x)", "MAX(x)"):
        sql = f"SELECT {aggregate} FROM data{condition}"
        answer = ask(shape, table, [0] * 12, sql)
        true = true_answer(table, sql)
        assert answer.lower <= true <= answer.upper, (answer, true, sql)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(pl.Int8, 100), (pl.UInt8, 200), (pl.Int16, 30000), (pl.Int32, 2**31 - 1), (pl.UInt32, 2**31),
     (pl.Int64, 2**62), (pl.UInt64, 2**63), (pl.Int128, 2**100)],
)  # fmt: skip
@pytest.mark.parametrize("condition", ["", " WHERE a > 1 AND b < 9", " WHERE a > 0"])
def test_whole_numbers_that_occur_several_times_have_room(dtype, value, condition):
    x = pl.Series([value] * 11 + [1], dtype=dtype)
    table = pl.DataFrame({"a": [1, 2, 3] * 4, "b": range(12), "x": x})
    for shape in ("anatomized", "permuted"):
        sql = f"SELECT SUM(x) FROM data{condition}"
        answer = ask(shape, table, [0] * 12, sql)
        true = true_answer(table, sql)
        assert answer.lower <= true <= answer.upper


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize(
    "x",
    [
        pl.Series([Decimal("0.03"), Decimal("0.05"), Decimal("0.07")] * 2, dtype=pl.Decimal(10, 2)),
        pl.Series([2**53, 2**53 + 1, 2**53 + 2] * 2, dtype=pl.Int64),
        pl.Series([2**60 + 1, 3, 2**61 + 7] * 2, dtype=pl.UInt64),
        pl.Series([1, 1, 2] * 2, dtype=pl.Int64),
    ],
)
def test_means_are_called_exact_only_if_they_are(shape, x):
    table = pl.DataFrame({"a": [1, 2, 3, 4, 5, 6], "b": [1, 1, 1, 2, 2, 2], "x": x})
    for condition, rows in (("", 6), (" WHERE b = 1", 3), (" WHERE a <= 5", 5)):
        sql = f"SELECT AVG(x) FROM data{condition}"
        answer = ask(shape, table, [0, 0, 0, 1, 1, 1], sql)
        true = true_answer(table, sql)
        number = sum(Fraction(each) for each in x.head(rows)) / rows
        assert_holds(answer, true, number, sql)


BIG = 2**53


@pytest.mark.parametrize(
    "condition",
    [
        f"a BETWEEN {BIG + 1} AND 9.007199254740993e15", f"a NOT BETWEEN {BIG + 1} AND 1e17",
        f"a IN ({BIG}, 1.5e0)", f"a NOT IN ({BIG}, 1.5e0)", f"a NOT BETWEEN {BIG + 1} AND NULL",
    ],
)  # fmt: skip
def test_ranges_are_compared_in_the_type_of_the_whole_condition(condition):
    table = pl.DataFrame(
        {"a": [BIG, BIG + 1, BIG + 2, BIG + 3, 1, 2], "b": range(6), "x": range(6)}
    )
    sql = f"SELECT COUNT(*) FROM data WHERE {condition}"
    answer = ask("generalized", table, [0, 1, 2, 2, 3, 3], sql)
    true = true_answer(table, sql)
    assert answer.lower <= true <= answer.upper
    assert not answer.exact or answer.estimate == true


LARGE = [1e308, -1e308, 1.7e308, 1.7e308, -1.7e308, 1.0, 2.0, 1e200]


@pytest.mark.parametrize("shape", [*sorted(SHAPES), "random"])
@pytest.mark.parametrize("aggregate", ["SUM(x)", "AVG(x)", "SUM(b)", "AVG(b)", "MIN(x)", "MAX(b)"])
@pytest.mark.filterwarnings("error")
def test_sums_beyond_all_floats_are_refused(shape, aggregate):
    table = pl.DataFrame({"a": range(8), "b": LARGE, "x": LARGE})
    if shape == "random":
        release = Random().anonymize(Microdata.read(table, ROLES), Key(bytes(32)))
    else:
        release = released(shape, table, ROLES, [0, 0, 0, 0, 1, 1, 1, 1])
    for condition in ("", " WHERE a > 2", " WHERE a = 1", " WHERE x < 3 AND a > 1"):
        try:
            (row,) = release.query(f"SELECT {aggregate} FROM data{condition}")
        except UnsupportedQuery:
            continue
        (answer,) = row.values()
        numbers = [answer.estimate, answer.lower, answer.upper, answer.deviation]
        assert all(math.isfinite(each) for each in numbers if each is not None)


FAR = pl.Series([0, 20_000, 2_932_896, 2_932_897, 4_000_000, 9], dtype=pl.Int32).cast(pl.Date)


@pytest.mark.parametrize("shape", [*sorted(SHAPES), "random"])
@pytest.mark.parametrize("x", [FAR, FAR.cast(pl.Datetime("us"))])
def test_days_that_python_does_not_know_are_counted_but_not_told(shape, x):
    table = pl.DataFrame({"a": range(6), "b": [1, 1, 1, 2, 2, 2], "x": x})
    if shape == "random":
        release = Random().anonymize(Microdata.read(table, ROLES), Key(bytes(32)))
    else:
        release = released(shape, table, ROLES, [0, 0, 0, 1, 1, 1])
    for sql in ("MAX(x) FROM data", "MIN(x), MAX(x) FROM data", "x, COUNT(*) FROM data GROUP BY x"):
        with pytest.raises(UnsupportedQuery, match="1 to 9999"):
            release.query(f"SELECT {sql}")
    counted = release.query("SELECT COUNT(*) FROM data WHERE x > '10000-01-01'")
    assert counted[0]["COUNT(*)"].estimate == 1
    assert release.query("SELECT MIN(x) FROM data")[0]["MIN(x)"].estimate == x[0]


WHOLE = {
    pl.Int8: 7, pl.Int16: 15, pl.Int32: 31, pl.Int64: 63, pl.Int128: 110,
    pl.UInt8: 8, pl.UInt16: 16, pl.UInt32: 32, pl.UInt64: 64,
}  # fmt: skip


@st.composite
def numbers(draw: st.DrawFn, rows: int) -> pl.Series:
    dtype: Any = draw(st.sampled_from([*WHOLE, pl.Float32, pl.Float64, "decimal"]))
    if dtype == "decimal":
        digits = draw(st.integers(1, 30))
        scale = draw(st.integers(0, digits))
        whole = st.integers(-(10**digits) + 1, 10**digits - 1)
        texts = st.one_of(whole, st.integers(-9, 9)).map(lambda n: Decimal(n).scaleb(-scale))
        chosen = st.lists(texts, min_size=rows, max_size=rows)
        return pl.Series("x", draw(chosen), dtype=pl.Decimal(digits, scale), strict=False)
    if dtype in WHOLE:
        high = 2 ** WHOLE[dtype] - 1
        low = 0 if dtype.is_unsigned_integer() else -high - 1
        each: st.SearchStrategy[Any] = st.one_of(
            st.integers(low, high), st.sampled_from([low, high]), st.integers(max(low, -9), 9)
        )
    else:
        width = 32 if dtype == pl.Float32 else 64
        each = st.one_of(
            st.floats(allow_nan=False, allow_infinity=False, width=width),
            st.integers(-99, 99).map(lambda tenths: tenths / 10),
        )
    few = draw(st.lists(each, min_size=1, max_size=4))
    return pl.Series(
        "x", draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows)), dtype=dtype
    )


@pytest.mark.parametrize("shape", sorted(SHAPES))
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_numbers_of_every_type(shape, data):
    rows = data.draw(st.integers(2, 8))
    table = pl.DataFrame({"a": range(rows), "b": [n % 3 for n in range(rows)]})
    table = table.with_columns(data.draw(numbers(rows)))
    groups = [0, 0, *data.draw(st.lists(st.integers(0, 1), min_size=rows - 2, max_size=rows - 2))]
    release = released(shape, table, ROLES, groups)
    picked = data.draw(
        st.sampled_from(["", " WHERE a > 0", " WHERE b < 2 AND a > 1", " WHERE b = 0"])
    )
    for aggregate in ("SUM", "AVG", "MIN", "MAX"):
        sql = f"SELECT {aggregate}(x) FROM data{picked}"
        try:
            (answer,) = release.query(sql)[0].values()
            true = true_answer(table, sql)
        except UnsupportedQuery:
            event("refused")
            continue
        if true is None:
            assert answer.estimate is None or not answer.exact
            continue
        listed = true_answer(table, f"SELECT LIST(x) FROM data{picked}")
        exact = [Fraction(each) for each in listed]
        total = {
            "SUM": sum(exact),
            "AVG": sum(exact) / len(exact),
            "MIN": min(exact),
            "MAX": max(exact),
        }
        assert_holds(answer, true, Fraction(total[aggregate]), sql)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pl.Float32, [0.0, 1e-45]),
        (pl.Float32, [1e-45, 3e-45]),
        (pl.Float64, [0.0, 5e-324]),
        (pl.Float64, [5e-324, 1e-323]),
    ],
)
def test_median_between_the_smallest_numbers_there_are(dtype, values):
    column = pl.Series("a", values * 4, dtype=dtype)
    table = pl.DataFrame({"a": column, "b": [1, 2] * 4, "x": list(range(8))})
    for question in ("MEDIAN(a)", "QUANTILE_CONT(a, 0.5)", "QUANTILE_CONT(a, 0.45)"):
        sql = f"SELECT {question} AS m FROM data"
        answer = ask("anatomized", table, [0] * 4 + [1] * 4, sql)
        assert answer.lower <= true_answer(table, sql) <= answer.upper
