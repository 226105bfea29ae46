"""However a column is encoded, its codes stand for its values and its domain is in order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram.columns.encoding import dictionary

DRAWN = np.random.default_rng(1)
COLUMNS = {
    "few texts": pl.Series([["b", "ä", "", None, "a" * 20][i % 5] for i in range(30_000)]),
    "different texts": pl.Series(np.char.mod("text %d", DRAWN.permutation(30_000))),
    "texts that are rare": pl.Series(["a"] * 29_999 + ["b"]),
    "one byte": pl.Series([-128, 127, 0, None] * 100, dtype=pl.Int8),
    "one byte, unsigned": pl.Series([0, 255, 3] * 100, dtype=pl.UInt8),
    "the highest": pl.Series([2**64 - 1, 2**64 - 3] * 2, dtype=pl.UInt64),
    "the lowest": pl.Series([-(2**63), 2 - 2**63] * 9),
    "beyond 64 bits": pl.Series([2**100, 2**100 + 1] * 5, dtype=pl.Int128),
    "few of 128 bits": pl.Series([5, 3, None] * 5, dtype=pl.Int128),
    "close numbers": pl.Series(DRAWN.integers(-5_000, 5_000, 30_000)),
    "different numbers": pl.Series(DRAWN.integers(0, 2**40, 30_000)),
    "fractions": pl.Series(DRAWN.integers(0, 90, 30_000) / 7),
    "nothing but missing ones": pl.Series([None, None], dtype=pl.Int16),
    "nothing": pl.Series([], dtype=pl.String),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_stand_for_the_values_of_an_ordered_domain(name):
    series = COLUMNS[name].alias("column")
    codes, domain = dictionary(series)
    assert codes.dtype == np.int32
    assert (domain.name, domain.dtype) == ("column", series.dtype)
    assert domain.to_list() == sorted({value for value in series.to_list() if value is not None})
    assert domain.extend_constant(None, 1).gather(codes).to_list() == series.to_list()
