"""Masked rows that one person alone fits, in whatever order rows stand.

A row that was made from a person's fits her. Where it fits nobody else, it is hers. In a table of
other people of the same kind, rows that fit nobody are as frequent as rows that fit one: where they
hardly occur, rows were made from these people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.kernels.sole import find_sole
from anonagram.key import PUBLIC

WORK = 1_000_000_000
"""People whom rows' strictest cells allow, who are compared; of more rows a sample is looked at."""
FEWEST = 5
"""Fewer rows that fit one person may do so by chance."""
RATHER = 20
"""So many times as often as nobody must one person fit a row."""


@dataclass(frozen=True)
class Sole:
    """What a masked table's rows fit."""

    people: NDArray[np.int64]
    """The people who alone fit a row."""
    one: int
    """How many rows fit one person."""
    none: int
    """How many fit nobody."""
    rows: int
    """How many were looked at; a sample of many."""
    all_rows: int

    @property
    def is_telling(self) -> bool:
        """Whether rows are these people's: those that fit nobody hardly occur."""
        return self.one >= FEWEST and self.one >= RATHER * self.none


def find_people(pair: Aligned, records: int = 0) -> Sole:
    """Look for rows that one person alone fits.

    >>> one = {"age": [31, 38, 45, 52], "town": ["Ulm", "Ulm", "Ulm", "Bonn"]}
    >>> two = {"age": ["*", "40-49", "30-39", "30-39"], "town": ["Bonn", "Ulm", "Ulm", "Ulm"]}
    >>> found = find_people(Aligned.read(one, two))
    >>> found.people.tolist(), found.one, found.none
    ([2, 3], 2, 0)
    """
    ends = [_ends(each) for each in pair.attributes]
    allowed = [_allowed(each, *ends[j]) for j, each in enumerate(pair.attributes)]
    strictest = sorted(range(len(ends)), key=allowed.__getitem__)
    most = min(pair.masked_rows, records or int(WORK / max(min(allowed), 1)))
    order = PUBLIC.permutation("masked rows", pair.masked_rows)[: max(most, 1)]
    low, high = (
        np.stack([ends[j][side][order] for j in strictest]).astype(np.int32) for side in (0, 1)
    )
    people = np.stack([pair.attributes[j].original.codes for j in strictest]).astype(np.int32)
    by_first = np.argsort(people[0], kind="stable")
    people = np.ascontiguousarray(people[:, by_first])
    start, stop = np.searchsorted(people[0], low[0]), np.searchsorted(people[0], high[0], "right")
    count, person = np.zeros((2, order.size), np.int64)
    find_sole(people, start, stop, low, high, count, person)
    is_one = count == 1
    return Sole(
        np.unique(by_first[person[is_one]]),
        int(is_one.sum()),
        int((count == 0).sum()),
        order.size,
        pair.masked_rows,
    )


def _allowed(attribute: Attribute, low: NDArray[np.int64], high: NDArray[np.int64]) -> float:
    """How many people a masked cell allows on average."""
    below = np.concatenate([[0], np.cumsum(attribute.original.counts)])
    return float((below[high + 1] - below[low]).clip(0).mean())


def _ends(attribute: Attribute) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each masked cell the first and last original code it may stand for; of most, one value.

    A suppressed cell may stand for any, and so may a label that nobody explains; an empty one for a
    missing value, where there are no more than the original has. A number that the original does not
    have stands for none.
    """
    same, codes = attribute.same_codes, attribute.masked.codes
    last = attribute.original.places.size - 1
    low, high = np.where(same < 0, 1, same), np.where(same < 0, 0, same)
    if attribute.ranges is not None:
        told = attribute.ranges[codes]
        is_range = told[:, 0] >= 0
        low, high = np.where(is_range, told[:, 0], low), np.where(is_range, told[:, 1], high)
    is_open = codes == attribute.masked.places.size - 1
    if is_open.sum() <= (attribute.original.codes == last).sum():
        low, high = np.where(is_open, last, low), np.where(is_open, last, high)
        is_open = np.zeros_like(is_open)
    if attribute.is_open:
        is_open |= (same >= 0) & (attribute.original.counts[np.maximum(same, 0)] == 0)
    return np.where(is_open, 0, low), np.where(is_open, last, high)
