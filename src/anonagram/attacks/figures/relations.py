"""What the cells of a column tell of a person and a masked record: equal, so many ranks apart, and so on.

Fellegi and Sunter (1969): a relation counts by how much more often it is seen of a person and her own
image than of a person and anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Attribute
from anonagram.kernels.likely import MIXED, PLAIN

STEPS = 9
"""Distances in ranks are told apart by so many steps; behind the last lies what nobody was moved."""
ROWS_A_STEP = 25
RELATIONS = STEPS + 8
EQUAL, INSIDE, OUTSIDE, SUPPRESSED, NOT_KNOWN = 0, STEPS + 2, STEPS + 5, STEPS + 6, STEPS + 7
WIDTHS = (0.01, 0.1)
"""Ranges of values that hold up to this share of the rows are told apart from wider ones."""
NEW, RANGE, MISSING = -1, -2, -3

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Related:
    """One attribute, and how often each relation is seen of a person and her image."""

    code: Ints
    """Of every original row; MISSING where there is none."""
    rank: Ints
    cells: Ints
    """Of every masked row: the code it equals, its place, its range."""
    edges: Ints
    own: Floats

    @classmethod
    def of(cls, attribute: Attribute, people: NDArray[np.int64]) -> Related:
        """Learned from some people who have an image."""
        original = attribute.original
        missing = original.places.size - 1
        code = np.where(original.codes == missing, MISSING, original.codes).astype(np.int32)
        rank = original.ranks.astype(np.int32)
        cells = cells_of(attribute)
        none = np.zeros(STEPS, np.int32)
        relation, away = relations_of(code[people], rank[people], cells[people], none)
        apart = away[(relation > EQUAL) & (relation < INSIDE)]
        steps = min(STEPS, apart.size // ROWS_A_STEP + 1)
        edges = np.full(STEPS, np.iinfo(np.int32).max, np.int32)
        if steps > 1:
            edges[:steps] = np.quantile(apart, [*(np.arange(1, steps) / steps), 1])
        relation, _ = relations_of(code[people], rank[people], cells[people], edges)
        counts = np.bincount(relation, minlength=RELATIONS) + 0.5
        return cls(code, rank, cells, edges, counts / counts.sum())

    @property
    def told(self) -> Ints:
        """What is compared of each masked row."""
        return self.cells

    @property
    def kind(self) -> int:
        """How a kernel compares it: a column without ranges several rows at a time."""
        return MIXED if (self.cells[:, 0] == RANGE).any() else PLAIN

    @cached_property
    def information(self) -> float:
        """How much the attribute tells of who is whose, on average over some people."""
        some = np.linspace(0, self.code.size - 1, min(self.code.size, 200)).astype(np.int64)
        return float((self.worth(some) * self.own).sum(axis=1).mean())

    def worth(self, people: NDArray[np.int64]) -> NDArray[np.float32]:
        """For each person and relation, how much more often it is seen of her own image."""
        anybody = np.maximum(self._of_anybody(people), 0.5) / len(self.cells)
        return (np.log(self.own) - np.log(anybody)).astype(np.float32)

    @cached_property
    def _sorted(self) -> tuple[Ints, NDArray[np.int64], list[tuple[Ints, Ints]], int]:
        """Places of single values, rows that equal each code, ends of ranges by width, missing."""
        same, place = self.cells[:, 0], self.cells[:, 1]
        single = np.sort(place[same >= NEW])
        equal = np.bincount(same[same >= 0], minlength=int(self.code.max(initial=0)) + 1)
        ranges = []
        for width in range(len(WIDTHS) + 1):
            of_width = self.cells[(same == RANGE) & (place == width)]
            ranges.append((np.sort(of_width[:, 2]), np.sort(of_width[:, 3])))
        return single, equal, ranges, int((same == MISSING).sum())

    @cached_property
    def _place_of_equal(self) -> Ints:
        """Where cells lie that equal each code."""
        is_equal = self.cells[:, 0] >= 0
        places = np.zeros(self._sorted[1].size, np.int32)
        places[self.cells[is_equal, 0]] = self.cells[is_equal, 1]
        return places

    def _of_anybody(self, people: NDArray[np.int64]) -> Floats:
        """How many masked rows have each relation to each person."""
        single, equal, ranges, missing = self._sorted
        code, rank = self.code[people], self.rank[people].astype(np.int64)
        counts = np.zeros((people.size, RELATIONS))
        is_there = code >= 0
        known = np.maximum(code, 0)
        counts[:, EQUAL] = np.where(is_there, equal[known], missing)
        edges = self.edges.astype(np.int64)
        within = np.searchsorted(single, rank[:, None] + edges, side="right") - np.searchsorted(
            single, rank[:, None] - edges, side="left"
        )
        whole = np.full((people.size, 1), single.size)
        counts[:, 1:INSIDE] = np.diff(np.hstack([np.zeros_like(whole), within, whole]), axis=1)
        away = np.abs(self._place_of_equal[known] - rank)
        step = 1 + np.searchsorted(edges, away, side="left")
        counts[np.arange(people.size), step] -= np.where(is_there, equal[known], 0)
        for width, (low, high) in enumerate(ranges):
            inside = np.searchsorted(low, known, "right") - np.searchsorted(high, known, "left")
            counts[:, INSIDE + width] = inside
            counts[:, OUTSIDE] += low.size - inside
        counts[:, SUPPRESSED] = missing
        counts[~is_there, 1:SUPPRESSED] = 0
        counts[~is_there, NOT_KNOWN] = len(self.cells) - missing
        return counts


def cells_of(attribute: Attribute) -> Ints:
    """What every masked cell tells, on the original's scale of ranks."""
    masked, original = attribute.masked, attribute.original
    there = np.append(masked.counts[:-1], 0)
    here = int(original.counts[:-1].sum())
    ends = np.cumsum(there)
    scale = here / max(int(ends[-1]), 1)
    place = np.rint((2 * ends - there) * scale + 1).astype(np.int32)
    of_code = np.full((masked.places.size, 4), NEW, np.int32)
    of_code[:, 1] = place
    of_code[-1, 0] = MISSING
    cells = of_code[masked.codes]
    same = attribute.same_codes
    cells[:, 0] = np.where(same >= 0, same, cells[:, 0])
    if attribute.ranges is not None:
        is_range = attribute.ranges[:, 0] >= 0
        low, high = attribute.ranges[is_range, 0], attribute.ranges[is_range, 1]
        rows = np.concatenate([[0], np.cumsum(original.counts[:-1])])
        share = (rows[np.minimum(high + 1, rows.size - 1)] - rows[low]) / max(here, 1)
        kinds = np.searchsorted(WIDTHS, share).astype(np.int32)
        sets = np.column_stack([np.full(low.size, RANGE, np.int32), kinds, low, high])
        of_code[is_range] = sets
        ranged = is_range[masked.codes]
        cells[ranged] = of_code[masked.codes[ranged]]
    return cells


def relations_of(
    code: Ints, rank: Ints, cells: Ints, edges: Ints
) -> tuple[NDArray[np.int64], Ints]:
    """The relation of each row to its image, and how many ranks they are apart."""
    same = cells[..., 0]
    away = np.abs(cells[..., 1] - rank)
    inside = (cells[..., 2] <= code) & (code <= cells[..., 3])
    relation = 1 + np.searchsorted(edges, away, side="left")
    relation = np.where(same == RANGE, np.where(inside, INSIDE + cells[..., 1], OUTSIDE), relation)
    relation = np.where(code == MISSING, NOT_KNOWN, relation)
    relation = np.where(same == MISSING, SUPPRESSED, relation)
    return np.where(same == code, EQUAL, relation), away
