"""A model trained on what a release offers, and tested on people who were held out."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonagram.errors import AnonagramError
from anonagram.learning import draw_worlds
from anonagram.microdata import Microdata
from anonagram.prediction.features import Features
from anonagram.prediction.logistic import Logistic
from anonagram.release import Release

PASSES = 6
WORLDS = 3


def trained_on(release: Release, held_out: Microdata, sensitive: str) -> float | None:
    """How many of those held out are guessed right; None where no rows can be had to train on."""
    tables = _tables(release)
    found = [guessed_right(table, held_out, sensitive) for table in tables]
    return float(np.mean(found)) if found else None


def _tables(release: Release) -> list[pl.DataFrame]:
    """Rows as they are masked or replaced, or worlds that are consistent with groups."""
    if release.grouped is None and release.people is not None:
        return [release.people]
    try:
        return list(draw_worlds(release, WORLDS))
    except AnonagramError:
        return []


def guessed_right(table: pl.DataFrame, held_out: Microdata, sensitive: str) -> float:
    """A logistic model of attributes and pairs of them, in which numbers stand in bins of the same edges."""
    there = held_out.frame()
    names = [column.name for column in held_out.with_role("quasi") if column.name in table.columns]
    both = pl.concat(
        [table.select(*names, sensitive), there.select(*names, sensitive)], how="vertical_relaxed"
    )
    domain = both[sensitive].unique().drop_nulls().sort()
    codes = domain.search_sorted(both[sensitive]).fill_null(0).to_numpy().astype(np.int32)
    known = both[sensitive].is_not_null().to_numpy()
    features = Features.of([both[name] for name in names], len(domain)).with_pairs(len(domain))
    rows = np.arange(both.height)
    here, apart = rows[: table.height][known[: table.height]], rows[table.height :]
    model = Logistic.of(features.taken(here), len(domain))
    model.fit_known(codes[here], PASSES)
    guess, _, _ = model.predict(features.taken(apart), codes[apart])
    return float(((guess == codes[apart]) & known[apart]).mean())
