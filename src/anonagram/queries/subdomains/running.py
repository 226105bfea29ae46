"""A question about subdomains, run: what people and values a database gives becomes bounds.

A key that is a sensitive column's is a condition like any other: the question is answered for each of
its values apart, and nobody needs to know who has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.engines import Engine, InProcess
from anonagram.kernels.subdomains import Pushed
from anonagram.queries.dialects import in_dialect
from anonagram.queries.fields import FIELDS
from anonagram.queries.reading.question import Aggregate
from anonagram.queries.rearranged.work import MOST_WORK
from anonagram.queries.subdomains.asked import AskedSubdomains, Selection
from anonagram.queries.subdomains.bounds import Aggregates, Cells, Hits, Slots, everybody, meeting
from anonagram.queries.subdomains.joined import joined, of_one_type
from anonagram.queries.subdomains.worth import NotFinite, Numbers, Worth, as_numbers
from anonagram.shown.wording import how_many

Fields = list[list[Any]]
"""Of an aggregate, in the order of FIELDS: a value each key."""
Mask = NDArray[np.bool_]


def answer_rows(asked: AskedSubdomains, engine: Engine) -> list[tuple[Any, ...]]:
    """Keys and the fields of every aggregate, a row each key."""
    rows = list(_Running(asked, engine).rows())
    statement, question = asked.statement, asked.question
    if not statement.is_arranged:
        return rows
    names = [f"k{place}" for place in range(len(question.keys))]
    names += [f"a{a}_{name}" for a in range(len(question.aggregates)) for name in FIELDS]
    table = pl.DataFrame(rows, names, orient="row", infer_schema_length=None, strict=False)
    table = table.cast({pl.Null: pl.Float64})  # a database wants a type
    inside = engine if isinstance(engine, InProcess) else asked.release._engine
    return inside.run_over("answered", table, statement.last, question.sql)  # type: ignore[attr-defined, no-any-return]


@dataclass(frozen=True)
class Told:
    """One value of every key that is a sensitive column's."""

    values: dict[int, Any]
    """By the place of the key."""
    only: dict[str, Mask]
    """For each such column which values of its tree make these keys."""


@dataclass(frozen=True)
class Pool:
    """What people of each group have to be added up or compared."""

    slots: Slots
    made: list[Any]
    """The amount of each value; None where it does not count."""
    worth: Callable[[Numbers, int | None], Worth]
    """What the nodes of the slots are worth, where every value is worth so much."""


