"""How sure an intruder who knows the joint distribution can be of a perturbed row's origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import InputError
from anonagram.measures.inputs import THAT_TABLE
from anonagram.microdata import Microdata
from anonagram.models.gamma_amplification import attribute_weights
from anonagram.release import Replaced

Floats = NDArray[np.float64]
NEARLY_SURE = 0.9


@dataclass(frozen=True)
class Guesses:
    """For each published row, in the release's order."""

    probability: Floats
    """Of the likeliest origin of its quasi-identifiers (Yang and Qiao 2010, eq 6)."""
    bound: Floats
    """What the probability cannot exceed: Proposition 10, corrected."""
    printed_bound: Floats
    """Proposition 10 as it is printed; the probability can exceed it."""

    def __str__(self) -> str:
        sure = float((self.probability > NEARLY_SURE).mean())
        return (
            "Somebody who knows how often every combination of quasi-identifiers occurs guesses the "
            f"origin of {self.probability.mean():.0%} of the rows right, and is more than "
            f"{NEARLY_SURE:.0%} sure of {sure:.0%} of them."
        )


def row_guesses(release: Replaced, microdata: Microdata) -> Guesses | None:
    """The best guess of somebody who knows how often every combination occurs in the original.

    A row q' comes from itself, or from a combination that differs in one attribute i; w_i is the
    chance that i was replaced and became what stands there. All origins that differ in i share the
    values of the other attributes, so a count for each combination without i gives the sum over
    them, and their most frequent one. None where several attributes were replaced in a row, for
    which the paper gives no formula.

    The second term of the printed bound, P(Q_w = q'_w) / Σ P(Q_i = q'_i), would need the frequent
    origin to be among those that differ in any other attribute, too; it is not. What does hold is
    the share of all origins that differ in the same attribute.
    """
    if release.transition.attributes > 1:
        return None
    names = list(release.marginals)
    combinations = (
        pl.DataFrame({name: microdata.column(name).codes for name in names})
        .group_by(names)
        .agg(n=pl.len().cast(pl.Int64))
    )
    rows = pl.DataFrame(
        {name: microdata.column(name).codes_of(release.rows[name]) for name in names}
    )
    weights = attribute_weights(release)
    own = _joined(rows, combinations, names)["n"].fill_null(0).to_numpy()
    everything, likeliest = np.zeros(rows.height), np.zeros(rows.height)
    its_weight = np.zeros(rows.height)
    fewest = np.full(rows.height, np.inf)
    largest_share = np.zeros(rows.height)
    for place, name in enumerate(names):
        if release.transition.replaced[name] == 0:
            continue
        total, other = _neighbours(rows, combinations, names, name)
        w = weights[:, place]
        everything += w * total
        its_weight = np.where(w * other > likeliest, w, its_weight)
        likeliest = np.maximum(likeliest, w * other)
        fewest = np.minimum(fewest, total)
        largest_share = np.maximum(largest_share, w * total)
    if not everything.all():
        row = int(np.argmin(everything)) + 1
        raise InputError(f"Nobody in {microdata.label} can have become row {row}.", THAT_TABLE)
    with np.errstate(invalid="ignore"):
        first = np.where(own > 0, own / fewest, 0.0)
    printed = its_weight / weights.sum(axis=1)
    return Guesses(
        np.minimum(np.maximum(likeliest, own * weights.sum(axis=1)) / everything, 1.0),
        np.maximum(first, largest_share / everything),
        np.maximum(first, printed),
    )


def _joined(rows: pl.DataFrame, table: pl.DataFrame, on: list[str]) -> pl.DataFrame:
    return rows.join(table, on=on, how="left", maintain_order="left")


def _neighbours(
    rows: pl.DataFrame, combinations: pl.DataFrame, names: list[str], name: str
) -> tuple[Floats, Floats]:
    """For each row: people like it but for one attribute, and the most frequent other value's."""
    others = [each for each in names if each != name]
    ranked = combinations.sort("n", descending=True)
    if not others:
        ranked, rows = (each.with_columns(all=pl.lit(0)) for each in (ranked, rows))
        others = ["all"]
    table = ranked.group_by(others, maintain_order=True).agg(
        total=pl.col("n").sum(),
        value=pl.col(name).first(),
        most=pl.col("n").first(),
        second=pl.col("n").slice(1, 1).first(),
    )
    found = _joined(rows, table, others)
    other = (
        pl.when(pl.col("value") == pl.col(name)).then(pl.col("second")).otherwise(pl.col("most"))
    )
    counted = found.select(total=pl.col("total").fill_null(0), other=other.fill_null(0))
    return counted["total"].to_numpy().astype(np.float64), counted["other"].to_numpy()
