"""Matches by what cells tell, beside a plain count that shares no code with ours."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram.attacks import Aligned
from anonagram.attacks.figures.likeliest import find_images
from anonagram.attacks.figures.sole import find_people
from anonagram.kernels.likely import MIXED, PLAIN

ROWS = 300


def table(seed: int) -> pl.DataFrame:
    """Numbers and names of which some are missing."""
    random = np.random.default_rng(seed)
    rows = {
        "age": random.integers(18, 60, ROWS).tolist(),
        "pay": random.normal(3000, 800, ROWS).round().tolist(),
        "town": random.choice(["Ulm", "Bonn", "Kiel", "Jena"], ROWS).tolist(),
    }
    return pl.DataFrame(
        {
            name: pl.Series([None if random.random() < 0.2 else value for value in values])
            for name, values in rows.items()
        }
    )


@pytest.mark.parametrize("missing", ["left", "more", "none"])
def test_missing_cells_are_compared_all_at_once_as_one_by_one(monkeypatch, missing):
    """A single column of ranges sends a table the slow way, which looks at cells one by one."""
    import anonagram.attacks.figures.likeliest as module

    one = table(1)
    random = np.random.default_rng(2)
    two = one.with_columns(pl.col("pay") + pl.Series(random.normal(0, 300, ROWS)).round())
    if missing == "more":
        two = two.with_columns(
            pl.when(pl.int_range(pl.len()) % 3 == 0)
            .then(None)
            .otherwise(pl.col("town"))
            .alias("town")
        )
    if missing == "none":
        two = two.fill_null(strategy="forward").fill_null(strategy="backward")
    pair = Aligned.read(one, two, in_order=True)
    fast = find_images(pair)
    really = module.find_likeliest

    def one_by_one(cells, kinds, *rest):
        really(cells, np.where(kinds == PLAIN, MIXED, kinds), *rest)

    monkeypatch.setattr(module, "find_likeliest", one_by_one)
    slow = find_images(pair)
    assert fast.right.tolist() == slow.right.tolist()
    assert fast.sure.tolist() == slow.sure.tolist()
    assert 0 < fast.right.mean() <= 1


@pytest.mark.parametrize("seed", range(6))
def test_whom_alone_a_row_fits_is_found_by_looking_at_everybody(seed):
    one = table(seed).drop_nulls()
    low = pl.col("age") // 10 * 10
    random = np.random.default_rng(seed)
    places = random.permutation(one.height)
    two = one.select(
        pl.format("{}-{}", low, low + 9).alias("age"),
        pl.when(pl.int_range(pl.len()) % 4 == 0)
        .then(pl.lit("*"))
        .otherwise(pl.col("town"))
        .alias("town"),
        (pl.col("pay") // 500 * 500).cast(pl.Int64).alias("from"),
    )
    two = two.with_columns(
        pl.format("{}-{}", pl.col("from"), pl.col("from") + 499).alias("pay")
    ).drop("from")[places]
    found = find_people(Aligned.read(one, two))
    people, fits = set(), 0
    for row in two.iter_rows(named=True):
        ages, pays = ([int(end) for end in row[name].split("-")] for name in ("age", "pay"))
        who = [
            place
            for place, person in enumerate(one.iter_rows(named=True))
            if ages[0] <= person["age"] <= ages[1]
            and pays[0] <= person["pay"] <= pays[1]
            and row["town"] in ("*", person["town"])
        ]
        if len(who) == 1:
            people.add(who[0])
            fits += 1
    assert found.people.tolist() == sorted(people)
    assert (found.one, found.none, found.rows) == (fits, 0, one.height)
    assert people
