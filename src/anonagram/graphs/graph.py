"""Who is connected with what: two tables of entities and the edges between them.

>>> graph = Graph.read(
...     left={"customer": ["Ann", "Bob", "Cy"], "state": ["NJ", "NC", "NJ"]},
...     right={"product": ["pill", "cream"], "otc": ["no", "yes"]},
...     edges={"customer": ["Ann", "Bob", "Cy"], "product": ["pill", "cream", "cream"]},
...     schema={
...         "left": {"customer": "identifier", "state": "quasi"},
...         "right": {"product": "identifier", "otc": "plain"},
...         "edges": {"customer": "left", "product": "right"},
...     },
... )
>>> graph
Graph(3 left, 2 right, 3 edges)
>>> graph.degrees("right").tolist()
[1, 2]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.digests import code_bytes, digest_of
from anonagram.errors import InputError
from anonagram.graphs.schema import SIDES, GraphSchema, Side, other
from anonagram.kernels.safe_groups import Adjacency, neighbours_of
from anonagram.microdata import Microdata
from anonagram.release.signatures import ROUNDS, signatures
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many
from anonagram.sources import Table, load


@dataclass(frozen=True, repr=False)
class Graph:
    """A bipartite graph of entities; entities are numbered as they stand in their tables."""

    left: Microdata
    right: Microdata
    left_ends: NDArray[np.int32]
    """The left end of each edge; every edge stands once."""
    right_ends: NDArray[np.int32]
    repeated: int = 0
    """How many edges stood there again and were left out."""
    names: tuple[str, str] = SIDES
    """How questions call the two tables."""
    keys: tuple[str, str] = ("id", "id")
    """The column that names the entities of each table."""
    key_ends: tuple[str, str] = SIDES
    """The column of the edges that names each end."""

    @classmethod
    def read(
        cls,
        left: Any,
        right: Any,
        edges: Any,
        schema: Any,
        names: tuple[str, str] | None = None,
    ) -> Self:
        """Read two entity tables and an edge list from anything that `Microdata.read` takes.

        Questions call the two tables by `names`, else as their files are called.
        """
        schema = GraphSchema.given(schema)
        step("Reading")
        tables = [load(source) for source in (left, right, edges)]
        schema.match_edges(tables[2].frame.columns, tables[2].label)
        step("Encoding")
        ends = [_ends(tables[2], tables[place], schema, side) for place, side in enumerate(SIDES)]
        both = np.unique(ends[0].astype(np.int64) * tables[1].frame.height + ends[1])
        return cls(
            Microdata.read(tables[0], schema.left),
            Microdata.read(tables[1], schema.right),
            (both // tables[1].frame.height).astype(np.int32),
            (both % tables[1].frame.height).astype(np.int32),
            ends[0].size - both.size,
            names or _names(left, right),
            (schema.key_of("left"), schema.key_of("right")),
            (schema.ends["left"], schema.ends["right"]),
        )

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return self.left_ends.size

    def table(self, side: Side) -> Microdata:
        """The entities of one side."""
        return self.left if side == "left" else self.right

    def ends(self, side: Side) -> NDArray[np.int32]:
        """The end of each edge on one side."""
        return self.left_ends if side == "left" else self.right_ends

    def name(self, side: Side) -> str:
        """How questions call the table of a side."""
        return self.names[SIDES.index(side)]

    @cached_property
    def _adjacency(self) -> dict[str, Adjacency]:
        return {
            side: neighbours_of(self.ends(side), self.ends(other(side)), self.table(side).rows)
            for side in SIDES
        }

    def adjacency(self, side: Side) -> Adjacency:
        """The neighbours of each entity of a side."""
        return self._adjacency[side]

    def degrees(self, side: Side) -> NDArray[np.int64]:
        """How many neighbours each entity of a side has."""
        return np.bincount(self.ends(side), minlength=self.table(side).rows)

    def signatures(self, rounds: int = ROUNDS) -> dict[str, NDArray[np.int64]]:
        """For each side what its entities look like by the graph so many edges around them."""
        nodes = (self.left.rows, self.right.rows)
        return signatures(self.left_ends, self.right_ends, nodes, rounds)

    @property
    def isolated(self) -> dict[str, int]:
        """How many entities of each side have no neighbour."""
        return {side: int((self.degrees(side) == 0).sum()) for side in SIDES}

    @cached_property
    def digest(self) -> bytes:
        """A hash of everything that a release of it can depend on."""
        return digest_of(
            b"graph",
            self.left.digest,
            self.right.digest,
            code_bytes(self.left_ends, 1 << 31),
            code_bytes(self.right_ends, 1 << 31),
        )

    def __repr__(self) -> str:
        left, right = self.names
        return (
            f"Graph({self.left.rows:,} {left}, {self.right.rows:,} {right}, "
            f"{how_many(self.edges, 'edge')})"
        )


def _ends(edges: Table, entities: Table, schema: GraphSchema, side: Side) -> NDArray[np.int32]:
    """The number of the entity at one end of each edge."""
    schema.side(side).match(entities.frame.columns, entities.label)
    key, named = schema.key_of(side), schema.ends[side]
    ids = entities.frame[key].cast(pl.String)
    _refuse_unclear(ids, entities.label, key)
    asked = edges.frame.select(pl.col(named).cast(pl.String).alias("id"))
    numbered = pl.DataFrame({"id": ids, "number": pl.int_range(ids.len(), eager=True)})
    found = asked.join(numbered, on="id", how="left", maintain_order="left")["number"]
    if found.has_nulls():
        row = int(found.is_null().arg_max() or 0)
        value = asked["id"][row]
        what = "is missing" if value is None else f"is {value!r}, which nobody has"
        raise InputError(
            f"{edges.label}: column {named!r} {what} in {entities.label} (row {row + 1}).",
            f"add it to {entities.label}, or leave the edge out.",
        )
    return found.cast(pl.Int32).to_numpy()


def _refuse_unclear(ids: pl.Series, label: str, key: str) -> None:
    """Refuse entities without an identifier, or with one that another has too."""
    if ids.has_nulls():
        row = int(ids.is_null().arg_max() or 0)
        raise InputError(f"{label}: column {key!r} is missing in row {row + 1}.", "give it one.")
    if ids.n_unique() < ids.len():
        row = int(ids.is_duplicated().arg_max() or 0)
        raise InputError(
            f"{label}: column {key!r} is {ids[row]!r} more than once (row {row + 1}).",
            "one row each entity.",
        )


def _names(left: Any, right: Any) -> tuple[str, str]:
    """The names of files without their ending; left and right where there are none, or one twice."""
    names = tuple(
        Path(source).stem if isinstance(source, str | Path) and "://" not in str(source) else side
        for source, side in zip((left, right), SIDES, strict=True)
    )
    lowered = {name.lower() for name in names}
    if len(lowered) < 2 or "edges" in lowered or not all(map(str.isidentifier, names)):
        return SIDES
    return names[0], names[1]
