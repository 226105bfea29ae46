"""Which column is what in the three tables of a graph.

>>> schema = GraphSchema.of(
...     left={"customer": "identifier", "state": "quasi"},
...     right={"product": "identifier", "price": "plain"},
...     edges={"customer": "left", "product": "right"},
... )
>>> schema.ends
{'left': 'customer', 'right': 'product'}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from anonagram.errors import SchemaError, suggest
from anonagram.schema import Schema, read_tables, telling, toml_key
from anonagram.shown.wording import how_many

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")
TABLES = (*SIDES, "edges")
EXAMPLE = (
    '[left]\ncustomer = "identifier"\nstate = "quasi"\n\n'
    '[right]\nproduct = "identifier"\nprice = "plain"\n\n'
    '[edges]\ncustomer = "left"\nproduct = "right"'
)


def other(side: Side) -> Side:
    """The side that is not this one."""
    return "right" if side == "left" else "left"


@dataclass(frozen=True)
class GraphSchema:
    """The roles of both entity tables' columns, and which columns of the edges name whom."""

    left: Schema
    right: Schema
    edges: Mapping[str, str]
    """Of each column of the edges: left, right or drop."""

    def __post_init__(self) -> None:
        for name, end in self.edges.items():
            if end not in (*SIDES, "drop"):
                raise SchemaError(
                    f"[edges]: column {name!r} is {end!r}.", suggest(str(end), (*SIDES, "drop"))
                )
        for side in SIDES:
            named = [name for name, end in self.edges.items() if end == side]
            if len(named) != 1:
                raise SchemaError(
                    f"[edges]: {how_many(len(named), 'column names', 'columns name')} the {side} end of "
                    "an edge.",
                    f'one column of the edges has the role "{side}".',
                )

    @classmethod
    def of(cls, left: Any, right: Any, edges: Mapping[str, str]) -> Self:
        """A schema from dictionaries of roles."""
        return cls(Schema.given(left), Schema.given(right), dict(edges))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A schema from a TOML file with the tables [left], [right] and [edges]."""
        path = Path(path)
        content = dict(zip(TABLES, read_tables(path, TABLES, EXAMPLE), strict=True))
        with telling(path):
            left, right = (Schema(Schema.of(content[side]).columns, path.parent) for side in SIDES)
            return cls(left, right, content["edges"])

    @classmethod
    def is_one(cls, path: Path) -> bool:
        """Whether a schema of a graph stands at a path."""
        try:
            cls.read(path)
        except SchemaError:
            return False
        return True

    def to_toml(self, comments: Mapping[Side, Mapping[str, str]] | None = None) -> str:
        """The text of a schema file, with comments behind columns of the entities."""
        sides = [self.side(side).to_toml((comments or {}).get(side), table=side) for side in SIDES]
        ends = [f'{toml_key(name)} = "{end}"' for name, end in self.edges.items()]
        return "\n".join([*sides, "\n".join(["[edges]", *ends]) + "\n"])

    @classmethod
    def given(cls, schema: Any) -> GraphSchema:
        """Take a schema, its file, or a dictionary of three dictionaries."""
        if isinstance(schema, GraphSchema):
            return schema
        if isinstance(schema, str | Path):
            return cls.read(schema)
        for name in TABLES:
            if name not in schema:
                raise SchemaError(f"The schema of a graph says nothing about {name}.", EXAMPLE)
        return cls.of(schema["left"], schema["right"], schema["edges"])

    @property
    def ends(self) -> dict[str, str]:
        """The column of the edges that names each side's end."""
        return {end: name for name, end in self.edges.items() if end in SIDES}

    def side(self, side: Side) -> Schema:
        """The roles of one entity table."""
        return self.left if side == "left" else self.right

    def key_of(self, side: Side) -> str:
        """The column of an entity table by which edges name it."""
        keys = self.side(side).named("identifier")
        if len(keys) > 1 and self.ends[side] in keys:
            return self.ends[side]
        if len(keys) != 1:
            raise SchemaError(
                f"[{side}]: {how_many(len(keys), 'column is an identifier', 'columns are identifiers')}; "
                "edges name entities by one.",
                f'{toml_key(self.ends[side])} = "identifier"',
            )
        return keys[0]

    def match_edges(self, names: list[str], label: str) -> None:
        """Check that every column of the edges is named, and none that they do not have."""
        for name in self.edges:
            if name not in names:
                raise SchemaError(
                    f"[edges] names a column {name!r} that {label} does not have.",
                    suggest(name, names),
                )
        for name in names:
            if name not in self.edges:
                raise SchemaError(
                    f"{label}: column {name!r} stands in no line of [edges].",
                    f'{toml_key(name)} = "drop": values of edges are not published.',
                )