class _Running:
    """One run of a question; what was asked once is kept."""

    def __init__(self, asked: AskedSubdomains, engine: Engine) -> None:
        self.asked, self.engine, self.question = asked, engine, asked.question
        self._slots: dict[str, Slots] = {}
        self._ran: dict[str, list[tuple[Any, ...]]] = {}
        self._counted: dict[str, Cells] = {}
        self.keys: dict[tuple[Any, ...], int] = {} if asked.exact_keys else {(): 0}
        """Those of exact columns."""
        self.only: dict[str, Mask] = {}
        """Which values of sensitive columns are asked about now."""

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Every key that somebody can have, with the fields of each aggregate."""
        whom = self.asked.conditions(self.question)
        # keys are those of the whole question; what is asked of a part of it has no others
        self._cells(reduce(_either, [each.rows for each in whom]))
        told = list(self._told_keys(whom))
        self._refuse_much(len(told) * sum(map(self._work, whom)))
        for each in told:
            self.only = each.only
            possible = sum(
                (self._possible(selection) for selection in whom),
                np.zeros(len(self.keys), np.int64),
            )
            # a key that nobody can have is no answer
            shown = possible > 0 if self.question.keys else np.ones(possible.size, np.bool_)
            if shown.any():
                yield from self._shown(each, np.flatnonzero(shown).tolist())

    def _possible(self, selection: Selection) -> NDArray[np.int64]:
        """How many people can be among those asked about, of each key."""
        cells = self._cells(selection.rows)
        return cells.total(self._hits(cells, selection.sensitive).most)

    def _shown(self, told: Told, places: list[int]) -> Iterator[tuple[Any, ...]]:
        fields = [
            values
            for aggregate, selections in zip(
                self.question.aggregates, self.asked.selections, strict=True
            )
            for values in self._fields_of_all(aggregate, selections)
        ]
        exact = list(self.keys)
        for place in places:
            by_place = dict(zip(self.asked.exact_keys, exact[place], strict=True)) | told.values
            key = (by_place[at] for at in range(len(self.question.keys)))
            yield (*key, *(values[place] for values in fields))

    # Keys of sensitive columns

    def _told_keys(self, whom: Sequence[Selection]) -> Iterator[Told]:
        """Every combination of what the keys of sensitive columns can be."""
        choices = [
            list(self._classes(name, places, [each.sensitive[name] for each in whom]))
            for name, places in self.asked.told_keys.items()
        ]
        for chosen in product(*choices):
            values = {place: value for each in chosen for place, value in each.values.items()}
            yield Told(values, {name: mask for each in chosen for name, mask in each.only.items()})

    def _classes(self, name: str, places: list[int], conditions: list[exp.Expr]) -> Iterator[Told]:
        """The values of a tree that are asked about, by what the keys at these places make of them."""
        met = np.any([self._met(name, condition) for condition in conditions], axis=0)
        columns = [self._made(name, self.question.keys[place].expression) for place in places]
        classes: dict[tuple[Any, ...], list[int]] = {}
        for at, values in enumerate(zip(*columns, strict=True)):
            if met[at]:
                # NaN is not equal to itself, and one key all the same
                known = tuple("NaN" if value != value else value for value in values)
                classes.setdefault(known, []).append(at)
        for members in classes.values():
            mask = np.zeros(met.size, np.bool_)
            mask[members] = True
            made = [column[members[0]] for column in columns]
            yield Told(dict(zip(places, made, strict=True)), {name: mask})

    def _work(self, selection: Selection) -> int:
        slots = sum(int(self._slots_of(name).slots.node.size) for name in selection.sensitive)
        return int(self._cells(selection.rows).group.size) + slots

    def _refuse_much(self, work: int) -> None:
        if work > MOST_WORK:
            self.question.refuse(
                "GROUP",
                f"That is about {how_many(work, 'step')}: every value of a sensitive key stands beside "
                "every group.",
                "a coarser key, or a condition on it.",
            )

    # What a database counts

    def _run(self, text: str) -> list[tuple[Any, ...]]:
        if text not in self._ran:
            asked = self.asked.question, self.asked.sheet
            words = in_dialect(text, self.engine.dialect, *asked)
            self._ran[text] = self.engine.run(words, self.question.sql)
        return self._ran[text]

    def _cells(self, condition: exp.Expr | None) -> Cells:
        """Those of a condition; its keys are those of the whole question, which comes first."""
        text = self.asked.people_sql(condition)
        if text not in self._counted:
            self._counted[text] = self._count(self._run(text))
        return self._counted[text]

    def _count(self, rows: list[tuple[Any, ...]]) -> Cells:
        known, places = not self.keys, len(self.asked.exact_keys)
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
                met = self._met(name, condition)
                worth = Worth.of(
                    self.asked.release.tree(name), met, np.zeros(met.size, np.int64), None
                )
                hits = meeting(cells, hits, self._slots_of(name), worth)
        return hits

    def _met(self, name: str, condition: exp.Expr | None) -> Mask:
        """Which values of the tree meet a condition, of those that are asked about now."""
        met = np.zeros(len(self.asked.release.tree(name).values), np.bool_)
        for at, holds, _ in self._of_values(self.asked.values_sql(name, condition, None), name):
            met[at] = bool(holds)
        return met & self.only.get(name, True)

    def _made(self, name: str, value: exp.Expr) -> list[Any]:
        """What an expression makes of every value of the tree."""
        made = [None] * len(self.asked.release.tree(name).values)
        for at, _, x in self._of_values(self.asked.values_sql(name, None, value), name):
            made[at] = x
        return made

    def _of_values(self, text: str, name: str) -> Iterator[tuple[int, Any, Any]]:
        """What a database says of the nodes that are values, by their place in the domain."""
        tree = self.asked.release.tree(name)
        place = np.full(tree.size, -1)
        leaves = tree.nodes.children == 0
        place[leaves] = tree.nodes.low[leaves]
        for node, holds, x in self._run(text):
            at = int(place[node - 1])
            if at >= 0:
                yield at, holds, x

    # Aggregates

    def _fields_of_all(self, aggregate: Aggregate, selections: Sequence[Selection]) -> Fields:
        """Of people with other conditions than the rest, answers are put together."""
        first, *others = (self._fields(aggregate, each) for each in selections)
        for more in others:
            cells = (
                joined(aggregate.function, *pair)
                for pair in zip(zip(*first, strict=True), zip(*more, strict=True), strict=True)
            )
            first = [list(each) for each in zip(*cells, strict=True)] or first
            first[1:3] = of_one_type(*first[1:3])
        if aggregate.of_none and aggregate.function == "COUNT":
            # NULL where nobody is asked about: a zero is certain of nobody
            first = [*first[:4], first[1]]
        return _zero_of_none(first) if aggregate.of_none == "zero" else first

    def _fields(self, aggregate: Aggregate, selection: Selection) -> Fields:
        name = self.asked.attribute(aggregate)
        if name is None and aggregate.function != "COUNT" and not selection.sensitive:
            return self._exact(aggregate, selection)
        cells = self._cells(selection.rows)
        hits = self._hits(cells, selection.sensitive, but=name)
        if name is None:
            if aggregate.function == "COUNT":
                return self._counts(cells, hits)
            return self._aggregated(aggregate, cells.apart, hits, self._held(aggregate, selection))
        made = self._made(name, aggregate.argument or exp.Null())
        met = self._met(name, selection.sensitive.get(name))
        met &= np.array([x is not None for x in made], np.bool_)
        slots, tree = self._slots_of(name), self.asked.release.tree(name)
        if aggregate.function == "COUNT":
            worth = Worth.of(tree, met, np.zeros(met.size, np.int64), None)
            return self._counts(cells, meeting(cells, hits, slots, worth))
        made = [x if is_met else None for x, is_met in zip(made, met.tolist(), strict=True)]
        pool = Pool(slots, made, lambda amounts, scale: Worth.of(tree, met, amounts, scale))
        return self._aggregated(aggregate, cells, hits, pool)

    def _held(self, aggregate: Aggregate, selection: Selection) -> Pool:
        """The amounts that people of each cell have themselves; how many of them count is bounded."""
        cells, places = self._cells(selection.rows), len(self.asked.exact_keys)
        number = {
            cell: place
            for place, cell in enumerate(zip(cells.key.tolist(), cells.group.tolist(), strict=True))
        }
        values: dict[Any, int] = {}
        held = sorted(
            (number[self.keys[row[:places]], row[places] - 1],
             values.setdefault(row[places + 1], len(values)), row[places + 2])
            for row in self._run(self.asked.people_sql(selection.rows, aggregate.argument))
        )  # fmt: skip
        table = np.array(held, np.int64).reshape(-1, 3)
        return Pool(Slots(Pushed(*table.T), cells.group.size), list(values), Worth.held)

    def _aggregated(
        self, aggregate: Aggregate, cells: Cells, hits: Hits, pool: Pool
    ) -> Fields:  # fmt: skip
        if aggregate.function in ("MIN", "MAX"):
            return self._extremes(aggregate, cells, hits, pool)
        self._require_numbers(aggregate, pool.made)
        try:
            amounts, scale = as_numbers(pool.made, int(pool.slots.sizes.sum()))
        except NotFinite:
            self.question.refuse_endless(aggregate)
        found = Aggregates(cells, hits, pool.slots, pool.worth(amounts, scale))
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
        none = (0, 0, 0, 0.0, 1) if aggregate.function == "DISTINCT" else (None,) * len(FIELDS)
        rows: list[tuple[Any, ...]] = [none] * len(self.keys)
        for row in self._run(self.asked.exact_sql(aggregate, selection.rows)):
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

    def _extremes(self, aggregate: Aggregate, cells: Cells, hits: Hits, pool: Pool) -> Fields:
        """By ranks, so that values of any type can be compared."""
        if any(x != x for x in pool.made):
            self.question.refuse_endless(aggregate)
        values = sorted({x for x in pool.made if x is not None})
        rank = {x: number for number, x in enumerate(values)}
        ranks = np.array([rank.get(x, 0) for x in pool.made], np.int64)
        found = Aggregates(cells, hits, pool.slots, pool.worth(ranks, None))
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


def _either(one: exp.Expr | None, two: exp.Expr | None) -> exp.Expr | None:
    """The condition that one of two holds; none at all holds for everybody."""
    if one is None or two is None:
        return None
    return exp.Or(this=exp.Paren(this=one.copy()), expression=exp.Paren(this=two.copy()))


def _zero_of_none(fields: Fields) -> Fields:
    """A SUM of CASE … ELSE 0 is 0 where there are people and none of them meets its condition."""
    estimate, lower, upper, variance, sure = fields
    told = [
        [0 if low is None else each for each, low in zip(field, lower, strict=True)]
        for field in (estimate, lower, upper)
    ]
    return [*told, variance, sure]


def _between(low: Any, high: Any, *, is_max: bool) -> Any:
    """What is told as an estimate: the middle of numbers, else the end that is nearer to the extreme."""
    if isinstance(low, int | float | Decimal) and not isinstance(low, bool):
        return float(low) / 2 + float(high) / 2
    return high if is_max else low


def _told(sums: NDArray[Any], off: NDArray[np.float64], scale: int | None) -> list[Any]:
    if scale is not None:
        return [Decimal(int(each)).scaleb(-scale) for each in sums]
    return list((sums + off if off.any() else sums).tolist())


def _but_nobody(found: Aggregates, fields: Sequence[list[Any]]) -> Fields:
    """NULL where nobody can be among them."""
    nobody = (found.most == 0).tolist()
    return [
        [None if none or each != each else each for each, none in zip(field, nobody, strict=True)]
        for field in fields
    ]
