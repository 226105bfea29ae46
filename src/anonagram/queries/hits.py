"""The part of a statement that counts hits: how many rows of each group meet the conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from sqlglot import exp

from anonagram.queries.conditions import All, Leaf, Tree, alternatives, both
from anonagram.queries.plan import Plan
from anonagram.queries.question import columns_of
from anonagram.queries.ranges import RangeReader, Reach
from anonagram.queries.sheets import RANGES, Part
from anonagram.queries.sql import on_table, places, quote, rows, size_of

Counted = Callable[[str, exp.Expr], tuple[str, str, str]]
"""Gives SQL for the least and most rows of a part that meet a condition, and their share."""


@dataclass(frozen=True)
class Event:
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
class Hits:
    """Writes the queries `reach` and `hits`: bounds of hits for each group and keys."""

    plan: Plan
    parts: dict[str, str]
    """Named queries of the statement, in the order they are needed."""
    events: list[Event] = field(default_factory=list)
    counts: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each table: conditions that are counted in it, and under which name."""

    def write(self) -> None:
        """Every condition's rows, and from them the least and most people who meet all."""
        for part in self.plan.touched:
            self.events.append(
                self._range_event()
                if part == RANGES
                else self._part_event(self.plan.sheet.parts[part])
            )
        self.events += [self._mixed_event(tree) for tree in self.plan.mixed]
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

    def pairs(self, without: int | None) -> str | None:
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

    def _sizes(self) -> str:
        """Where the rows of every group are told."""
        if self.plan.sheet.size_column is None:
            self.counts.setdefault(self.plan.sheet.size_table, {})
            return f"count_{self.plan.sheet.size_table}"
        self.parts.setdefault(
            "sizes",
            f"SELECT t.{quote(self.plan.sheet.group)} AS g, {size_of(self.plan.sheet)} AS n "
            f"FROM {quote(self.plan.sheet.size_table)} AS t",
        )
        return "sizes"

    def _write_counts(self) -> None:
        """One pass over each table counts every condition without keys."""
        before = dict(self.parts)
        self.parts.clear()
        for table, conditions in self.counts.items():
            weight = next(
                (p.weight for p in self.plan.sheet.parts.values() if p.table == table), None
            )
            columns = [f"t.{quote(self.plan.sheet.group)} AS g", f"{rows(weight)} AS n"]
            columns += [f"{rows(weight, where)} AS {name}" for where, name in conditions.items()]
            self.parts[f"count_{table}"] = (
                f"SELECT {', '.join(columns)} FROM {quote(table)} AS t GROUP BY 1"
            )
        self.parts.update(before)

    def _counted(self, part: Part, condition: exp.Expr) -> str:
        """The column that counts the rows of a part which meet a condition."""
        conditions = self.counts.setdefault(part.table, {})
        text = on_table(condition)
        name = conditions.setdefault(text, f"m{len(conditions)}")
        return f"count_{part.table}.{name}"

    def _part_event(self, part: Part) -> Event:
        keys = tuple(self.plan.keys_in.get(part.name, ()))
        if not keys:
            m = self._counted(part, self.plan.plain[part.name])
            n = f"count_{part.table}.n"
            return Event(part.name, (), f"count_{part.table}", m, m, f"{m} / {n}", True)
        source = f"keyed_{list(self.plan.sheet.parts).index(part.name)}"
        columns = [f"t.{quote(self.plan.sheet.group)} AS g", *self.plan.key_columns(keys)]
        self.parts[source] = (
            f"SELECT {', '.join(columns)}, {rows(part.weight)} AS m FROM {quote(part.table)} AS t"
            f"{self.plan.where(part)} GROUP BY {places(1 + len(keys))}"
        )
        m = f"{source}.m"
        return Event(part.name, keys, source, m, m, f"{m} / {self._sizes()}.n", True)

    def _range_event(self) -> Event:
        keys = tuple(self.plan.keys_in.get(RANGES, ()))
        group = quote(self.plan.sheet.group)
        reader = RangeReader(self.plan.sheet, self.plan.question.refuse, {})
        columns, joins, reaches = [], "", []
        for key in keys:
            name = self._listed_key(key)
            listed = reader.listed(self.plan.sheet.ranges[name])
            source = f"key_{key}"
            self.parts[source] = (
                f"SELECT m.g AS g, m.v AS v, COUNT(*) OVER (PARTITION BY m.g) AS listed "
                f"FROM ({listed}) AS m"
            )
            reader.keys[name] = f"{source}.v"
            columns.append(f"{source}.v AS k{key}")
            joins += f" JOIN {source} ON {source}.g = t.{group}"
            reaches.append(Reach(f"({source}.listed = 1)", "TRUE", f"(1.0 / {source}.listed)"))
        if RANGES in self.plan.plain:
            reaches.append(reader.reach(self.plan.plain[RANGES]))
        together = Reach(
            " AND ".join(each.certain for each in reaches),
            " AND ".join(each.possible for each in reaches),
            " * ".join(f"({each.share})" for each in reaches),
        )
        self._write_ranges("ranges", reader, together, columns, joins)
        return Event(
            RANGES, keys, "ranges", "ranges.low", "ranges.high", "ranges.share", is_sharp=False
        )

    def _listed_key(self, key: int) -> str:
        expression = self.plan.question.keys[key].expression.unnest()
        name = columns_of(expression)[0]
        if not isinstance(expression, exp.Column) or not self.plan.sheet.ranges[name].is_listed:
            self.plan.question.refuse(
                expression,
                f"{name} is told as a range for each group, so rows cannot be grouped by it.",
                f"SELECT COUNT(*) FROM data WHERE {name} BETWEEN … AND …",
            )
        return name

    def _write_ranges(
        self,
        name: str,
        reader: RangeReader,
        reach: Reach,
        columns: Sequence[str] = (),
        joins: str = "",
    ) -> None:
        """A query for the rows of each group that meet a condition on its ranges."""
        group, size = quote(self.plan.sheet.group), size_of(self.plan.sheet)
        for members, query in reader.members.items():
            self.parts[f"{name}_{members}"] = query
            joins += f" JOIN {name}_{members} AS {members} ON {members}.g = t.{group}"
        shown = [f"t.{group} AS g", *columns]
        shown += [
            f"CASE WHEN {reach.certain} THEN {size} ELSE 0 END AS low",
            f"CASE WHEN {reach.possible} THEN {size} ELSE 0 END AS high",
            f"{reach.share} AS share",
        ]
        table = quote(self.plan.sheet.size_table)
        self.parts[name] = f"SELECT {', '.join(shown)} FROM {table} AS t{joins}"

    def _mixed_event(self, tree: Tree) -> Event:
        """A condition over several parts: bounds by Fréchet, share by inclusion and exclusion."""
        base = self._sizes()
        sources: list[str] = []

        def leaf(part: str, expression: exp.Expr) -> tuple[str, str, str]:
            if part == RANGES:
                name = f"ranges_{len(self.parts)}"
                reader = RangeReader(self.plan.sheet, self.plan.question.refuse, {})
                self._write_ranges(name, reader, reader.reach(expression))
                sources.append(name)
                return f"{name}.low", f"{name}.high", f"{name}.share"
            m = self._counted(self.plan.sheet.parts[part], expression)
            sources.append(f"count_{self.plan.sheet.parts[part].table}")
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
        return Event(
            None, (), source, f"{source}.low", f"{source}.high", f"{source}.share", is_sharp=False
        )

    def _inclusion(self, tree: Tree, leaf: Counted) -> str:
        terms = alternatives(tree)
        signed = []
        for size in range(1, len(terms) + 1):
            for chosen in combinations(terms, size):
                together: dict[str, exp.Expr] = {}
                for term in chosen:
                    together = both(together, term)
                product = " * ".join(leaf(part, each)[2] for part, each in together.items())
                signed.append(f"{'+' if size % 2 else '-'} {product}")
        return f"LEAST(1.0, GREATEST(0.0, {' '.join(signed).removeprefix('+ ')}))"
