"""Answering a question about a graph: each aggregate of each group of rows, with bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.graphs.questions.asked import GraphTables, Mask, Place, conjuncts
from anonagram.graphs.questions.bounds import Between, Half, Selection, Values
from anonagram.graphs.questions.groups import Groups, Pairs
from anonagram.graphs.questions.reading import (
    EDGES,
    SIDES,
    GraphQuestion,
    column_name,
    read_graph_question,
)
from anonagram.graphs.questions.wording import as_written
from anonagram.queries.answers import Answer, Answers, make_answer
from anonagram.queries.arithmetic import NoBounds, combine
from anonagram.queries.reading.question import Aggregate
from anonagram.release import GroupedGraphRelease
from anonagram.runtime.progress import step

MOST_CELLS = 5_000
"""Groups of an answer: each is a pass over the edges."""
EXACT = 2.0**53
"""Whole numbers up to here are floats without rounding."""


def ask(release: GroupedGraphRelease, sql: str) -> Answers:
    """Answer a question about a graph."""
    asked = read_graph_question(release, sql)
    step("Answering")
    with as_written(sql):
        return _Asking(asked, _Prepared.of(release)).answers()


@dataclass(frozen=True)
class _Prepared:
    """What every question of one release needs."""

    release: GroupedGraphRelease
    tables: GraphTables
    groups: dict[str, Groups]

    @classmethod
    def of(cls, release: GroupedGraphRelease) -> _Prepared:
        """Made with the first question, and kept with the release."""
        found = release.__dict__.get("_prepared")
        if found is None:
            groups = {side: Groups.of(release, side) for side in SIDES}
            found = cls(release, GraphTables.of(release), groups)
            release.__dict__["_prepared"] = found
        return found

    @cached_property
    def pairs(self) -> Pairs:
        """Which groups have edges between them."""
        return Pairs.of(self.groups, self.release.side("right").sizes.size)

    def everything(self) -> dict[str, Half]:
        """Every entity and node."""
        views = {side: self.release.side(side) for side in SIDES}
        return {
            side: Half(
                np.ones(view.group_of_entity.size, np.bool_),
                np.ones(view.group_of_node.size, np.bool_),
            )
            for side, view in views.items()
        }


@dataclass(frozen=True)
class _Key:
    """A group key: what it is for each row of its table, as numbers of its values."""

    name: str
    place: Place
    codes: NDArray[np.int64]
    values: list[Any]


class _Asking:
    def __init__(self, asked: GraphQuestion, prepared: _Prepared) -> None:
        self.asked, self.prepared = asked, prepared
        self.question, self.tables = asked.question, prepared.tables

    def answers(self) -> Answers:
        question = self.question
        if question.having is not None:
            question.refuse("HAVING", "Answers of a graph are not chosen by HAVING.", "LIMIT …")
        base = self._narrowed(self.prepared.everything(), question.condition)
        keys = [self._key(key.name, key.expression) for key in question.keys]
        cells = [row for row in self._cells(base, keys) if row is not None]
        shown_keys = tuple(n for n in question.shown if n in [key.name for key in keys])
        rows = [{name: row[name] for name in question.shown} for row in self._sorted(cells)]
        return Answers(
            shown_keys, tuple(n for n in question.shown if n not in shown_keys), tuple(rows)
        )

    # which rows

    def _narrowed(self, halves: dict[str, Half], condition: exp.Expr | None) -> dict[str, Half]:
        """The entities and nodes that also meet a condition."""
        for each in conjuncts(condition):
            place = self.tables.place_of(self.asked, each)
            if place is None:
                self.question.refuse(each, "A condition is about a column.", "WHERE column = …")
            self._require_joined(each, place)
            halves = _only(halves, place, self.tables.mask(self.asked, place, each))
        return halves

    def _require_joined(self, at: exp.Expr, place: Place) -> None:
        if self.asked.rows not in (EDGES, place.side):
            self.question.refuse(at, "This column's table is not joined.", "FROM edges JOIN …")

    def _key(self, name: str, expression: exp.Expr) -> _Key:
        place = self.tables.place_of(self.asked, expression)
        if place is None:
            self.question.refuse(expression, "A group key needs a column.", "GROUP BY a column")
        values = self.tables.values(self.asked, place, expression)
        distinct = values.unique().sort(nulls_last=True)
        numbered = pl.DataFrame({"value": distinct, "number": np.arange(len(distinct))})
        joined = pl.DataFrame({"value": values}).join(
            numbered, on="value", how="left", nulls_equal=True, maintain_order="left"
        )
        return _Key(name, place, joined["number"].to_numpy(), distinct.to_list())

    def _cells(self, base: dict[str, Half], keys: list[_Key]) -> Iterator[dict[str, Any] | None]:
        present = [self._present(base, key) for key in keys]
        if int(np.prod([len(each) for each in present], dtype=float)) > MOST_CELLS:
            self.question.refuse(
                keys[0].name,
                f"This has more than {MOST_CELLS:,} groups.",
                "a key with fewer values, or a condition.",
            )
        for numbers in product(*present):
            halves = base
            for key, number in zip(keys, numbers, strict=True):
                halves = _only(halves, key.place, key.codes == number)
            yield self._cell(halves, keys, numbers)

    def _present(self, base: dict[str, Half], key: _Key) -> list[int]:
        half = base[key.place.side]
        kept = half.nodes if key.place.of_nodes else half.entities
        present: list[int] = np.unique(key.codes[kept]).tolist()
        return present

    def _cell(
        self, halves: dict[str, Half], keys: list[_Key], numbers: tuple[int, ...]
    ) -> dict[str, Any] | None:
        """The keys and answers of one group of rows; None where it cannot have any."""
        if keys and self._selection(halves).count.most < 1:
            return None
        row = {key.name: key.values[number] for key, number in zip(keys, numbers, strict=True)}
        answers = {each.name: self._answer(halves, each) for each in self.question.aggregates}
        return row | answers | {n: self._combined(n, answers) for n in self.question.combined}

    def _combined(self, name: str, answers: dict[str, Answer]) -> Answer:
        try:
            return combine(self.question.combined[name], answers, frozenset())
        except NoBounds:
            self.question.refuse(
                "/", f"What {name} divides by may be 0.", "the aggregates one by one."
            )

    def _selection(self, halves: dict[str, Half]) -> Selection:
        prepared = self.prepared
        return Selection(
            prepared.release, self.asked.rows, halves, prepared.groups, lambda: prepared.pairs
        )

    # one aggregate

    def _answer(self, halves: dict[str, Half], aggregate: Aggregate) -> Answer:
        halves = self._narrowed(halves, aggregate.only)
        function, argument = aggregate.function, aggregate.argument
        if argument is None:
            return _whole(self._selection(halves).count)
        if function == "DISTINCT":
            return self._distinct(halves, argument)
        place = self.tables.place_of(self.asked, argument)
        if place is None:
            self.question.refuse(argument, "An aggregate needs a column.", "COUNT(*)")
        self._require_joined(argument, place)
        values = self.tables.values(self.asked, place, argument)
        halves = _only(halves, place, values.is_not_null().to_numpy())
        selection = self._selection(halves)
        if function == "COUNT":
            return _whole(selection.count)
        if function in ("MIN", "MAX"):
            return _extreme(selection, place, values, is_least=function == "MIN")
        return self._sum(selection, place, values, aggregate)

    def _sum(
        self, selection: Selection, place: Place, values: pl.Series, aggregate: Aggregate
    ) -> Answer:
        if not values.dtype.is_numeric() or aggregate.function not in ("SUM", "AVG"):
            self._refuse(aggregate)
        is_whole = values.dtype.is_integer()
        numbers = values.cast(pl.Float64).fill_null(0.0).to_numpy()
        if not np.isfinite(numbers).all():
            self.question.refuse_endless(aggregate)
        count = selection.count
        half = selection.halves[place.side]
        chosen = numbers[half.nodes if place.of_nodes else half.entities]
        span = (float(chosen.min()), float(chosen.max())) if chosen.size else (0.0, 0.0)
        is_exact = is_whole and max(map(abs, span)) * (1 + count.most) < EXACT
        held = Values(place.side, place.of_nodes, numbers, is_exact, span)
        if count.most < 1:
            return make_answer((None, None, None, None, 0), is_whole=is_whole)
        if aggregate.function == "SUM":
            found = selection.total(held)
            return _made(found, is_whole=is_exact, sure=is_exact)
        return _made(selection.mean(held), is_whole=False, sure=False)

    def _distinct(self, halves: dict[str, Half], argument: exp.Expr) -> Answer:
        """Different entities, or different values of a column."""
        names = self.prepared.release.names
        for side, named in zip(SIDES, names.keys, strict=True):
            if isinstance(argument, exp.Column) and argument.name == column_name(side, named):
                self._require_joined(argument, Place(side, of_nodes=False))
                return _whole(self._selection(halves).entities(side))
        key = self._key("", argument)
        self._require_joined(argument, key.place)
        each = [
            self._selection(_only(halves, key.place, key.codes == number)).count
            for number in self._present(halves, key)
            if key.values[number] is not None
        ]
        rows = self._selection(halves).count
        least = sum(found.least >= 1 for found in each)
        most = min(sum(found.most >= 1 for found in each), rows.most)
        likely = sum(min(1.0, found.expected) for found in each)
        return _whole(Between(min(max(likely, least), most), least, most))

    def _refuse(self, aggregate: Aggregate) -> NoReturn:
        self.question.refuse(
            aggregate.function,
            f"{aggregate.name} has no bounds in a graph.",
            "COUNT, SUM, AVG, MIN, MAX of a column or of degree.",
        )

    # the order of the answer

    def _sorted(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        question = self.question
        for ordered in reversed(question.order):
            if not isinstance(ordered.this, exp.Column):
                question.refuse("ORDER", "Answers are ordered by a column of theirs.", "ORDER BY 1")
            is_last_first = bool(ordered.args["desc"])
            rows = sorted(rows, key=partial(_sortable, ordered.this.name), reverse=is_last_first)
        first = question.offset or 0
        last = None if question.limit is None else first + question.limit
        return rows[first:last]


def _only(halves: dict[str, Half], place: Place, mask: Mask) -> dict[str, Half]:
    """The same with fewer entities, or nodes, of one side."""
    half = halves[place.side]
    narrowed = (
        replace(half, nodes=half.nodes & mask)
        if place.of_nodes
        else replace(half, entities=half.entities & mask)
    )
    return halves | {place.side: narrowed}


def _whole(found: Between) -> Answer:
    return _made(found, is_whole=True, sure=True)


def _made(found: Between, *, is_whole: bool, sure: bool) -> Answer:
    least, most = (round(e) if is_whole else e for e in (found.least, found.most))
    return make_answer((found.expected, least, most, None, int(sure)), is_whole=is_whole)


def _extreme(selection: Selection, place: Place, values: pl.Series, *, is_least: bool) -> Answer:
    """The least or the greatest value, found by ranks: it may be a text or a day."""
    distinct = values.drop_nulls().unique().sort(descending=is_least)
    ranks = np.nan_to_num(
        pl.DataFrame({"value": values})
        .join(
            pl.DataFrame({"value": distinct, "rank": np.arange(len(distinct))}),
            on="value", how="left", maintain_order="left",
        )["rank"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    )  # fmt: skip
    held = Values(
        place.side, place.of_nodes, ranks, is_whole=True, range=(0.0, float(len(distinct)))
    )
    ends = held.highest(selection)
    if ends.most < 0:
        return Answer(None, None, None, None, exact=True)
    near, far = distinct[int(ends.least)], distinct[int(ends.most)]
    lower, upper = (far, near) if is_least else (near, far)
    is_sure = selection.count.least >= 1
    if lower == upper and is_sure:
        return Answer(lower, lower, upper, 0.0, exact=True)
    # a text or a day has no middle
    is_number = isinstance(lower, int | float) and not isinstance(lower, bool)
    middle = (lower + upper) / 2 if is_number else near
    return Answer(middle, lower, upper, None, exact=False)


def _sortable(name: str, row: dict[str, Any]) -> tuple[bool, Any]:
    value = row[name].estimate if isinstance(row[name], Answer) else row[name]
    return (value is None, 0 if value is None else value)
