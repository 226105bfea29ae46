"""A question about subdomains: people are counted by a database, and slots by compiled passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.engines import Engine, InProcess
from anonagram.queries.dialects import in_dialect
from anonagram.queries.fields import FIELDS
from anonagram.queries.reading.conditions import Leaf, components
from anonagram.queries.reading.question import Aggregate, Question, both, columns_of
from anonagram.queries.rearranged.plan import Plan, condition_tree
from anonagram.queries.rearranged.rewrite import Statement, last_step, rewrite
from anonagram.queries.sql import by, on_table, quote, where, with_column
from anonagram.queries.subdomains.bounds import Aggregates, Cells, Hits, Slots, everybody, meeting
from anonagram.queries.subdomains.worth import NotFinite, Worth, as_numbers
from anonagram.release import Release, WithSubdomains
from anonagram.release.sheet import Sheet

ROWS = "quasi"
"""The part whose rows stand whole."""
ANSWERED = ("COUNT", "SUM", "AVG", "MIN", "MAX")
COUNTS = ("COUNT", "DISTINCT")
"""0 of nobody."""
Fields = Sequence[Sequence[Any]]
"""Of an aggregate, in the order of FIELDS: a value each key."""


@dataclass(frozen=True)
class Selection:
    """Who an aggregate is about: conditions on exact columns, and on each sensitive one."""

    rows: exp.Expr | None
    sensitive: dict[str, exp.Expr]


@dataclass(frozen=True)
class AskedSubdomains:
    """A question that was understood, ready to be run."""

    question: Question
    sheet: Sheet
    release: WithSubdomains
    selections: tuple[Selection, ...]
    """For each aggregate."""

    @classmethod
    def of(cls, question: Question, release: Release) -> AskedSubdomains | None:
        """Take a question apart; None where it is about exact columns alone."""
        subdomains = release.subdomains
        names = {name for each in question.expressions for name in columns_of(each)}
        if subdomains is None or not names & set(subdomains.sensitive):
            return None
        sheet = release.sheet
        plan = Plan(question, sheet, {}, [], {})
        plan.refuse_ambiguous_texts()
        plan.refuse_divisions()
        plan.refuse_nanoseconds()
        for key in question.keys:
            if set(columns_of(key.expression)) & set(subdomains.sensitive):
                question.refuse(
                    key.expression,
                    "Values are told as subdomains: nobody knows who is in which group of them.",
                    "COUNT(*) … WHERE with a condition, for each value that is of interest.",
                )
        asked = cls(question, sheet, subdomains, ())
        return replace(asked, selections=tuple(asked._select(each) for each in question.aggregates))

    def _select(self, aggregate: Aggregate) -> Selection:
        question = self.question
        names = columns_of(aggregate.argument)
        about = {self.sheet.part_of(name) for name in names}
        found = self._conditions(
            replace(question, condition=both(question.condition, aggregate.only))
        )
        is_exact = about == {ROWS} and not found.sensitive
        is_bounded = aggregate.function in ANSWERED or is_exact
        if not is_bounded or aggregate.of_none == "zero" or len(about) > 1:
            question.refuse(
                aggregate.argument or aggregate.function,
                "This is not bounded where values are told as subdomains.",
                "COUNT, SUM, AVG, MIN or MAX of one column.",
            )
        if about == {ROWS} and found.sensitive:
            if aggregate.function != "COUNT":
                question.refuse(
                    aggregate.argument or aggregate.function,
                    f"Nobody knows who has a certain {next(iter(found.sensitive))}, and what {names[0]} "
                    "they have.",
                    f"COUNT(*), or {aggregate.function} of a sensitive column.",
                )
            there = exp.Not(this=exp.Is(this=aggregate.argument, expression=exp.Null()))
            return replace(found, rows=both(found.rows, there))
        return found

    def _conditions(self, question: Question) -> Selection:
        rows, sensitive = None, {}
        attribute_of = {self.sheet.part_of(n): n for n in self.release.sensitive}
        for each in components(condition_tree(question, self.sheet)):
            if not isinstance(each, Leaf) or each.part not in {ROWS, *attribute_of}:
                question.refuse(
                    "OR",
                    "Alternatives of columns that were rearranged apart are not bounded here.",
                    "a question for each alternative.",
                )
            if each.part == ROWS:
                rows = both(rows, each.expression)
            else:
                sensitive[attribute_of[each.part]] = each.expression
        return Selection(rows, sensitive)

    # Statements

    def _people_sql(self, condition: exp.Expr | None) -> str:
        """How many people of each group and key meet a condition."""
        keys = [on_table(key.expression) for key in self.question.keys]
        columns = [f"{key} AS k{place}" for place, key in enumerate(keys)]
        columns += [f"t.{quote(self.sheet.group)} AS g", "COUNT(*) AS m"]
        table = quote(self.sheet.parts[ROWS].table)
        return f"SELECT {', '.join(columns)} FROM {table} AS t{where(condition)}{by(len(keys) + 1)}"

    def _exact_sql(self, aggregate: Aggregate, condition: exp.Expr | None) -> str:
        """The fields of an aggregate of an exact column, for each key: those of any exact rows."""
        asked = replace(
            self.question,
            aggregates=(replace(aggregate, only=None, of_none=""),),
            shown=(*(key.name for key in self.question.keys), aggregate.name),
            condition=condition,
            having=None,
            order=(),
            limit=None,
            offset=None,
            combined={},
        )
        return rewrite(asked, self.sheet).text

    def _values_sql(self, name: str, condition: exp.Expr | None, value: exp.Expr | None) -> str:
        """Of every value of a tree whether it meets a condition, and what an expression makes of it."""
        low = f"t.{self.release.ends_of(name)[0]}"
        met = (
            "TRUE" if condition is None else f"COALESCE({with_column(condition, name, low)}, FALSE)"
        )
        made = "NULL" if value is None else with_column(value, name, low)
        node = f"t.{quote(self.release.manifest.layout['node'])}"
        table = quote(self.release.target_of(name))
        return f"SELECT {node} AS node, {met} AS met, {made} AS x FROM {table} AS t"

    @property
    def texts(self) -> list[str]:
        """The statements that are sent."""
        found = []
        for aggregate, selection in zip(self.question.aggregates, self.selections, strict=True):
            found.append(self._people_sql(selection.rows))
            found += [self._values_sql(n, c, None) for n, c in selection.sensitive.items()]
            own = self._attribute(aggregate)
            if own is not None:
                condition = selection.sensitive.get(own)
                found.append(self._values_sql(own, condition, aggregate.argument))
            elif aggregate.argument is not None and not selection.sensitive:
                found.append(self._exact_sql(aggregate, selection.rows))
        return list(dict.fromkeys(found))

    def explain(self, dialect: str) -> str:
        """The statements in the words of a database."""
        asked = self.question, self.sheet
        return ";\n\n".join(in_dialect(text, dialect, *asked, pretty=True) for text in self.texts)

    @cached_property
    def statement(self) -> Statement:
        """What is shown of the answers."""
        return Statement("", last_step(self.question), self.question, self.sheet, self._whole)

    @cached_property
    def _whole(self) -> tuple[bool, ...]:
        plan = Plan(self.question, self.sheet, {}, [], {})
        return tuple(plan.is_whole(each) for each in self.question.aggregates)

    def _attribute(self, aggregate: Aggregate) -> str | None:
        """The sensitive column that an aggregate is of, if it is."""
        names = [n for n in columns_of(aggregate.argument) if n in self.release.sensitive]
        return names[0] if names else None

    # Answers

    def rows(self, engine: Engine) -> list[tuple[Any, ...]]:
        """Keys and the fields of every aggregate, a row each key."""
        running = _Running(self, engine)
        keys, fields = running.answer()
        rows = list(zip(*keys, *(each for all_of in fields for each in all_of), strict=True))
        if not self.statement.is_arranged:
            return rows
        names = [f"k{place}" for place in range(len(keys))]
        names += [f"a{a}_{name}" for a in range(len(fields)) for name in FIELDS]
        table = pl.DataFrame(rows, names, orient="row", infer_schema_length=None, strict=False)
        table = table.cast({pl.Null: pl.Float64})  # a database wants a type
        inside = engine if isinstance(engine, InProcess) else self.release._engine
        return inside.run_over("answered", table, self.statement.last, self.question.sql)  # type: ignore[attr-defined, no-any-return]


class _Running:
    """One run of a question; what was asked once is kept."""

    def __init__(self, asked: AskedSubdomains, engine: Engine) -> None:
        self.asked, self.engine, self.question = asked, engine, asked.question
        self._slots: dict[str, Slots] = {}
        self.keys: dict[tuple[Any, ...], int] = {} if self.question.keys else {(): 0}

    def answer(self) -> tuple[list[Sequence[Any]], list[Fields]]:
        """Keys, and the fields of each aggregate."""
        asked, places = self.asked, len(self.question.keys)
        whom = asked._conditions(self.question)
        frame = self._cells(whom.rows)
        possible = self._hits(frame, whom.sensitive)
        fields = [
            self._fields(aggregate, selection)
            for aggregate, selection in zip(self.question.aggregates, asked.selections, strict=True)
        ]
        shown = np.ones(len(self.keys), np.bool_)
        if places:  # a key that nobody can have is no answer
            shown = frame.total(possible.most) > 0
        keys: list[tuple[Any, ...]] = list(zip(*self.keys, strict=True)) or [()] * places
        kept = np.flatnonzero(shown).tolist()
        return (
            [[key[place] for place in kept] for key in keys],
            [[[each[place] for place in kept] for each in field] for field in fields],
        )

    def _run(self, text: str) -> list[tuple[Any, ...]]:
        asked = self.asked.question, self.asked.sheet
        return self.engine.run(in_dialect(text, self.engine.dialect, *asked), self.question.sql)

    def _cells(self, condition: exp.Expr | None) -> Cells:
        """Those of a condition; its keys are those of the whole question, which comes first."""
        rows = self._run(self.asked._people_sql(condition))
        known = not self.keys
        places = len(self.question.keys)
        numbers = []
        for row in rows:
            key = row[:places]
            if known:
                self.keys.setdefault(key, len(self.keys))
            numbers.append(self.keys[key])
        table = np.array([row[places:] for row in rows], np.int64).reshape(-1, 2)
        return Cells(np.array(numbers, np.int64), table[:, 0] - 1, table[:, 1], len(self.keys))

    def _slots_of(self, name: str) -> Slots:
        if name not in self._slots:
            self._slots[name] = Slots(self.asked.release.slots(name))
        return self._slots[name]

    def _hits(self, cells: Cells, sensitive: dict[str, exp.Expr], but: str | None = None) -> Hits:
        """Who meets conditions on sensitive columns, each rearranged by itself."""
        hits = everybody(cells)
        for name, condition in sensitive.items():
            if name != but:
                met, _ = self._values(name, condition, None)
                worth = Worth.of(
                    self.asked.release.tree(name), met, np.zeros(met.size, np.int64), None
                )
                hits = meeting(cells, hits, self._slots_of(name), worth)
        return hits

    def _values(
        self, name: str, condition: exp.Expr | None, value: exp.Expr | None
    ) -> tuple[NDArray[np.bool_], list[Any]]:
        """Of every value of the tree whether it is there and met, and what is made of it."""
        tree = self.asked.release.tree(name)
        place = np.full(tree.size, -1)
        leaves = tree.nodes.children == 0
        place[leaves] = tree.nodes.low[leaves]
        met, made = np.zeros(len(tree.values), np.bool_), [None] * len(tree.values)
        for node, holds, x in self._run(self.asked._values_sql(name, condition, value)):
            at = int(place[node - 1])
            if at >= 0:
                met[at] = bool(holds) and (value is None or x is not None)
                made[at] = x
        return met, made

    # Aggregates

    def _fields(self, aggregate: Aggregate, selection: Selection) -> Fields:
        name = self.asked._attribute(aggregate)
        if name is None and aggregate.argument is not None and not selection.sensitive:
            return self._exact(aggregate, selection)
        cells = self._cells(selection.rows)
        if name is None:
            hits = self._hits(cells, selection.sensitive)
            return self._counts(cells, hits)
        hits = self._hits(cells, selection.sensitive, but=name)
        met, made = self._values(name, selection.sensitive.get(name), aggregate.argument)
        slots, tree = self._slots_of(name), self.asked.release.tree(name)
        if aggregate.function == "COUNT":
            worth = Worth.of(tree, met, np.zeros(met.size, np.int64), None)
            return self._counts(cells, meeting(cells, hits, slots, worth))
        made = [x if is_met else None for x, is_met in zip(made, met.tolist(), strict=True)]
        if aggregate.function in ("MIN", "MAX"):
            return self._extremes(aggregate, cells, hits, slots, met, made)
        self._require_numbers(aggregate, made)
        try:
            amounts, scale = as_numbers(made, int(slots.sizes.sum()))
        except NotFinite:
            self.question.refuse_endless(aggregate)
        found = Aggregates(cells, hits, slots, Worth.of(tree, met, amounts, scale))
        return self._sums(found) if aggregate.function == "SUM" else self._means(found)

    def _require_numbers(self, aggregate: Aggregate, made: list[Any]) -> None:
        odd = [x for x in made if isinstance(x, str | date | datetime | time | timedelta)]
        if odd:
            self.question.refuse(
                aggregate.argument or aggregate.function,
                f"{aggregate.function} adds numbers up, and {odd[0]!r} is none.",
                "MIN or MAX, or a number that is made of it.",
            )

    def _exact(self, aggregate: Aggregate, selection: Selection) -> Fields:
        places = len(self.question.keys)
        none = (0, 0, 0, 0.0, 1) if aggregate.function in COUNTS else (None,) * len(FIELDS)
        rows: list[tuple[Any, ...]] = [none] * len(self.keys)
        for row in self._run(self.asked._exact_sql(aggregate, selection.rows)):
            rows[self.keys[row[:places]]] = row[places:]
        return [list(each) for each in zip(*rows, strict=True)] or [[] for _ in FIELDS]

    def _counts(self, cells: Cells, hits: Hits) -> Fields:
        totals = [cells.total(each).tolist() for each in (hits.expected, hits.fewest, hits.most)]
        known = cells.total((hits.fewest != hits.most).astype(np.int64)) == 0
        variance = [0.0 if each else None for each in known.tolist()]
        return [*totals, variance, [1] * cells.keys]

    def _sums(self, found: Aggregates) -> Fields:
        low, high = found.sums()
        off = found.slack(low)
        ends = [_told(low, -off, found.worth.scale), _told(high, off, found.worth.scale)]
        estimate, variance = found.expected_sum().tolist(), found.variance_of_sum().tolist()
        return _but_nobody(found, [estimate, *ends, variance, found.fewest.tolist()])

    def _means(self, found: Aggregates) -> Fields:
        low, high = found.means()
        expected = np.maximum(found.expected, np.finfo(float).tiny)
        estimate = np.where(found.expected > 0, found.expected_sum() / expected, np.nan).tolist()
        people = np.maximum(found.cells.total(found.hits.most), 1)
        variance = found.variance_of_sum() / people**2
        if not found.worth.sure[found.slots.slots.node].all():
            variance = np.full(variance.size, np.nan)
        fields = [estimate, low.tolist(), high.tolist(), variance.tolist(), found.fewest.tolist()]
        return _but_nobody(found, fields)

    def _extremes(
        self,
        aggregate: Aggregate,
        cells: Cells,
        hits: Hits,
        slots: Slots,
        met: Any,
        made: list[Any],
    ) -> Fields:
        """By ranks, so that values of any type can be compared."""
        values = sorted({x for x in made if x is not None})
        rank = {x: number for number, x in enumerate(values)}
        ranks = np.array([rank.get(x, 0) for x in made], np.int64)
        tree = self.asked.release.tree(str(self.asked._attribute(aggregate)))
        found = Aggregates(cells, hits, slots, Worth.of(tree, met, ranks, None))
        ends = found.extremes(largest=aggregate.function == "MAX")
        top = len(values) - 1
        least, most = (
            [values[min(max(int(e), 0), top)] if values else None for e in each]
            for each in (np.minimum(*ends), np.maximum(*ends))
        )
        middle = [
            _between(a, b, is_max=aggregate.function == "MAX")
            for a, b in zip(least, most, strict=True)
        ]
        unknown = [None] * cells.keys
        return _but_nobody(found, [middle, least, most, unknown, found.fewest.tolist()])


def _between(low: Any, high: Any, *, is_max: bool) -> Any:
    """What is told as an estimate: the middle of numbers, else the end that is nearer to the extreme."""
    if isinstance(low, int | float | Decimal) and not isinstance(low, bool):
        return float(low) / 2 + float(high) / 2
    return high if is_max else low


def _told(sums: NDArray[Any], off: NDArray[np.float64], scale: int | None) -> list[Any]:
    if scale is not None:
        return [Decimal(int(each)).scaleb(-scale) for each in sums]
    return list((sums + off if off.any() else sums).tolist())


def _but_nobody(found: Aggregates, fields: Fields) -> Fields:
    """NULL where nobody can be among them."""
    nobody = (found.most == 0).tolist()
    return [
        [None if none or each != each else each for each, none in zip(field, nobody, strict=True)]
        for field in fields
    ]
