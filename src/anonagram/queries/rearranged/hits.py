"""The part of a statement that counts hits: how many rows of each group meet the conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NoReturn

from sqlglot import exp

from anonagram.queries.reading.conditions import (
    All,
    Leaf,
    Tree,
    alternatives,
    both,
    given,
    leaves_on,
    parts_in,
)
from anonagram.queries.reading.question import columns_of
from anonagram.queries.rearranged.listing import Listing, listing_of, most_keys
from anonagram.queries.rearranged.pairs import PAIRED, write_pairs
from anonagram.queries.rearranged.plan import Plan
from anonagram.queries.rearranged.ranges import RangeReader, Reach
from anonagram.queries.sql import on_table, places, quote, rows, size_of, with_column
from anonagram.release.sheet import MOST_LISTED, RANGES, Part

MOST_LEAVES = 3
"""Conditions by which the rows of a part are told apart; the kinds of rows double with each."""
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
    paired: dict[str, str] = field(default_factory=dict)
    """Conditions that compare two parts, and under which name."""

    def write(self) -> None:
        """Every condition's rows, and from them the least and most people who meet all."""
        keyed = {part: tree for tree in self.plan.mixed for part in self._pivot(tree)}
        for part in self.plan.touched:
            if part not in keyed:
                self.events.append(
                    self._range_event()
                    if part == RANGES
                    else self._part_event(self.plan.sheet.parts[part])
                )
        for part, tree in keyed.items():
            self.events.append(self._keyed_event(tree, self.plan.sheet.parts[part]))
        # a condition beside a key of its own part: bounds hold however the two depend on each other
        others = [tree for tree in self.plan.mixed if tree not in keyed.values()]
        self.events += [self._mixed_event(tree) for tree in others]
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
        condition = self.plan.plain.get(RANGES)
        columns, joins, reaches, listings = [], "", [], []
        for name, own in self._keys_by_column(keys).items():
            inside, rest = _taken_apart(condition, name)
            listing = self._found_listing(name, own, inside)
            if listing is None:  # what is asked beside the key is looked at for itself
                inside, listing = None, self._listing(name, own)
            else:
                condition = rest
            listings.append(listing)
            source = self._listed_keys(listings[-1], own, inside)
            for key in own:
                if isinstance(self.plan.question.keys[key].expression.unnest(), exp.Column):
                    reader.keys[name] = f"{source}.k{key}"
            columns += [f"{source}.k{key} AS k{key}" for key in own]
            joins += f" JOIN {source} ON {source}.g = t.{group}"
            met, listed = f"{source}.met", f"{source}.listed"
            reaches.append(Reach(f"({met} = {listed})", "TRUE", f"({met} / {listed})"))
        self._require_few(listings)
        if condition is not None:
            reaches.append(reader.reach(condition))
        together = Reach(
            " AND ".join(each.certain for each in reaches),
            " AND ".join(each.possible for each in reaches),
            " * ".join(f"({each.share})" for each in reaches),
        )
        self._write_ranges("ranges", reader, together, columns, joins)
        return Event(
            RANGES, keys, "ranges", "ranges.low", "ranges.high", "ranges.share", is_sharp=False
        )

    def _keys_by_column(self, keys: Sequence[int]) -> dict[str, list[int]]:
        """The column of every key that is told as ranges."""
        found: dict[str, list[int]] = {}
        for key in keys:
            expression = self.plan.question.keys[key].expression
            name, *others = columns_of(expression)
            if others:
                self._refuse_key(expression, name, "rows cannot be grouped by it and another")
            found.setdefault(name, []).append(key)
        return found

    def _refuse_key(self, expression: exp.Expr, name: str, why: str) -> NoReturn:
        self.plan.question.refuse(
            expression,
            f"{name} is told as a range for each group, {why}.",
            f"SELECT COUNT(*) FROM data WHERE {name} BETWEEN … AND …",
        )

    def _found_listing(
        self, name: str, keys: Sequence[int], inside: exp.Expr | None
    ) -> Listing | None:
        asked = [self.plan.question.keys[key].expression for key in keys]
        asked += [] if inside is None else [inside]
        return listing_of(self.plan.sheet, self.plan.sheet.ranges[name], asked)

    def _listing(self, name: str, keys: Sequence[int]) -> Listing:
        listing = self._found_listing(name, keys, None)
        if listing is None:
            why = f"and the ranges hold more than {MOST_LISTED:,} values, or ones that cannot be counted"
            self._refuse_key(self.plan.question.keys[keys[0]].expression, name, why)
        return listing

    def _require_few(self, listings: Sequence[Listing]) -> None:
        """Refuse keys of ranges that would make an answer nobody reads."""
        asked = self.plan.range_keys
        why = most_keys(listings, list(asked.values())) if listings else None
        if why is not None:
            names = list(asked)
            self.plan.question.refuse(
                asked[names[0]][0],
                f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} told as ranges, {why}.",
                f"a coarser key, or SELECT COUNT(*) FROM data WHERE {names[0]} BETWEEN … AND …",
            )

    def _listed_keys(self, listing: Listing, keys: Sequence[int], inside: exp.Expr | None) -> str:
        """A query for the keys that values of a column give: how many of all listed do."""
        name = listing.column.name
        source = f"key_{keys[0]}"
        columns = ["m.g AS g"]
        for key in keys:
            text = with_column(self.plan.question.keys[key].expression, name, "m.v")
            columns.append(f"{text} AS k{key}")
        where = "" if inside is None else f" WHERE {with_column(inside, name, 'm.v')}"
        self.parts[f"{source}_listed"] = (
            f"SELECT l.g AS g, l.v AS v, COUNT(*) OVER (PARTITION BY l.g) AS listed "
            f"FROM ({listing.query()}) AS l"
        )
        self.parts[source] = (
            f"SELECT {', '.join(columns)}, COUNT(*) AS met, MIN(m.listed) AS listed "
            f"FROM {source}_listed AS m{where} GROUP BY {places(len(columns))}"
        )
        return source

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

    def _pivot(self, tree: Tree) -> list[str]:
        """The part with keys that a condition over several parts is looked at from, if there is one."""
        parts = [part for part in self.plan.keys_in if part in parts_in(tree) and part != RANGES]
        few = [part for part in parts if len(leaves_on(tree, part)) <= MOST_LEAVES]
        return few if len(parts) == 1 else []

    def _mixed_event(self, tree: Tree) -> Event:
        """A condition over several parts: bounds by Fréchet, share by inclusion and exclusion."""
        base, name = self._sizes(), f"mixed_{len(self.parts)}"
        low, high, share, sources = self._reach_of(tree)
        names = list(dict.fromkeys([base, *sources]))
        joins = "".join(f" JOIN {name} ON {name}.g = {base}.g" for name in names[1:])
        self.parts[name] = (
            f"SELECT {base}.g AS g, {low} AS low, {high} AS high, {share} AS share "
            f"FROM {base}{joins}"
        )
        return Event(None, (), name, f"{name}.low", f"{name}.high", f"{name}.share", is_sharp=False)

    def _keyed_event(self, tree: Tree, part: Part) -> Event:
        """A condition over several parts, one of them with keys.

        The rows of that part are told apart by which of its own conditions they meet; what is left
        of the whole condition for each kind of row concerns other parts.
        """
        keys, base = tuple(self.plan.keys_in[part.name]), self._sizes()
        counted: list[str] = []
        lows: list[str] = []
        highs: list[str] = []
        shares: list[str] = []
        sources: list[str] = []
        for place, (condition, rest) in enumerate(_kinds_of_rows(tree, part.name)):
            counted.append(f"{rows(part.weight, condition)} AS m{place}")
            m = f"strata_{keys[0]}.m{place}"
            if isinstance(rest, bool):
                low = high = m
                share = f"({m} / {base}.n)"
            else:
                least, most, chance, needed = self._reach_of(rest)
                sources += needed
                low, high = f"GREATEST(0, {m} + {least} - {base}.n)", f"LEAST({m}, {most})"
                share = f"({m} / {base}.n) * ({chance})"
            lows.append(low)
            highs.append(high)
            shares.append(share)
        columns = [f"t.{quote(self.plan.sheet.group)} AS g", *self.plan.key_columns(keys)]
        self.parts[f"strata_{keys[0]}"] = (
            f"SELECT {', '.join([*columns, *counted])} FROM {quote(part.table)} AS t "
            f"GROUP BY {places(len(columns))}"
        )
        name = f"mixed_{len(self.parts)}"
        joined = "".join(
            f" JOIN {each} ON {each}.g = strata_{keys[0]}.g"
            for each in dict.fromkeys([base, *sources])
        )
        shown = [
            f"strata_{keys[0]}.g AS g",
            *(f"strata_{keys[0]}.k{key} AS k{key}" for key in keys),
        ]
        shown += [f"{' + '.join(lows)} AS low", f"{' + '.join(highs)} AS high"]
        shown += [f"{' + '.join(shares)} AS share"]
        self.parts[name] = f"SELECT {', '.join(shown)} FROM strata_{keys[0]}{joined}"
        return Event(
            None, keys, name, f"{name}.low", f"{name}.high", f"{name}.share", is_sharp=False
        )

    def _reach_of(self, tree: Tree) -> tuple[str, str, str, list[str]]:
        """SQL for the least and most rows that meet a condition, their share, and where it stands."""
        base = self._sizes()
        sources: list[str] = []

        def leaf(part: str, expression: exp.Expr) -> tuple[str, str, str]:
            if part.startswith(PAIRED):
                name = self._paired(expression)
                sources.append(name)
                return f"{name}.low", f"{name}.high", f"{name}.share"
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

        return *bounds(tree), self._inclusion(tree, leaf), sources

    def _paired(self, expression: exp.Expr) -> str:
        """The query for a condition that compares two parts, written once."""
        name = self.paired.setdefault(expression.sql(), f"paired_{len(self.paired)}")
        if name not in self.parts:
            write_pairs(self.parts, name, self.plan.sheet, expression)
        return name

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


