"""Asking a perturbed release: counts of states from the database, then the inverse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.engines import Engine
from anonagram.engines.counting import MARGIN, ROUNDING
from anonagram.queries.answers import Answers, Estimate
from anonagram.queries.conditions import All, Leaf, Tree
from anonagram.queries.inversion import NotInvertible, Perturbation, reach, without_known
from anonagram.queries.plan import Plan, condition_tree
from anonagram.queries.question import Aggregate, Question, columns_of
from anonagram.queries.rewrite import in_dialect
from anonagram.queries.sheets import ROWS, Sheet
from anonagram.queries.sql import on_table, quote
from anonagram.release import PerturbedRelease

Floats = NDArray[np.float64]
EXACT_IN_DOUBLE = 2.0**52
MOST_STATES = 2_000_000
"""Combinations of states that are looked at for one answer."""
MOST_WORK = 30_000_000
"""Of those, for all answers together."""


@dataclass(frozen=True)
class AskedPerturbed:
    """A question about a perturbed release, ready to be run."""

    question: Question
    plan: Plan
    tree: Tree | None
    release: PerturbedRelease

    @classmethod
    def of(cls, question: Question, sheet: Sheet, release: PerturbedRelease) -> AskedPerturbed:
        """Take a question apart, refusing what has no unbiased answer."""
        for clause, given in (("HAVING", question.having), ("ORDER", question.order)):
            if given:
                question.refuse(
                    clause, "Estimates are not put in order here.", "sort or filter the answer."
                )
        if (question.limit, question.offset) != (None, None):
            question.refuse("LIMIT", "Every row of the answer is given.", "leave LIMIT out.")
        plan = Plan(question, sheet, {}, [], {})
        plan.refuse_ambiguous_texts()
        return cls(question, plan, condition_tree(question, sheet), release)

    def explain(self, dialect: str) -> str:
        """The statements that count states, for the first aggregate."""
        counting = [_Counting(self, aggregate) for aggregate in self._asked[:1]]
        texts = [text for each in counting for text in each.statements]
        return ";\n\n".join(in_dialect(text, dialect, pretty=True) for text in texts)

    @property
    def _asked(self) -> Sequence[Aggregate]:
        return self.question.aggregates or (Aggregate("COUNT(*)", "COUNT", None),)

    def run(self, engine: Engine) -> Answers:
        """Let a database count, and undo the perturbation."""
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for aggregate in self._asked:
            counting = _Counting(self, aggregate)
            for key, answer in counting.answer(engine).items():
                found.setdefault(key, {})[aggregate.name] = answer
        keys = [key.name for key in self.question.keys]
        rows = [
            {
                name: (dict(zip(keys, key, strict=True)) | answers)[name]
                for name in self.question.shown
            }
            for key, answers in found.items()
        ]
        shown = [name for name in self.question.shown if name in keys]
        return Answers(
            tuple(shown),
            tuple(name for name in self.question.shown if name not in keys),
            tuple(rows),
        )


class _Axis:
    """A part of the release that the question touches: what must be known of a row's value there."""

    def __init__(self, part: str, asked: AskedPerturbed, argument: exp.Expr | None) -> None:
        self.part = part
        self.attribute = asked.plan.sheet.parts[part].columns[0] if part != ROWS else ""
        self.leaves = [leaf for leaf in _leaves(asked.tree) if leaf.part == part]
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


