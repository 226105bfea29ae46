"""Which entities and nodes a question is about: its expressions, run over each table alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.engines import IN_MEMORY, engine_at
from anonagram.engines.engine import InProcess
from anonagram.graphs.questions.reading import DEGREE, SIDES, GraphQuestion, column_name
from anonagram.queries.reading.question import DIALECT, columns_of
from anonagram.release import GroupedGraphRelease

ROW = "row"
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Place:
    """Where an expression can be worked out: on the entities of a side, or on its nodes."""

    side: str
    of_nodes: bool

    @property
    def table(self) -> str:
        """The table that has its columns."""
        return f"{self.side}_nodes" if self.of_nodes else self.side


@dataclass(frozen=True)
class GraphTables:
    """Entities and nodes in a database, a row each with its number."""

    release: GroupedGraphRelease
    engine: InProcess

    @classmethod
    def of(cls, release: GroupedGraphRelease) -> GraphTables:
        """Copy entities, and nodes with their degrees, into a database in memory."""
        tables = {}
        for side in SIDES:
            entities = release.entities(side)
            tables[side] = entities.rename(
                {name: column_name(side, name) for name in entities.columns}
            ).with_row_index(ROW)
            degrees = release.side(side).degrees
            tables[f"{side}_nodes"] = pl.DataFrame(
                {column_name(side, DEGREE): degrees}
            ).with_row_index(ROW)
        engine = engine_at(IN_MEMORY, tables)
        assert isinstance(engine, InProcess)  # noqa: S101 - what is in memory is in this process
        return cls(release, engine)

    def place_of(self, asked: GraphQuestion, expression: exp.Expr) -> Place | None:
        """Where an expression can be worked out; None where it has no column."""
        question, used = asked.question, columns_of(expression)
        if not used:
            return None
        keys = dict(zip(SIDES, self.release.names.keys, strict=True))
        published = [
            column_name(side, c.name) for side in SIDES for c in self.release.manifest.table(side).columns
        ]  # fmt: skip
        places = set()
        for name in used:
            side = asked.side_of(name)
            if name == column_name(side, keys[side]) and name not in published:
                question.refuse(
                    name, "Who an entity is is not told.", f"COUNT(DISTINCT {keys[side]})"
                )
            is_degree = name == column_name(side, DEGREE) and name not in published
            places.add(Place(side, is_degree))
        if len(places) > 1:
            self._refuse_mixed(asked, expression, places)
        return places.pop()

    def _refuse_mixed(
        self, asked: GraphQuestion, expression: exp.Expr, places: set[Place]
    ) -> NoReturn:
        of_one_side = len({place.side for place in places}) == 1
        why = (
            "Which entity has which degree is not told"
            if of_one_side
            else "Which entities are connected is not told"
        )
        asked.question.refuse(
            expression,
            f"{why}: such columns cannot be compared with each other or joined by OR.",
            "conditions on each, joined by AND.",
        )

    def mask(self, asked: GraphQuestion, place: Place, condition: exp.Expr) -> Mask:
        """The rows that meet a condition."""
        chosen = np.zeros(self._rows(place), np.bool_)
        sql = f'SELECT "{ROW}" FROM "{place.table}" WHERE {condition.sql(DIALECT)}'
        chosen[self.engine.frame(sql, asked.question.sql)[ROW].to_numpy()] = True
        return chosen

    def values(self, asked: GraphQuestion, place: Place, expression: exp.Expr) -> pl.Series:
        """What an expression is for every row."""
        sql = f'SELECT "{ROW}", {expression.sql(DIALECT)} AS "value" FROM "{place.table}"'
        return self.engine.frame(sql, asked.question.sql).sort(ROW)["value"]

    def _rows(self, place: Place) -> int:
        view = self.release.side(place.side)
        return (view.group_of_node if place.of_nodes else view.group_of_entity).size


def conjuncts(condition: exp.Expr | None) -> Sequence[exp.Expr]:
    """The conditions that a condition joins by AND."""
    if condition is None:
        return []
    bare = condition.unnest()
    if isinstance(bare, exp.And):
        return [*conjuncts(bare.this), *conjuncts(bare.expression)]
    return [bare]
