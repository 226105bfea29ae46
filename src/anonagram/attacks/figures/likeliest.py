"""Which masked record is most likely a person's, to somebody who knows how values were changed.

Fellegi and Sunter (1969): what is seen of a pair of cells (equal, so many ranks apart, inside an
interval, suppressed) counts by how much more often it is seen of a person and her own image than of
a person and anybody. How often it is of her own is learned from all who have an image; the method and
its parameters tell an intruder as much, and they are no secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.attacks.figures.asked import SCORED, affordable, asked_records
from anonagram.attacks.figures.shares import Share, Surest, surest_of
from anonagram.kernels.likely import POWERS, find_likeliest
from anonagram.runtime.threads import in_threads

STEPS = 8
"""Distances in ranks are told apart by so many steps."""
ROWS_A_STEP = 25
RELATIONS = STEPS + 8
EQUAL, INSIDE, OUTSIDE, SUPPRESSED, NOT_KNOWN = 0, STEPS + 2, STEPS + 5, STEPS + 6, STEPS + 7
WIDTHS = (0.01, 0.1)
"""Ranges of values that hold up to this share of the rows are told apart from wider ones."""
NEW, RANGE, MISSING = -1, -2, -3
PIECE = 64

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Likeliest:
    """For everybody looked for, whether her own image is the likeliest, and how sure that seems."""

    asked: NDArray[np.int64]
    right: Floats
    """1 where only her own is the likeliest, 1/2 where another is as likely, and so on."""
    sure: Floats
    """What somebody believes in the likeliest, for whom all rows were equally likely before."""
    people: int
    """How many people have an image."""

    @property
    def share(self) -> Share:
        """The share of people who are found."""
        return Share(float(self.right.sum()), self.asked.size, self.people)

    @cached_property
    def surest(self) -> Surest:
        """The matches he is surest of."""
        return surest_of(self.sure, self.right)


def find_images(pair: Aligned, records: int = 0) -> Likeliest:
    """Look for people's images; for as many as said, or as can be done in a few seconds.

    >>> rows = {name: [i * k % 101 for i in range(200)] for name, k in (("a", 7), ("b", 13))}
    >>> float(find_images(Aligned.read(rows, rows, in_order=True)).share.value)
    0.505
    """
    columns = [_Column.of(each, pair.paired) for each in pair.attributes]
    columns.sort(key=lambda column: -column.information)
    points, own, weight = _points(pair)
    cells = np.ascontiguousarray(np.stack([column.cells[points].T for column in columns]))
    is_plain = (cells[:, 0] != RANGE).all(axis=1)
    most = affordable(SCORED, points.size * len(columns))
    asked = asked_records(pair, records, most)
    edges = np.stack([column.edges for column in columns])
    right, sure = np.empty(asked.size), np.empty(asked.size)

    def look(start: int) -> None:
        part = slice(start, start + PIECE)
        people = asked[part]
        table = np.stack([column.worth(people) for column in columns], axis=1)
        code = np.column_stack([column.code[people] for column in columns])
        rank = np.column_stack([column.rank[people] for column in columns])
        best = table.max(axis=2)
        left = best[:, ::-1].cumsum(axis=1)[:, ::-1] - best
        find_likeliest(
            cells, is_plain, weight, code, rank, edges, table, left, own[people], POWERS,
            right[part], sure[part],
        )  # fmt: skip

    look(0)  # compiled once, not by every thread
    in_threads(look, [(start,) for start in range(PIECE, asked.size, PIECE)])
    return Likeliest(asked, right, sure, pair.paired)


def _points(pair: Aligned) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """A row for each different masked record, which of them each row is, and how many rows it has."""
    names = [str(place) for place in range(len(pair.attributes))]
    codes = {n: a.masked.codes for n, a in zip(names, pair.attributes, strict=True)}
    frame = pl.DataFrame(codes).with_row_index("row")
    alike = frame.group_by(names, maintain_order=True).agg("row")
    sizes = alike["row"].list.len().to_numpy()
    own = np.empty(pair.masked_rows, np.int64)
    own[alike["row"].explode().to_numpy()] = np.repeat(np.arange(sizes.size), sizes)
    first = alike["row"].list.first().to_numpy().astype(np.int64)
    return first, own, sizes.astype(np.float64)


@dataclass(frozen=True)
class _Column:
    """One attribute, and how often each relation is seen of a person and her image."""

    code: Ints
    """Of every original row; MISSING where there is none."""
    rank: Ints
    cells: Ints
    """Of every masked row: the code it equals, its place, its range."""
    edges: Ints
    own: Floats

    @classmethod
    def of(cls, attribute: Attribute, paired: int) -> _Column:
        original = attribute.original
        missing = original.places.size - 1
        code = np.where(original.codes == missing, MISSING, original.codes).astype(np.int32)
        rank = original.ranks.astype(np.int32)
        cells = _cells(attribute)
        plain = np.zeros(STEPS, np.int32)
        relation, away = _relations(code[:paired], rank[:paired], cells[:paired], plain)
        apart = away[(relation > EQUAL) & (relation < INSIDE)]
        steps = min(STEPS, apart.size // ROWS_A_STEP)
        edges = np.full(STEPS, np.iinfo(np.int32).max, np.int32)
        if steps:
            edges[:steps] = np.quantile(apart, np.arange(1, steps + 1) / (steps + 1))
        relation, _ = _relations(code[:paired], rank[:paired], cells[:paired], edges)
        counts = np.bincount(relation, minlength=RELATIONS) + 0.5
        return cls(code, rank, cells, edges, counts / counts.sum())

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


def _cells(attribute: Attribute) -> Ints:
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


def _relations(code: Ints, rank: Ints, cells: Ints, edges: Ints) -> tuple[NDArray[np.int64], Ints]:
    """The relation of each row to its image, and how many ranks they are apart."""
    same = cells[:, 0]
    away = np.abs(cells[:, 1] - rank)
    inside = (cells[:, 2] <= code) & (code <= cells[:, 3])
    relation = 1 + np.searchsorted(edges, away, side="left")
    relation = np.where(same == RANGE, np.where(inside, INSIDE + cells[:, 1], OUTSIDE), relation)
    relation = np.where(code == MISSING, NOT_KNOWN, relation)
    relation = np.where(same == MISSING, SUPPRESSED, relation)
    return np.where(same == code, EQUAL, relation), away
