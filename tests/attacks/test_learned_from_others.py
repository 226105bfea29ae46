"""What the intruder learns on some people of how values change, and whom he finds of the others."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Microdata
from anonagram.attacks import Aligned
from anonagram.attacks.aligned.published import aligned_with
from anonagram.attacks.figures.likeliest import find_images
from anonagram.methods import Method

COLUMNS = "abcde"


def renamed(rows: int, kept: float) -> Aligned:
    """Names that mostly become the same other name: nothing that distances or equal values tell."""
    random = np.random.default_rng(1)
    one, two = {}, {}
    for name in COLUMNS:
        values = random.integers(0, 20, rows)
        moved = (values * 7 + 3) % 20
        is_kept = random.random(rows) < kept
        one[name] = [f"v{v:02}" for v in values]
        two[name] = [f"v{v:02}" for v in np.where(is_kept, moved, random.integers(0, 20, rows))]
    return Aligned.read(pl.DataFrame(one), pl.DataFrame(two), in_order=True)


def test_which_value_becomes_which_is_learned():
    assert find_images(renamed(2000, 0.9)).share.value > 0.7


def test_nothing_is_learned_where_nothing_is_kept():
    """Whoever learned on the people he looks for would find them in what is only chance."""
    assert find_images(renamed(400, 0.0)).right.sum() < 8


@pytest.mark.parametrize(("p", "least"), [(10, 0.99), (30, 0.5)])
def test_nobody_is_moved_further_than_ranks_are_swapped(p, least):
    random = np.random.default_rng(3)
    common = random.normal(size=1000)
    table = pl.DataFrame({name: common + random.normal(size=1000) for name in "abcdefghijkl"})
    data = Microdata.read(table, dict.fromkeys(table.columns, "quasi"))
    swapped = Method.parse(f"rank_swapping(p={p})").publish(data, Key(bytes(32)))
    assert find_images(aligned_with(data, swapped)).share.value > least
