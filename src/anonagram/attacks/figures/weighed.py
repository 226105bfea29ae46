"""What rows with replaced values tell of a person, each as likely hers as it came from her values."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonagram.attacks.figures.guesses import ColumnGuesses
from anonagram.attacks.figures.told_entries import Floats, sample_of
from anonagram.kernels.believe import weigh_rows
from anonagram.learning import Guesses, guess_without
from anonagram.microdata import Microdata
from anonagram.release import Replaced

WORK = 2_000_000_000
"""People times rows that are compared; of more people a sample is guessed."""
MOST_BELIEFS = 20_000_000
"""People times values."""


def guess_replaced(release: Replaced, original: Microdata, name: str) -> ColumnGuesses:
    """Guess a sensitive column of everybody, or of a sample of many."""
    truth = original.column(name)
    values = len(truth.domain) + 1
    asked = sample_of(original.rows, min(WORK // release.rows.height, MOST_BELIEFS // values))
    beliefs = weigh_values(release, original, name, asked)
    return ColumnGuesses(
        name,
        (Guesses.of_beliefs(beliefs, truth.codes[asked]),),
        tuple(each.taken(asked) for each in guess_without(original, name)),
        float(truth.counts.max() / original.rows),
        asked,
    )


def weigh_values(
    release: Replaced,
    original: Microdata,
    name: str,
    asked: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Floats:
    """For some people how likely each value is, up to a factor."""
    truth, names = original.column(name), list(release.marginals)
    # what differs most often comes first, so that most rows are ruled out early
    names.sort(key=lambda each: float((original.column(each).counts ** 2.0).sum()))
    columns = [original.column(each) for each in names]
    shares = [_shares(release, original, each) for each in names]
    beliefs = np.zeros((asked.size, len(truth.domain) + 1))
    weigh_rows(
        np.stack([column.codes[asked] for column in columns], axis=1),
        np.stack([column.codes_of(release.rows[column.name]) for column in columns], axis=1),
        truth.codes_of(release.rows[name]),
        np.array([release.transition.replaced[each] for each in names]),
        np.concatenate(shares), np.cumsum([0, *(each.size for each in shares)]).astype(np.int64),
        release.transition.attributes, beliefs,
    )  # fmt: skip
    return beliefs


def _shares(release: Replaced, original: Microdata, name: str) -> Floats:
    """How likely each code of a column is to be drawn."""
    table, column = release.marginals[name], original.column(name)
    counts = table[release.manifest.layout["count"]].cast(pl.Float64).to_numpy()
    found = np.bincount(column.codes_of(table[name]), counts, len(column.domain) + 1)
    return np.asarray(found / found.sum())
