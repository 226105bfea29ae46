"""What a published subdomain can add to an aggregate: between which values, and what is expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.trees import Tree, node_masses

LARGEST_SUM = 1 << 62
Numbers = NDArray[np.int64] | NDArray[np.float64]


class NotFinite(Exception):
    """A value is infinite, or too large to be added up."""


@dataclass(frozen=True)
class Worth:
    """For each node of a tree what one of its values adds, where it meets the conditions."""

    sure: NDArray[np.bool_]
    """Whether every value of the node meets them, and is there."""
    can: NDArray[np.bool_]
    """Whether one does."""
    low: Numbers
    """The least that one of them adds; of none of them, 0."""
    high: Numbers
    chance: NDArray[np.float64]
    """The probability that the target gives those that meet them, inside the node."""
    mean: NDArray[np.float64]
    square: NDArray[np.float64]
    scale: int | None = None
    """Decimal places of numbers that are counted in their last one."""

    @classmethod
    def of(cls, tree: Tree, met: NDArray[np.bool_], amounts: Numbers, scale: int | None) -> Worth:
        """From which values of the domain meet the conditions, and what each of them is."""
        whole = node_masses(tree, tree.probabilities)
        # a node that the target never reaches is spread evenly
        spread = np.where(whole > 0, whole, 1.0)
        size = (tree.nodes.high - tree.nodes.low).astype(np.float64)
        counted = node_masses(tree, met.astype(np.float64))
        chances = np.where(met, tree.probabilities, 0.0)
        plain = np.where(met, amounts, 0).astype(np.float64)
        return cls(
            counted == size,
            counted > 0,
            extreme(tree, met, amounts, np.minimum),
            extreme(tree, met, amounts, np.maximum),
            node_masses(tree, chances) / spread,
            node_masses(tree, chances * plain) / spread,
            node_masses(tree, chances * plain**2) / spread,
            scale,
        )

    @classmethod
    def held(cls, amounts: Numbers, scale: int | None) -> Worth:
        """Of amounts that people have for certain: every node is one of them."""
        there, plain = np.ones(amounts.size, np.bool_), amounts.astype(np.float64)
        return cls(there, there, amounts, amounts, there.astype(np.float64), plain, plain**2, scale)


def extreme(tree: Tree, met: NDArray[np.bool_], amounts: Numbers, least: np.ufunc) -> Numbers:
    """The least (or largest) amount of a node's values that meet the conditions; 0 where none does."""
    worst = _beyond(amounts, largest=least is np.minimum)
    found = np.full(tree.size, worst, amounts.dtype)
    leaves = tree.nodes.children == 0
    found[leaves] = np.where(met, amounts, worst)[tree.nodes.low[leaves]]
    for nodes in reversed(tree.levels[1:]):
        least.at(found, tree.nodes.parent[nodes], found[nodes])
    return np.where(found == worst, 0, found)


def _beyond(amounts: Numbers, *, largest: bool) -> Any:
    """A number beyond all amounts."""
    if amounts.dtype == np.float64:
        return math.inf if largest else -math.inf
    return np.iinfo(np.int64).max if largest else np.iinfo(np.int64).min


def as_numbers(values: Sequence[Any], people: int) -> tuple[Numbers, int | None]:
    """Numbers of a database as an array, missing ones as 0; decimals as whole numbers of a scale."""
    present = [value for value in values if value is not None]
    if any(isinstance(value, float) and not math.isfinite(value) for value in present):
        raise NotFinite
    scale = None
    if present and all(isinstance(value, Decimal | int) for value in present):
        decimals = [value for value in present if isinstance(value, Decimal)]
        if decimals:
            scale = max(0, *(-int(value.as_tuple().exponent) for value in decimals))
        whole = [0 if value is None else int(value * 10 ** (scale or 0)) for value in values]
        if max(map(abs, whole)) * max(people, 1) < LARGEST_SUM:
            return np.array(whole, np.int64), scale
        scale = None
    found = np.array([0.0 if value is None else float(value) for value in values])
    if np.abs(found).max(initial=0.0) > LARGEST_FLOAT:
        raise NotFinite
    return found, scale


LARGEST_FLOAT = 1e150
"""Sums beyond this have squares that no float holds."""
