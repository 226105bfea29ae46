"""A release as its subjects look at it: columns of codes, whatever its shape.

What is computed in Python and what the page in the bundle computes both start from this, so that
they can be held against each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import encode
from anonagram.columns.hierarchy import value_texts
from anonagram.columns.original import Original
from anonagram.columns.places import is_measured, line_places
from anonagram.columns.ranks import Codes, Ranked, by_frequency
from anonagram.columns.recoding import at_positions, reordered
from anonagram.errors import CallError
from anonagram.release import GroupedRelease, Release
from anonagram.release.manifest import PublishedColumn
from anonagram.release.sheet import Part, RangeColumn
from anonagram.schema import ColumnRule, Kind
from anonagram.sources import Table

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class ViewColumn:
    """The values of a published column, in the order of their ranks."""

    name: str
    role: str
    kind: Kind
    domain: pl.Series
    """Without the missing value, whose code is one more than the last."""
    original: Original | None = None
    """How people have it themselves, where it is published otherwise."""

    @property
    def is_measured(self) -> bool:
        """Whether values lie on a scale."""
        return is_measured(self.kind)

    @cached_property
    def texts(self) -> list[str]:
        """The values as they are written."""
        return value_texts(self.domain)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Where values lie: numbers where they are, others at their position; missing at infinity."""
        return line_places(self.domain, self.kind)


@dataclass(frozen=True)
class Spans:
    """What is told of a column as a range, a group each: which codes are possible."""

    low: Codes
    high: Codes
    has_missing: NDArray[np.bool_]
    is_empty: NDArray[np.bool_]
    """Whether nothing else than missing values is possible."""


@dataclass(frozen=True)
class Sets:
    """What is told of a column as a set: a list of codes for each group."""

    starts: Counts
    codes: Codes


@dataclass(frozen=True)
class GroupCounts:
    """How often values of a sensitive column occur in groups, a line each group and value."""

    group: Codes
    code: Codes
    count: Counts


@dataclass(frozen=True)
class KnownPart:
    """Columns that somebody may know, and whose values stand beside each other in whole rows."""

    columns: tuple[str, ...]
    group_of: Codes
    """The group of every row."""


@dataclass(frozen=True)
class View:
    """A release in codes. Groups are numbered from 0."""

    release: Release
    columns: dict[str, ViewColumn]
    people: dict[str, Codes] = field(default_factory=dict)
    """Columns that have a row each person."""
    parts: tuple[KnownPart, ...] = ()
    """Which of them stand beside each other, where there are groups."""
    sizes: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    """The rows of every group."""
    hidden: int | None = None
    """The group of those who fit no other."""
    spans: dict[str, Spans | Sets] = field(default_factory=dict)
    counts: dict[str, GroupCounts] = field(default_factory=dict)
    """For each sensitive column of a release with groups."""
    marginals: dict[str, Counts] = field(default_factory=dict)
    """For each replaced column, how often each code occurs in the original."""

    @property
    def known(self) -> list[str]:
        """The columns that somebody may know of a person."""
        return self.release.manifest.named(*self.release.known_roles)

    @property
    def sensitive(self) -> list[str]:
        """The columns that nobody should learn."""
        return [name for name, column in self.columns.items() if column.role == "sensitive"]

    def is_true(self, name: str) -> bool:
        """Whether a column's published values are the original's, be they moved or not."""
        return self.release.how_told(name).is_true

    def keeps_values(self, name: str) -> bool:
        """Whether a value that a person has must occur among the published ones."""
        return self.release.how_told(name).keeps_values

    def ranked(self, name: str) -> Ranked:
        """A column of the people as ranks."""
        return Ranked(self.people[name], self.columns[name].places)


def view_of(release: Release) -> View:
    """Look at a release: at its rows, or at its groups as its sheet lays them out."""
    if release.people is not None:
        return _rows_view(release, release.people)
    if release.grouped is not None:
        return _groups_view(release.grouped)
    raise CallError(
        f"Nobody finds herself in a {release.shape} release: it has neither rows of people nor "
        "groups.",
        "anonagram check tells what it promises.",
    )


def coded(
    values: pl.Series, about: PublishedColumn, ranking: tuple[str, ...] | None = None
) -> tuple[Codes, ViewColumn]:
    """A column as codes in the order of ranks: values without an order by how frequent they are."""
    rule = ColumnRule(about.role, about.kind, order=about.order)  # type: ignore[arg-type]
    table = Table(pl.DataFrame({about.name: values}), "the release")
    codes, domain, kind, _ = encode(table, about.name, rule)
    if about.order is not None:
        codes = at_positions(codes, value_texts(domain), about.order)
        domain = pl.Series(about.name, about.order, dtype=pl.String)
    elif ranking is not None or kind == "nominal":
        counts = np.bincount(codes, minlength=len(domain))[: len(domain)]
        order = _places_in(domain, ranking) if ranking else by_frequency(counts)
        codes, domain = reordered(codes, order), domain.gather(order)
    return codes, ViewColumn(about.name, about.role, kind, domain, about.original)


def _places_in(domain: pl.Series, ranking: tuple[str, ...]) -> Codes:
    """The codes of a domain's values as a ranking has them."""
    known = {text: number for number, text in enumerate(value_texts(domain))}
    return np.array([known[text] for text in ranking], np.int32)


