"""Rules for what is true or not: comparisons, AND, OR, CASE."""

from __future__ import annotations

from sqlglot import exp

from anonagram.queries.kinds import MISSING, TEXT, TRUTH, UNKNOWN, Kind
from anonagram.queries.meanings.translator import Translator, Typed, rule
from anonagram.queries.meanings.values import become, beside, binary

TRUE = Kind(TRUTH)


@rule(exp.And, exp.Or, reads="this expression")
def _both(t: Translator, node: exp.Expr) -> Typed:
    sides = [t.require(side, TRUTH, MISSING).sql for side in (node.this, node.expression)]
    return Typed(TRUE, type(node)(this=sides[0], expression=sides[1]))


@rule(exp.Not)
def _not(t: Translator, node: exp.Expr) -> Typed:
    return Typed(TRUE, exp.Not(this=t.require(node.this, TRUTH, MISSING).sql))


@rule(
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ,
    reads="this expression",
)  # fmt: skip
def _compare(t: Translator, node: exp.Expr) -> Typed:
    _, (one, two) = _comparable(t, [node.this, node.expression], node)
    return Typed(TRUE, type(node)(this=one, expression=two))


def _comparable(t: Translator, nodes: list[exp.Expr], at: exp.Expr) -> tuple[Kind, list[exp.Expr]]:
    kind, found = beside(t, nodes, at)
    if kind.name == UNKNOWN:
        t.refuse(at, "no rule")
    if kind.name == TEXT:  # of two literals neither says how it is compared
        found[0] = binary(found[0]) if isinstance(found[0], exp.Literal) else found[0]
    return kind, found


@rule(exp.Between, reads="this low high")
def _between(t: Translator, node: exp.Expr) -> Typed:
    _, (x, low, high) = _comparable(t, [node.this, node.args["low"], node.args["high"]], node)
    return Typed(TRUE, exp.Between(this=x, low=low, high=high))


@rule(exp.In, reads="this expressions")
def _in(t: Translator, node: exp.Expr) -> Typed:
    _, (x, *members) = _comparable(t, [node.this, *node.expressions], node)
    return Typed(TRUE, exp.In(this=x, expressions=members))


@rule(exp.Is, reads="this expression")
def _is(t: Translator, node: exp.Expr) -> Typed:
    what = node.expression
    negated = isinstance(what, exp.Not)
    what = what.this if negated else what
    if isinstance(what, exp.Boolean):
        value = t.require(node.this, TRUTH, MISSING)
    elif isinstance(what, exp.Null):
        value = t.read(node.this)
    else:
        t.refuse(node, "no rule")
    if value.kind.name == UNKNOWN:
        t.refuse(node, "no rule")
    return Typed(TRUE, exp.Is(this=value.sql, expression=node.expression.copy()))


@rule(exp.Case, reads="this ifs default")
def _case(t: Translator, node: exp.Expr) -> Typed:
    """A CASE of one value is written as comparisons with it, each for itself."""
    operand, ifs = node.args.get("this"), node.args["ifs"]
    conditions = [_equal(operand, each.this) if operand else each.this for each in ifs]
    whens = [t.require(each, TRUTH, MISSING).sql for each in conditions]
    default = node.args.get("default")
    branches = [each.args["true"] for each in ifs] + [default or exp.Null()]
    return _chosen(t, node, whens, branches)


def _equal(one: exp.Expr, two: exp.Expr) -> exp.Expr:
    """That two expressions are equal, whatever they are made of."""
    sides = [exp.Paren(this=side.copy()) for side in (one, two)]
    return exp.EQ(this=sides[0], expression=sides[1])


@rule(exp.If, reads="this true false")
def _if(t: Translator, node: exp.Expr) -> Typed:
    when = t.require(node.this, TRUTH, MISSING).sql
    branches = [node.args["true"], node.args.get("false") or exp.Null()]
    return _chosen(t, node, [when], branches)


def _chosen(t: Translator, at: exp.Expr, whens: list[exp.Expr], branches: list[exp.Expr]) -> Typed:
    kind, values = beside(t, branches, at)
    if kind.name == UNKNOWN:
        t.refuse(at, "no rule")
    ifs = [exp.If(this=w, true=v) for w, v in zip(whens, values[:-1], strict=True)]
    case: exp.Expr = exp.Case(ifs=ifs, default=values[-1])
    return Typed(kind, binary(case) if kind.name == TEXT else case)


@rule(exp.Coalesce, reads="this expressions")
def _coalesce(t: Translator, node: exp.Expr) -> Typed:
    kind, (first, *others) = beside(t, [node.this, *node.expressions], node)
    if kind.name == UNKNOWN:
        t.refuse(node, "no rule")
    found: exp.Expr = exp.Coalesce(this=first, expressions=others)
    return Typed(kind, binary(found) if kind.name == TEXT else found)


@rule(exp.Nullif, reads="this expression")
def _nullif(t: Translator, node: exp.Expr) -> Typed:
    """PostgreSQL's own gives the common kind, DuckDB's that of the first."""
    equal = _compare(t, _equal(node.this, node.expression))
    first = t.read(node.this)
    kind = Kind(TEXT) if first.kind.name == "quoted" else first.kind
    case: exp.Expr = exp.Case(
        ifs=[exp.If(this=equal.sql, true=exp.Null())], default=become(t, first, kind, node)
    )
    return Typed(kind, binary(case) if kind.name == TEXT else case)
