"""A schema for a graph, proposed from its tables: which columns name whom, and what the others are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from anonagram.errors import SchemaError
from anonagram.graphs.degrees import telling_degrees
from anonagram.graphs.graph import Graph
from anonagram.graphs.schema import EXAMPLE, SIDES, GraphSchema, Side
from anonagram.profile import Profile
from anonagram.schema import ColumnRule, Schema
from anonagram.sources import Table, load

HEAD = (
    "# Roles of entities: identifier is how edges name them and is never published, nor is drop;\n"
    "# quasi is what an intruder may know, plain is published along. Of edges: left, right, drop.\n"
    "# Proposed from names and values; read every line before you publish.\n"
)


@dataclass(frozen=True)
class ProposedSchema(GraphSchema):
    """A schema with the reason for each role."""

    reasons: Mapping[Side, Mapping[str, str]] | None = None

    def to_toml(self, comments: Mapping[Side, Mapping[str, str]] | None = None) -> str:
        """The text of the schema file to edit."""
        return HEAD + super().to_toml(comments or self.reasons)


def propose_schema(left: Any, right: Any, edges: Any) -> ProposedSchema:
    """Which column of the edges names whom, by values; the other columns by what they look like."""
    tables: dict[Side, Table] = {"left": load(left), "right": load(right)}
    edge_table = load(edges)
    ends: dict[str, str] = {}
    keys: dict[str, str] = {}
    for side in SIDES:
        end, keys[side] = _named_by(edge_table, tables[side], list(ends))
        ends[end] = side
    named = {name: ends.get(name, "drop") for name in edge_table.frame.columns}
    schemas: dict[Side, Schema] = {}
    reasons: dict[Side, dict[str, str]] = {}
    for side in SIDES:
        profile = Profile.of(tables[side].frame)
        schemas[side] = Schema(
            {each.name: _rule(each.name, each.rule, keys[side]) for each in profile.columns}
        )
        reasons[side] = {each.name: each.reason for each in profile.columns} | {
            keys[side]: "edges name entities by it"
        }
    graph = Graph.read(
        tables["left"], tables["right"], edge_table,
        GraphSchema(schemas["left"], schemas["right"], named),
    )  # fmt: skip
    for side in SIDES:
        telling = dict.fromkeys(telling_degrees(graph, side), "tells how many edges an entity has")
        schemas[side] = Schema(
            {**schemas[side].columns, **dict.fromkeys(telling, ColumnRule("drop"))}
        )
        reasons[side] |= telling
    return ProposedSchema(schemas["left"], schemas["right"], named, reasons)


def _rule(name: str, rule: ColumnRule, key: str) -> ColumnRule:
    """Entities are published as they are, so that nothing of theirs is sensitive."""
    if name == key:
        return ColumnRule("identifier")
    role = {"sensitive": "plain", "identifier": "drop"}.get(rule.role, rule.role)
    # groups of graphs are made by edges: no hierarchy is needed
    return replace(rule, role=role, hierarchy=None)  # type: ignore[arg-type]


def _named_by(edges: Table, entities: Table, taken: list[str]) -> tuple[str, str]:
    """The column of the edges and that of the entities that name the same; by name where several."""
    found = []
    for end in edges.frame.columns:
        if end in taken:
            continue
        named = edges.frame[end].cast(pl.String).drop_nulls().unique()
        for key in entities.frame.columns:
            ids = entities.frame[key].cast(pl.String)
            if ids.has_nulls() or ids.n_unique() < ids.len():
                continue
            if named.is_in(ids.implode()).all():
                found.append((end != key, end, key))
    if not found:
        raise SchemaError(
            f"No column of {edges.label} names one of {entities.label} in every row.",
            f"write the schema yourself:\n{EXAMPLE}",
        )
    _, end, key = min(found)
    return end, key
