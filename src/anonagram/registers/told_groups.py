"""What a release with groups tells whoever knows a record: which groups can hold it, in codes.

All codes are those of the original's columns, so that releases with other domains can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.kernels.possible import possible_values
from anonagram.microdata import Column, Microdata
from anonagram.registers.told_ranges import (
    Codes,
    Places,
    Ranges,
    codes_in,
    group_codes,
    listed_values,
    told_ranges,
)
from anonagram.release import GroupedRelease, Release
from anonagram.release.sheet import Part

MOST_LISTED = 50_000_000
"""Above so many entries the groups are not listed for each code of the first column."""


@dataclass(frozen=True)
class ToldGroups:
    """The groups of a release as somebody sees them who knows some columns of the original."""

    records: Codes
    """The different records there are, as far as columns tell that are known and told of; sorted."""
    record_of: Codes
    """Which of them every person is."""
    numbers: pl.DataFrame
    """The groups' numbers in the release, and from 0."""
    list_starts: Places
    lists: Codes
    range_starts: Places
    low: Codes
    high: Codes

    @classmethod
    def of(cls, release: Release, microdata: Microdata, people: pl.DataFrame) -> Self:
        """Index a release by what is known; people are the different records of the original."""
        groups = _require_groups(release)
        numbers = groups.group_sizes().select("group").sort("group").with_row_index("number")
        told_of = groups.manifest.named(*groups.known_roles)
        known = [microdata.column(name) for name in people.columns if name in told_of]
        records, record_of = different(people.select(c.name for c in known), people.height)
        codes, sizes, ranges = [], [], []
        for columns in _standing_together(groups, known):
            places = [known.index(column) for column in columns]
            code, size, told = _told(groups, columns, records[:, places], numbers)
            codes.append(code)
            sizes.append(size)
            ranges.append(told)
        lists = _first_lists(ranges, sizes[0] if sizes else 0)
        starts, low, high = _behind(ranges, numbers.height)
        records = np.column_stack(codes) if codes else records
        return cls(np.ascontiguousarray(records), record_of, numbers, *lists, starts, low, high)

    def values_of(self, release: Release, column: Column) -> tuple[Places, Codes]:
        """The sensitive values of each group, as codes."""
        table = _require_groups(release).sensitive_counts()[column.name]
        codes = codes_in(column, table["value"])
        group = group_codes(table["group"], self.numbers)
        ranges = Ranges.of(group, codes, codes, self.numbers.height)
        return ranges.starts, ranges.low

    def possible(
        self, asked: Codes, values: tuple[Places, Codes], size: int
    ) -> tuple[Places, Codes, NDArray[np.bool_]]:
        """The values that some of the records can have, and whether they can be in it at all."""
        found: tuple[Places, Codes, NDArray[np.bool_]] = possible_values(
            self.records[asked], self.list_starts, self.lists, self.range_starts, self.low,
            self.high, *values, size,
        )  # fmt: skip
        return found


def _require_groups(release: Release) -> GroupedRelease:
    if release.grouped is not None:
        release.grouped.require_apart()
        return release.grouped
    raise CallError(
        f"A {release.shape} release is not compared: it has no groups that hold a person for "
        "certain. It may give values away by itself, and more together with this one.",
        "audit and verify tell what it gives away; releases that can be compared are made by anatomy, ke, "
        "permutation and generalize.",
    )


def different(people: pl.DataFrame, height: int) -> tuple[Codes, Codes]:
    """The different rows of a table of codes, sorted, and which of them each row is."""
    if not people.width:  # a frame without columns has forgotten its height
        return np.empty((1, 0), np.int32), np.zeros(height, np.int32)
    # columns by position: one may be called as ours
    rows = people.rename({name: str(place) for place, name in enumerate(people.columns)})
    unique = rows.unique().sort(pl.all())
    number = rows.join(
        unique.with_row_index("number"), on=unique.columns, how="left", maintain_order="left"
    )["number"]
    return np.ascontiguousarray(unique.to_numpy()), number.cast(pl.Int32).to_numpy()


def _standing_together(release: GroupedRelease, known: list[Column]) -> list[list[Column]]:
    """The known columns by the parts whose rows stand whole; what is told as ranges stands alone."""
    found: dict[str, list[Column]] = {}
    for column in known:
        is_range = column.name in release.sheet.ranges
        part = f"range {column.name}" if is_range else release.sheet.part_of(column.name)
        found.setdefault(part, []).append(column)
    return list(found.values())


def _told(
    release: GroupedRelease, columns: list[Column], records: Codes, numbers: pl.DataFrame
) -> tuple[Codes, int, Ranges]:
    """What every record is in these columns as one code of so many, and its ranges in each group."""
    sheet, first = release.sheet, columns[0]
    size = len(first.domain) + 1
    if first.name in sheet.ranges:
        about = release.manifest.column(first.name)
        ranges = told_ranges(release, sheet.ranges[first.name], about, first, numbers)
        return records[:, 0], size, ranges
    part = sheet.parts[sheet.part_of(first.name)]
    if len(columns) == 1:
        rows = sheet.tables[part.table].select(group=pl.col(sheet.group), value=pl.col(first.name))
        return records[:, 0], size, listed_values(first, rows, numbers)
    names = [str(place) for place in range(len(columns))]
    unique, code = different(pl.DataFrame(records, schema=names, orient="row"), len(records))
    return code, len(unique), _exact_rows(release, part, columns, unique, numbers)


def _exact_rows(
    release: GroupedRelease, part: Part, known: list[Column], records: Codes, numbers: pl.DataFrame
) -> Ranges:
    """Rows stand whole: the records that are in each group."""
    table, places = release.sheet.tables[part.table], [str(place) for place in range(len(known))]
    rows = pl.DataFrame(
        {p: codes_in(c, table[c.name]) for p, c in zip(places, known, strict=True)}
        | {"group": group_codes(table[release.sheet.group], numbers)}
    ).unique()
    people = pl.DataFrame(records, schema=places, orient="row").with_row_index("record")
    rows = rows.join(people, on=places)
    record = rows["record"].cast(pl.Int32).to_numpy()
    return Ranges.of(rows["group"].to_numpy(), record, record, numbers.height)


def _first_lists(ranges: list[Ranges], codes: int) -> tuple[Places, Codes]:
    """For each code of the first column the groups that can hold it; nothing where they are too many."""
    if not ranges or ranges[0].listed > MOST_LISTED:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    return ranges[0].lists(codes)


def _behind(ranges: list[Ranges], groups: int) -> tuple[Places, Codes, Codes]:
    """The ranges of all columns behind each other, and where those of each group begin."""
    before = np.cumsum([0, *(each.low.size for each in ranges)])
    starts = np.empty((len(ranges), groups + 1), np.int64)
    for place, each in enumerate(ranges):
        starts[place] = each.starts + before[place]
    low, high = (
        np.concatenate([np.empty(0, np.int32), *ends])
        for ends in ([each.low for each in ranges], [each.high for each in ranges])
    )
    return starts, low, high
