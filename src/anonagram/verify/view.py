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
from anonagram.columns.ranks import Codes, Ranked, by_frequency
from anonagram.columns.spans import to_units
from anonagram.errors import InternalError
from anonagram.release import (
    MOVED,
    AnatomizedRelease,
    GeneralizedRelease,
    GroupedRelease,
    MaskedRelease,
    PermutedRelease,
    PerturbedRelease,
    Release,
)
from anonagram.release.manifest import PublishedColumn
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

    @property
    def is_measured(self) -> bool:
        """Whether values lie on a scale."""
        return self.kind in ("numeric", "date")

    @cached_property
    def texts(self) -> list[str]:
        """The values as they are written."""
        return value_texts(self.domain)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Where values lie: numbers where they are, others at their position; missing at infinity."""
        if not self.is_measured:
            return np.append(np.arange(len(self.domain), dtype=np.float64), np.inf)
        return np.append(to_units(self.domain).to_numpy(), np.inf)


@dataclass(frozen=True)
class Spans:
    """What a generalized release tells of a column, a group each: which codes are possible."""

    low: Codes
    high: Codes
    has_missing: NDArray[np.bool_]
    is_empty: NDArray[np.bool_]
    """Whether nothing else than missing values is possible."""


@dataclass(frozen=True)
class Sets:
    """What it tells of a column without order: a list of codes for each group."""

    starts: Counts
    codes: Codes


@dataclass(frozen=True)
class GroupCounts:
    """How often values of a sensitive column occur in groups, a line each group and value."""

    group: Codes
    code: Codes
    count: Counts


@dataclass(frozen=True)
class View:
    """A release in codes. Groups are numbered from 0."""

    release: Release
    columns: dict[str, ViewColumn]
    people: dict[str, Codes] = field(default_factory=dict)
    """Columns of a table with a row each person."""
    group_of: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    """The group of every row of it, where there are groups."""
    sizes: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    """The rows of every group."""
    spans: dict[str, Spans | Sets] = field(default_factory=dict)
    counts: dict[str, GroupCounts] = field(default_factory=dict)
    """For each sensitive column of a release with groups."""
    marginals: dict[str, Counts] = field(default_factory=dict)
    """For each replaced column, how often each code occurs in the original."""

    @property
    def known(self) -> list[str]:
        """The columns that somebody may know of a person."""
        if isinstance(self.release, GeneralizedRelease):
            return list(self.spans)
        return [name for name in self.people if self.columns[name].role != "sensitive"]

    @property
    def sensitive(self) -> list[str]:
        """The columns that nobody should learn."""
        return [name for name, column in self.columns.items() if column.role == "sensitive"]

    def is_true(self, name: str) -> bool:
        """Whether a column's published values are the original's, be they moved or not."""
        masking = self.release.masked.get(name)
        return masking is None or masking.how == MOVED

    def keeps_values(self, name: str) -> bool:
        """Whether a value that a person has must occur among the published ones."""
        return not isinstance(self.release, GeneralizedRelease) and self.is_true(name)

    def ranked(self, name: str) -> Ranked:
        """A column of the people as ranks."""
        return Ranked(self.people[name], self.columns[name].places)


def view_of(release: Release) -> View:
    """Look at a release."""
    if isinstance(release, MaskedRelease | PerturbedRelease):
        return _rows_view(release)
    if isinstance(release, AnatomizedRelease | PermutedRelease):
        return _groups_view(release, release.quasi)
    if isinstance(release, GeneralizedRelease):
        return _generalized_view(release)
    raise InternalError(f"No rule says how a {release.shape} release is verified.")


def _coded(
    values: pl.Series, about: PublishedColumn, ranking: tuple[str, ...] | None = None
) -> tuple[Codes, ViewColumn]:
    """A column as codes in the order of ranks: values without an order by how frequent they are."""
    rule = ColumnRule(about.role, about.kind, order=about.order)  # type: ignore[arg-type]
    table = Table(pl.DataFrame({about.name: values}), "the release")
    codes, domain, kind, _ = encode(table, about.name, rule)
    order = about.order or ranking
    if order is not None:
        known = {text: number for number, text in enumerate(value_texts(domain))}
        position = {text: number for number, text in enumerate(order)}
        new_code = np.array([*(position[text] for text in known), len(order)], np.int32)
        if about.order is not None:
            whole = pl.Series(about.name, order, dtype=pl.String)
        else:
            whole = domain.gather([known[text] for text in order])
        return new_code[codes], ViewColumn(about.name, about.role, kind, whole)
    if kind != "nominal":
        return codes, ViewColumn(about.name, about.role, kind, domain)
    place = np.append(by_frequency(codes, len(domain)), np.int32(len(domain)))
    new_code = np.empty_like(place)
    new_code[place] = np.arange(place.size, dtype=np.int32)
    return new_code[codes], ViewColumn(about.name, about.role, kind, domain.gather(place[:-1]))


def _rows_view(release: MaskedRelease | PerturbedRelease) -> View:
    rankings = {name: masking.order for name, masking in release.masked.items()}
    coded = {
        about.name: _coded(release.rows[about.name], about, rankings.get(about.name))
        for about in release.manifest.columns
    }
    columns = {name: column for name, (_, column) in coded.items()}
    people = {name: codes for name, (codes, _) in coded.items()}
    marginals = {}
    if isinstance(release, PerturbedRelease):
        for name, table in release.marginals.items():
            about = next(each for each in release.manifest.columns if each.name == name)
            both = pl.concat([release.rows[name], table[name]])
            codes, column = _coded(both, about)
            columns[name], people[name] = column, codes[: release.manifest.rows.published]
            marginals[name] = np.bincount(
                codes[release.manifest.rows.published :],
                weights=table[release.manifest.layout["count"]].to_numpy(),
                minlength=len(column.domain) + 1,
            ).astype(np.int64)
    return View(release, columns, people, marginals=marginals)


def _groups_view(release: AnatomizedRelease | PermutedRelease, quasi: pl.DataFrame) -> View:
    """Exact or permuted rows of quasi-identifiers, and counts of sensitive values."""
    group = release.manifest.layout["group"]
    number = _numbered(release)
    columns, people = {}, {}
    for about in release.manifest.columns:
        if about.name in quasi.columns:
            people[about.name], columns[about.name] = _coded(quasi[about.name], about)
    group_of = _group_codes(quasi[group], number)
    counts, told = _sensitive(release, number)
    columns = {about.name: (columns | told)[about.name] for about in release.manifest.columns}
    sizes = np.bincount(group_of, minlength=len(number))
    return View(release, columns, people, group_of, sizes, counts=counts)


def _generalized_view(release: GeneralizedRelease) -> View:
    number = _numbered(release)
    layout = release.manifest.layout
    order = _group_codes(release.groups[layout["group"]], number)
    groups = release.groups[np.argsort(order)]
    columns: dict[str, ViewColumn] = {}
    spans: dict[str, Spans | Sets] = {}
    for about in release.manifest.columns:
        if about.role != "quasi":
            continue
        told = release.told_as(about)
        if len(told) == 1:
            lists = groups[about.name]
            lengths = lists.list.len().to_numpy().astype(np.int64)
            codes, columns[about.name] = _coded(lists.explode(empty_as_null=False), about)
            starts = np.concatenate([[0], np.cumsum(lengths)])
            spans[about.name] = Sets(starts, codes)
            continue
        low, high, missing = (groups[name] for name in told)
        both = pl.concat([low, high.alias(low.name)])
        codes, columns[about.name] = _coded(both, about)
        spans[about.name] = Spans(
            codes[: len(low)], codes[len(low) :], missing.to_numpy(), low.is_null().to_numpy()
        )
    counts, told_columns = _sensitive(release, number)
    sizes = groups[layout["rows"]].to_numpy().astype(np.int64)
    plain = [about for about in release.manifest.columns if about.role == "plain"]
    for about in plain:
        columns[about.name] = _coded(release.rows[about.name], about)[1]
    return View(release, columns | told_columns, sizes=sizes, spans=spans, counts=counts)


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
        table = release.sensitive_counts()[about.name]
        codes, columns[about.name] = _coded(table["value"], about)
        groups = _group_codes(table["group"], number)
        order = np.lexsort((codes, groups))
        counted = table["count"].to_numpy()
        counts[about.name] = GroupCounts(groups[order], codes[order], counted[order])
    return counts, columns
