"""Whole statements for PostgreSQL: the expressions of a question inside, and what was put around.

A statement is a chain of named queries. Going along it tells what every column is, so that the
rules of expressions apply wherever a question's words ended up. What stands around them is our own,
and portable as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn

import polars as pl
from sqlglot import exp

from anonagram.queries.kinds import (
    LIST,
    TEXT,
    TRUTH,
    UNKNOWN,
    WHOLE,
    Kind,
    kind_of_column,
    together,
)
from anonagram.queries.meanings.casts import target_of
from anonagram.queries.meanings.letters import Letters
from anonagram.queries.meanings.translator import Translator, Typed
from anonagram.queries.meanings.values import binary, cast

Columns = dict[str, Kind]
Refuse = Callable[[exp.Expr | str, str], NoReturn]
EXTREMES: dict[type[exp.Expr], str] = {exp.Min: "BOOL_AND", exp.Max: "BOOL_OR"}
"""PostgreSQL knows no least truth value, but whether all or any are true."""

THEIRS = (
    exp.Extract, exp.DateTrunc, exp.TimestampTrunc, exp.TimeToStr, exp.Interval, exp.Lower, exp.Upper,
    exp.Like, exp.ILike, exp.Escape, exp.Length, exp.Substring, exp.Left, exp.Right, exp.Trim,
    exp.DPipe, exp.IntDiv, exp.Floor, exp.Ceil,
)  # fmt: skip
"""Words of a question that stand nowhere else in a statement: without its rule none is passed on."""
LINEAR = (exp.Cast, exp.Paren, exp.Abs, exp.Greatest, exp.Add, exp.Mul, exp.Div)
"""Through these an error of rounding stays one."""


class NoRule(Exception):
    """Not an expression of a question."""


def translate_statement(
    tree: exp.Expr, tables: Mapping[str, pl.DataFrame], refuse: Refuse
) -> exp.Expr:
    """A statement in the dialect of questions, for PostgreSQL."""
    published = {
        name: {column: kind_of_column(dtype) for column, dtype in table.schema.items()}
        for name, table in tables.items()
    }
    _Statement(published, Letters(tuple(tables.values())), refuse).query(tree)
    for named in tree.find_all(exp.CTE):
        # joined as they are written, PostgreSQL would work one out again for each row of another
        named.set("materialized", True)
    for join in tree.find_all(exp.Join):
        if join.args.get("on"):
            join.set("on", join.args["on"].transform(_hashable))
    return tree


def _hashable(node: exp.Expr) -> exp.Expr:
    """Keys that are equal or both missing, so that PostgreSQL need not compare all pairs of rows."""
    if not isinstance(node, exp.NullSafeEQ):
        return node
    sides = [exp.Array(expressions=[side.copy()]) for side in (node.this, node.expression)]
    return exp.EQ(this=sides[0], expression=sides[1])


class _Statement:
    """Goes along the named queries of a statement, changing them in place."""

    def __init__(self, named: dict[str, Columns], letters: Letters, refuse: Refuse) -> None:
        self.named, self.letters, self.refuse = dict(named), letters, refuse

    def query(self, node: exp.Expr) -> Columns:
        """Translate a query; what its columns are."""
        if isinstance(node, exp.Subquery):
            return self.query(node.this)
        if isinstance(node, exp.Union):
            columns = self.query(node.this)
            self.query(node.expression)
            return columns
        if isinstance(node, exp.Values):
            return _values(node)
        outside = dict(self.named)
        for each in node.ctes if isinstance(node, exp.Select) else ():
            self.named[each.alias] = self.query(each.this)
        columns = self._select(node)
        self.named = outside
        return columns

    def _select(self, node: exp.Expr) -> Columns:
        sources = {}
        source = node.args.get("from_")
        joins = node.args.get("joins") or []
        for each in ([] if source is None else [source.this]) + [join.this for join in joins]:
            sources[each.alias_or_name] = self._source(each)
        reader = _Reader(sources, self.letters, self.refuse)
        columns = dict(_shown(node, reader, sources))
        for holder, name, child in list(_expressions(node)):
            _put(holder, name, child, reader.read(child).sql)
        return columns

    def _source(self, node: exp.Expr) -> Columns:
        if isinstance(node, exp.Table):
            return self.named.get(node.name, {})
        return self.query(node)


def _shown(
    node: exp.Expr, reader: _Reader, sources: Mapping[str, Columns]
) -> Iterator[tuple[str, Kind]]:
    for item in node.expressions:
        if item.find(exp.Star) and not item.find(exp.AggFunc):
            table = item.args.get("table")
            for name, columns in sources.items():
                if table is None or table.name == name:
                    yield from columns.items()
        else:
            yield item.alias_or_name, reader.read(item.unalias()).kind


def _expressions(node: exp.Expr) -> Iterator[tuple[exp.Expr, str, exp.Expr]]:
    """What stands in a query beside its tables: the node it hangs on, under which name."""
    for name, value in node.args.items():
        if name in ("with_", "from_"):
            continue
        if name == "joins":
            for join in value or ():
                if join.args.get("on"):
                    yield join, "on", join.args["on"]
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, exp.Expr):
                yield node, name, child


def _put(holder: exp.Expr, name: str, old: exp.Expr, new: exp.Expr) -> None:
    value = holder.args[name]
    if isinstance(value, list):
        holder.set(name, [new if each is old else each for each in value])
    else:
        holder.set(name, new)


def _values(node: exp.Values) -> Columns:
    """Listed texts are compared byte by byte, as columns are."""
    for literal in [each for each in node.find_all(exp.Literal) if each.is_string]:
        literal.replace(binary(cast(literal.copy(), "TEXT")))
    alias = node.args.get("alias")
    names = [column.name for column in alias.columns] if alias is not None else []
    first = node.expressions[0].expressions
    kinds = [Kind(TEXT if each.find(exp.Collate) else WHOLE, 10) for each in first]
    return dict(zip(names, kinds, strict=False))


class _Reader(Translator):
    """Reads what a statement is made of; where no rule applies, its parts."""

    def __init__(self, sources: Mapping[str, Columns], letters: Letters, unproven: Refuse) -> None:
        super().__init__(self._column, _no_rule, letters)
        self.sources, self.unproven = sources, unproven

    def is_summed(self, node: exp.Expr) -> bool:
        """Sums, and the largest size of values, by which bounds are widened."""
        through, above = set(), node.parent
        while isinstance(above, LINEAR):
            through.add(type(above))
            above = above.parent
        return isinstance(above, exp.Sum) or {exp.Abs, exp.Greatest} <= through

    def _column(self, node: exp.Expr) -> Typed:
        kind = self.sources.get(node.text("table"), {}).get(node.name, Kind(UNKNOWN))
        return Typed(kind, node.copy())

    def _read(self, node: exp.Expr) -> Typed:
        if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):  # a WHEN, not a function
            return Typed(Kind(UNKNOWN), self._rebuilt(node))
        try:
            return super()._read(node)
        except NoRule:
            if isinstance(node, THEIRS):
                self.unproven(node, "no rule")
            return Typed(self._kind(node), self._rebuilt(node))

    def _rebuilt(self, node: exp.Expr) -> exp.Expr:
        if type(node) in EXTREMES and self.read(node.this).kind.name == TRUTH:
            return exp.Anonymous(this=EXTREMES[type(node)], expressions=[self.read(node.this).sql])
        parts = {
            name: [self._part(each) for each in value]
            if isinstance(value, list)
            else self._part(value)
            for name, value in node.args.items()
        }
        return type(node)(**parts)

    def _part(self, part: object) -> object:
        return self.read(part).sql if isinstance(part, exp.Expr) else part

    def _kind(self, node: exp.Expr) -> Kind:
        """What can be said without a rule."""
        match node:
            case exp.Min() | exp.Max() | exp.Window() | exp.Filter() | exp.Paren():
                return self.read(node.this).kind
            case exp.Cast():
                return target_of(node.args["to"])
            case exp.Explode():
                inner = self.read(node.this).kind
                return inner.inner or inner if inner.name == LIST else Kind(UNKNOWN)
            case exp.Case():
                branches = [each.args["true"] for each in node.args["ifs"]]
                return self._together([*branches, node.args.get("default") or exp.Null()])
            case exp.Coalesce() | exp.Least() | exp.Greatest():
                return self._together([node.this, *node.expressions])
        return Kind(UNKNOWN)

    def _together(self, nodes: list[exp.Expr]) -> Kind:
        return together([self.read(node).kind for node in nodes]) or Kind(UNKNOWN)


def _no_rule(*_: object) -> NoReturn:
    raise NoRule
