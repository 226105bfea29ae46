"""A question about people becomes one statement over the tables of a release.

For each group of the release, and each combination of keys, the statement counts how many rows of
every part meet that part's conditions. If a group has n rows and the parts are met by m₁ … m_d of
them, at least max(0, Σ mᵢ - (d-1)n) and at most min mᵢ people meet all, and every number between is
possible (Fréchet). The aggregate's values come from one part: the least sum that h people can have
is that of the h smallest values, and so on. Groups are rearranged independently, so sums add up,
and a mean is least when the smallest optional values are taken as long as they pull it down.

Names inside the statement: g group, n its rows, k0 k1 … keys, l0 h0 s0 … least and most rows and
the share that meet condition 0, lo and hi the bounds of hits, x a value, w how often it occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NoReturn

import polars as pl
import sqlglot
from sqlglot import exp

from anonagram.queries.conditions import (
    MAX_TERMS,
    All,
    Leaf,
    Tree,
    alternatives,
    both,
    components,
    parts_in,
    tree_of,
)
from anonagram.queries.question import DIALECT, Aggregate, Question, columns_of
from anonagram.queries.ranges import RangeReader, Reach, quote
from anonagram.queries.sheets import RANGES, Part, Sheet

ROUNDING = 2.0**-52
"""Sums of floating-point numbers differ by the order of adding; bounds are widened by so much."""
UNKNOWN = "CAST(NULL AS DOUBLE)"
EXACT_IN_DOUBLE = 2**52
FIELDS = ("estimate", "lower", "upper", "variance", "sure")
"""What the statement says of each aggregate; sure: values that are certainly among the hits."""


@dataclass(frozen=True)
class Counting:
    """A question that needs only the hits of each part in each group, and sums of another part.

    Most questions about rearranged values are of this kind. A database in this process can hand
    over the hits and leave the rest to a compiled pass; the statement says the same in SQL.
    """

    rows: tuple[str, ...]
    """For each part with conditions: a query for the group g, keys and weight w of its rows.

    Only the first has keys.
    """
    values: tuple[tuple[str, str | None], ...]
    """For each aggregate: its function and column."""
    part: Part | None
    """Where the columns are."""
    sizes: Part
    group: str


@dataclass(frozen=True)
class Statement:
    """The rewritten question."""

    text: str
    """In the dialect of questions; `in_dialect` gives others."""
    last: str
    """The last step alone: from a table `answered` to what is shown."""
    question: Question
    whole: tuple[bool, ...]
    """For each aggregate: whether its bounds are whole numbers."""
    counting: Counting | None = None

    def in_dialect(self, dialect: str, *, pretty: bool = False) -> str:
        """The statement for a database."""
        if dialect == DIALECT and not pretty:
            return self.text
        tree = sqlglot.parse_one(self.text, read=DIALECT)
        if dialect == "postgres":
            tree = tree.transform(_without_backslash)
        return tree.sql(dialect, pretty=pretty)


def _without_backslash(node: exp.Expression) -> exp.Expression:
    """A backslash in a pattern means itself, as in the dialect of questions."""
    if isinstance(node, exp.Like | exp.ILike) and not isinstance(node.parent, exp.Escape):
        return exp.Escape(this=node, expression=exp.Literal.string(""))
    return node


def rewrite(question: Question, sheet: Sheet) -> Statement:
    """The statement that answers a question from a release."""
    return _Rewriter(question, sheet).statement()


@dataclass(frozen=True)
class _Event:
    """A condition that rows of a group meet, on one part or (mixed) on several."""

    part: str | None
    keys: tuple[int, ...]
    source: str
    low: str
    high: str
    share: str
    is_sharp: bool
    """Whether the number of rows is known."""


@dataclass
class _Rewriter:
    question: Question
    sheet: Sheet
    parts: dict[str, str] = field(default_factory=dict)
    """Named parts of the statement in the order they are needed."""
    counts: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each table: conditions that are counted in it, and under which name."""

    def statement(self) -> Statement:
        key_part = [self._one_part(key.expression) for key in self.question.keys]
        keys_in: dict[str, list[int]] = {}
        for place, part in enumerate(key_part):
            keys_in.setdefault(part, []).append(place)
        conditions = components(self._tree())
        mixed = [tree for tree in conditions if not isinstance(tree, Leaf)]
        plain = {
            (tree.part or self._any_part()): tree.expression
            for tree in conditions
            if isinstance(tree, Leaf)
        }
        self.plain, self.keys_in, self.mixed = plain, keys_in, mixed
        self._refuse_keyed_mixtures()
        self.touched = list(dict.fromkeys([*plain, *keys_in]))
        self.events: list[_Event] = []
        if not self._is_known(None) or not all(
            self._is_known(self._one_part(aggregate.argument))
            for aggregate in self.question.aggregates
            if aggregate.argument is not None
        ):
            self._add_hits()
        self._add_answered(self._frame())
        parts = ", ".join(f"{name} AS ({query})" for name, query in self.parts.items())
        last = self._last_step()
        return Statement(
            f"WITH {parts} {last}",
            last,
            self.question,
            tuple(self._is_whole(aggregate) for aggregate in self.question.aggregates),
            self._counting(),
        )

    def _counting(self) -> Counting | None:
        """The question as one of counting, if it is."""
        arguments = [a.argument for a in self.question.aggregates if a.argument is not None]
        keyed = list(self.keys_in)
        if self.mixed or RANGES in self.touched or len(keyed) > 1 or not self.touched:
            return None
        if self._is_known(None) and not arguments:
            return None
        part = None
        if arguments:
            parts = {self._one_part(argument) for argument in arguments}
            part = self.sheet.parts.get(next(iter(parts)))
            apart = part is not None and len(parts) == 1 and self.touched != [part.name]
            if not apart or len(self.touched) > 1 or not self._can_be_summed():
                return None
        first = [*keyed, *(name for name in self.touched if name not in keyed)]
        return Counting(
            tuple(self._rows_of(self.sheet.parts[name]) for name in first),
            tuple(
                (a.function, None if a.argument is None else columns_of(a.argument)[0])
                for a in self.question.aggregates
            ),
            part,
            next(iter(self.sheet.parts.values())),
            self.sheet.group,
        )

    def _can_be_summed(self) -> bool:
        """Whether every aggregate is a sum of plain numbers."""
        for aggregate in self.question.aggregates:
            if aggregate.argument is None:
                continue
            dtype = self.sheet.dtypes[columns_of(aggregate.argument)[0]]
            is_number = dtype.is_integer() or dtype.is_float()
            is_sum = aggregate.function in ("COUNT", "SUM", "AVG")
            if not (is_number and is_sum) or self._can_miss(aggregate.argument):
                return False
        return True

    def _rows_of(self, part: Part) -> str:
        keys = self.keys_in.get(part.name, [])
        columns = [f"t.{quote(self.sheet.group)} AS g", *self._key_columns(keys)]
        columns += [] if part.weight is None else [f"t.{quote(part.weight)} AS w"]
        return (
            f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t"
            f"{_where(self.plain.get(part.name))}"
        )

    # what the question concerns

    def _tree(self) -> Tree | None:
        if self.question.condition is None:
            return None

        def refuse(node: exp.Expression) -> NoReturn:
            names = columns_of(node)
            self.question.refuse(
                node,
                f"{' and '.join(names)} were rearranged apart: no row holds both.",
                " AND ".join(f"a condition on {name}" for name in names),
            )

        return tree_of(self.question.condition, self._parts_of, refuse)

    def _parts_of(self, node: exp.Expression) -> frozenset[str]:
        return frozenset(self.sheet.part_of(name) for name in columns_of(node))

    def _any_part(self) -> str:
        return next(iter(self.sheet.parts), RANGES)

    def _one_part(self, expression: exp.Expression) -> str:
        parts = self._parts_of(expression)
        if len(parts) > 1:
            names = columns_of(expression)
            self.question.refuse(
                expression,
                f"{' and '.join(names)} were rearranged apart: no row holds both.",
                f"one of them at a time: {names[0]}",
            )
        return next(iter(parts))

    def _is_known(self, part: str | None) -> bool:
        """Whether the rows that are asked about are known, and their values in a part with them."""
        concerned = {*self.touched, *([] if part is None else [part])}
        return not self.mixed and len(concerned) <= 1 and RANGES not in concerned

    def _refuse_keyed_mixtures(self) -> None:
        for tree in self.mixed:
            for part in parts_in(tree) & set(self.keys_in):
                key = self.question.keys[self.keys_in[part][0]]
                self.question.refuse(
                    "OR",
                    f"The condition mixes {key.name}, which is grouped by, with columns that were "
                    "rearranged apart from it.",
                    "one question for each side of OR.",
                )
            if len(alternatives(tree)) > MAX_TERMS:
                self.question.refuse(
                    "OR",
                    f"More than {MAX_TERMS} alternatives mix columns that were rearranged apart.",
                    "fewer alternatives in one question.",
                )

    # hits

    def _add_hits(self) -> None:
        for part in self.touched:
            self.events.append(
                self._range_event() if part == RANGES else self._part_event(self.sheet.parts[part])
            )
        self.events += [self._mixed_event(tree) for tree in self.mixed]
        if not self.events:  # everybody, in a column that is told as ranges
            size = self._sizes()
            self.parts["hits"] = f"SELECT b.g AS g, b.n AS n, b.n AS lo, b.n AS hi FROM {size} AS b"
            return
        base = self._sizes()
        sources = list(dict.fromkeys(event.source for event in self.events))
        joins = "".join(
            f" JOIN {source} ON {source}.g = {base}.g" for source in sources if source != base
        )
        columns = [f"{base}.g AS g", f"{base}.n AS n"]
        for place, event in enumerate(self.events):
            columns += [f"{event.source}.k{key} AS k{key}" for key in event.keys]
            columns += [f"{event.low} AS l{place}", f"{event.high} AS h{place}"]
            columns.append(f"{event.share} AS s{place}")
        low = " + ".join(f"r.l{i}" for i in range(len(self.events)))
        high = ", ".join(f"r.h{i}" for i in range(len(self.events)))
        spare = f" - {len(self.events) - 1} * r.n" if len(self.events) > 1 else ""
        self.parts["reach"] = f"SELECT {', '.join(columns)} FROM {base}{joins}"
        most = f"LEAST({high})" if len(self.events) > 1 else high
        self.parts["hits"] = (
            f"SELECT r.*, GREATEST(0, {low}{spare}) AS lo, {most} AS hi FROM reach AS r "
            f"WHERE {most} > 0"
        )
        self._write_counts()

    def _sizes(self) -> str:
        """Where the rows of every group are told."""
        if self.sheet.size_column is None:
            self.counts.setdefault(self.sheet.size_table, {})
            return f"count_{self.sheet.size_table}"
        self.parts.setdefault(
            "sizes",
            f"SELECT t.{quote(self.sheet.group)} AS g, CAST(t.{quote(self.sheet.size_column)} AS BIGINT) AS n "
            f"FROM {quote(self.sheet.size_table)} AS t",
        )
        return "sizes"

    def _write_counts(self) -> None:
        """One pass over each table counts every condition without keys."""
        before = dict(self.parts)
        self.parts.clear()
        for table, conditions in self.counts.items():
            weight = next((p.weight for p in self.sheet.parts.values() if p.table == table), None)
            columns = [f"t.{quote(self.sheet.group)} AS g", f"{_rows(weight)} AS n"]
            columns += [f"{_rows(weight, where)} AS {name}" for where, name in conditions.items()]
            self.parts[f"count_{table}"] = (
                f"SELECT {', '.join(columns)} FROM {quote(table)} AS t GROUP BY 1"
            )
        self.parts.update(before)

    def _counted(self, part: Part, condition: exp.Expression) -> str:
        """The column that counts the rows of a part which meet a condition."""
        conditions = self.counts.setdefault(part.table, {})
        text = _on_table(condition)
        name = conditions.setdefault(text, f"m{len(conditions)}")
        return f"count_{part.table}.{name}"

    def _part_event(self, part: Part) -> _Event:
        keys = tuple(self.keys_in.get(part.name, ()))
        condition = self.plain.get(part.name)
        if not keys:
            assert condition is not None
            m = self._counted(part, condition)
            n = f"count_{part.table}.n"
            return _Event(part.name, (), f"count_{part.table}", m, m, f"{m} / {n}", True)
        source = f"keyed_{list(self.sheet.parts).index(part.name)}"
        columns = [f"t.{quote(self.sheet.group)} AS g", *self._key_columns(keys)]
        self.parts[source] = (
            f"SELECT {', '.join(columns)}, {_rows(part.weight)} AS m FROM {quote(part.table)} AS t"
            f"{_where(condition)} GROUP BY {_places(1 + len(keys))}"
        )
        m = f"{source}.m"
        return _Event(part.name, keys, source, m, m, f"{m} / {self._sizes()}.n", True)

    def _key_columns(self, keys: Iterable[int]) -> list[str]:
        return [f"{_on_table(self.question.keys[k].expression)} AS k{k}" for k in keys]

    def _range_event(self) -> _Event:
        keys = tuple(self.keys_in.get(RANGES, ()))
        reader = RangeReader(self.sheet, self.question.refuse, {})
        columns, joins = [], ""
        certain, possible, share = ["TRUE"], ["TRUE"], ["1.0"]
        for key in keys:
            name = self._listed_key(key)
            listed = reader.listed(self.sheet.ranges[name])
            self.parts[f"key_{key}"] = (
                f"SELECT m.g AS g, m.v AS v, COUNT(*) OVER (PARTITION BY m.g) AS listed "
                f"FROM ({listed}) AS m"
            )
            reader.keys[name] = f"key_{key}.v"
            columns.append(f"key_{key}.v AS k{key}")
            joins += f" JOIN key_{key} ON key_{key}.g = t.{quote(self.sheet.group)}"
            certain.append(f"key_{key}.listed = 1")
            share.append(f"(1.0 / key_{key}.listed)")
        self._add_range_source(reader, columns, joins, certain, possible, share)
        return _Event(
            RANGES, keys, "ranges", "ranges.low", "ranges.high", "ranges.share", is_sharp=False
        )

    def _listed_key(self, key: int) -> str:
        expression = self.question.keys[key].expression.unnest()
        name = columns_of(expression)[0]
        if not isinstance(expression, exp.Column) or not self.sheet.ranges[name].is_listed:
            self.question.refuse(
                expression,
                f"{name} is told as a range for each group, so rows cannot be grouped by it.",
                f"SELECT COUNT(*) FROM data WHERE {name} BETWEEN … AND …",
            )
        return name

    def _add_range_source(
        self,
        reader: RangeReader,
        columns: list[str],
        joins: str,
        certain: list[str],
        possible: list[str],
        share: list[str],
    ) -> None:
        condition = self.plain.get(RANGES)
        if condition is not None:
            reach = reader.reach(condition)
            certain.append(reach.certain)
            possible.append(reach.possible)
            share.append(f"({reach.share})")
        self._write_ranges("ranges", reader, columns, joins, Reach(
            " AND ".join(certain), " AND ".join(possible), " * ".join(share)
        ))  # fmt: skip

    def _write_ranges(
        self, name: str, reader: RangeReader, columns: list[str], joins: str, reach: Reach
    ) -> None:
        group, size = quote(self.sheet.group), quote(self.sheet.size_column or "")
        for members, query in reader.members.items():
            self.parts[f"{name}_{members}"] = query
            joins += f" JOIN {name}_{members} AS {members} ON {members}.g = t.{group}"
        table = f"(SELECT u.*, CAST(u.{size} AS BIGINT) AS n FROM {quote(self.sheet.size_table)} AS u)"
        shown = [f"t.{group} AS g", *columns]
        shown += [
            f"CASE WHEN {reach.certain} THEN t.n ELSE 0 END AS low",
            f"CASE WHEN {reach.possible} THEN t.n ELSE 0 END AS high",
            f"{reach.share} AS share",
        ]
        self.parts[name] = f"SELECT {', '.join(shown)} FROM {table} AS t{joins}"

    def _mixed_event(self, tree: Tree) -> _Event:
        """A condition over several parts: bounds by Fréchet, share by inclusion and exclusion."""
        base = self._sizes()
        sources: list[str] = []

        def leaf(part: str, expression: exp.Expression) -> tuple[str, str, str]:
            if part == RANGES:
                name = f"ranges_{len(self.parts)}"
                reader = RangeReader(self.sheet, self.question.refuse, {})
                self._write_ranges(name, reader, [], "", reader.reach(expression))
                sources.append(name)
                return f"{name}.low", f"{name}.high", f"{name}.share"
            m = self._counted(self.sheet.parts[part], expression)
            sources.append(f"count_{self.sheet.parts[part].table}")
            return m, m, f"({m} / {base}.n)"

        def bounds(node: Tree) -> tuple[str, str]:
            if isinstance(node, Leaf):
                return leaf(node.part, node.expression)[:2]
            lows, highs = zip(*(bounds(child) for child in node.children), strict=True)
            if isinstance(node, All):
                spare = f" - {len(lows) - 1} * {base}.n"
                return f"GREATEST(0, {' + '.join(lows)}{spare})", f"LEAST({', '.join(highs)})"
            return f"GREATEST({', '.join(lows)})", f"LEAST({base}.n, {' + '.join(highs)})"

        low, high = bounds(tree)
        share = self._inclusion(tree, leaf)
        place = len(self.parts)
        names = list(dict.fromkeys([base, *sources]))
        joins = "".join(f" JOIN {name} ON {name}.g = {base}.g" for name in names[1:])
        self.parts[f"mixed_{place}"] = (
            f"SELECT {base}.g AS g, {low} AS low, {high} AS high, {share} AS share "
            f"FROM {base}{joins}"
        )
        source = f"mixed_{place}"
        return _Event(
            None, (), source, f"{source}.low", f"{source}.high", f"{source}.share", is_sharp=False
        )

    def _inclusion(self, tree: Tree, leaf) -> str:  # type: ignore[no-untyped-def]
        terms = alternatives(tree)
        signed = []
        for size in range(1, len(terms) + 1):
            for chosen in combinations(terms, size):
                together: dict[str, exp.Expression] = {}
                for term in chosen:
                    together = both(together, term)
                product = " * ".join(leaf(part, each)[2] for part, each in together.items())
                signed.append(f"{'+' if size % 2 else '-'} {product}")
        return f"LEAST(1.0, GREATEST(0.0, {' '.join(signed).removeprefix('+ ')}))"

    # aggregates

    @property
    def _all_keys(self) -> range:
        return range(len(self.question.keys))

    def _frame(self) -> str:
        """Every combination of keys that can occur, and how many people have it."""
        keys = [f"k{k}" for k in self._all_keys]
        if not self._is_known(None):
            shares = " * ".join(f"h.s{i}" for i in range(len(self.events)))
            p, q = f"({shares})", self._pairs(None)
            variance = UNKNOWN
            if q is not None:
                variance = f"SUM(h.n * {p} + h.n * (h.n - 1.0) * {q} - 1.0 * h.n * h.n * {p} * {p})"
            columns = [f"h.{key} AS {key}" for key in keys]
            columns += [
                f"SUM(h.n * {p}) AS estimate",
                "SUM(h.lo) AS lower",
                "SUM(h.hi) AS upper",
                f"{variance} AS variance",
                "1 AS sure",
            ]
            self.parts["frame"] = f"SELECT {', '.join(columns)} FROM hits AS h{_by(len(keys))}"
        else:
            part = self._only_part()
            columns = self._key_columns(self._all_keys)
            columns.append(f"COALESCE({_rows(part.weight)}, 0) AS c")
            self.parts["exact_count"] = (
                f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t"
                f"{_where(self.plain.get(part.name))}{_by(len(keys))}"
            )
            columns = [f"e.{key} AS {key}" for key in keys]
            columns += ["e.c AS estimate", "e.c AS lower", "e.c AS upper"]
            columns += ["0.0 AS variance", "1 AS sure"]
            self.parts["frame"] = f"SELECT {', '.join(columns)} FROM exact_count AS e"
        return "frame"

    def _only_part(self) -> Part:
        return self.sheet.parts[self.touched[0] if self.touched else self._any_part()]

    def _pairs(self, without: int | None) -> str | None:
        """The probability that two rows both meet the conditions but one, where it is known."""
        factors = []
        for i, event in enumerate(self.events):
            if i == without:
                continue
            if not event.is_sharp:
                return None
            factors.append(
                f"CASE WHEN h.n > 1 THEN h.h{i} * (h.h{i} - 1.0) / (h.n * (h.n - 1.0)) ELSE 0.0 END"
            )
        return f"({' * '.join(factors)})" if factors else "1.0"

    def _add_answered(self, frame: str) -> None:
        """All aggregates beside the frame: a row for each combination of keys."""
        keys = [f"k{k}" for k in self._all_keys]
        shown = [f"{frame}.{key} AS {key}" for key in keys]
        joins = ""
        by_argument: dict[str, tuple[exp.Expression, list[int]]] = {}
        for place, aggregate in enumerate(self.question.aggregates):
            if aggregate.argument is None:
                shown += _shown(frame, "", place, is_count=True)
                continue
            text = aggregate.argument.sql(DIALECT)
            by_argument.setdefault(text, (aggregate.argument, []))[1].append(place)
        for number, (argument, places) in enumerate(by_argument.values()):
            source = self._add_totals(number, argument, places)
            on = " AND ".join(f"{source}.{key} IS NOT DISTINCT FROM {frame}.{key}" for key in keys)
            joins += f" LEFT JOIN {source} ON {on or 'TRUE'}"
            for place in places:
                is_count = self.question.aggregates[place].function == "COUNT"
                shown += _shown(source, f"a{place}_", place, is_count=is_count)
        self.parts["answered"] = f"SELECT {', '.join(shown)} FROM {frame}{joins}"

    def _add_totals(self, number: int, argument: exp.Expression, places: list[int]) -> str:
        part = self._one_part(argument)
        aggregates = {place: self.question.aggregates[place] for place in places}
        for aggregate in aggregates.values():
            self._require_type(aggregate, argument, part)
        if part == RANGES:
            return self._bounded(number, argument, part, aggregates)
        if any(part in parts_in(tree) for tree in self.mixed):
            name = next(iter(aggregates.values())).name
            self.question.refuse(
                "OR",
                f"{name} is asked where OR joins its column with columns that were rearranged "
                "apart from it.",
                "one question for each side of OR, or COUNT(*).",
            )
        if self._is_known(part):
            return self._exact(number, argument, self.sheet.parts[part], aggregates)
        return self._bounded(number, argument, part, aggregates)

    def _require_type(self, aggregate: Aggregate, argument: exp.Expression, part: str) -> None:
        if aggregate.function == "COUNT":
            if part == RANGES:
                column = columns_of(argument)[0]
                if not isinstance(argument.unnest(), exp.Column):
                    self._refuse_range(argument, column)
            return
        column = columns_of(argument)[0]
        dtype = self.sheet.dtypes[column]
        bare = isinstance(argument.unnest(), exp.Column)
        if part == RANGES and (not bare or self.sheet.ranges[column].is_listed):
            self._refuse_range(argument, column)
        needs_number = aggregate.function in ("SUM", "AVG")
        if bare and needs_number and not dtype.is_numeric():
            self.question.refuse(
                argument,
                f"{column} is not a number: it has no {aggregate.function}.",
                f"SELECT MIN({column}), MAX({column}) FROM data …",
            )

    def _refuse_range(self, argument: exp.Expression, column: str) -> NoReturn:
        self.question.refuse(
            argument,
            f"{column} is told only as a range or a set of values for each group.",
            f"SELECT COUNT(*) FROM data WHERE {column} …",
        )

    def _exact(
        self, number: int, argument: exp.Expression, part: Part, aggregates: dict[int, Aggregate]
    ) -> str:
        """The rows are known: the aggregate itself."""
        x = _on_table(argument)
        columns = self._key_columns(self._all_keys)
        columns.append(f"{_rows(part.weight, f'{x} IS NOT NULL')} AS sure")
        for place, aggregate in aggregates.items():
            columns.append(f"{_plain_aggregate(aggregate.function, x, part.weight)} AS v{place}")
        self.parts[f"exact_{number}"] = (
            f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t"
            f"{_where(self.plain.get(part.name))}{_by(len(self.question.keys))}"
        )
        shown = [f"e.k{k} AS k{k}" for k in self._all_keys]
        for place, aggregate in aggregates.items():
            shown += [f"e.v{place} AS a{place}_{name}" for name in FIELDS[:3]]
            sure = "1" if aggregate.function == "COUNT" else "e.sure"
            shown += [f"0.0 AS a{place}_variance", f"{sure} AS a{place}_sure"]
        self.parts[f"total_{number}"] = f"SELECT {', '.join(shown)} FROM exact_{number} AS e"
        return f"total_{number}"

    # bounds

    def _bounded(
        self, number: int, argument: exp.Expression, part: str, aggregates: dict[int, Aggregate]
    ) -> str:
        """The rows are not known, only how many of a group can be among the hits."""
        own = next((i for i, event in enumerate(self.events) if event.part == part), None)
        if part == RANGES:
            own, joined = None, ()
            self._add_range_pool(number, argument)
        else:
            joined = self.keys_in.get(part, ())
            self._add_pool(number, argument, self.sheet.parts[part], joined)
        shares = [f"h.s{i}" for i in range(len(self.events)) if i != own]
        on = "".join(f" AND p.k{k} IS NOT DISTINCT FROM h.k{k}" for k in joined)
        columns = [f"h.k{k} AS k{k}" for k in self._all_keys]
        columns += ["p.xl AS xl", "p.xh AS xh", "p.w AS w", "p.before AS before"]
        columns += ["p.total AS total", "p.mass AS mass"]
        columns += ["GREATEST(0, h.lo - p.holes) AS lo", "LEAST(h.hi, p.total) AS hi"]
        pairs = self._pairs(own) if part != RANGES else None
        columns += [f"{' * '.join(shares) or '1.0'} AS p", f"{pairs or UNKNOWN} AS q"]
        self.parts[f"taken_{number}"] = (
            f"SELECT {', '.join(columns)} FROM hits AS h JOIN pool_{number} AS p ON p.g = h.g{on}"
        )
        return self._add_bounds(number, argument, part, aggregates)

    def _add_pool(
        self, number: int, argument: exp.Expression, part: Part, keys: Sequence[int]
    ) -> None:
        """Every value that can be among the hits, ranked inside its group."""
        x, group = _on_table(argument), f"t.{quote(self.sheet.group)}"
        w = "1" if part.weight is None else f"CAST(t.{quote(part.weight)} AS BIGINT)"
        inside = ", ".join([group, *(_on_table(self.question.keys[k].expression) for k in keys)])
        rank = f"OVER (PARTITION BY {inside} ORDER BY {x} NULLS LAST ROWS UNBOUNDED PRECEDING)"
        whole = f"OVER (PARTITION BY {inside})"
        holes = "0"
        if self._can_miss(argument):
            holes = f"SUM(CASE WHEN {x} IS NULL THEN {w} ELSE 0 END) {whole}"
        mass = "0.0"
        if self._is_summed(argument):
            mass = f"SUM(CAST({x} AS DOUBLE) * {w}) {whole}"
        columns = [f"{group} AS g", *self._key_columns(keys)]
        columns += [f"{x} AS xl", f"{x} AS xh", f"{w} AS w"]
        columns += [f"SUM({w}) {rank} - {w} AS before"]
        columns += [f"SUM(CASE WHEN {x} IS NULL THEN 0 ELSE {w} END) {whole} AS total"]
        columns += [f"{holes} AS holes", f"{mass} AS mass"]
        self.parts[f"ranked_{number}"] = (
            f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t"
            f"{_where(self.plain.get(part.name))}"
        )
        self.parts[f"pool_{number}"] = (
            f"SELECT * FROM ranked_{number} AS r WHERE r.xl IS NOT NULL"
        )

    def _can_miss(self, argument: exp.Expression) -> bool:
        bare = isinstance(argument.unnest(), exp.Column)
        return not bare or columns_of(argument)[0] in self.sheet.with_missing

    def _is_summed(self, argument: exp.Expression) -> bool:
        return any(
            a.argument == argument and a.function in ("SUM", "AVG")
            for a in self.question.aggregates
        )

    def _add_range_pool(self, number: int, argument: exp.Expression) -> None:
        """The values of a group are somewhere in its range."""
        column = self.sheet.ranges[columns_of(argument)[0]]
        group = quote(self.sheet.group)
        size = f"CAST(t.{quote(self.sheet.size_column or '')} AS BIGINT)"
        table = quote(self.sheet.size_table)
        if column.ends is None:
            # only COUNT comes here: what matters is whether a value can be missing
            reader = RangeReader(self.sheet, self.question.refuse, {})
            self.parts[f"listed_{number}"] = (
                f"SELECT m.g AS g, COUNT(*) AS listed, COUNT(m.v) AS present "
                f"FROM ({reader.listed(column)}) AS m GROUP BY 1"
            )
            self.parts[f"pool_{number}"] = (
                f"SELECT m.g AS g, 1 AS xl, 1 AS xh, {size} AS w, 0 AS before, {size} AS total, "
                f"CASE WHEN m.present < m.listed THEN {size} ELSE 0 END AS holes, 0.0 AS mass "
                f"FROM listed_{number} AS m JOIN {table} AS t ON t.{group} = m.g "
                "WHERE m.present > 0"
            )
            return
        low, high, missing = (f"t.{quote(end)}" for end in column.ends)
        self.parts[f"pool_{number}"] = (
            f"SELECT t.{group} AS g, {low} AS xl, {high} AS xh, {size} AS w, 0 AS before, "
            f"{size} AS total, CASE WHEN {missing} THEN {size} ELSE 0 END AS holes, 0.0 AS mass "
            f"FROM {table} AS t WHERE {low} IS NOT NULL"
        )

    def _is_certain(self, argument: exp.Expression, part: str) -> bool:
        """Whether the number of values among the hits is known before looking."""
        return (
            part != RANGES
            and not self._can_miss(argument)
            and all(event.is_sharp for event in self.events)
            and len(self.events) == 1
        )

    def _add_bounds(
        self, number: int, argument: exp.Expression, part: str, aggregates: dict[int, Aggregate]
    ) -> str:
        keys = [f"k{k}" for k in self._all_keys]
        is_float = self._is_float(argument)
        first = "CASE WHEN t.before = 0 THEN {} ELSE 0 END"
        columns = [f"t.{key} AS {key}" for key in keys]
        columns += [
            f"SUM({first.format('t.lo')}) AS sure",
            f"SUM({first.format('t.hi')}) AS most",
            "SUM(t.p * t.w) AS expected",
            "SUM(t.w * (t.p - t.q) + t.w * 1.0 * t.total * (t.q - t.p * t.p)) AS count_variance",
            "MIN(CASE WHEN t.hi > 0 THEN t.xl END) AS least",
            "MAX(CASE WHEN t.hi > 0 THEN t.xh END) AS greatest",
            f"MIN(CASE WHEN {_AFTER} < t.lo AND t.lo <= {_AFTER} + t.w THEN t.xh END) AS least_top",
            "MAX(CASE WHEN t.before < t.lo AND t.lo <= t.before + t.w THEN t.xl END) AS greatest_bottom",
        ]
        if self._is_summed(argument):
            x = "((CAST(t.xl AS DOUBLE) + CAST(t.xh AS DOUBLE)) / 2)"
            columns += [
                f"SUM(t.xl * CASE WHEN t.xl < 0 THEN {_low('t.hi')} ELSE {_low('t.lo')} END) AS sum_low",
                f"SUM(t.xh * CASE WHEN t.xh > 0 THEN {_high('t.hi')} ELSE {_high('t.lo')} END) AS sum_high",
                f"SUM(t.xl * {_low('t.lo')}) AS must_low",
                f"SUM(t.xh * {_high('t.lo')}) AS must_high",
                f"SUM(t.p * t.w * {x}) AS sum",
                f"SUM(t.w * {x} * {x} * (t.p - t.q) + t.w * {x} * t.mass * (t.q - t.p * t.p)) "
                "AS sum_variance",
                "SUM(GREATEST(ABS(CAST(t.xl AS DOUBLE)), ABS(CAST(t.xh AS DOUBLE))) * t.w) AS size",
                "MAX(GREATEST(ABS(CAST(t.xl AS DOUBLE)), ABS(CAST(t.xh AS DOUBLE)))) AS largest",
            ]
        self.parts[f"sums_{number}"] = (
            f"SELECT {', '.join(columns)} FROM taken_{number} AS t{_by(len(keys))}"
        )
        shown = [f"s.{key} AS {key}" for key in keys]
        joins = ""
        for place, aggregate in aggregates.items():
            function = aggregate.function
            if function in ("MIN", "MAX"):
                estimate = self._add_extreme(number, place, function)
                joins += self._keyed_join(estimate)
                bounds = {
                    "MIN": ("s.least", "COALESCE(s.least_top, s.greatest)"),
                    "MAX": ("COALESCE(s.greatest_bottom, s.least)", "s.greatest"),
                }[function]
                fallback = bounds[1] if function == "MIN" else bounds[0]
                values = [f"COALESCE({estimate}.x, {fallback})", *bounds, UNKNOWN, "s.sure"]
            elif function == "COUNT":
                values = ["s.expected", "s.sure", "s.most", "s.count_variance", "1"]
            elif function == "SUM":
                slack = f"s.size * {self.sheet.rows * ROUNDING!r}"
                values = ["s.sum", *_widened("s.sum_low", "s.sum_high", slack, is_float)]
                values += ["s.sum_variance", "s.sure"]
            else:
                values = self._average(number, argument, part, is_float=is_float)
                if not self._is_certain(argument, part):
                    joins += self._keyed_join(f"means_{number}")
            # a group without a value among the hits answers nothing
            shown += [
                f"CASE WHEN s.most > 0 THEN {value} END AS a{place}_{name}"
                if function != "COUNT"
                else f"{value} AS a{place}_{name}"
                for name, value in zip(FIELDS, values, strict=True)
            ]
        self.parts[f"total_{number}"] = (
            f"SELECT {', '.join(shown)} FROM sums_{number} AS s{joins}"
        )
        return f"total_{number}"

    def _keyed_join(self, source: str) -> str:
        on = " AND ".join(
            f"{source}.k{k} IS NOT DISTINCT FROM s.k{k}" for k in self._all_keys
        )
        return f" LEFT JOIN {source} ON {on or 'TRUE'}"

    def _average(
        self, number: int, argument: exp.Expression, part: str, *, is_float: bool
    ) -> list[str]:
        estimate = "s.sum / NULLIF(s.expected, 0)"
        if self._is_certain(argument, part):
            slack = f"s.size * {self.sheet.rows * ROUNDING!r} / s.sure"
            bounds = ("CAST(s.must_low AS DOUBLE) / s.sure", "CAST(s.must_high AS DOUBLE) / s.sure")
            variance = "s.sum_variance / (1.0 * s.sure * s.sure)"
            return [estimate, *_widened(*bounds, slack, is_float), variance, "s.sure"]
        self._add_means(number)
        slack = f"s.largest * {(self.sheet.rows if is_float else 4) * 2 * ROUNDING!r}"
        if self._is_integer(argument):
            # quotients of sums that a double holds exactly are rounded alike
            slack = f"CASE WHEN s.size < {EXACT_IN_DOUBLE} THEN 0.0 ELSE {slack} END"
        low = "LEAST(CAST(s.must_low AS DOUBLE) / NULLIF(s.sure, 0), means_{0}.low)"
        high = "GREATEST(CAST(s.must_high AS DOUBLE) / NULLIF(s.sure, 0), means_{0}.high)"
        bounds = (low.format(number), high.format(number))
        return [estimate, *_widened(*bounds, slack, True), UNKNOWN, "s.sure"]

    def _add_means(self, number: int) -> None:
        """The least and greatest mean: optional values are taken while they pull it."""
        keys = [f"k{k}" for k in self._all_keys]
        partition = f"PARTITION BY {', '.join(f't.{key}' for key in keys)} " if keys else ""
        for name, value, taken, must, direction in (
            ("lower", "xl", _low, "must_low", ""),
            ("higher", "xh", _high, "must_high", " DESC"),
        ):
            w = f"({taken('t.hi')} - {taken('t.lo')})"
            running = (
                f"OVER ({partition}ORDER BY t.{value}{direction} ROWS UNBOUNDED PRECEDING)"
            )
            extreme = "MIN" if name == "lower" else "MAX"
            self.parts[f"{name}_{number}"] = (
                f"SELECT {''.join(f't.{key} AS {key}, ' for key in keys)}"
                f"SUM(t.{value} * {w}) {running} AS mass, SUM({w}) {running} AS taken "
                f"FROM taken_{number} AS t WHERE {w} > 0"
            )
            on = " AND ".join(f"r.{key} IS NOT DISTINCT FROM s.{key}" for key in keys)
            self.parts[f"{name}_mean_{number}"] = (
                f"SELECT {''.join(f's.{key} AS {key}, ' for key in keys)}"
                f"{extreme}(CAST(s.{must} + r.mass AS DOUBLE) / (s.sure + r.taken)) AS x "
                f"FROM {name}_{number} AS r JOIN sums_{number} AS s ON {on or 'TRUE'}"
                f"{_by(len(keys))}"
            )
        on = " AND ".join(f"b.{key} IS NOT DISTINCT FROM a.{key}" for key in keys)
        self.parts[f"means_{number}"] = (
            f"SELECT {''.join(f'a.{key} AS {key}, ' for key in keys)}a.x AS low, b.x AS high "
            f"FROM lower_mean_{number} AS a JOIN higher_mean_{number} AS b ON {on or 'TRUE'}"
        )

    def _add_extreme(self, number: int, place: int, function: str) -> str:
        """The median of the least (or greatest) value over all ways in which rows can belong.

        The chance that the least value is above x falls with every value up to x, by the share of
        its group's remaining values that are hits.
        """
        keys = [f"k{k}" for k in self._all_keys]
        partition = f"PARTITION BY {', '.join(f't.{key}' for key in keys)} " if keys else ""
        is_min = function == "MIN"
        x, direction = ("t.xl", "") if is_min else ("t.xh", " DESC")
        left = "(t.total - t.before)" if is_min else "(t.before + t.w)"
        hit = f"(t.p * t.total / {left})"
        survives = f"CASE WHEN {hit} >= 0.999999999 THEN -1e9 ELSE t.w * LN(1.0 - {hit}) END"
        near = (
            f"{x} <= COALESCE(s.least_top, s.greatest)"
            if is_min
            else f"{x} >= COALESCE(s.greatest_bottom, s.least)"
        )
        on = " AND ".join(f"s.{key} IS NOT DISTINCT FROM t.{key}" for key in keys)
        name = f"extreme_{place}"
        self.parts[f"{name}_odds"] = (
            f"SELECT {''.join(f't.{key} AS {key}, ' for key in keys)}{x} AS x, "
            f"SUM({survives}) OVER ({partition}ORDER BY {x}{direction}) AS odds "
            f"FROM taken_{number} AS t JOIN sums_{number} AS s ON {on or 'TRUE'} "
            f"WHERE t.hi > 0 AND {near}"
        )
        self.parts[name] = (
            f"SELECT {''.join(f'o.{key} AS {key}, ' for key in keys)}{function}(o.x) AS x "
            f"FROM {name}_odds AS o WHERE o.odds <= LN(0.5){_by(len(keys))}"
        )
        return name

    def _is_float(self, argument: exp.Expression) -> bool:
        if not isinstance(argument.unnest(), exp.Column):
            return True
        return self.sheet.dtypes[columns_of(argument)[0]].is_float()

    def _is_whole(self, aggregate: Aggregate) -> bool:
        if aggregate.function == "COUNT":
            return True
        if aggregate.function != "SUM" or aggregate.argument is None:
            return False
        return self._is_integer(aggregate.argument)

    def _is_integer(self, argument: exp.Expression) -> bool:
        bare = isinstance(argument.unnest(), exp.Column)
        return bare and self.sheet.dtypes[columns_of(argument)[0]].is_integer()

    # the last step

    def _last_step(self) -> str:
        names = {key.name: f"k{i}" for i, key in enumerate(self.question.keys)}
        names |= {a.name: f"a{i}_estimate" for i, a in enumerate(self.question.aggregates)}

        def rename(node: exp.Expression) -> exp.Expression:
            if isinstance(node, exp.Column):
                return exp.column(names[node.name], table="a")
            return node

        columns = [f"a.k{k} AS k{k}" for k in self._all_keys]
        for place in range(len(self.question.aggregates)):
            columns += [f"a.a{place}_{name} AS a{place}_{name}" for name in FIELDS]
        text = f"SELECT {', '.join(columns)} FROM answered AS a"
        if self.question.having is not None:
            text += f" WHERE {self.question.having.copy().transform(rename).sql(DIALECT)}"
        order = [node.copy().transform(rename).sql(DIALECT) for node in self.question.order]
        order += [f"a.k{k} NULLS LAST" for k in self._all_keys]
        if order:
            text += f" ORDER BY {', '.join(order)}"
        if self.question.limit is not None:
            text += f" LIMIT {self.question.limit}"
        if self.question.offset is not None:
            text += f" OFFSET {self.question.offset}"
        return text


