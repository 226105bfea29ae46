"""The records nearest to given ones when distance is the largest difference of ranks.

A k-d tree (SciPy's) keeps this far below comparing all pairs. Records with the same ranks are one
point of the tree, so that columns with few values do not make it search through equal points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.agree import find_nearest
from anonagram.key import Key
from anonagram.runtime.threads import in_threads, thread_count

if TYPE_CHECKING:
    from scipy.spatial import KDTree

Ranks = NDArray[np.int64]
ALL_COMBINATIONS = 20_000
"""Up to so many combinations of values, all of them are the random records."""
MANY_ATTRIBUTES = 7
MOST_PAIRS = 2 * 10**10
FURTHEST = 2**31 - 1
CHUNK = 1 << 17
"""Records asked about at a time, so that memory stays small."""


@dataclass(frozen=True)
class Nearest:
    """For each record asked about."""

    distance: NDArray[np.int64]
    """To the nearest records, in the units of the ranks."""
    record: NDArray[np.int64]
    """The number of one of them."""
    following: NDArray[np.int64]
    """To the record behind it, which is as far where several are as near."""

    @property
    def is_only(self) -> NDArray[np.bool_]:
        """Whether no other record is as near."""
        return np.asarray(self.following > self.distance)


class Records:
    """Records that can be searched for neighbours.

    >>> records = Records(np.array([[1, 1], [5, 2], [2, 6]]))
    >>> found = records.nearest(np.array([[4, 4]]))
    >>> found.distance.tolist(), found.is_only.tolist(), records.at(np.array([4, 4]), 2)
    ([2], [False], [1, 2])
    """

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks
        names = [str(place) for place in range(ranks.shape[1])]
        points = (
            pl.DataFrame(ranks, schema=names)
            .with_row_index("row")
            .group_by(names, maintain_order=True)
            .agg(first=pl.col("row").first(), count=pl.len())
        )
        self._first = points["first"].to_numpy().astype(np.int64)
        self._is_single = points["count"].to_numpy() == 1
        self._points = np.ascontiguousarray(ranks[self._first])

    @cached_property
    def _tree(self) -> KDTree:
        """Made when it is searched: where attributes are many, records are compared instead."""
        from scipy.spatial import KDTree

        return KDTree(self._points.astype(np.float64), balanced_tree=False)

    @cached_property
    def _by_attribute(self) -> NDArray[np.int32]:
        """Points in half the memory: twice the rank of the last of a billion rows fits."""
        return np.ascontiguousarray(self._points.T.astype(np.int32))

    def nearest(self, asked: Ranks) -> Nearest:
        """The nearest records of each record asked about, and whether there is only one."""
        if self._compares(asked):
            return self._compared(asked, np.full(len(asked), -1))
        parts = [self._nearest(asked[start : start + CHUNK]) for start in _starts(asked)]
        return Nearest(
            np.concatenate([part.distance for part in parts]),
            np.concatenate([part.record for part in parts]),
            np.concatenate([part.following for part in parts]),
        )

    def distances(self, asked: Ranks) -> NDArray[np.int64]:
        """How far the nearest record is from each record asked about."""
        return self.nearest(asked).distance if self._compares(asked) else self._by_tree(asked)

    def to_others(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """How far some of these records are from the nearest other one; 0 where one is equal.

        >>> Records(np.array([[1, 1], [5, 2], [2, 6], [2, 6]])).to_others(np.array([0, 2])).tolist()
        [4, 0]
        """
        asked, points = self.ranks[numbers], self._point_of[numbers]
        if len(self._points) < 2:
            return np.zeros(len(asked), np.int64)
        if self._compares(asked):
            away = self._compared(asked, points).distance
        else:
            pair = self._tree.query(asked.astype(np.float64), [2], p=np.inf, workers=thread_count())
            away = np.asarray(pair[0])[:, 0].astype(np.int64)
        return np.where(self._is_single[points], away, 0)

    def _by_tree(self, asked: Ranks) -> NDArray[np.int64]:
        workers = thread_count()
        parts = [
            self._tree.query(
                asked[start : start + CHUNK].astype(np.float64), p=np.inf, workers=workers
            )[0]
            for start in _starts(asked)
        ]
        return np.concatenate(parts).astype(np.int64)

    def _compares(self, asked: Ranks) -> bool:
        """Whether to compare with all points: with many attributes a tree helps little."""
        return asked.shape[1] > MANY_ATTRIBUTES and len(asked) * len(self._points) <= MOST_PAIRS

    def at(self, asked: Ranks, distance: int) -> list[int]:
        """The numbers of all records that are no further than a distance, in their order."""
        away = np.abs(self.ranks - asked).max(axis=1)
        return [int(number) for number in np.flatnonzero(away <= distance)]

    @cached_property
    def _point_of(self) -> NDArray[np.int64]:
        """The number of every record's point."""
        names = [str(place) for place in range(self.ranks.shape[1])]
        places = pl.DataFrame(self._points, schema=names).with_row_index("point")
        rows = pl.DataFrame(self.ranks, schema=names)
        found = rows.join(places, on=names, how="left", maintain_order="left")["point"]
        return found.to_numpy().astype(np.int64)

    def _compared(self, asked: Ranks, skip: NDArray[np.int64]) -> Nearest:
        distance, point, following = (np.empty(len(asked), np.int64) for _ in range(3))
        pieces = np.array_split(np.arange(len(asked)), thread_count())
        points, short = self._by_attribute, asked.astype(np.int32)
        in_threads(
            lambda piece: find_nearest(
                points, short[piece], skip[piece], distance[piece[0] : piece[-1] + 1],
                point[piece[0] : piece[-1] + 1], following[piece[0] : piece[-1] + 1],
            ),
            [(piece,) for piece in pieces if piece.size],
        )  # fmt: skip
        return self._of_points(distance, point, following)

    def _of_points(self, distance: Ranks, point: Ranks, following: Ranks) -> Nearest:
        """Records of the same ranks are as near as each other."""
        following = np.where(self._is_single[point], following, distance)
        return Nearest(distance, self._first[point], following)

    def _nearest(self, asked: Ranks) -> Nearest:
        found = self._tree.query(asked.astype(np.float64), [1, 2], p=np.inf, workers=thread_count())
        away, points = (np.asarray(each) for each in found)
        away = np.minimum(away, FURTHEST).astype(np.int64)  # there may be no second one
        return self._of_points(away[:, 0], points[:, 0], away[:, 1])


def _starts(asked: Ranks) -> range:
    return range(0, max(len(asked), 1), CHUNK)


def random_records(ranks: Ranks, count: int, key: Key) -> Ranks:
    """Records whose every attribute is drawn by itself; all combinations where there are few."""
    rows, attributes = ranks.shape
    if has_few_combinations(ranks):
        places = np.indices((rows,) * attributes).reshape(attributes, -1)
        return np.column_stack([ranks[places[j], j] for j in range(attributes)])
    drawn = []
    for j in range(attributes):
        # 32 random bits choose one of n rows: no chance is off by more than n / 2^32 of itself
        words = key.words(f"random records/{j}", count).astype(np.uint64)
        drawn.append(ranks[(words * np.uint64(rows)) >> np.uint64(32), j])
    return np.column_stack(drawn)


def has_few_combinations(ranks: Ranks) -> bool:
    """Whether all combinations of values can be looked at."""
    rows, attributes = ranks.shape
    # rows to the power of attributes is beyond any float where tables are wide
    return bool(attributes * math.log(max(rows, 1)) <= math.log(ALL_COMBINATIONS + 0.5))
