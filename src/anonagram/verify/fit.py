"""What it says about a person that a group fits her, where columns were permuted inside groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.registers.outsiders import believed
from anonagram.release import Told
from anonagram.verify.record import Sought
from anonagram.verify.view import View

MADE_UP = 1_000
"""People put together from the values of one group each, to see who fits without being there."""
PRIOR = 0.1
"""What somebody believes beforehand."""
TELLING = 0.5
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Fit:
    """Whether the release tells that she is in the table at all."""

    outsiders: float
    """The share of people like those in the table that would fit a group though they are not in it."""
    believed: float
    """What is believed of whoever fits, by somebody who believed `PRIOR` beforehand."""
    is_alone: bool
    """Whether no group would have all of her values without her."""

    @property
    def is_rare(self) -> bool:
        """Whether so few others fit that it tells of whoever does."""
        return self.believed >= TELLING

    @property
    def is_telling(self) -> bool:
        """Whether it goes far to show that she is there."""
        return self.is_alone or self.is_rare


def fit_of(view: View, known: Mapping[str, Sought]) -> Fit | None:
    """Compare her with people who are not in the table, by what is known of her.

    They are made of the release itself: as its columns were permuted, each of its rows is somebody
    with values of one group, who may or may not have been. Looked for as if that row were not there,
    she is somebody like those in the table who is not in it. None where columns were not permuted.
    """
    parts = [part for part in view.parts if any(name in known for name in part.columns)]
    is_moved = all(view.release.how_told(name) is Told.MOVED for name in known)
    if not is_moved or not parts or len(parts) < len(known):
        return None
    group_of = parts[0].group_of
    if any(not np.array_equal(part.group_of, group_of) for part in parts[1:]):
        return None
    cells = [_Cells.of(view.people[name], group_of, view.sizes.size) for name in known]
    rows, count = group_of.size, min(MADE_UP, group_of.size)
    drawn = np.arange(count) * rows // count  # groups are in random order
    people = np.column_stack([view.people[name][drawn] for name in known])
    fitting = sum(_fits(cells, person) for person in people)
    own = np.array([sought.code for sought in known.values()])
    return Fit(
        outsiders=fitting / count,
        believed=float(believed(PRIOR, np.array((fitting + 1) / (count + 1)))),
        is_alone=not _fits(cells, own),
    )


@dataclass(frozen=True)
class _Cells:
    """The groups in which each code of a column stands, and how often."""

    starts: Counts
    groups: Counts
    counts: Counts
    size: int

    @classmethod
    def of(cls, codes: NDArray[np.int32], group_of: NDArray[np.int32], size: int) -> _Cells:
        cells, counts = np.unique(codes.astype(np.int64) * size + group_of, return_counts=True)
        starts = np.searchsorted(cells, np.arange(int(codes.max()) + 2) * size)
        return cls(starts, cells % size, counts, size)

    def found(self, code: int) -> slice:
        return slice(int(self.starts[code]), int(self.starts[code + 1]))


def _fits(cells: list[_Cells], person: NDArray[np.int32] | NDArray[np.int64]) -> bool:
    """Whether a group has all of somebody's values, with one row fewer in the one that is hers.

    Two groups that have them are enough, one of them is not hers.
    """
    has, has_two = np.zeros((2, cells[0].size), np.int64)
    for each, code in zip(cells, person, strict=True):
        at = each.found(int(code))
        has[each.groups[at]] += 1
        has_two[each.groups[at]] += each.counts[at] > 1
    all_of_them = len(cells)
    return bool((has == all_of_them).sum() > 1 or (has_two == all_of_them).any())
