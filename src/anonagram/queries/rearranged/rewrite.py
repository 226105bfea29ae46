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

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp, parse_one

from anonagram.queries.dialects import in_dialect
from anonagram.queries.fields import FIELDS
from anonagram.queries.kinds import NUMBERS
from anonagram.queries.reading.filters import Split, split
from anonagram.queries.reading.kinds import kind_of
from anonagram.queries.reading.question import DIALECT, Aggregate, Question
from anonagram.queries.rearranged.amounts import is_single
from anonagram.queries.rearranged.countable import Counting, counting_of
from anonagram.queries.rearranged.hits import Hits
from anonagram.queries.rearranged.plan import Plan
from anonagram.queries.rearranged.totals import Totals
from anonagram.queries.rearranged.work import Work
from anonagram.queries.sql import UNKNOWN, by, quote, rows
from anonagram.release.sheet import Sheet


@dataclass(frozen=True)
class Statement:
    """The rewritten question."""

    text: str
    """In the dialect of questions; `in_dialect` gives others."""
    last: str
    """The last step alone: from a table `answered` to what is shown."""
    question: Question
    sheet: Sheet
    whole: tuple[bool, ...]
    """For each aggregate: whether its bounds are whole numbers."""
    counting: Counting | None = None
    work: tuple[str, ...] = ()
    """Statements that count the work of this one, where it may be much."""

    @property
    def singles(self) -> set[str]:
        """The aggregates that are numbers of 32 bits."""
        return {
            each.name
            for each in self.question.aggregates
            if each.argument is not None
            and each.function not in ("COUNT", "DISTINCT", "SUM", "AVG")
            and is_single(self.sheet, each.argument)
        }

    @property
    def is_arranged(self) -> bool:
        """Whether the last step does more than to show what was answered."""
        q = self.question
        return bool(q.keys or q.order) or (q.having, q.limit, q.offset) != (None, None, None)

    def in_dialect(self, dialect: str, *, pretty: bool = False) -> str:
        """The statement for a database."""
        return in_dialect(self.text, dialect, self.question, self.sheet, pretty=pretty)


def rewrite(question: Question, sheet: Sheet) -> Statement:
    """The statement that answers a question from a release."""
    _require_numbers(question, sheet)
    first, *others = ((each, _write(each.question, sheet)) for each in split(question, sheet))
    last = last_step(question, sheet)
    whole = {
        place: is_whole
        for each, written in (first, *others)
        for place, is_whole in zip(each.places, written.whole, strict=True)
    }
    named = _joined(first, others) if others else first[1].named
    return Statement(
        f"WITH {named} {last}",
        last,
        question,
        sheet,
        tuple(whole[place] for place in range(len(question.aggregates))),
        None if others else first[1].counting,
        tuple(each.work for _, each in (first, *others) if each.work is not None),
    )


def _require_numbers(question: Question, sheet: Sheet) -> None:
    """Arithmetic is done with numbers; a date has none."""
    known = {aggregate.name: aggregate for aggregate in question.aggregates}
    for node in question.combined.values():
        for aggregate in (known[column.name] for column in node.find_all(exp.Column)):
            argument = aggregate.argument
            if argument is None or aggregate.function in ("COUNT", "DISTINCT", "SUM", "AVG"):
                continue
            if kind_of(argument, sheet.dtypes) not in NUMBERS:
                question.refuse(
                    argument, "Arithmetic is done with numbers only.", "SELECT MIN(…), MAX(…) …"
                )


@dataclass(frozen=True)
class _Written:
    """A question whose aggregates have no conditions of their own, in SQL."""

    named: str
    """Named queries down to `answered`."""
    whole: tuple[bool, ...]
    """Which aggregates are whole numbers."""
    counting: Counting | None
    """The shortcut."""
    work: str | None
    """The statement that counts its work, where it may be much."""