_AFTER = "(t.total - t.before - t.w)"


def _low(hits: str) -> str:
    """How many of a row's values are among so many smallest of its group."""
    return f"GREATEST(0, LEAST(t.w, {hits} - t.before))"


def _high(hits: str) -> str:
    """How many of a row's values are among so many largest of its group."""
    return f"GREATEST(0, LEAST(t.w, {hits} - {_AFTER}))"


def _shown(source: str, prefix: str, place: int, *, is_count: bool) -> list[str]:
    """The fields of an aggregate; to count nobody gives 0, everything else of nobody is NULL."""
    nobody = {"estimate": "0", "lower": "0", "upper": "0", "sure": "1"} if is_count else {}
    columns = []
    for name in FIELDS:
        column = f"{source}.{prefix}{name}"
        if name in nobody:
            column = f"COALESCE({column}, {nobody[name]})"
        columns.append(f"{column} AS a{place}_{name}")
    return columns


def _widened(low: str, high: str, slack: str, is_float: bool) -> list[str]:
    if not is_float:
        return [low, high]
    same = f"{low} = {high}"
    return [
        f"CASE WHEN {same} THEN {low} ELSE {low} - {slack} END",
        f"CASE WHEN {same} THEN {high} ELSE {high} + {slack} END",
    ]


