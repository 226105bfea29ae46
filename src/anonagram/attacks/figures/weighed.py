"""What rows with replaced values tell of a person, each as likely hers as it came from her values."""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

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
MOST_CHOICES = 500
"""Ways to choose the attributes that were replaced, for which other people are counted."""


def guess_replaced(release: Replaced, original: Microdata, name: str) -> ColumnGuesses:
    """Guess a sensitive column of everybody, or of a sample of many."""
    truth = original.column(name)
    values = len(truth.domain) + 1
    asked = sample_of(original.rows, min(WORK // release.rows.height, MOST_BELIEFS // values))
    beliefs = (
        weigh_values(release, original, name, asked, beside_others=each) for each in (False, True)
    )
    return ColumnGuesses(
        name,
        tuple(Guesses.of_beliefs(each, truth.codes[asked]) for each in beliefs),
        tuple(each.taken(asked) for each in guess_without(original, name)),
        float(truth.counts.max() / original.rows),
        asked,
    )


def weigh_values(
    release: Replaced,
    original: Microdata,
    name: str,
    asked: np.ndarray[tuple[int], np.dtype[np.int64]],
    *,
    beside_others: bool = False,
) -> Floats:
    """For some people how likely each value is, up to a factor.

    A row that hardly anybody else can have become is hers more likely than one that many can: beside
    others, the chance that she became it is divided by that of everybody.
    """
    truth, names = original.column(name), list(release.marginals)
    # what differs most often comes first, so that most rows are ruled out early
    names.sort(key=lambda each: float((original.column(each).counts ** 2.0).sum()))
    columns = [original.column(each) for each in names]
    shares = [_shares(release, original, each) for each in names]
    codes = {str(j): c.codes_of(release.rows[c.name]) for j, c in enumerate(columns)}
    rows = pl.DataFrame(codes | {"value": truth.codes_of(release.rows[name])})
    rows = rows.group_by(rows.columns, maintain_order=True).agg(times=pl.len().cast(pl.Float64))
    chances = np.array([release.transition.replaced[each] for each in names])
    people = pl.DataFrame({str(j): column.codes for j, column in enumerate(columns)})
    others = np.ones(rows.height)
    if beside_others:
        others = _chances_of_all(rows, people, shares, chances, release.transition.attributes)
    beliefs = np.zeros((asked.size, len(truth.domain) + 1))
    weigh_rows(
        np.stack([column.codes[asked] for column in columns], axis=1),
        np.stack([rows[name].to_numpy() for name in codes], axis=1),
        rows["value"].to_numpy(),
        rows["times"].to_numpy() / others,
        chances,
        np.concatenate(shares), np.cumsum([0, *(each.size for each in shares)]).astype(np.int64),
        release.transition.attributes, beliefs,
    )  # fmt: skip
    return beliefs


def _chances_of_all(
    rows: pl.DataFrame, people: pl.DataFrame, shares: list[Floats], chances: Floats, attributes: int
) -> Floats:
    """For each row how many of all people can be expected to become it, up to a factor.

    Whatever was replaced, the other attributes are a person's own. Where there are too many ways to
    choose, every row counts alike.
    """
    names, found = people.columns, np.zeros(rows.height)
    if comb(len(names), attributes) > MOST_CHOICES:
        return np.ones(rows.height)
    drawn = [share[rows[name].to_numpy()] for name, share in zip(names, shares, strict=True)]
    for chosen in combinations(range(len(names)), attributes):
        own = [name for place, name in enumerate(names) if place not in chosen]
        alike = people.group_by(own).agg(n=pl.len()) if own else people.select(n=pl.len())
        joined = rows.join(alike, on=own, how="left", maintain_order="left") if own else alike
        weight = prod(drawn[place] for place in chosen)
        found += (
            weight
            * (chances[chosen[0]] if attributes == 1 else 1.0)
            * joined["n"].fill_null(0).to_numpy()
        )
    return found


def _shares(release: Replaced, original: Microdata, name: str) -> Floats:
    """How likely each code of a column is to be drawn."""
    table, column = release.marginals[name], original.column(name)
    counts = table[release.manifest.layout["count"]].cast(pl.Float64).to_numpy()
    found = np.bincount(column.codes_of(table[name]), counts, len(column.domain) + 1)
    return np.asarray(found / found.sum())