def _write(question: Question, sheet: Sheet) -> _Written:
    plan = Plan.of(question, sheet)
    writer = _Writer(plan, Work(plan))
    writer.write()
    named = ", ".join(f"{name} AS ({query})" for name, query in writer.parts.items())
    whole = tuple(plan.is_whole(each) for each in question.aggregates)
    work = writer.work.query()
    return _Written(named, whole, counting_of(plan), work and f"WITH {named} {work}")


def _joined(first: tuple[Split, _Written], others: Sequence[tuple[Split, _Written]]) -> str:
    """Named queries that put the answers of several questions beside each other, by keys."""
    asked = first[0].question
    keys = [f"k{k}" for k in range(len(asked.keys))]
    shown, joins, named = [f"q0.{key} AS {key}" for key in keys], "", []
    everybody = f"a{first[0].places.index(-1)}"
    for number, (each, written) in enumerate((first, *others)):
        source = f"q{number}"
        named.append(f"{source} AS (WITH {written.named} SELECT * FROM answered)")
        on = " AND ".join(f"{source}.{key} IS NOT DISTINCT FROM q0.{key}" for key in keys)
        joins += f" LEFT JOIN {source} ON {on or 'TRUE'}" if number else ""
        for own, place in enumerate(each.places):
            if place < 0:
                continue
            aggregate = each.question.aggregates[own]
            columns = _shown(source, f"a{own}_", place, is_count=_counts(aggregate))
            if aggregate.of_none:
                # a SUM may be of missing values alone, and then it is NULL
                sure = f"{source}.a{own}_{'lower' if _counts(aggregate) else 'sure'}"
                if aggregate.of_none == "zero" and _counts(aggregate):
                    sure = f"q0.{everybody}_lower"
                columns = _zero_of_none(source, own, place, f"q0.{everybody}_upper", sure)
            shown += columns
    return f"{', '.join(named)}, answered AS (SELECT {', '.join(shown)} FROM q0{joins})"


def _zero_of_none(source: str, own: int, place: int, everybody: str, sure: str) -> list[str]:
    """The fields of an aggregate that is 0 if some are asked about, and NULL if nobody is."""
    columns = []
    for name in FIELDS:
        value = f"CASE WHEN {source}.a{own}_lower IS NULL THEN 0 ELSE {source}.a{own}_{name} END"
        value = sure if name == "sure" else value
        columns.append(f"CASE WHEN {everybody} > 0 THEN {value} END AS a{place}_{name}")
    return columns


def _counts(aggregate: Aggregate) -> bool:
    """Whether an aggregate of nobody is 0 rather than NULL."""
    return aggregate.function in ("COUNT", "DISTINCT")


