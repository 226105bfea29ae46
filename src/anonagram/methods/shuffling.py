"""Data shuffling: values are dealt out anew so that columns go together as before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.ranks import middle_ranks
from anonagram.key import Key
from anonagram.methods.masking import Columns, MaskingMethod, by_rank
from anonagram.methods.noise import normal_draws, root
from anonagram.microdata import Column, Microdata
from anonagram.runtime.threads import in_threads

Floats = NDArray[np.float64]
DIGITS = 9
SMALLEST = 1e-6
"""Below this, what correlations leave open is rounding."""


@dataclass(frozen=True, repr=False)
class Shuffling(MaskingMethod, call="shuffling", example="shuffling()"):
    """Muralidhar and Sarathy (2006): deal a column's values out anew, given the unmasked columns.

    Ranks become normal scores; new scores are drawn from their distribution given the scores of the
    columns that are not masked, and values are dealt in the order of the new scores. Every column
    keeps all its values, rank correlations stay about the same, also with the unmasked columns, and
    beyond what those tell, a new value has nothing to do with the person's own. A column without an
    order enters by its ranks, a hierarchy's or those of frequency: its relations are hardly kept.

    >>> Shuffling(columns="sensitive")
    shuffling(columns="sensitive")
    """

    columns: Columns = "quasi"
    """Which columns: quasi, sensitive, both, or a list of names. The others are what is kept."""
    undivided = "how columns go together does not follow from how often each value occurs"

    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> list[pl.Series]:
        """Each column with its values in the order of the drawn scores."""
        names = {column.name for column in chosen}
        given = [column for column in microdata.columns if column.name not in names]
        ranks = in_threads(_scaled_ranks, [(column,) for column in (*chosen, *given)])
        correlations = normal_correlations(ranks)
        count = len(chosen)
        slope, spread = conditional(correlations, count)
        draws = [normal_draws(key, f"{self!r}/{c.name!r}", microdata.rows) for c in chosen]
        scores = in_threads(_normal_scores, [(column,) for column in given])

        def deal(place: int) -> pl.Series:
            drawn = _combine(draws, spread[:, place], microdata.rows)
            drawn += _combine(scores, slope[place], microdata.rows)
            codes, of_rank = by_rank(chosen[place])
            ordered = np.repeat(of_rank, np.bincount(codes, minlength=of_rank.size))
            dealt = np.empty_like(codes)
            if np.abs(spread[:, place]).max() > SMALLEST:
                dealt[np.argsort(drawn)] = ordered
            else:  # the unmasked columns determine it: equal scores, whose order is left to chance
                rows = key.permutation(f"{self!r}/{chosen[place].name!r}/ties", codes.size)
                dealt[rows[np.argsort(np.round(drawn[rows], DIGITS), kind="stable")]] = ordered
            return chosen[place].decode(dealt)

        return in_threads(deal, [(place,) for place in range(count)])


def _combine(columns: list[Floats], weights: Floats, rows: int) -> Floats:
    result = np.zeros(rows)
    for weight, each in zip(weights, columns, strict=True):
        result += weight * each
    return result


def _middles(column: Column) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    codes, of_rank = by_rank(column)
    return codes, middle_ranks(np.bincount(codes, minlength=of_rank.size))


def _scaled_ranks(column: Column) -> Floats:
    """Ranks with mean 0 and length 1."""
    codes, middles = _middles(column)
    away = middles[codes] - (codes.size + 1.0)
    return np.asarray(away / (np.sqrt(away @ away) or 1.0))


def _normal_scores(column: Column) -> Floats:
    """What a standard normal variable has at the column's ranks."""
    from scipy.special import ndtri

    codes, middles = _middles(column)
    return np.asarray(ndtri((middles - 1) / 2 / codes.size)[codes])


def normal_correlations(ranks: list[Floats]) -> Floats:
    """Correlations of normal variables that have the rank correlations of the columns.

    Kruskal's 2 sin(π r / 6) of each; the nearest matrix that can be one, where it is none.
    """
    table = np.array([[one @ two for two in ranks] for one in ranks])
    found = 2 * np.sin(np.pi / 6 * np.clip(table, -1.0, 1.0))
    np.fill_diagonal(found, 1.0)
    half = root(found)
    positive = half @ half
    size = np.sqrt(np.diag(positive))
    return np.asarray(positive / np.outer(size, size))


def conditional(correlations: Floats, count: int) -> tuple[Floats, Floats]:
    """Of the first variables given the others: slopes, and the root of what stays open."""
    own, across, rest = (
        correlations[:count, :count],
        correlations[:count, count:],
        correlations[count:, count:],
    )
    slope = across @ np.linalg.pinv(rest, rcond=SMALLEST**2, hermitian=True)
    return slope, root(own - slope @ across.T)
