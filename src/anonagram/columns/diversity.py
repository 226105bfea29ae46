"""How different the values near a rank are, by four criteria."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.ranks import Ranked
from anonagram.errors import CallError, suggest

Criterion = Literal["variance", "distinct", "entropy", "closeness"]
CRITERIA: tuple[str, ...] = get_args(Criterion)
Floats = NDArray[np.float64]


def diversity(
    column: Ranked, ranks: NDArray[np.int64], within: NDArray[np.int64], criterion: Criterion
) -> Floats:
    """The diversity of the values whose rank is within a distance of a rank, for many of both.

    Ranks and distances are counted twice. Equal values have one rank and are in or out together, so
    a set of values is a range of codes, and sums over it are differences of running sums.
    """
    if criterion not in CRITERIA:
        raise CallError(f"There is no criterion {criterion!r}.", suggest(criterion, CRITERIA))
    present = np.flatnonzero(column.counts)
    counts = column.counts[present].astype(np.float64)
    middles = column.middles[present]
    first = np.searchsorted(middles, ranks - within, side="left")
    last = np.searchsorted(middles, ranks + within, side="right")
    measure = {
        "variance": _variance, "distinct": _distinct, "entropy": _entropy, "closeness": _closeness,
    }[criterion]  # fmt: skip
    return measure(Sets(column.places[present], counts, first, last))


@dataclass(frozen=True)
class Sets:
    """Many sets of neighbouring values of one column, each from a first to before a last."""

    places: Floats
    counts: Floats
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def sums(self, terms: Floats) -> Floats:
        """The sum of terms over every set."""
        running = _running(terms)
        return np.asarray(running[self.last] - running[self.first], np.float64)


def _running(terms: NDArray[Any]) -> NDArray[np.longdouble]:
    """Sums of the first terms, in more digits where the machine has them: differences lose some."""
    return np.concatenate([[0.0], np.cumsum(terms, dtype=np.longdouble)])


def _variance(s: Sets) -> Floats:
    """The population's variance of the values that are not missing."""
    is_there = np.isfinite(s.places)
    counts = np.where(is_there, s.counts, 0.0)
    middle = np.average(s.places[is_there], weights=counts[is_there]) if is_there.any() else 0.0
    away = np.where(is_there, s.places - middle, 0.0)  # near 0, so that squares stay exact enough
    n = np.maximum(s.sums(counts), 1.0)
    linear, square = s.sums(counts * away), s.sums(counts * away**2)
    return np.where(s.last - s.first > 1, np.maximum(square / n - (linear / n) ** 2, 0.0), 0.0)


def _distinct(s: Sets) -> Floats:
    return (s.last - s.first).astype(np.float64)


def _entropy(s: Sets) -> Floats:
    """In nats: ln n - (Σ c ln c) / n."""
    n = np.maximum(s.sums(s.counts), 1.0)
    return np.maximum(np.log(n) - s.sums(s.counts * np.log(s.counts)) / n, 0.0)


def _closeness(s: Sets) -> Floats:
    """The earth mover's distance to the whole column over its ordered values (t-closeness).

    It is the sum of the differences of both cumulative distributions, over one less than there are
    values. Inside the set its own grows faster than the column's, so they cross once.
    """
    first, last, total, values = s.first, s.last, s.counts.sum(), s.counts.size
    if values < 2:
        return np.zeros(len(first))
    sizes = _running(s.counts)
    whole = _running(sizes[1:] / total)  # sums of the column's cumulative shares
    inside = _running(sizes[1:])
    before, size = sizes[first], np.maximum(sizes[last] - sizes[first], 1.0)
    # the set's cumulative share (S - before) / size is below the column's S / total up to here
    rest = total - size
    with np.errstate(divide="ignore", invalid="ignore"):
        border = np.where(rest > 0, before * total / np.where(rest > 0, rest, 1.0), np.inf)
    crossing = np.clip(np.searchsorted(sizes[1:], border, side="right"), first, last)

    def gap(start: NDArray[np.int64], end: NDArray[np.int64]) -> Floats:
        own = (inside[end] - inside[start] - (end - start) * before) / size
        return np.asarray(whole[end] - whole[start] - own)

    head = whole[first]
    middle = gap(first, crossing) - gap(crossing, last)
    tail = (values - last) - (whole[values] - whole[last])
    return np.asarray(np.maximum(head + middle + tail, 0.0) / (values - 1))
