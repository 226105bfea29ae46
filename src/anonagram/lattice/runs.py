"""The values of a column in an order, so that neighbours can be told as one run of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.cut_sets import Runs
from anonagram.lattice.costs import scaled_places, steps_of
from anonagram.lattice.ladder import Ladder

CutCost = Literal["loss", "geometric_loss", "ncp", "entropy", "discernibility", "class_size"]
"""What cuts can cost: there are no levels, so none that could be climbed."""
Floats = NDArray[np.float64]


class Widths(NamedTuple):
    """A run loses what lies between the low end of its first value and the high end of its last."""

    low: Floats
    high: Floats
    single: Floats
    """What a run of one value loses."""
    free: Floats
    """What is taken off the loss of each value."""
    loses_all: bool = False
    """Whether a missing value that stands with others makes a run lose all."""


@dataclass(frozen=True)
class Order:
    """The values of a column that occur, one after the other, a missing one last."""

    ladder: Ladder
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, ladder: Ladder) -> Order:
        """The order of the domain; without one, that of the hierarchy's leaves.

        Values with a label in common stand beside each other, whatever the level.
        """
        column = ladder.column
        codes = np.flatnonzero(column.counts > 0)
        if column.kind == "nominal":
            codes = codes[np.lexsort([ids[codes] for ids in ladder.ids])]
        return cls(ladder, codes)

    def cuts_of(self, level: int) -> NDArray[np.bool_] | None:
        """Before which values there is a cut at a level; none where a label is no run of values."""
        ids = self.ladder.ids[level][self.codes]
        cuts = np.append(False, ids[1:] != ids[:-1])
        return cuts if cuts.sum() + 1 == np.unique(ids).size else None


def _nothing(order: Order) -> Widths:
    zeros = np.zeros(order.codes.size)
    return Widths(zeros, zeros, zeros, zeros)


def _values(order: Order) -> Widths:
    """The share of the other values that a value cannot be told from."""
    zeros = np.zeros(order.codes.size)
    places = np.arange(order.codes.size) / max(1, order.ladder.size - 1)
    return Widths(places, places, zeros, zeros)


def _ranges(order: Order) -> Widths:
    """How wide a run is: of the whole range, or of all values that there are."""
    column, zeros = order.ladder.column, np.zeros(order.codes.size)
    if column.kind == "nominal":
        places = np.arange(order.codes.size) / order.codes.size
        return Widths(places, places + 1 / order.codes.size, zeros, zeros)
    places = np.append(scaled_places(column), np.inf)[order.codes]
    return Widths(places, places, zeros, zeros, column.has_missing)


def _entropy(order: Order) -> Widths:
    """Ln of how many rows of the run have another value."""
    counts = np.maximum(1, order.ladder.column.counts_in_table)[order.codes].astype(np.float64)
    before = np.cumsum(counts)
    return Widths(before - counts, before, np.log(counts), np.log(counts))


WIDTHS: dict[str, Callable[[Order], Widths]] = {
    "loss": _values,
    "geometric_loss": _values,
    "ncp": _ranges,
    "entropy": _entropy,
    "discernibility": _nothing,
    "class_size": _nothing,
}


def runs_for(cost: str, orders: Sequence[Order]) -> Runs:
    """The orders of all columns with what runs cost, as kernels want them."""
    found = [WIDTHS[cost](order) for order in orders]
    counts = [order.ladder.column.counts[order.codes] for order in orders]
    first = np.cumsum([0, *(order.codes.size for order in orders)])
    missing = [
        end - 1 if width.loses_all else -1 for width, end in zip(found, first[1:], strict=True)
    ]
    free = [float((width.free * each).sum()) for width, each in zip(found, counts, strict=True)]
    starts = np.concatenate([[0], *counts]).cumsum()
    return Runs(
        np.concatenate([order.codes for order in orders]),
        first,
        starts,
        np.concatenate([width.low for width in found]),
        np.concatenate([width.high for width in found]),
        np.concatenate([width.single for width in found]),
        cost == "entropy",
        np.array(missing, np.int64),
        np.array(steps_of([order.ladder for order in orders])[0], np.int64),
        np.array(free),
        np.zeros(3 * sum(order.ladder.column.cardinality for order in orders), np.int64),
    )
