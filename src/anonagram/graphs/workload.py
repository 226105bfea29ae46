"""Random questions about a graph, asked of the original and of its release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.attack import given
from anonagram.errors import CallError
from anonagram.graphs.graph import Graph
from anonagram.graphs.schema import SIDES, Side
from anonagram.measures import WorkloadResult
from anonagram.measures.workload import AGGREGATES, compared, condition_on, require_numbers
from anonagram.microdata import Column
from anonagram.release import GroupedGraphRelease, Release
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many, option

CONDITIONS = 2
"""One on each side, unless told otherwise."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class GraphQuestion:
    """A question in SQL, and the entities of each side that meet its conditions."""

    sql: str
    chosen: dict[Side, Mask]
    rows: str
    """What is counted or added up: edges, or the degrees of one side."""


@dataclass(frozen=True)
class GraphWorkload:
    """So many random questions with conditions on the columns of both sides.

    COUNT is of edges. SUM and AVG are of the number of edges of entities, left and right in turn.
    """

    graph: Graph
    aggregate: str
    conditions: int
    volume: float
    queries: int
    seed: int

    @classmethod
    def draw(
        cls,
        graph: Graph,
        aggregate: str = "COUNT",
        conditions: int | None = None,
        volume: float = 0.1,
        queries: int = 1000,
        seed: int = 0,
    ) -> Self:
        """Questions that each cover such a share of the space of values."""
        require_numbers(volume, queries, seed)
        if aggregate not in AGGREGATES:
            raise CallError(f"{aggregate} is no aggregate of a workload.", ", ".join(AGGREGATES))
        known = sum(len(graph.table(side).columns) for side in SIDES)
        asked = min(CONDITIONS, known) if conditions is None else conditions
        if not 1 <= asked <= known:
            raise CallError(
                f"{how_many(asked, 'condition')}: the two tables have {how_many(known, 'column')}.",
                option(f"--conditions {max(known, 1)}", f"conditions={max(known, 1)}"),
            )
        return cls(graph, aggregate, asked, volume, queries, seed)

    def question(self, number: int) -> GraphQuestion:
        """The question of this number, the same every time."""
        random = np.random.default_rng([self.seed, number])
        rows = "edges" if self.aggregate == "COUNT" else SIDES[number % 2]
        chosen = {side: np.ones(self.graph.table(side).rows, np.bool_) for side in SIDES}
        conditions = []
        drawn = self._columns(random, rows)
        for side, column in drawn:
            size = len(column.domain)
            length = max(1, round(size * self.volume ** (1 / len(drawn))))
            first = int(random.integers(0, size - length + 1))
            chosen[side] &= (column.codes >= first) & (column.codes < first + length)
            name = self.graph.name(side)
            conditions.append(condition_on(column, first, first + length, table=name))
        return GraphQuestion(self._sql(rows, conditions), chosen, rows)

    def _columns(self, random: np.random.Generator, rows: str) -> list[tuple[Side, Column]]:
        """The columns that conditions are on: as many of each side as there are."""
        sides = [side for side in SIDES if rows in ("edges", side)]
        by_side = [
            [(side, each) for each in self.graph.table(side).columns if len(each.domain)]
            for side in sides
        ]
        for each in by_side:
            random.shuffle(each)
        dealt = [
            each[place]
            for place in range(max(map(len, by_side)))
            for each in by_side
            if place < len(each)
        ]
        return dealt[: self.conditions]

    def _sql(self, rows: str, conditions: list[str]) -> str:
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if rows != "edges":
            name = self.graph.names[SIDES.index(rows)]
            return f'SELECT {self.aggregate}(degree) FROM "{name}"{where}'  # noqa: S608 - it is parsed
        joins = "".join(
            f' JOIN "{name}" ON edges."{end}" = "{name}"."{key}"'
            for name, key, end in zip(
                self.graph.names, self.graph.keys, self.graph.key_ends, strict=True
            )
        )
        return f"SELECT COUNT(*) FROM edges{joins}{where}"  # noqa: S608 - it is parsed

    def truth(self, question: GraphQuestion) -> tuple[float | None, float]:
        """The answer of the original, and the share of all rows that it is about."""
        chosen, graph = question.chosen, self.graph
        if question.rows == "edges":
            met = chosen["left"][graph.left_ends] & chosen["right"][graph.right_ends]
            return float(met.sum()), float(met.mean()) if met.size else 0.0
        side: Side = "left" if question.rows == "left" else "right"
        degrees = graph.degrees(side)[chosen[side]]
        if not degrees.size:
            return None, 0.0
        found = degrees.sum() if self.aggregate == "SUM" else degrees.mean()
        return float(found), float(chosen[side].mean())


def run_graph_workload(published: Release, workload: GraphWorkload) -> WorkloadResult:
    """Answer a workload from the original and from the release, and compare."""
    release = given(published.graph)
    require_same(release, workload.graph)
    step("Asking")
    rows = []
    for number in range(workload.queries):
        question = workload.question(number)
        truth, share = workload.truth(question)
        (answer,) = release.query(question.sql)[0].values()
        rows.append((truth, answer.estimate, answer.lower, answer.upper, share))
    names = ("truth", "estimate", "lower", "upper", "selectivity")
    answers = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64), orient="row")
    return compared(release.manifest.method, workload.aggregate, answers)


def require_same(release: GroupedGraphRelease, graph: Graph) -> None:
    """Refuse an original that the release was not made from, as far as can be seen."""
    for side in SIDES:
        mine, theirs = np.sort(release.side(side).degrees), np.sort(graph.degrees(side))
        columns = [column.name for column in graph.table(side).columns]
        if not np.array_equal(mine, theirs) or release.entities(side).columns != columns:
            raise CallError(
                f"The release was not made from this graph: its {graph.name(side)} are others.",
                "give the tables and the schema it was made from.",
            )
    if release.names.tables != graph.names:
        raise CallError(
            f"The release calls its tables {' and '.join(release.names.tables)}.",
            "files of the same names.",
        )
