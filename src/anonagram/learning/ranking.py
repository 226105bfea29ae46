"""Who of a group has which amount, by order.

Where two amounts go together, whoever has most of the one probably has most of the other. So somebody
sorts the people of a group by an amount they are known by and the group's values by size, and joins
them place by place: no model is needed, and exact values are found however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.cells import count_cells
from anonagram.columns.places import is_measured
from anonagram.columns.ranks import middle_ranks
from anonagram.learning.by_rank import ByRank, Ranked, Sorted
from anonagram.learning.guesses import Guesses, alike_kinds
from anonagram.learning.nearest import guess_nearest
from anonagram.registers.told_groups import ToldGroups, different
from anonagram.release.group_index import GroupIndex
from anonagram.release.told import Told

if TYPE_CHECKING:
    from anonagram.microdata import Column, Microdata
    from anonagram.release import GroupedRelease, Release

ROWS = 20_000
"""Whole groups of so many rows are enough for two digits."""
SURELY = 3.0
"""So many standard errors from nothing, groups say which way values go with an amount."""
ALMOST = 1 - 1e-6
"""No amounts go together better than that."""
UNIFORM = 12.0
"""One over the variance of places from 0 to 1."""

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


class Stood(NamedTuple):
    """Codes of rows, and in which group, from 0, each stands."""

    group_of: Codes
    codes: Codes

    def sorted(self) -> Codes:
        """The codes by group, from the lowest in each."""
        size = int(self.codes.max(initial=0)) + 1
        cells = np.sort(self.group_of.astype(np.int64) * size + self.codes)
        return (cells % size).astype(np.int32)

    def means(self, column: Column) -> Floats:
        """The mean rank of each group, from 0 to 1, without missing ones."""
        is_there = self.codes < len(column.domain)
        groups = int(self.group_of.max()) + 1
        there = self.group_of[is_there]
        sums = np.bincount(there, _places(self.codes)[self.codes[is_there]], groups)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.bincount(there, minlength=groups))


def _places(codes: Codes) -> Floats:
    """Where each code lies among all rows, from 0 to 1."""
    counts = np.bincount(codes)
    return middle_ranks(counts) / (2.0 * codes.size)


def sortable(release: GroupedRelease, original: Microdata) -> list[Column]:
    """The quasi-identifiers by which people of a group can be sorted: exact amounts, at whatever row."""
    return [
        column
        for column in original.with_role("quasi")
        if is_measured(column.kind) and release.how_told(column.name) in (Told.EXACT, Told.MOVED)
    ]


def ranked_columns(original: Microdata) -> list[Column]:
    """The sensitive columns whose values have a size."""
    return [column for column in original.with_role("sensitive") if is_measured(column.kind)]


@dataclass(frozen=True)
class _Groups:
    """What groups say of a sensitive column, and who is where."""

    truth: Column
    people: NDArray[np.int64]
    values: Stood
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, truth: Column, people: NDArray[np.int64], counted: pl.DataFrame) -> Self:
        counts = counted["count"].cast(pl.Int64).to_numpy()
        group_of = np.repeat(GroupIndex.of(counted["group"]).group_of, counts)
        values = Stood(group_of, np.repeat(truth.codes_of(counted["value"]), counts))
        starts = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
        return cls(truth, people, values, starts)

    @property
    def by_group(self) -> float:
        """How often the most frequent value of a group is right."""
        size = len(self.truth.domain) + 1
        cells, counts = count_cells(
            self.values.group_of.astype(np.int64) * size + self.values.codes
        )
        first = np.searchsorted(cells, np.arange(self.starts.size - 1) * size)
        return float(np.maximum.reduceat(counts, first).sum() / self.values.codes.size)

    def agreement(self, column: Column, known: Stood) -> float:
        """How far groups with more of an amount have higher values: the correlation of mean ranks."""
        one, two = known.means(column), self.values.means(self.truth)
        both = np.isfinite(one) & np.isfinite(two)
        if not both.any():
            return 0.0
        one, two = one[both] - one[both].mean(), two[both] - two[both].mean()
        spread = float(np.sqrt((one @ one) * (two @ two)))
        return float(one @ two) / spread if spread > 0 else 0.0

    def sort(
        self, column: Column, known: Stood, like: _Like, agreement: float, *, is_rising: bool
    ) -> Guesses:
        """Join people and values of each group; how far they go together says how sure he is."""
        from anonagram.kernels.by_rank import guess_by_rank

        turned = np.arange(len(self.truth.domain) + 1, dtype=np.int32)
        if not is_rising:  # a missing value stays behind all others
            turned[:-1] = turned[:-1][::-1].copy()
        values = Stood(self.values.group_of, turned[self.values.codes])
        right, belief = np.zeros(self.people.size), np.zeros(self.people.size)
        strength = min(agreement, ALMOST)
        guess_by_rank(
            self.starts, known.sorted(), values.sorted(), _places(known.codes),
            _places(values.codes), UNIFORM * strength / (1 - strength**2), like.starts, like.groups,
            like.kinds, column.codes[self.people], turned[self.truth.codes[self.people]], right, belief,
        )  # fmt: skip
        return Guesses(right, belief, right)


class _Like(NamedTuple):
    """In which groups rows are that look like a person."""

    starts: NDArray[np.int64]
    """Where the groups of each kind of people begin."""
    groups: NDArray[np.int64]
    kinds: NDArray[np.int64]
    """Of which kind each person is."""

    @classmethod
    def rows_of(cls, release: GroupedRelease, original: Microdata) -> Self:
        """Where rows stand whole: the groups of all that are equal to hers, once for each."""
        rows, kinds = alike_kinds(release, original)
        group_of = GroupIndex.of(release.tables["quasi"][release.sheet.group]).group_of
        size = int(group_of.max()) + 1
        cells = np.sort(rows * size + group_of)
        number = int(max(rows.max(), kinds.max())) + 1
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=number))])
        return cls(starts, cells % size, kinds)

    @classmethod
    def groups_of(cls, release: GroupedRelease, people: Microdata) -> Self:
        """Where columns were permuted apart: the groups that have all her values."""
        from anonagram.kernels.fitting import list_fitting

        telling = sorted(people.with_role("quasi"), key=lambda c: float((c.counts**2.0).sum()))
        codes = {column.name: column.codes for column in telling}
        unique, record_of = different(pl.DataFrame(codes), people.rows)
        records = pl.DataFrame(unique, schema=list(codes), orient="row")
        told = ToldGroups.of(release, people, records)
        starts, groups = list_fitting(
            told.records, told.list_starts, told.lists, told.range_starts, told.low, told.high,
            told.numbers.height,
        )  # fmt: skip
        return cls(starts, groups, told.record_of[record_of].astype(np.int64))


def guess_ranked(release: GroupedRelease, original: Microdata, name: str) -> ByRank:
    """Sort by whatever the release says, and guess everybody who is found in it.

    People are found by their quasi-identifiers; where rows do not stand as they are, a sample of many.
    """
    step = 1 if release.has_whole_rows else -(-original.rows // ROWS)
    people = np.arange(0, original.rows, step)
    if release.has_whole_rows:
        like = _Like.rows_of(release, original)
    else:
        like = _Like.groups_of(release, original.take(people.astype(np.int32)))
    groups = _Groups.of(original.column(name), people, release.sensitive_counts()[name])
    found = [
        (column, _stood(column, *_where(release, column.name)), like)
        for column in sortable(release, original)
    ]
    return _tried(groups, found, original.rows)


def rank_all(
    release: Release, original: Microdata, group_of: NDArray[np.int32] | None = None
) -> list[Ranked]:
    """What sorting finds of each sensitive amount, the most first; of none where nothing is sorted.

    With the group of everybody, which only the protector knows, a sample of many people is looked at.
    """
    groups, columns = release.grouped, ranked_columns(original)
    if groups is None or groups.subdomains is not None or not columns:
        return []
    if not sortable(groups, original):
        return []
    if group_of is not None:
        found = _score(groups, original, group_of)
    else:
        found = [guess_ranked(groups, original, column.name).told for column in columns]
    return sorted(found, key=lambda each: -each.found.everybody)


def _score(
    release: GroupedRelease, original: Microdata, group_of: NDArray[np.int32]
) -> list[Ranked]:
    """By groups that are known, in the first of them, as groups are numbered at random."""
    sizes = release.group_sizes().sort("group")
    many = int(np.searchsorted(np.cumsum(sizes["rows"].to_numpy()), ROWS)) + 1
    numbers = sizes["group"][:many]
    people = np.flatnonzero(group_of <= numbers[-1])
    at = np.searchsorted(numbers.to_numpy(), group_of[people])
    like = _Like(np.arange(people.size + 1), at, np.arange(people.size))
    found = []
    for column in sortable(release, original):
        numbered, values = _where(release, column.name)
        rows = (numbered <= numbers[-1]).arg_true()
        found.append((column, _stood(column, numbered.gather(rows), values.gather(rows)), like))
    each = []
    for truth in ranked_columns(original):
        counted = release.sensitive_counts()[truth.name]
        counted = counted.filter(pl.col("group") <= numbers[-1])
        each.append(_tried(_Groups.of(truth, people, counted), found, group_of.size).told)
    return each


def _where(release: GroupedRelease, name: str) -> tuple[pl.Series, pl.Series]:
    """The groups and the values of a published column, row by row."""
    sheet = release.sheet
    table = sheet.tables[sheet.parts[sheet.part_of(name)].table]
    return table[sheet.group], table[name]


def _stood(column: Column, numbered: pl.Series, values: pl.Series) -> Stood:
    return Stood(GroupIndex.of(numbered).group_of, column.codes_of(values))


def _tried(groups: _Groups, found: list[tuple[Column, Stood, _Like]], rows: int) -> ByRank:
    """Sort by each amount that groups say goes with the values; in all ways where they say it of none."""
    agreements = [groups.agreement(column, known) for column, known, _ in found]
    enough = SURELY / np.sqrt(max(groups.starts.size - 2, 1))
    is_told = any(abs(each) > enough for each in agreements)
    tried = []
    for (column, known, like), agreement in zip(found, agreements, strict=True):
        if is_told and abs(agreement) <= enough:
            continue
        for is_rising in [agreement > 0] if is_told else [True, False]:
            guesses = groups.sort(column, known, like, abs(agreement), is_rising=is_rising)
            tried.append(Sorted(column.name, is_rising, guesses))
    nearest = [guess_nearest(column, groups.truth, groups.people) for column, *_ in found]
    return ByRank(
        groups.truth.name,
        tuple(tried),
        is_told,
        groups.by_group,
        tuple(nearest),
        groups.people,
        rows,
    )
