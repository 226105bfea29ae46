from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram.columns.places import line_places, on_scale
from anonagram.columns.recoding import (
    at_positions,
    codes_among,
    inverse,
    label_ranks,
    reordered,
)

LETTERS = "abcdefgh"


@given(st.permutations(LETTERS), st.lists(st.integers(0, len(LETTERS)), max_size=20))
def test_values_stay_when_codes_change(order, cells):
    """The last code is that of a missing value, before and after."""
    codes = np.array(cells, np.int32)
    sorting = np.array([LETTERS.index(letter) for letter in order], np.int32)
    values = [[*LETTERS, None][code] for code in cells]
    for found in (reordered(codes, sorting), at_positions(codes, LETTERS, order)):
        assert found.dtype == np.int32
        assert [[*order, None][code] for code in found] == values
    assert inverse(inverse(sorting)).tolist() == sorting.tolist()
    known = pl.Series(values, dtype=pl.String)
    assert codes_among(pl.Series(order), known, -1).tolist() == reordered(codes, sorting).tolist()
    assert label_ranks(known, order).to_list() == [
        None if value is None else order.index(value) for value in values
    ]


def test_a_label_that_the_order_does_not_have_is_an_error():
    with pytest.raises(pl.exceptions.InvalidOperationError):
        label_ranks(pl.Series(["a", "z"]), LETTERS)


@pytest.mark.parametrize("values", [[], [7]])
def test_few_values_have_places(values):
    numbers = pl.Series(values, dtype=pl.Int64)
    assert on_scale(numbers).to_list() == [0.0] * len(values)
    assert line_places(numbers, "numeric").tolist() == [*map(float, values), float("inf")]
