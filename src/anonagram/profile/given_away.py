"""Quasi-identifiers that give a sensitive value away, whatever is rearranged.

Where a column says nearly for certain what the sensitive value is (a code beside its description, a day
of death beside an outcome), no group hides it: whoever knows the one knows the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.cells import count_cells
from anonagram.errors import CannotAnonymize
from anonagram.schema import toml_value
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.microdata import Column, Microdata

ROWS = 50_000
"""More rows are looked at by a sample: shares are what counts."""
FEWEST = 10
"""Of fewer people with a value all can have the same sensitive one by chance."""
NEARLY_ALL = 0.95
GAIN = 0.25
"""A value that most people have anyway is not given away by being likely."""
MANY = 0.05
"""The share of people from which on a table is not published like that."""
WORTH_SAYING = 0.01
STRETCHES = 64
"""A column of many values is also looked at in so many stretches of its order: where high amounts go with
one value, or codes that begin alike, no single amount or code has people enough to show it."""
TOGETHER = {1: STRETCHES, 2: 24, 3: 8}
"""Fewer stretches of each of two or three columns, so that some people are left in each combination."""
MOST_TOGETHER = {1: 1 << 20, 2: 45, 3: 16}
"""Of more columns than these, as many together are too many to look at."""


@dataclass(frozen=True)
class GivenAway:
    """What some columns tell about a sensitive one."""

    columns: tuple[str, ...]
    sensitive: str
    share: float
    """Of the people whose value they tell nearly for certain."""
    missing: bool = False
    """That they have none is what is told."""

    def told(self, rows: int) -> str:
        """A sentence about it."""
        what = f"that {self.sensitive} is missing" if self.missing else self.sensitive
        return (
            f"{_in_words(self.columns)} nearly always {'tell' if len(self.columns) > 1 else 'tells'} "
            f"{what} for about {how_many(round(self.share * rows), 'person', 'people')} "
            f"({self.share:.1%})"
        )

    @property
    def remedy(self) -> str:
        """What helps, in a sentence."""
        if self.missing:
            return (
                "No secret of theirs, but it hides nobody else either: others in such a group have one "
                "value less to hide among. Publish these people apart, or ask for one value more."
            )
        which = "one of them" if len(self.columns) > 1 else "it"
        return f"Drop {which}, or publish {'one' if len(self.columns) > 1 else 'it'} coarser."


def find_given_away(
    known: Mapping[str, NDArray[np.int32]],
    sensitive: Mapping[str, NDArray[np.int32]],
    missing: Mapping[str, int],
    together: int = 2,
) -> list[GivenAway]:
    """Columns, alone and several together, that tell a sensitive one for some people; the worst first.

    All columns are codes; `missing` names the code of a column's missing value: of a sensitive one it is
    told last and of many people alone, and whether another has a value at all may tell as much as which.
    Columns together are told only where they tell more than each alone.

    >>> day, outcome = np.array([1, 2, 3] * 20, np.int32), np.array([0, 0, 1] * 20, np.int32)
    >>> find_given_away({"day": day}, {"outcome": outcome}, {})
    [GivenAway(columns=('day',), sensitive='outcome', share=1.0, missing=False)]
    """
    found = []
    for name, codes in sensitive.items():
        rows = np.linspace(0, codes.size - 1, min(codes.size, ROWS)).astype(np.int64)
        target, least = codes[rows], missing.get(name, -1)
        sampled = {each: known[each][rows] for each in known}
        given = {
            each: (column != missing.get(each, -1)).astype(np.int32)
            for each, column in sampled.items()
        }
        told_by: dict[tuple[str, ...], float] = {}
        for number in range(1, together + 1):
            if len(known) > MOST_TOGETHER[number]:
                break
            coarse = {
                each: _stretches(column, TOGETHER[number]) for each, column in sampled.items()
            }
            looked_at = (sampled, coarse, given) if number == 1 else (sampled, coarse)
            for columns in combinations(known, number):
                shares = [
                    _shares_told([some[each] for each in columns], target, least)
                    for some in looked_at
                ]
                told, without = map(max, zip(*shares, strict=True))
                if number == 1 and without >= MANY:
                    found.append(GivenAway(columns, name, without, missing=True))
                by_fewer = [told_by[each] for each in combinations(columns, number - 1) if each]
                told_by[columns] = max([told, *by_fewer])
                if told >= max([WORTH_SAYING, *(each + MANY for each in by_fewer)]):
                    found.append(GivenAway(columns, name, told))
    return sorted(found, key=lambda each: (each.missing, -each.share, len(each.columns)))


def given_away_of(microdata: Microdata, together: int = 2) -> list[GivenAway]:
    """What the published columns of a table tell about its sensitive ones."""
    known, sensitive = microdata.with_role("quasi", "plain"), microdata.with_role("sensitive")
    return find_given_away(
        {column.name: column.codes for column in known},
        {column.name: column.codes for column in sensitive},
        {column.name: len(column.domain) for column in (*known, *sensitive)},
        together,
    )


def refuse_given_away(microdata: Microdata) -> None:
    """Refuse to publish a column as it is that tells a sensitive one of many people."""
    for each in given_away_of(microdata, together=1):
        column = microdata.column(each.columns[0])
        if each.missing:
            continue
        if each.share >= MANY and column.holds != f"what tells {each.sensitive}":
            raise CannotAnonymize(
                f"{microdata.label}: {each.told(microdata.rows)}, so whoever knows "
                f"{column.name} knows it, however values are rearranged.",
                f"drop {column.name!r}, make it sensitive too, or publish it coarser; to publish it all "
                f'the same, say so in the schema: holds = "what tells {each.sensitive}".'
                f"{_marks_told(microdata.column(each.sensitive))}",
            )


def _marks_told(sensitive: Column) -> str:
    """That it may be missing values which are told, and those are no secret."""
    if not sensitive.marked:
        return ""
    marks = toml_value(sensitive.marked)
    return f" If that stands for missing values, say missing = {marks} for {sensitive.name!r}."


def _in_words(columns: tuple[str, ...]) -> str:
    *others, last = columns
    return f"{', '.join(others)} and {last}" if others else last


def _stretches(codes: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Codes of many values as stretches of their order with about equally many rows."""
    counts = np.bincount(codes)
    if np.count_nonzero(counts) <= most:
        return codes
    middles = np.cumsum(counts) - counts / 2
    return (middles * most / codes.size).astype(np.int32)[codes]


def _shares_told(
    columns: Iterable[NDArray[np.int32]], target: NDArray[np.int32], missing: int
) -> tuple[float, float]:
    """The shares of people whose value is told, and of those of whom it is told that they have none."""
    key = np.zeros(target.size, np.int64)
    for codes in columns:
        key = key * (int(codes.max()) + 1) + codes
    # no value is below 0, so both are in the order of their numbers
    width = int(target.max()) + 1
    pairs, counts = count_cells(key * width + target)
    starts = np.flatnonzero(np.diff(pairs // width, prepend=-1))
    people = np.add.reduceat(counts, starts)
    most = np.maximum.reduceat(counts, starts)
    is_most = counts == np.repeat(most, np.diff(starts, append=counts.size))
    value = np.maximum.reduceat(np.where(is_most, pairs % width, -1), starts)
    share = most / people
    before = (np.bincount(target) / target.size)[value]
    is_told = (people >= FEWEST) & (share >= NEARLY_ALL) & (share - before >= GAIN)
    with_value, without = most[is_told & (value != missing)], most[is_told & (value == missing)]
    return float(with_value.sum()) / target.size, float(without.sum()) / target.size
