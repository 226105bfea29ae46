"""Exact rows, and for each group the subdomains of its sensitive values: how often each occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
import polars as pl

from anonagram.errors import CallError, ReleaseDamaged
from anonagram.release.checks import (
    require_columns,
    require_counts,
    require_groups,
    require_same_groups,
    require_table,
    require_values,
)
from anonagram.release.grouped import ranked
from anonagram.release.manifest import Manifest, PublishedColumn
from anonagram.release.release import numbered
from anonagram.release.sheet import Part, Sheet
from anonagram.release.told import Told
from anonagram.release.with_subdomains import ENDS, Subdomains, WithSubdomains


@dataclass(frozen=True, repr=False)
class SubdomainRelease(WithSubdomains, shape="subdomains"):
    """Tables that share a group number.

    ``quasi`` holds every row's quasi-identifiers as they are; ``sensitive`` how often each subdomain
    of a sensitive attribute occurs in a group: every person of the group has a value in one of them,
    and those left over are fakes. ``target`` is the tree of subdomains with its weights. Of several
    attributes the second is in ``sensitive_2`` and ``target_2``, and so on.
    """

    own_columns = ("group", "count", "part", "node", "parent", "weight")
    section = Subdomains
    has_exact_rows = True
    has_whole_rows = True
    who_looks_alike = (
        "Quasi-identifiers stand as they are: whoever knows somebody's finds her row among those "
        "that are equal to it, and only they look alike"
    )

    @classmethod
    def own_names(cls, columns: tuple[PublishedColumn, ...]) -> list[str]:
        """Our own, and three for each sensitive attribute."""
        names = [c.name for c in columns if c.role == "sensitive"]
        return [*cls.own_columns, *(f"{name}_{end}" for name in names for end in ENDS)]

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        """The rows, and two tables for each sensitive attribute."""
        names = manifest.named("sensitive")
        both = zip(*(numbered(s, names).values() for s in ("sensitive", "target")), strict=True)
        return ["quasi", *(name for pair in both for name in pair)]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows, and two tables for each sensitive attribute."""
        found = {"quasi": self.quasi}
        for attribute in self.manifest.named("sensitive"):
            found[self.table_of(attribute)] = self.sensitive[attribute]
            found[self.target_of(attribute)] = self.targets[attribute]
        return found

    @classmethod
    def is_about_all(cls, table: str) -> bool:
        """The targets are."""
        return table.startswith("target")

    def table_of(self, attribute: str) -> str:
        """The name of the table with an attribute's subdomains."""
        return numbered("sensitive", self.manifest.named("sensitive"))[attribute]

    def with_help_tables(self) -> Self:
        """Values are no numbers that plain SQL could add up."""
        raise CallError(
            "A help table has sums of values, and a release of subdomains has none.",
            "ask with anonagram query.",
        )

    def how_told(self, column: str) -> Told:
        """Sensitive values as ranges, the others as they are."""
        return Told.RANGE if column in self.sensitive else Told.EXACT

    # Reading

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that tables tell of the same groups, and of subdomains that the targets have."""
        names = manifest.named("sensitive")
        sensitive = {n: tables[t] for n, t in numbered("sensitive", names).items()}
        targets = {n: tables[t] for n, t in numbered("target", names).items()}
        release = cls(manifest, tables["quasi"], sensitive, targets)
        group = manifest.layout["group"]
        require_table("quasi", release.quasi, manifest.columns_of("quasi", "plain"), group)
        require_groups("quasi", release.quasi, group, manifest.rows.published)
        release._require_section()
        for column in manifest.columns_of("sensitive"):
            release._require_target(column)
            release._require_sensitive(column)
        return release

    def _require_section(self) -> None:
        told = self.told
        if set(told.fakes) != set(self.sensitive):
            raise ReleaseDamaged("The manifest does not tell the fakes of every attribute.")
        if told.parts is None:
            return
        if told.parts not in self.quasi.columns:
            raise ReleaseDamaged(f"There is no column {told.parts!r} that decides about targets.")
        group = self.manifest.layout["group"]
        if self.quasi.select(group, told.parts).n_unique() != self.quasi[group].n_unique():
            raise ReleaseDamaged(f"A group has rows of several {told.parts!r}.")

    def _require_target(self, column: PublishedColumn) -> None:
        """A tree, whose nodes have just the values of their children."""
        where, table, layout = (
            self.target_of(column.name),
            self.targets[column.name],
            self.manifest.layout,
        )
        ends = self.ends_of(column.name)
        own = [layout[name] for name in ("part", "node", "parent")]
        require_columns(where, table, [*own, *ends, layout["weight"]])
        for end in ends[:2]:
            require_values(where, table[end], column)
        part, node, parent = (table[name] for name in own)
        weight = table[layout["weight"]]
        is_whole = all(each.dtype.is_integer() for each in (node, parent, weight))
        if table.is_empty() or not is_whole or weight.has_nulls() or part.dtype != pl.String:
            raise ReleaseDamaged(f"Table {where} is no tree with whole weights.")
        is_numbered = node.equals(
            pl.int_range(1, table.height + 1, eager=True).cast(node.dtype), check_names=False
        )
        steady = parent.drop_nulls()
        is_ordered = (parent.fill_null(0) < node).all() and (steady >= 1).all()
        if not is_numbered or not is_ordered or (weight < 0).any():
            raise ReleaseDamaged(f"Table {where} does not number its nodes, parents first.")
        self._require_nested(column)

    def _require_nested(self, column: PublishedColumn) -> None:
        tree, where = self.tree(column.name), self.target_of(column.name)
        table = self.targets[column.name]
        told = [table[name] for name in self.ends_of(column.name)]
        found = tree.ends(np.arange(tree.size))
        same = all(a.equals(b, check_names=False) for a, b in zip(told, found, strict=True))
        alone = (tree.nodes.children == 1).any()
        parts = table[self.manifest.layout["part"]].to_numpy()
        mixed = (parts[tree.roots] != parts).any()
        below = tree.nodes.parent >= 0
        sums = np.bincount(tree.nodes.parent[below], tree.weights[below], tree.size)
        empty = (sums[tree.nodes.children > 0] < 1).any()
        roots = parts[tree.nodes.parent < 0]
        if not same or alone or mixed or empty or len(set(roots)) < roots.size:
            raise ReleaseDamaged(f"Table {where} is no tree of subdomains.")
        if column.is_ordered:
            present = np.flatnonzero(~tree.is_missing)
            rank = ranked(tree.values, column).gather(present).to_physical()
            root = np.searchsorted(tree.nodes.low[tree.nodes.parent < 0], present, "right")
            rises = (rank.diff().fill_null(1) > 0).to_numpy() | (np.diff(root, prepend=-1) > 0)
            if not rises.all():
                raise ReleaseDamaged(f"Table {where} does not have its values in their order.")

    def _require_sensitive(self, column: PublishedColumn) -> None:
        where, table, layout = (
            self.table_of(column.name),
            self.sensitive[column.name],
            self.manifest.layout,
        )
        group, count = layout["group"], layout["count"]
        ends = self.ends_of(column.name)
        require_columns(where, table, [group, *ends, count])
        require_same_groups(where, table, self.quasi, group)
        for end in ends[:2]:
            require_values(where, table[end], column)
        fakes = self.told.fakes[column.name]
        require_counts(where, table[count], self.manifest.rows.published + fakes)
        if table.select(pl.struct(group, *ends).is_duplicated().any()).item():
            raise ReleaseDamaged(f"Table {where} counts a subdomain twice in one group.")
        if self._nodes(column.name).has_nulls():
            raise ReleaseDamaged(f"Table {where} has a subdomain that its target does not know.")
        counted = table.group_by(group).agg(pl.col(count).cast(pl.Int64).sum())
        both = self.group_sizes().join(counted, left_on="group", right_on=group, how="full")
        wrong = both.filter((pl.col("rows") <= pl.col(count)).ne_missing(other=True))
        if not wrong.is_empty():
            number = wrong["group"][0] or wrong[group][0]
            raise ReleaseDamaged(f"Table {where} has fewer subdomains than rows of group {number}.")
        if int(both[count].sum()) - int(both["rows"].sum()) != fakes:
            raise ReleaseDamaged(f"Table {where} does not have as many fakes as the manifest says.")

    def values(self, column: str) -> pl.Series | None:
        """A quasi-identifier as it stands; sensitive values are not told."""
        self.require_published(column)
        return self.quasi[column] if column in self.quasi.columns else None

    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        """Values are not told as they are: nothing can be counted."""
        self._refuse_counting()

    def _refuse_counting(self) -> NoReturn:
        raise CallError(
            "A release of subdomains does not tell values, so that they cannot be counted.",
            "distributional_privacy and personalized_privacy are promises about it.",
        )

    def make_sheet(self) -> Sheet:
        """Quasi-identifiers stand whole; sensitive values stand in their trees."""
        named = self.manifest.named
        parts = [Part("quasi", "quasi", tuple(named("quasi", "plain")))]
        told = {name: self.quasi[name] for name in parts[0].columns}
        for name in named("sensitive"):
            parts.append(Part(self.table_of(name), self.target_of(name), (name,)))
            told[name] = self.targets[name][self.ends_of(name)[0]]
        return Sheet(
            group=self.manifest.layout["group"],
            parts={part.name: part for part in parts},
            ranges={},
            size_table="quasi",
            size_column=None,
            rows=self.manifest.rows.published,
            like_others=self.manifest.rows.like_others,
            dtypes={column.name: told[column.name].dtype for column in self.manifest.columns},
            with_missing=frozenset(name for name, values in told.items() if values.has_nulls()),
            told={name: (values,) for name, values in told.items()},
            tables=self.tables,
        )

    def keys(self, table: str) -> dict[str, Any]:
        """A node is told once; a group leads to its rows in the quasi table."""
        layout = self.manifest.layout
        if table == "quasi":
            return {}
        if self.is_about_all(table):
            return {"primaryKey": [layout["node"]]}
        reference = {"resource": "quasi", "fields": [layout["group"]]}
        return {"foreignKeys": [{"fields": [layout["group"]], "reference": reference}]}
