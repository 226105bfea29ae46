"""What all releases with groups have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import Coded, dictionary
from anonagram.columns.places import on_scale
from anonagram.columns.recoding import at_codes, codes_among, label_ranks
from anonagram.errors import CallError
from anonagram.release.group_index import GroupIndex
from anonagram.release.manifest import Manifest, PublishedColumn
from anonagram.release.release import Release
from anonagram.release.sheet import Part
from anonagram.release.told import Told
from anonagram.shown.wording import how_many


class WithGroups(Release):
    """A release whose rows fall into groups that nobody can tell apart from outside."""

    @property
    def with_groups(self) -> Self:
        """It is."""
        return self

    def telling(self, manifest: Manifest) -> Self:
        """What was counted in its tables need not be counted again."""
        same = super().telling(manifest)
        counted = {n: each for n, each in vars(self).items() if n in ("_counts", "index")}
        vars(same).update(counted)
        return same

    @abstractmethod
    def group_sizes(self) -> pl.DataFrame:
        """Columns group and rows, a row each group."""

    def look_alikes(self) -> pl.DataFrame:
        """Columns group and rows: people whom nothing published about them tells apart.

        Those of a group, in a shape that tells a group as a whole.
        """
        return self.group_sizes()

    @property
    def equal_parts(self) -> list[Part]:
        """The columns in which rows must be equal to look alike, if not those of a group do."""
        return []

    who_looks_alike: ClassVar[str] = ""
    """Who looks alike in this shape, for whoever reads a finding about it."""

    def sensitive_counts(self) -> dict[str, pl.DataFrame]:
        """For each sensitive attribute: columns group, value and count."""
        return self._counts

    def of_world(self, world: pl.DataFrame) -> Release:  # noqa: ARG002
        """A world of it as a release of the same shape in which everybody is known."""
        raise CallError(
            f"A world of a {self.shape} release is no release.", "ask the release itself."
        )

    @abstractmethod
    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        """Count them; asked once, since several figures and promises look at them.

        A shape that does not tell values as they are refuses, and has figures of its own.
        """

    @cached_property
    def _counts(self) -> dict[str, pl.DataFrame]:
        return self.count_sensitive()

    def promised_counts(self) -> dict[str, pl.DataFrame]:
        """The same for promises, which are also about people who are in no group.

        Where their values follow from other tables, they are a group of their own.
        """
        return self.sensitive_counts()

    def told_counts(self) -> dict[str, pl.DataFrame]:
        """For each sensitive attribute how many people of a group have each value, as it tells.

        Columns group, value and count; where values are told by their probability alone, counts are
        what is expected and need not be whole.
        """
        return self.sensitive_counts()

    def sensitive_totals(self) -> dict[str, pl.DataFrame]:
        """For each sensitive attribute of the whole original: columns value and count, in order.

        What a group is compared with. Ordinal values are in the order of the manifest, missing ones
        last.
        """
        return self._totals

    @cached_property
    def _totals(self) -> dict[str, pl.DataFrame]:
        return {
            name: in_order(counts.group_by("value").agg(pl.col("count").sum()), about)
            for name, counts in self.sensitive_counts().items()
            for about in [self.manifest.column(name)]
        }

    def as_part(self, values: Mapping[str, pl.DataFrame]) -> Self:
        """The same as a part of a larger release, of some columns of which all values are given.

        For each of these columns: value and count.
        """
        part = self.telling(self.manifest)
        vars(part)["_totals"] = {
            name: in_order(counts, self.manifest.column(name))
            for name, counts in values.items()
            if name in part.sensitive_counts()
        }
        return part


def in_order(totals: pl.DataFrame, about: PublishedColumn) -> pl.DataFrame:
    """Counts of values from the lowest value to the highest."""
    return totals.sort(ranked(totals["value"], about), nulls_last=True)


class GroupedRelease(WithGroups):
    """A release in which every row belongs to a group, and values hide inside it."""

    @property
    def grouped(self) -> Self:
        """It is."""
        return self

    def look_alikes(self) -> pl.DataFrame:
        """Rows that are equal in quasi-identifiers that stand as they are; else those of a group.

        A group says nothing about rows that stand whole. Of several parts the one counts that tells
        people apart best.
        """
        found = [self._equal_rows(part) for part in self.equal_parts]
        return min(found, key=_fewest) if found else self.group_sizes()

    @property
    def equal_parts(self) -> list[Part]:
        """The quasi-identifiers of each part that stand as they are."""
        quasi = self.manifest.named("quasi")
        exact = [name for name in quasi if self.how_told(name) is Told.EXACT]
        return [
            replace(part, columns=names)
            for part in self.sheet.parts.values()
            if (names := tuple(name for name in part.columns if name in exact))
        ]

    def _equal_rows(self, part: Part) -> pl.DataFrame:
        rows = pl.len() if part.weight is None else pl.col(part.weight).sum()
        alike = self.sheet.tables[part.table].group_by(part.columns, maintain_order=True)
        counted = alike.agg(rows.cast(pl.Int64).alias("rows"))
        return counted.select(pl.int_range(1, pl.len() + 1).alias("group"), "rows")

    @abstractmethod
    def extents(self) -> pl.DataFrame:
        """Columns group, rows and, for each quasi-identifier, its width in the group.

        A width is a share of the domain: between lowest and highest value over the domain's span,
        or the number of different values over the domain's size, 0 when it is one (Xu et al. 2006,
        as corrected for nominal attributes). A group in which an ordered value is missing for some
        rows and not for others spans the whole domain.
        """

    @property
    def hidden_group(self) -> int | None:
        """The group of those of whom nothing is told: they are in it because they fit no other."""
        return None

    def require_apart(self) -> None:
        """Refuse where a known value stands beside a sensitive one: it tells more than the group."""
        known, sensitive = self.manifest.named(*self.known_roles), self.manifest.named("sensitive")
        for part in self.sheet.parts.values():
            beside = [[n for n in part.columns if n in names] for names in (known, sensitive)]
            if all(beside):
                raise CallError(
                    f"A {self.shape} release shows {beside[0][0]} beside {beside[1][0]}: whoever "
                    "knows the one learns more of the other than the groups tell.",
                    f"publish {beside[1][0]} apart from what somebody may know.",
                )

    def distinct_values(self) -> pl.DataFrame | None:
        """Column group, and for each quasi-identifier how many different values the group has.

        None where it does not say how many rows each group can be made of.
        """
        return None

    @property
    def _quasi_columns(self) -> list[PublishedColumn]:
        return [column for column in self.manifest.columns if column.role == "quasi"]

    def _size(self) -> str:
        return (
            f"{how_many(self.manifest.rows.published, 'row')} in "
            f"{how_many(self.group_sizes().height, 'group')}"
        )


@dataclass(frozen=True, repr=False)
class QuasiRowsRelease(GroupedRelease):
    """A grouped release with a table ``quasi`` that has a row each person."""

    quasi: pl.DataFrame
    each_person = "quasi"
    coded: dict[str, Coded] = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    """Columns of it as codes, where they are known: figures then need not look at texts again."""

    @cached_property
    def index(self) -> GroupIndex:
        """Which rows of the quasi table belong together."""
        return GroupIndex.of(self.quasi[self.manifest.layout["group"]])

    def as_part(self, values: Mapping[str, pl.DataFrame]) -> Self:
        """Widths are shares of the domains of the whole."""
        part = super().as_part(values)
        part.coded.update(
            {n: codes_over(self.quasi[n], values[n]["value"]) for n in values if n in self.quasi}
        )
        return part

    def group_sizes(self) -> pl.DataFrame:
        """Rows a group, counted in the quasi table."""
        return pl.DataFrame({"group": self.index.numbers, "rows": self.index.sizes})

    def extents(self) -> pl.DataFrame:
        """Widths of the values that stand in each group, whether rows are exact or permuted."""
        widths = {f"width:{c.name}": self._width(c) for c in self._quasi_columns}
        return self.group_sizes().with_columns(**widths)

    def distinct(self, name: str) -> NDArray[np.int64]:
        """How many different values of a quasi-identifier each group has."""
        from anonagram.kernels.extents import count_distinct

        codes, domain = self._codes(name)
        found: NDArray[np.int64] = count_distinct(
            codes, self.index.order, self.index.starts, len(domain) + 1
        )
        return found

    def _codes(self, name: str) -> Coded:
        if name not in self.coded:
            self.coded[name] = dictionary(self.quasi[name])
        return self.coded[name]

    def _width(self, column: PublishedColumn) -> pl.Series:
        from anonagram.kernels.extents import measure_spans

        codes, domain = self._codes(column.name)
        if not column.is_ordered:
            distinct = self.distinct(column.name)
            # in a block of a table its domain is the table's, of which the block may not have all
            values = max(int(codes.max()) + 1, len(domain))
            return pl.Series(np.where(distinct > 1, distinct / values, 0.0))
        places = on_scale(ranked(domain.drop_nulls(), column)).to_numpy()
        places = np.append(places, [math.nan] * (1 + domain.null_count()))
        spans = measure_spans(places[codes], self.index.group_of, len(self.index.numbers))
        return pl.Series(spans).fill_nan(1.0)


def codes_over(values: pl.Series, domain: pl.Series) -> Coded:
    """Values as codes over a domain that has all of them, and perhaps a missing one."""
    known = domain.drop_nulls()
    codes = codes_among(known, values.cast(known.dtype), len(known))
    return codes, pl.concat([known, domain.filter(domain.is_null())])


def _fewest(alike: pl.DataFrame) -> int:
    return int(alike["rows"].min())  # type: ignore[arg-type]


def count_values(table: pl.DataFrame, group: str, column: str) -> pl.DataFrame:
    """How often each value of a column occurs in each group."""
    # numbers are quicker to count than texts
    codes, domain = dictionary(table[column])
    index = GroupIndex.of(table[group])
    counted = index.count(codes, len(domain) + 1)
    values = domain.extend_constant(None, 1) if table[column].has_nulls() else domain
    return pl.DataFrame(
        {
            "group": at_codes(index.numbers, counted.group),
            "value": at_codes(values, counted.value),
            "count": counted.rows.astype(np.int64),
        }
    )


def ranked(values: pl.Series, column: PublishedColumn) -> pl.Series:
    """The values of an ordinal column as ranks; others as they are."""
    return values if column.order is None else label_ranks(values, column.order)