class _Counting:
    """One aggregate: the states of all axes, how often they occur together, and the answer."""

    def __init__(self, asked: AskedPerturbed, aggregate: Aggregate) -> None:
        self.asked, self.aggregate = asked, aggregate
        self.release = asked.release
        plan, argument = asked.plan, aggregate.argument
        concerned = [leaf.part for leaf in _leaves(asked.tree)]
        concerned += [plan.part_of(key.expression) for key in asked.question.keys]
        if argument is not None:
            concerned.append(plan.part_of(argument))
            self._require_number(argument)
        self.axes = [_Axis(part, asked, argument) for part in dict.fromkeys(concerned)]
        self.axes = [axis for axis in self.axes if axis.columns]
        self.is_apart = argument is not None and plan.part_of(argument) == ROWS
        chances = self.release.transition.replaced
        self.perturbed = [
            i for i, axis in enumerate(self.axes) if chances.get(axis.attribute, 0.0) > 0
        ]
        if self.perturbed and aggregate.function in ("MIN", "MAX"):
            asked.question.refuse(
                aggregate.function,
                f"{aggregate.function} has no unbiased estimate where values were replaced.",
                "AVG, or conditions on columns that were not.",
            )

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
                f"GROUP BY {_numbers(len(axis.columns))}"
            )
        all_columns = [each for axis in self.axes for each in axis.columns]
        named = [f"{each} AS c{i}" for i, each in enumerate(all_columns)] + ["COUNT(*) AS n"]
        if self.is_apart and self.aggregate.argument is not None:
            named += _sums(on_table(self.aggregate.argument), self.aggregate.function)
        grouped = f" GROUP BY {_numbers(len(all_columns))}" if all_columns else ""
        texts.append(f"SELECT {', '.join(named)} FROM {quote('rows')} AS t{grouped}")
        return texts

    def answer(self, engine: Engine) -> dict[tuple[Any, ...], Estimate]:
        """An answer for each combination of keys."""
        sql = self.asked.question.sql
        *marginals, cells = (
            engine.run(in_dialect(text, engine.dialect), sql) for text in self.statements
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
        self._require_size()
        shape = tuple(len(axis.states) for axis in self.axes)
        truth = np.broadcast_to(self._condition(), shape)
        width = sum(len(axis.columns) for axis in self.axes)
        found = [row[width:] for row in cells]
        places = tuple(positions)
        is_extreme = self.aggregate.function in ("MIN", "MAX")
        sums = np.zeros((0, len(found)))
        if not is_extreme:
            sums = np.array([[0.0 if x is None else float(x) for x in row] for row in found]).T
        answers = {}
        for key, mask in self._keys():
            holds = truth * mask
            if is_extreme:
                met = np.broadcast_to(holds[places] > 0, len(found))
                answers[key] = self._extreme(met, found)
            else:
                answers[key] = self._answer(holds, places, sums)
        return answers

    def _extreme(self, met: NDArray[np.bool_], found: Sequence[tuple[Any, ...]]) -> Estimate:
        """MIN or MAX where nothing that was replaced is asked about."""
        values = [row[1] for row, is_met in zip(found, met, strict=True) if is_met]
        values = [value for value in values if value is not None]
        if not values:
            return _nobody()
        value = min(values) if self.aggregate.function == "MIN" else max(values)
        return Estimate(value, value, value, 0.0, exact=True, naive=value)

    def _require_size(self) -> None:
        size = math.prod(len(axis.states) for axis in self.axes)
        keys = math.prod(len(set(axis.own_keys)) for axis in self.axes if axis.keys)
        if size > MOST_STATES or size * keys > MOST_WORK:
            self.asked.question.refuse(
                "GROUP" if self.asked.question.keys else "SELECT",
                f"{size:,} combinations of values would have to be looked at for each of {keys:,} "
                "answers.",
                "group by fewer columns, or by coarser values.",
            )

    def _condition(self) -> Floats:
        """Which combinations of states meet the condition, as 0 and 1."""
        if self.asked.tree is None:
            return np.ones([1] * len(self.axes))
        return self._holds(self.asked.tree)

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

    def _keys(self) -> Iterator[tuple[tuple[Any, ...], Floats]]:
        """Every combination of keys, and the combinations of states that have it."""
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
            yield tuple(values[k] for k in sorted(values)), mask

    def _answer(self, holds: Floats, cells: tuple[Any, ...], sums: Floats) -> Estimate:
        """The answer where `holds` says which combinations of states are asked about."""
        n = sums[0]
        if self.aggregate.argument is None or (
            self.aggregate.function == "COUNT" and not self.is_apart
        ):
            function = holds * self._present()
            return self._estimate(function, cells, n, whole=True)
        if not self.is_apart:
            return self._of_replaced(holds, cells, n)
        return self._of_kept(holds, cells, sums)

    def _present(self) -> Floats:
        """Where the argument of COUNT is not missing."""
        if self.aggregate.argument is None:
            return np.ones([1] * len(self.axes))
        place = next(i for i, axis in enumerate(self.axes) if axis.has_value)
        axis = self.axes[place]
        is_there = [state[-1] is not None for state in axis.states]
        return axis.along(is_there, place, len(self.axes))

    def _values(self) -> tuple[Floats, Floats]:
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

    @property
    def _perturbation(self) -> Perturbation:
        names, transition = [axis.attribute for axis in self.axes], self.release.transition
        return Perturbation(
            [axis.shares for axis in self.axes],
            lambda axes: transition.share_untouched(names[axis] for axis in axes),
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Refuse the question where the perturbation left nothing to answer it from."""
        try:
            yield
        except NotInvertible as error:
            transition, question = self.release.transition, self.asked.question
            lost = [self.axes[axis].attribute for axis in error.axes]
            most = len(transition.replaced) - transition.attributes
            question.refuse(
                lost[0],
                f"In every row at least one of {', '.join(lost)} was replaced, so nothing is left of "
                "how they depend on each other."
                if len(lost) > 1
                else f"{lost[0]} was replaced in every row.",
                f"ask about at most {most} quasi-identifiers."
                if most
                else "every quasi-identifier of every row was replaced; ask about one alone.",
            )

    def _estimate(
        self,
        function: Floats,
        cells: tuple[Any, ...],
        n: Floats,
        *,
        whole: bool,
    ) -> Estimate:
        """A sum over rows of a function of their states."""
        naive = float((function[cells] * n).sum())
        size = float(np.abs(function).max(initial=0.0) * n.sum())
        if not self.perturbed or float(np.ptp(function)) == 0:
            if whole:
                return _certain(round(naive))
            return self._exact_sum(naive, size)
        low, high = self._bounds(function, cells, n)
        off = 0.0 if whole else self._rounding(size)
        if whole or not off:  # whole numbers that a double holds exactly
            low, high, naive = math.ceil(low - 1e-6), math.floor(high + 1e-6), round(naive)
            if low == high:  # the published counts leave no doubt
                return Estimate(low, low, high, 0.0, exact=True, naive=naive)
        low, high = low - off, high + off
        if n.sum() == self.release.manifest.rows:
            function = without_known(function, self._all_shares(cells, n))
        with self._explained():
            estimate = self._perturbation.total(function, cells, n)
            error = _root(self._perturbation.variance(function, cells, n))
        return Estimate(estimate, low, high, error, exact=False, naive=naive)

    def _all_shares(self, cells: tuple[Any, ...], n: Floats) -> list[Floats]:
        """The distribution of every axis' states in the original."""
        found = []
        for axis, places in zip(self.axes, cells, strict=True):
            shares = axis.shares
            if shares is None:  # as it was
                shares = np.bincount(places, n, minlength=len(axis.states)) / n.sum()
            found.append(shares)
        return found

    def _rounding(self, size: float) -> float:
        """By how much a sum of numbers of this size together can be off."""
        argument = self.aggregate.argument
        is_whole = argument is not None and self.asked.plan.is_integer(argument)
        if is_whole and size < EXACT_IN_DOUBLE:
            return 0.0
        return size * (self.release.manifest.rows + MARGIN) * ROUNDING

    def _exact_sum(self, value: float, size: float) -> Estimate:
        """A sum about which the replacements leave no doubt; rounding may."""
        off = self._rounding(size)
        if off:
            return Estimate(value, value - off, value + off, 0.0, exact=False, naive=value)
        argument = self.aggregate.argument
        is_whole = argument is not None and self.asked.plan.is_integer(argument)
        shown = round(value) if is_whole else value
        return Estimate(shown, shown, shown, 0.0, exact=True, naive=shown)

    def _bounds(self, function: Floats, cells: tuple[Any, ...], n: Floats) -> tuple[float, float]:
        """What no origin of the rows, and no table with these counts, can fall below or exceed."""
        low, high = reach(function, self.perturbed, self.release.transition.attributes)
        ends = [float((low[cells] * n).sum()), float((high[cells] * n).sum())]
        # the counts are of all rows: where rows without a value are left out, they do not help
        for place in self.perturbed if n.sum() == self.release.manifest.rows else ():
            others = tuple(a for a in range(function.ndim) if a != place)
            counts = self.axes[place].counts
            ends[0] = max(ends[0], float((function.min(axis=others) * counts).sum()))
            ends[1] = min(ends[1], float((function.max(axis=others) * counts).sum()))
        return ends[0], ends[1]

    def _of_replaced(self, holds: Floats, cells: tuple[Any, ...], n: Floats) -> Estimate:
        """SUM or AVG of a column whose values were themselves replaced."""
        values, present = self._values()
        total = self._estimate(holds * values, cells, n, whole=False)
        people = self._estimate(holds * present, cells, n, whole=True)
        if self.aggregate.function == "SUM":
            return _nobody() if people.upper == 0 else total
        met = np.broadcast_to(holds * present, holds.shape) > 0
        inside = np.broadcast_to(values, holds.shape)[met]
        if not inside.size or people.upper == 0:
            return _nobody()
        if people.exact and total.exact:
            return _quotient(total, people.estimate)
        off = self._rounding(float(np.abs(inside).max()))
        lowest, highest = float(inside.min()) - off, float(inside.max()) + off

        naive = None if not people.naive else total.naive / people.naive
        if people.estimate <= 0:
            return Estimate(None, lowest, highest, None, exact=False, naive=naive)
        mean = total.estimate / people.estimate
        around = without_known(holds * present * (values - mean), self._all_shares(cells, n))
        with self._explained():
            error = _root(self._perturbation.variance(around, cells, n), people.estimate)
        return Estimate(mean, lowest, highest, error, exact=False, naive=naive)

    def _of_kept(self, holds: Floats, cells: tuple[Any, ...], sums: Floats) -> Estimate:
        """An aggregate of a column whose values are as they were."""
        _, values, x, xx, negative, positive, lows, highs = sums
        function = holds
        exact = not self.perturbed or float(np.ptp(function)) == 0
        low, high = reach(function, self.perturbed, self.release.transition.attributes)
        can, must = high[cells] > 0, low[cells] > 0
        people = self._estimate(function, cells, values, whole=True)
        if self.aggregate.function == "COUNT":
            bounds = round(values[must].sum()), round(values[can].sum())
            if exact:
                return people
            return Estimate(
                people.estimate, *bounds, people.std_error, exact=False, naive=people.naive
            )
        has = can & (values > 0)
        if not has.any():
            return _nobody()
        size = float((positive - negative)[can].sum())
        naive = float((function[cells] * x).sum())
        is_sum = self.aggregate.function == "SUM"
        if exact:
            total = self._exact_sum(naive, size)
            return total if is_sum else _quotient(total, float(values[can].sum()))
        with self._explained():
            estimate = self._perturbation.total(function, cells, x)
            if is_sum:
                error = _root(self._perturbation.variance(function, cells, xx))
                off = self._rounding(size)
                least = float(np.where(must, x, np.where(can, negative, 0)).sum()) - off
                most = float(np.where(must, x, np.where(can, positive, 0)).sum()) + off
                return Estimate(estimate, least, most, error, exact=False, naive=naive)
            among = self._perturbation.total(function, cells, values)
            bottom, top = float(lows[has].min()), float(highs[has].max())
            slack = self._rounding(max(abs(bottom), abs(top)))
            bottom, top = bottom - slack, top + slack
            read = float((function[cells] * values).sum())
            naive_mean = naive / read if read else None
            if among <= 0:
                return Estimate(None, bottom, top, None, exact=False, naive=naive_mean)
            mean = estimate / among
            # a ratio varies as its numerator does around it
            off_mean = xx - 2 * mean * x + mean**2 * values
            error = _root(self._perturbation.variance(function, cells, off_mean), among)
        return Estimate(mean, bottom, top, error, exact=False, naive=naive_mean)


def _root(variance: float, over: float = 1.0) -> float | None:
    """A standard error; None where the estimated variance makes no sense, as few rows can give."""
    return math.sqrt(variance) / over if variance >= 0 else None


def _quotient(total: Estimate, count: float) -> Estimate:
    mean, low, high = total.estimate / count, total.lower / count, total.upper / count
    return Estimate(mean, low, high, 0.0, exact=total.exact, naive=mean)


def _certain(value: Any) -> Estimate:
    return Estimate(value, value, value, 0.0, exact=True, naive=value)


def _nobody() -> Estimate:
    return Estimate(None, None, None, None, exact=True, naive=None)


def _leaves(tree: Tree | None) -> list[Leaf]:
    if tree is None:
        return []
    if isinstance(tree, Leaf):
        return [tree]
    return [leaf for child in tree.children for leaf in _leaves(child)]


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


def _numbers(count: int) -> str:
    return ", ".join(str(place + 1) for place in range(count))


def _sortable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((value is None, str(type(value)), value) for value in values)
