"""The states of what a question asks about, and how often they occur together in perturbed rows.

A state of a quasi-identifier is all that matters of its value: which conditions it meets, which key
it has, which number it is. A state of the columns that were not replaced likewise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.engines import Engine
from anonagram.queries.dialects import in_dialect
from anonagram.queries.reading.conditions import All, Leaf, Tree
from anonagram.queries.reading.question import Aggregate, Question, columns_of
from anonagram.queries.rearranged.plan import Plan
from anonagram.queries.sql import on_table, places, quote
from anonagram.release import Replaced
from anonagram.release.sheet import ROWS
from anonagram.shown.wording import how_many

Floats = NDArray[np.float64]
MOST_STATES = 2_000_000
"""Combinations of states that are looked at for one answer."""
MOST_WORK = 30_000_000
"""Of those, for all answers together."""


@dataclass(frozen=True)
class Asking:
    """A question about a perturbed release, taken apart."""

    question: Question
    plan: Plan
    tree: Tree | None
    release: Replaced


class Axis:
    """A part of the release that the question touches: what must be known of a row's value there."""

    def __init__(self, part: str, asked: Asking, argument: exp.Expr | None) -> None:
        self.part = part
        self.attribute = asked.plan.sheet.parts[part].columns[0] if part != ROWS else ""
        self.leaves = [leaf for leaf in leaves(asked.tree) if leaf.part == part]
        question, of = asked.question, asked.plan.part_of
        self.keys = [k for k, key in enumerate(question.keys) if of(key.expression) == part]
        self.columns = [
            f"CASE WHEN {on_table(leaf.expression)} THEN 1 ELSE 0 END" for leaf in self.leaves
        ]
        self.columns += [on_table(question.keys[k].expression) for k in self.keys]
        self.has_value = argument is not None and part != ROWS and of(argument) == part
        if self.has_value and argument is not None:
            self.columns.append(on_table(argument))
        self.states: list[tuple[Any, ...]] = []
        self.shares: Floats | None = None
        self.counts: Floats | None = None

    @property
    def own_keys(self) -> list[tuple[Any, ...]]:
        """The keys of each state."""
        first = len(self.leaves)
        return [state[first : first + len(self.keys)] for state in self.states]

    def add_state(self, state: tuple[Any, ...]) -> int:
        """The number of a state."""
        self.states.append(state)
        return len(self.states) - 1

    def along(self, values: Sequence[Any], place: int, axes: int) -> Floats:
        """Values of the states, as an array that lies along this axis among others."""
        shape = [1] * axes
        shape[place] = len(self.states)
        return np.array(values, np.float64).reshape(shape)