def _kinds_of_rows(tree: Tree, part: str) -> list[tuple[str, Tree | bool]]:
    """For each kind of row of a part: which it is, and what is left of a condition for it."""
    leaves = leaves_on(tree, part)
    found: list[tuple[str, Tree | bool]] = []
    for truths in product((True, False), repeat=len(leaves)):
        rest = given(tree, part, dict(zip(leaves, truths, strict=True)))
        if rest is not False:
            met = [f"COALESCE({on_table(leaves[text])}, FALSE)" for text in leaves]
            signed = (
                each if is_true else f"NOT {each}"
                for each, is_true in zip(met, truths, strict=True)
            )
            found.append((" AND ".join(signed), rest))
    return found


def _taken_apart(condition: exp.Expr | None, name: str) -> tuple[exp.Expr | None, exp.Expr | None]:
    """What a condition says about one column alone, and the rest of it."""
    if condition is None:
        return None, None
    node = condition.unnest()
    conjuncts = list(node.flatten()) if isinstance(node, exp.And) else [node]
    own = [each for each in conjuncts if columns_of(each) == [name]]
    rest = [each for each in conjuncts if columns_of(each) != [name]]
    joined = [exp.and_(*(each.copy() for each in some)) if some else None for some in (own, rest)]
    return joined[0], joined[1]