def _plain_aggregate(function: str, x: str, weight: str | None) -> str:
    if weight is None or function in ("MIN", "MAX"):
        return f"{function}({x})"
    w = f"t.{quote(weight)}"
    number = f"SUM(CASE WHEN {x} IS NULL THEN 0 ELSE {w} END)"
    if function == "COUNT":
        return f"COALESCE({number}, 0)"
    if function == "SUM":
        return f"SUM({x} * {w})"
    return f"CAST(SUM({x} * {w}) AS DOUBLE) / NULLIF({number}, 0)"


def _rows(weight: str | None, where: str | None = None) -> str:
    """How many people the rows (that meet a condition) stand for."""
    kept = f" FILTER (WHERE {where})" if where else ""
    if weight is None:
        return f"COUNT(*){kept}"
    return f"COALESCE(SUM(t.{quote(weight)}){kept}, 0)"


def _on_table(expression: exp.Expression) -> str:
    """An expression whose columns stand in the table `t`."""

    def qualify(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column):
            return exp.column(node.name, table="t", quoted=True)
        return node

    return f"({expression.copy().transform(qualify).sql(DIALECT)})"


def _where(condition: exp.Expression | None) -> str:
    return "" if condition is None else f" WHERE {_on_table(condition)}"


def _places(number: int) -> str:
    return ", ".join(str(place + 1) for place in range(number))


def _by(keys: int) -> str:
    return f" GROUP BY {_places(keys)}" if keys else ""