class States:
    """The axes of one aggregate, and the cells in which the rows lie."""

    def __init__(self, asked: Asking, aggregate: Aggregate) -> None:
        self.asked, self.aggregate = asked, aggregate
        self.release = asked.release
        plan, argument = asked.plan, aggregate.argument
        concerned = [leaf.part for leaf in leaves(asked.tree)]
        concerned += [plan.part_of(key.expression) for key in asked.question.keys]
        if argument is not None:
            concerned.append(plan.part_of(argument))
            self._require_number(argument)
        self.axes = [Axis(part, asked, argument) for part in dict.fromkeys(concerned)]
        self.axes = [axis for axis in self.axes if axis.columns]
        self.is_apart = argument is not None and plan.part_of(argument) == ROWS
        chances = self.release.transition.replaced
        self.perturbed = [
            i for i, axis in enumerate(self.axes) if chances.get(axis.attribute, 0.0) > 0
        ]
        is_touched = self.perturbed or not self.is_apart
        if is_touched and aggregate.function in ("MIN", "MAX"):
            asked.question.refuse(
                aggregate.function,
                f"{aggregate.function} has no unbiased estimate where values were replaced.",
                "AVG, or conditions on columns that were not.",
            )
        self.cells: tuple[NDArray[np.int64], ...] = ()
        """For each axis the states of the cells."""
        self.found: list[tuple[Any, ...]] = []
        """For each cell its rows, and what was asked of their other columns."""

    def _require_number(self, argument: exp.Expr) -> None:
        column, plan = columns_of(argument)[0], self.asked.plan
        is_sum = self.aggregate.function in ("SUM", "AVG")
        bare = isinstance(argument.unnest(), exp.Column)
        if is_sum and bare and not plan.sheet.dtypes[column].is_numeric():
            self.asked.question.refuse(
                argument,
                f"{column} is not a number: it has no {self.aggregate.function}.",
                "SELECT COUNT(*) FROM data …",
            )

    @property
    def statements(self) -> list[str]:
        """For each perturbed axis its states in the original; then the states of the rows."""
        count, texts = quote(self.release.manifest.layout["count"]), []
        for place in self.perturbed:
            axis = self.axes[place]
            table = quote(self.release.table_of(axis.attribute))
            columns = ", ".join(f"{each} AS c{i}" for i, each in enumerate(axis.columns))
            texts.append(
                f"SELECT {columns}, SUM(t.{count}) AS n FROM {table} AS t "
                f"GROUP BY {places(len(axis.columns))}"
            )
        all_columns = [each for axis in self.axes for each in axis.columns]
        named = [f"{each} AS c{i}" for i, each in enumerate(all_columns)] + ["COUNT(*) AS n"]
        if self.is_apart and self.aggregate.argument is not None:
            named += _sums(on_table(self.aggregate.argument), self.aggregate.function)
        grouped = f" GROUP BY {places(len(all_columns))}" if all_columns else ""
        texts.append(f"SELECT {', '.join(named)} FROM {quote('rows')} AS t{grouped}")
        return texts

    def count(self, engine: Engine) -> None:
        """Let a database count the states and the cells."""
        sql, sheet = self.asked.question.sql, self.asked.plan.sheet
        *marginals, cells = (
            engine.run(in_dialect(text, engine.dialect, self.asked.question, sheet), sql)
            for text in self.statements
        )
        for place, rows in zip(self.perturbed, marginals, strict=True):
            axis = self.axes[place]
            for row in rows:
                axis.add_state(row[:-1])
            axis.counts = np.array([float(row[-1]) for row in rows])
            axis.shares = axis.counts / axis.counts.sum()
        numbers = [{state: i for i, state in enumerate(axis.states)} for axis in self.axes]
        positions = np.empty((len(self.axes), len(cells)), np.int64)
        for c, row in enumerate(cells):
            first = 0
            for a, axis in enumerate(self.axes):
                state = row[first : first + len(axis.columns)]
                first += len(axis.columns)
                if state not in numbers[a]:  # the rows' own states are known from here only
                    numbers[a][state] = axis.add_state(state)
                positions[a, c] = numbers[a][state]
        self.cells = tuple(positions)
        width = sum(len(axis.columns) for axis in self.axes)
        self.found = [row[width:] for row in cells]
        self._require_size()

    def _require_size(self) -> None:
        size = math.prod(len(axis.states) for axis in self.axes)
        keys = math.prod(len(set(axis.own_keys)) for axis in self.axes if axis.keys)
        if size > MOST_STATES or size * keys > MOST_WORK:
            self.asked.question.refuse(
                "GROUP" if self.asked.question.keys else "SELECT",
                f"{how_many(size, 'combination')} of values would have to be looked at for each of "
                f"{how_many(keys, 'answer')}.",
                "group by fewer columns, or by coarser values.",
            )

    @property
    def condition(self) -> Floats:
        """Which combinations of states meet the condition, as 0 and 1."""
        holds = np.ones([1] * len(self.axes))
        if self.asked.tree is not None:
            holds = self._holds(self.asked.tree)
        return np.broadcast_to(holds, tuple(len(axis.states) for axis in self.axes))

    def _holds(self, tree: Tree) -> Floats:
        if isinstance(tree, Leaf):
            place = next(i for i, axis in enumerate(self.axes) if axis.part == tree.part)
            axis = self.axes[place]
            bit = axis.leaves.index(tree)
            return axis.along([state[bit] for state in axis.states], place, len(self.axes))
        parts = [self._holds(child) for child in tree.children]
        combine = np.minimum if isinstance(tree, All) else np.maximum
        result = parts[0]
        for each in parts[1:]:
            result = combine(result, each)
        return result

    def by_key(self) -> Iterator[tuple[tuple[Any, ...], Floats]]:
        """Every combination of keys that can occur, and the states that are then asked about."""
        condition = self.condition
        total = len(self.axes)
        choices: list[list[tuple[dict[int, Any], Floats]]] = []
        for place, axis in enumerate(self.axes):
            if not axis.keys:
                continue
            own = axis.own_keys
            choices.append(
                [
                    (
                        dict(zip(axis.keys, values, strict=True)),
                        axis.along([each == values for each in own], place, total),
                    )
                    for values in sorted(dict.fromkeys(own), key=_sortable)
                ]
            )
        for chosen in product(*choices):
            values: dict[int, Any] = {}
            mask = np.ones([1] * total)
            for named, along in chosen:
                values |= named
                mask = mask * along
            holds = condition * mask
            if holds.any() or not values:
                yield tuple(values[k] for k in sorted(values)), holds

    def present(self) -> Floats:
        """Where the argument of COUNT is not missing."""
        if self.aggregate.argument is None:
            return np.ones([1] * len(self.axes))
        place = next(i for i, axis in enumerate(self.axes) if axis.has_value)
        axis = self.axes[place]
        is_there = [state[-1] is not None for state in axis.states]
        return axis.along(is_there, place, len(self.axes))

    def values(self) -> tuple[Floats, Floats]:
        """The argument's value for the states of its axis, 0 where missing; and where it is not."""
        place = next(i for i, axis in enumerate(self.axes) if axis.has_value)
        axis = self.axes[place]
        last = [state[-1] for state in axis.states]
        for value in last:
            is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
            if value is not None and not (is_number and math.isfinite(value)):
                self.asked.question.refuse(
                    self.aggregate.argument or "SELECT",
                    f"{value} is not a number that can be added up.",
                    "SELECT COUNT(*) FROM data …",
                )
        numbers = [0.0 if v is None else float(v) for v in last]
        total = len(self.axes)
        return (
            axis.along(numbers, place, total),
            axis.along([v is not None for v in last], place, total),
        )

    def all_shares(self, n: Floats) -> list[Floats]:
        """The distribution of every axis' states in the original."""
        found = []
        for axis, own in zip(self.axes, self.cells, strict=True):
            shares = axis.shares
            if shares is None:  # as it was
                shares = np.bincount(own, n, minlength=len(axis.states)) / n.sum()
            found.append(shares)
        return found


def leaves(tree: Tree | None) -> list[Leaf]:
    """The leaves of a condition."""
    if tree is None:
        return []
    if isinstance(tree, Leaf):
        return [tree]
    return [leaf for child in tree.children for leaf in leaves(child)]


def _sums(x: str, function: str) -> list[str]:
    """What is needed of a column that was not replaced."""
    if function in ("SUM", "AVG"):
        number = f"CAST({x} AS DOUBLE)"
        return [
            f"COUNT({x}) AS present",
            f"SUM({number}) AS s",
            f"SUM({number} * {number}) AS ss",
            f"SUM(CASE WHEN {x} < 0 THEN {number} ELSE 0 END) AS negative",
            f"SUM(CASE WHEN {x} > 0 THEN {number} ELSE 0 END) AS positive",
            f"MIN({number}) AS least",
            f"MAX({number}) AS most",
        ]
    if function == "COUNT":
        return [f"COUNT({x}) AS present", *("0" for _ in range(6))]
    return [f"{function}({x}) AS extreme"]


def _sortable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((value is None, str(type(value)), value) for value in values)
