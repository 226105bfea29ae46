"""What a node of the lattice costs: how much of the values is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.places import on_scale
from anonagram.kernels.lattice import ADDED, GEOMETRIC, GROUPS, SQUARES, Ladders
from anonagram.lattice.ladder import Ladder
from anonagram.microdata import Column

Cost = Literal[
    "loss", "geometric_loss", "ncp", "entropy", "precision", "discernibility", "class_size"
]
Floats = NDArray[np.float64]


class Losses(NamedTuple):
    """What a row loses of a column."""

    by_level: Sequence[Floats]
    """At each level, by code."""
    suppressed: float
    free: Floats | None = None
    """What is taken off each code's loss whatever the level; nothing where None."""


def _leaves(ladder: Ladder) -> Losses:
    """The share of the other values that a label cannot be told from."""
    others = max(1, ladder.size - 1)
    return Losses([(ladder.leaves(i) - 1) / others for i in range(ladder.height + 1)], 1.0)


def _widths(ladder: Ladder) -> Losses:
    """How wide the values of a label are: of the whole range, or of all values that there are."""
    column = ladder.column
    here = column.counts > 0
    by_level = []
    for ids in ladder.ids:
        labels = int(ids.max()) + 1
        if column.kind == "nominal":
            found = np.bincount(ids[here], minlength=labels)
            wide = np.where(found > 1, found / here.sum(), 0.0)
        else:
            wide = _spans(ladder, ids, labels)
        by_level.append(wide[ids])
    return Losses(by_level, 1.0)


def scaled_places(column: Column) -> Floats:
    """Where the values of an ordered column lie from 0 to 1."""
    values = column.domain if column.kind != "ordinal" else pl.Series(range(len(column.domain)))
    return on_scale(values).to_numpy()


def _spans(ladder: Ladder, ids: NDArray[np.int32], labels: int) -> Floats:
    column = ladder.column
    places = scaled_places(column)
    low, high = np.full(labels, np.inf), np.full(labels, -np.inf)
    np.minimum.at(low, ids[: places.size], places)
    np.maximum.at(high, ids[: places.size], places)
    wide = np.where(high >= low, high - low, 0.0)
    if column.has_missing and high[ids[-1]] >= low[ids[-1]]:
        wide[ids[-1]] = 1.0  # missing values beside others
    return wide


def _entropy(ladder: Ladder) -> Losses:
    """Ln of how many rows of the label have another value: -ln of the chance to guess it."""
    counts = np.maximum(1, ladder.column.counts_in_table).astype(np.float64)
    by_level = [np.log(np.bincount(ids, weights=counts))[ids] for ids in ladder.ids]
    return Losses(by_level, float(np.log(counts.sum())), np.log(counts))


def _precision(ladder: Ladder) -> Losses:
    """The share of the levels that were climbed."""
    size = ladder.column.cardinality
    steps = max(1, ladder.height)
    return Losses([np.full(size, level / steps) for level in range(ladder.height + 1)], 1.0)


def _nothing(ladder: Ladder) -> Losses:
    return Losses([np.zeros(ladder.column.cardinality)] * (ladder.height + 1), 0.0)


COSTS: dict[str, tuple[int, Callable[[Ladder], Losses]]] = {
    "loss": (ADDED, _leaves),
    "geometric_loss": (GEOMETRIC, _leaves),
    "ncp": (ADDED, _widths),
    "entropy": (ADDED, _entropy),
    "precision": (ADDED, _precision),
    "discernibility": (SQUARES, _nothing),
    "class_size": (GROUPS, _nothing),
}
MOST_KEYS = 2.0**62


def ladders_for(cost: str, ladders: Sequence[Ladder], rows: int) -> Ladders:
    """The levels of all columns, with what each costs, as kernels want them."""
    kind, losses_of = COSTS[cost]
    found = [losses_of(ladder) for ladder in ladders]
    tallest = max(ladder.height for ladder in ladders)
    where = np.zeros((len(ladders), tallest + 1), np.int64)
    least = np.zeros((len(ladders), tallest + 1))
    keys, losses, at = [], [], 0
    steps, is_unique = steps_of(ladders)
    most = 0.0
    for i, (ladder, loss) in enumerate(zip(ladders, found, strict=True)):
        counts = ladder.column.counts
        free = 0.0 if loss.free is None else float((loss.free * counts).sum())
        most += loss.suppressed * rows - free
        for level, ids in enumerate(ladder.ids):
            where[i, level], at = at, at + ids.size
            keys.append(ids.astype(np.int64) * steps[i])
            losses.append(loss.by_level[level])
            least[i, level] = (loss.by_level[level] * counts).sum() - free
    return Ladders(
        np.concatenate(keys),
        np.concatenate(losses),
        where,
        np.array([ladder.height for ladder in ladders], np.int64),
        least,
        np.array([loss.suppressed for loss in found]),
        is_unique,
        kind,
        # entropy is told as a share of all that can be lost, others as a mean over cells
        float(rows) if kind == GEOMETRIC else max(most, 1e-300),
    )


def steps_of(ladders: Sequence[Ladder]) -> tuple[list[np.int64], bool]:
    """Multipliers such that sums of multiplied labels are different, if numbers are large enough."""
    sizes = [ladder.column.cardinality for ladder in ladders]
    product = float(np.prod([float(size) for size in sizes]))
    if product < MOST_KEYS:
        return [np.int64(step) for step in np.cumprod([1, *sizes[:-1]])], True
    odd = np.random.default_rng(0).integers(1, 2**62, len(sizes), dtype=np.int64) * 2 + 1
    return list(odd), False
