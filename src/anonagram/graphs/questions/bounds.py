"""Between which values an aggregate lies, whichever entity of a group is which of its nodes.

A selection has so many entities of each group on either side; which nodes they are is not known. In
a safe grouping the neighbours of a node are all in different groups, so its weight (how many of its
edges lead to somebody selected) is known within two numbers, and its expectation exactly. Finding
the tightest bounds is NP-hard (Cormode et al., Theorem 8); these look from the left, from the right
and at each pair of groups, and take the narrowest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.graphs.questions.groups import (
    SIDES,
    Floats,
    Groups,
    Ints,
    Ordered,
    Pairs,
    across,
)
from anonagram.kernels.picks import (
    Ends,
    PairEnds,
    Reached,
    Weighed,
    cheapest,
    count_picks,
    highest_matched,
    highest_picked,
    match_most,
    pair_bounds,
    pick_hits,
    pick_most,
    pick_sums,
    sort_in_groups,
    weigh,
)
from anonagram.release import GroupedGraphRelease
from anonagram.runtime.threads import in_threads

Mask = NDArray[np.bool_]
STEPS = 64
"""Of the search for the bounds of a mean; it ends after a few."""
ROUNDING = 1e-12
"""By which sums of floating-point numbers may be off, as a share of all that was added."""


@dataclass(frozen=True)
class Between:
    """What is expected, and the least and the most that is possible."""

    expected: float
    least: float
    most: float


@dataclass(frozen=True)
class Half:
    """One side of a selection."""

    entities: Mask
    """Entities that meet the conditions on their columns."""
    nodes: Mask
    """Nodes that meet the conditions on their degree."""


class Selection:
    """Rows of a graph that meet conditions: edges, or the entities of one side."""

    def __init__(
        self,
        release: GroupedGraphRelease,
        rows: str,
        halves: dict[str, Half],
        groups: dict[str, Groups],
        pairs: Callable[[], Pairs],
    ) -> None:
        self.release, self.rows, self.halves = release, rows, halves
        self.groups, self._pairs = groups, pairs
        self.picks = {side: self._picks(side) for side in SIDES}
        """How many entities of each group are selected."""

    def _picks(self, side: str) -> Ints:
        view = self.release.side(side)
        picks: Ints = count_picks(view.group_of_entity, self.halves[side].entities, view.sizes.size)
        return picks

    @cached_property
    def keeps_all(self) -> bool:
        """Whether there is no condition on degrees."""
        return all(bool(self.halves[side].nodes.all()) for side in SIDES)

    @cached_property
    def kept(self) -> Mask:
        """Edges whose nodes meet the conditions on degrees."""
        left, right = (self.halves[side].nodes[self.release.side(side).ends] for side in SIDES)
        return left & right

    @cached_property
    def weights(self) -> dict[str, Weighed]:
        """For each side, how many rows a node has if it is somebody selected; by group."""
        if self.rows != "edges":
            met = self.by_group(self.rows, self.halves[self.rows].nodes.astype(np.float64))
            return {self.rows: Weighed(met, met, met, 1 - met, met)}
        weighed = in_threads(self._weigh, [(side,) for side in SIDES])
        return dict(zip(SIDES, weighed, strict=True))

    def _weigh(self, side: str) -> Weighed:
        own, beyond = self.groups[side], across(side)
        shares = self.picks[beyond] / self.release.side(beyond).sizes
        kept = np.empty(0, np.bool_) if self.keeps_all else self.kept
        weighed: Weighed = weigh(own.edge_starts, own.edges_into, own.edges, kept, shares)
        return weighed

    @cached_property
    def _ordered(self) -> dict[str, Ordered]:
        """For each side the rows of every node, whoever is selected, the fewest of a group first."""
        if self.keeps_all:
            return {side: self.groups[side].degrees for side in SIDES}
        return {
            side: Ordered.of(sort_in_groups(self.groups[side].starts, self.weights[side].all))
            for side in SIDES
        }

    def by_group(self, side: str, of_nodes: NDArray[Any]) -> NDArray[Any]:
        """What nodes have, in the order of their groups."""
        return of_nodes[self.groups[side].order]

    def expected(self, side: str, of_nodes: Floats) -> float:
        """What nodes add up to when everybody selected is equally likely at each of her group."""
        starts, sizes = self.groups[side].starts, self.release.side(side).sizes
        sums = np.add.reduceat(of_nodes, starts[:-1])
        return float((sums * self.picks[side] / sizes).sum())

    def _others(self, side: str) -> Ints:
        """How many entities of each group are not selected."""
        return self.release.side(side).sizes - self.picks[side]

    # how many

    @cached_property
    def count(self) -> Between:
        """How many rows there are."""
        found = [
            Between(self.expected(side, w.expected), *self._from(side, w.low, w.high))
            for side, w in self.weights.items()
        ]
        if self.rows == "edges":
            pairs = self._pair_ends
            found.append(Between(math.nan, float(pairs.least), float(pairs.most)))
            found += [Between(math.nan, self._without_others(side), math.inf) for side in SIDES]
        return _narrowest(found)

    def entities(self, side: str) -> Between:
        """How many different entities of a side have a row."""
        weights = self.weights[side]
        hits = pick_hits(self.groups[side].starts, weights.low, weights.high, self.picks[side])
        least, most = hits.least, hits.most
        if self.rows == "edges":
            # neighbours of a node are in different groups, so that they are selected independently
            pairs = self._pair_ends.left if side == "left" else self._pair_ends.right
            least = np.maximum(least, pairs.least)
            most = np.minimum(most, pairs.most)
        found = [
            Between(self.expected(side, 1 - weights.none), float(least.sum()), float(most.sum()))
        ]
        if self.rows == "edges":
            found.append(Between(math.nan, self._covering(side), self.count.most))
            found.append(Between(math.nan, self._not_left_out(side), math.inf))
        return _narrowest(found)

    def _from(self, side: str, low: Floats, high: Floats) -> tuple[float, float]:
        ends = pick_sums(self.groups[side].starts, low, high, self.picks[side])
        return ends.least, ends.most

    def _without_others(self, side: str) -> float:
        """Rows of everybody selected on one side, less all that can lead to others across."""
        starts, before = self.groups[side].starts[:-1], self._ordered[side].before
        mine = before[starts + self.picks[side]] - before[starts]
        return float(mine.sum()) - self._edges_of_others(across(side))

    def _edges_of_others(self, side: str) -> float:
        """The most edges that those of a side can have who are not selected."""
        ends, before = self.groups[side].starts[1:], self._ordered[side].before
        return float((before[ends] - before[ends - self._others(side)]).sum())

    def _not_left_out(self, side: str) -> float:
        """Everybody selected with an edge, less those all of whose edges can lead to others.

        Of these each takes as many edges as it has, and others have only so many.
        """
        rows = self._ordered[side].each
        counts = cheapest(
            self.groups[side].starts, rows, self.picks[side], int(rows.max(initial=0))
        )
        counts[0] = 0
        left, left_out = self._edges_of_others(across(side)), 0
        for cost in np.flatnonzero(counts).tolist():
            taken = min(int(counts[cost]), int(left // cost))
            left_out += taken
            left -= taken * cost
        return float(counts.sum() - left_out)

    def _covering(self, side: str) -> float:
        """As many entities as it takes to have all rows."""
        needed, entities = self.count.least, 0
        counts = np.bincount(self.weights[side].high.astype(np.int64))
        for rows in np.flatnonzero(counts)[::-1].tolist():
            if needed <= 0 or rows == 0:
                break
            taken = min(int(counts[rows]), math.ceil(needed / rows))
            entities += taken
            needed -= taken * rows
        return float(entities)

    @cached_property
    def _pair_ends(self) -> PairEnds:
        """Bounds from each pair of groups."""
        pairs, (left, right) = self._pairs(), (self.release.side(side).sizes for side in SIDES)
        between = pairs.edges
        if not self.keeps_all:
            between = np.bincount(pairs.of_edge[self.kept], minlength=pairs.edges.size)
        found: PairEnds = pair_bounds(
            pairs.left, pairs.right, between, self.picks["left"], left, self.picks["right"], right
        )
        return found

    # sums, means and ends of what entities or nodes have

    def total(self, values: Values) -> Between:
        """The sum of a value over all rows."""
        most = min(each.total for each in values.most(self))
        least = -min(each.total for each in values.negative.most(self))
        slack = 0.0 if values.is_whole else ROUNDING * values.size * (1 + self.count.most)
        return Between(values.expected(self), least - slack, most + slack)

    def mean(self, values: Values) -> Between:
        """The mean of a value over all rows, where there are any."""
        low, high = values.range
        most = _largest_mean(values, self)
        least = -_largest_mean(values.negative, self)
        slack = ROUNDING * max(abs(low), abs(high))
        count = self.count.expected
        expected = values.expected(self) / count if count else (least + most) / 2
        return Between(expected, least - slack, most + slack)


@dataclass(frozen=True)
class Values:
    """A value of every entity of a side, or of every node."""

    side: str
    of_nodes: bool
    values: Floats
    """0 where somebody has none; those are not selected."""
    is_whole: bool
    range: tuple[float, float]
    """The lowest and the highest."""

    @property
    def negative(self) -> Values:
        """The same with the other sign."""
        low, high = self.range
        return replace(self, values=-self.values, range=(-high, -low))

    def less(self, by: float) -> Values:
        """The same with something taken off each."""
        return replace(self, values=self.values - by, is_whole=False)

    @cached_property
    def size(self) -> float:
        """The largest without its sign."""
        return max(map(abs, self.range))

    def most(self, selection: Selection) -> list[Reached]:
        """The most that the sum over all rows can be, as each way to look at it says."""
        weights, groups = selection.weights[self.side], selection.groups[self.side]
        if not self.of_nodes:
            starts, values = self._selected(selection)
            return [match_most(starts, values, groups.starts, weights.low, weights.high)]
        values = selection.by_group(self.side, self.values)
        met = np.where(values >= 0, weights.high, weights.low)
        found = [pick_most(groups.starts, values * met, met, selection.picks[self.side])]
        if selection.rows == "edges":
            found.append(self._most_from_across(selection))
        return found

    def _most_from_across(self, selection: Selection) -> Reached:
        """The same seen from the other ends of the edges, which have the values of these."""
        side = across(self.side)
        view, picks = selection.release.side(self.side), selection.picks[self.side]
        groups = selection.groups[self.side].of_edge
        of_edges = self.values[view.ends]
        met = np.where(of_edges >= 0, (picks > 0)[groups], (picks == view.sizes)[groups])
        met = met & selection.kept
        ends, count = selection.release.side(side).ends, selection.groups[side].order.size
        gains, weights = (
            selection.by_group(side, np.bincount(ends, each, minlength=count))
            for each in (of_edges * met, met.astype(np.float64))
        )
        starts = selection.groups[side].starts
        reached: Reached = pick_most(starts, gains, weights, selection.picks[side])
        return reached

    def _selected(self, selection: Selection) -> tuple[Ints, Floats]:
        """The values of the entities selected, by group."""
        order = selection.groups[self.side].entity_order
        chosen = order[selection.halves[self.side].entities[order]]
        starts = np.concatenate([[0], np.cumsum(selection.picks[self.side])])
        return starts, self.values[chosen]

    def expected(self, selection: Selection) -> float:
        """The sum over all rows when everybody is equally likely at each node of her group."""
        weights = selection.weights[self.side].expected
        if self.of_nodes:
            values = selection.by_group(self.side, self.values)
            return selection.expected(self.side, values * weights)
        view, chosen = selection.release.side(self.side), selection.halves[self.side].entities
        groups = view.group_of_entity[chosen]
        sums = np.bincount(groups, self.values[chosen], minlength=view.sizes.size)
        rows = np.add.reduceat(weights, selection.groups[self.side].starts[:-1])
        return float((sums * rows / view.sizes).sum())

    def highest(self, selection: Selection) -> Ends:
        """Between which ranks the highest of all rows lies; values are ranks then."""
        weights, groups = selection.weights[self.side], selection.groups[self.side]
        low, high = weights.low, weights.high
        if not self.of_nodes:
            starts, values = self._selected(selection)
            found: Ends = highest_matched(starts, values.astype(np.int64), groups.starts, low, high)
            return found
        ranks = selection.by_group(self.side, self.values).astype(np.int64)
        picked: Ends = highest_picked(groups.starts, ranks, low, high, selection.picks[self.side])
        return picked


def _narrowest(found: list[Between]) -> Between:
    return Between(
        found[0].expected, max(each.least for each in found), min(each.most for each in found)
    )


def _largest_mean(values: Values, selection: Selection) -> float:
    """The smallest number at which the sum of what lies above it cannot be positive.

    Newton's steps from below, for each way to look at it: the sum is convex in the number, and its
    slope is the rows' weight.
    """
    low, high = values.range
    means = []
    for way in range(len(values.most(selection))):
        at = low
        for _ in range(STEPS):
            reached = values.less(at).most(selection)[way]
            if reached.total <= 0 or reached.weight <= 0:
                break
            after = min(at + reached.total / reached.weight, high)
            if after <= at:
                break
            at = after
        else:
            at = high
        means.append(at)
    return min(means)