@dataclass
class _Writer:
    """Writes the named queries of a statement, down to `answered`."""

    plan: Plan
    work: Work
    parts: dict[str, str] = field(default_factory=dict)

    def write(self) -> None:
        """Hits where rows are not known, then everything that is asked."""
        hits = Hits(self.plan, self.parts)
        arguments = [a.argument for a in self.plan.question.aggregates if a.argument is not None]
        known = [self.plan.is_known(self.plan.part_of(argument)) for argument in arguments]
        if not all([self.plan.is_known(None), *known]):
            hits.write()
            self.work.events = hits.events
        self._add_frame(hits)
        self._add_answered(Totals(self.plan, hits, self.parts, self.work))

    def _add_frame(self, hits: Hits) -> None:
        """Every combination of keys that can occur, and how many people have it."""
        keys = [f"k{k}" for k in self.plan.all_keys]
        if not self.plan.is_known(None):
            shares = " * ".join(f"h.s{i}" for i in range(len(hits.events)))
            p, q = f"({shares})", hits.pairs(None)
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
            self.parts["frame"] = f"SELECT {', '.join(columns)} FROM hits AS h{by(len(keys))}"
        else:
            part = self.plan.some_part()
            columns = self.plan.key_columns(self.plan.all_keys)
            columns.append(f"COALESCE({rows(part.weight)}, 0) AS c")
            self.parts["exact_count"] = (
                f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t"
                f"{self.plan.where(part)}{by(len(keys))}"
            )
            columns = [f"e.{key} AS {key}" for key in keys]
            columns += ["e.c AS estimate", "e.c AS lower", "e.c AS upper"]
            columns += ["0.0 AS variance", "1 AS sure"]
            self.parts["frame"] = f"SELECT {', '.join(columns)} FROM exact_count AS e"

    def _add_answered(self, totals: Totals) -> None:
        """All aggregates beside the frame: a row for each combination of keys."""
        keys = [f"k{k}" for k in self.plan.all_keys]
        shown = [f"frame.{key} AS {key}" for key in keys]
        joins = ""
        by_argument: dict[str, tuple[exp.Expr, list[int]]] = {}
        for place, aggregate in enumerate(self.plan.question.aggregates):
            if aggregate.argument is None:
                shown += _shown("frame", "", place, is_count=True)
                continue
            text = aggregate.argument.sql(DIALECT)
            by_argument.setdefault(text, (aggregate.argument, []))[1].append(place)
        for number, (argument, places) in enumerate(by_argument.values()):
            source = totals.write(number, argument, places)
            on = " AND ".join(f"{source}.{key} IS NOT DISTINCT FROM frame.{key}" for key in keys)
            joins += f" LEFT JOIN {source} ON {on or 'TRUE'}"
            for place in places:
                is_count = _counts(self.plan.question.aggregates[place])
                shown += _shown(source, f"a{place}_", place, is_count=is_count)
        self.parts["answered"] = f"SELECT {', '.join(shown)} FROM frame{joins}"


def last_step(question: Question, sheet: Sheet) -> str:
    """HAVING, ORDER BY and LIMIT look at estimates."""
    keys = {key.name: exp.column(f"k{i}", table="a") for i, key in enumerate(question.keys)}
    places = {aggregate.name: i for i, aggregate in enumerate(question.aggregates)}

    def rename(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        place = places.get(node.name)
        if place is None:
            return keys[node.name].copy()
        return _told_estimate(question.aggregates[place], place, sheet)

    columns = [f"a.k{k} AS k{k}" for k in range(len(question.keys))]
    for place in range(len(question.aggregates)):
        columns += [f"a.a{place}_{name} AS a{place}_{name}" for name in FIELDS]
    text = f"SELECT {', '.join(columns)} FROM answered AS a"
    if question.having is not None:
        text += f" WHERE {question.having.transform(rename).sql(DIALECT)}"
    order = [node.transform(rename).sql(DIALECT) for node in question.order]
    order += [f"a.k{k} NULLS LAST" for k in range(len(question.keys))]
    if order:
        text += f" ORDER BY {', '.join(order)}"
    if question.limit is not None:
        text += f" LIMIT {question.limit}"
    if question.offset is not None:
        text += f" OFFSET {question.offset}"
    return text


def _told_estimate(aggregate: Aggregate, place: int, sheet: Sheet) -> exp.Expr:
    """An estimate as it is told: within its bounds, and in their middle where there is none.

    Where rows were left out, those that are added up are taken to be like the others.
    """
    estimate, lower, upper = (f"a.a{place}_{name}" for name in ("estimate", "lower", "upper"))
    if aggregate.function not in ("COUNT", "DISTINCT", "SUM", "AVG"):
        return parse_one(estimate, dialect=DIALECT)
    middle = f"{lower} * 0.5 + {upper} * 0.5"
    told = f"GREATEST(LEAST(COALESCE({estimate}, {middle}), {upper}), {lower})"
    if aggregate.function in ("COUNT", "SUM") and sheet.like_others != 1.0:
        told = f"({told} * {sheet.like_others!r})"
    return parse_one(told, dialect=DIALECT)


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