def _rows_view(release: Release, rows: pl.DataFrame) -> View:
    found = {}
    for about in release.manifest.columns:
        masking = release.masked.get(about.name)
        ranking = None if masking is None else masking.order
        found[about.name] = coded(rows[about.name], about, ranking)
    columns = {name: column for name, (_, column) in found.items()}
    people = {name: codes for name, (codes, _) in found.items()}
    marginals = {}
    for name, table in {} if release.replaced is None else release.replaced.marginals.items():
        both = pl.concat([rows[name], table[name]])
        codes, column = coded(both, release.manifest.column(name))
        columns[name], people[name] = column, codes[: rows.height]
        marginals[name] = np.bincount(
            codes[rows.height :],
            weights=table[release.manifest.layout["count"]].to_numpy(),
            minlength=len(column.domain) + 1,
        ).astype(np.int64)
    return View(release, columns, people, marginals=marginals)


def _groups_view(release: GroupedRelease) -> View:
    """What is known stands in rows or is told as ranges, and sensitive values are counted."""
    release.require_apart()
    number = _numbered(release)
    counts, columns = _sensitive(release, number)
    people, parts, stood = _known_rows(release, number)
    spans, ranged = _known_ranges(release, number)
    columns = columns | stood | ranged
    for about in release.manifest.columns:
        if about.name not in columns:
            told = release.sheet.told[about.name]
            columns[about.name] = coded(pl.concat(told), about)[1]
    ordered = {about.name: columns[about.name] for about in release.manifest.columns}
    sizes = release.group_sizes().sort("group")["rows"].to_numpy().astype(np.int64)
    hidden = release.hidden_group
    if hidden is not None:
        hidden = int(number.filter(pl.col("group") == hidden)["number"][0])
    return View(release, ordered, people, parts, sizes, hidden, spans, counts)


def _known_rows(
    release: GroupedRelease, number: pl.DataFrame
) -> tuple[dict[str, Codes], tuple[KnownPart, ...], dict[str, ViewColumn]]:
    """The known columns that stand in rows, and which of them stand beside each other."""
    sheet, known = release.sheet, release.manifest.named(*release.known_roles)
    people, columns, parts = {}, {}, []
    group_of: dict[tuple[str, str | None], Codes] = {}
    for part in sheet.parts.values():
        names = tuple(name for name in part.columns if name in known)
        if not names:
            continue
        rows, place = _whole_rows(sheet.tables[part.table], part), (part.table, part.weight)
        for name in names:
            people[name], columns[name] = coded(rows[name], release.manifest.column(name))
        if place not in group_of:
            group_of[place] = _group_codes(rows[sheet.group], number)
        parts.append(KnownPart(names, group_of[place]))
    return people, tuple(parts), columns


def _known_ranges(
    release: GroupedRelease, number: pl.DataFrame
) -> tuple[dict[str, Spans | Sets], dict[str, ViewColumn]]:
    """The known columns that are told as ranges."""
    sheet, known = release.sheet, release.manifest.named(*release.known_roles)
    told = [column for name, column in sheet.ranges.items() if name in known]
    tables = {column.table: sheet.tables[column.table] for column in told}
    for name, table in tables.items():
        tables[name] = table[np.argsort(_group_codes(table[sheet.group], number))]
    found = {
        each.name: _span(tables[each.table], each, release.manifest.column(each.name))
        for each in told
    }
    return {n: span for n, (span, _) in found.items()}, {n: c for n, (_, c) in found.items()}


def _whole_rows(table: pl.DataFrame, part: Part) -> pl.DataFrame:
    """A row each person, also where a row stands for several."""
    if part.weight is None:
        return table
    return table[np.repeat(np.arange(table.height), table[part.weight].to_numpy())]


def _span(
    groups: pl.DataFrame, told: RangeColumn, about: PublishedColumn
) -> tuple[Spans | Sets, ViewColumn]:
    if told.ends is None:
        lists = groups[told.name]
        lengths = lists.list.len().to_numpy().astype(np.int64)
        codes, column = coded(lists.explode(empty_as_null=False), about)
        return Sets(np.concatenate([[0], np.cumsum(lengths)]), codes), column
    low, high, missing = (groups[name] for name in told.ends)
    codes, column = coded(pl.concat([low, high.alias(low.name)]), about)
    ends = codes[: len(low)], codes[len(low) :]
    return Spans(*ends, missing.to_numpy(), low.is_null().to_numpy()), column


def _numbered(release: GroupedRelease) -> pl.DataFrame:
    """The groups' numbers in the release, and from 0 without gaps."""
    return release.group_sizes().select("group").sort("group").with_row_index("number")


def _group_codes(groups: pl.Series, number: pl.DataFrame) -> Codes:
    found = pl.DataFrame({"group": groups}).join(
        number, on="group", how="left", maintain_order="left"
    )
    return found["number"].to_numpy().astype(np.int32)


def _sensitive(
    release: GroupedRelease, number: pl.DataFrame
) -> tuple[dict[str, GroupCounts], dict[str, ViewColumn]]:
    counts, columns = {}, {}
    for about in release.manifest.columns:
        if about.role != "sensitive":
            continue
        table = release.told_counts()[about.name]
        codes, columns[about.name] = coded(table["value"], about)
        groups = _group_codes(table["group"], number)
        order = np.lexsort((codes, groups))
        counted = table["count"].to_numpy()
        counts[about.name] = GroupCounts(groups[order], codes[order], counted[order])
    return counts, columns
