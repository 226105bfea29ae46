"""Rules for arithmetic; that of dates stands with them."""

from __future__ import annotations

from sqlglot import exp

from anonagram.queries.kinds import (
    DATE,
    DECIMAL,
    DOUBLE,
    LONGEST,
    MOMENT,
    NUMBERS,
    SPAN,
    TIME,
    WHOLE,
    Kind,
    together,
)
from anonagram.queries.meanings.times import add_days, add_span, difference, is_even, is_kept
from anonagram.queries.meanings.translator import Translator, Typed, rule
from anonagram.queries.meanings.values import beside, cast, to_double

INFINITE = "Infinity"


@rule(exp.Add, exp.Sub, reads="this expression")
def _add(t: Translator, node: exp.Expr) -> Typed:
    one, two = t.read(node.this), t.read(node.expression)
    names = one.kind.name, two.kind.name
    if names[0] in (DATE, MOMENT, TIME) and names[1] == SPAN:
        return add_span(node, one, two)
    if isinstance(node, exp.Add) and names[1] in (DATE, MOMENT, TIME) and names[0] == SPAN:
        return add_span(node, two, one)
    if names == (SPAN, SPAN) and is_even(node):
        return Typed(Kind(SPAN), exp.Paren(this=type(node)(this=one.sql, expression=two.sql)))
    if names == (DATE, WHOLE):
        return add_days(node, one, two)
    if isinstance(node, exp.Sub) and set(names) <= {DATE, MOMENT}:
        return difference(one, two)
    return _arithmetic(t, node)


@rule(exp.Mul, reads="this expression")
def _arithmetic(t: Translator, node: exp.Expr) -> Typed:
    sides = [node.this, node.expression]
    if isinstance(node.expression, exp.Interval):
        return _times_interval(t, node)
    one, two = (t.require(side, *NUMBERS).kind for side in sides)
    kind, sql = beside(t, sides, node)
    if kind.name != DOUBLE:
        digits, scale = kind.digits + 1, kind.scale
        if isinstance(node, exp.Mul):
            digits, scale = one.digits + two.digits, one.scale + two.scale
        kind = Kind(kind.name, digits, scale)
        sql[0] = _roomy(kind, sql[0])
    return Typed(kind, exp.Paren(this=type(node)(this=sql[0], expression=sql[1])))


def _times_interval(t: Translator, node: exp.Expr) -> Typed:
    """So many of a unit: databases multiply the number before it."""
    number, interval = t.require(node.this, WHOLE), t.read(node.expression)
    return Typed(interval.kind, exp.Paren(this=exp.Mul(this=number.sql, expression=interval.sql)))


def _roomy(kind: Kind, sql: exp.Expr) -> exp.Expr:
    """Whole numbers with room for the result: databases overflow at different sizes."""
    if kind.name != WHOLE:
        return sql
    return cast(sql, "BIGINT") if kind.digits <= 18 else cast(sql, "DECIMAL")


@rule(exp.Div, reads="this expression")
def _divide(t: Translator, node: exp.Expr) -> Typed:
    """In floating-point numbers, and by zero as these do it."""
    sides = [node.this, node.expression]
    a, b = (to_double(t, t.require(side, *NUMBERS), side) for side in sides)
    quotient = exp.Div(this=a, expression=b, typed=True)
    divisor = node.expression.unnest()
    if isinstance(divisor, exp.Literal) and float(divisor.name) != 0:
        return Typed(Kind(DOUBLE), exp.Paren(this=quotient))
    is_negative = exp.EQ(this=cast(b.copy(), "TEXT"), expression=exp.Literal.string("-0"))
    endless = exp.Case(
        ifs=[exp.If(this=is_negative, true=exp.Literal.string(f"-{INFINITE}"))],
        default=exp.Literal.string(INFINITE),
    )
    by_zero = exp.Mul(this=a.copy(), expression=cast(endless, "DOUBLE"))
    is_zero = exp.EQ(this=b.copy(), expression=exp.Literal.number(0))
    return Typed(Kind(DOUBLE), exp.Case(ifs=[exp.If(this=is_zero, true=by_zero)], default=quotient))


@rule(exp.Mod, reads="this expression")
def _remainder(t: Translator, node: exp.Expr) -> Typed:
    one, two = t.require(node.this, *NUMBERS), t.require(node.expression, *NUMBERS)
    kind = together([one.kind, two.kind])
    is_decimal = kind is not None and kind.name != DOUBLE
    if kind is None or not is_decimal or (kind.name == DECIMAL and kind.digits > LONGEST):
        t.refuse(node, "double remainder")
    sql = exp.Mod(this=cast(one.sql, "DECIMAL"), expression=cast(two.sql, "DECIMAL"))
    return Typed(kind, exp.Paren(this=sql))


@rule(exp.IntDiv, reads="this expression")
def _whole_quotient(t: Translator, node: exp.Expr) -> Typed:
    one, two = t.require(node.this, *NUMBERS), t.require(node.expression, *NUMBERS)
    if (one.kind.name, two.kind.name) != (WHOLE, WHOLE):
        t.refuse(node, "double remainder")
    divide = exp.Anonymous(
        this="DIV", expressions=[cast(each.sql, "DECIMAL") for each in (one, two)]
    )
    return Typed(Kind(WHOLE, max(one.kind.digits, two.kind.digits)), divide)


@rule(exp.Neg)
def _negative(t: Translator, node: exp.Expr) -> Typed:
    value = t.require(node.this, *NUMBERS, *([SPAN] if is_kept(node.this) else []))
    return Typed(value.kind, exp.Neg(this=exp.Paren(this=value.sql)))


@rule(exp.Abs)
def _absolute(t: Translator, node: exp.Expr) -> Typed:
    value = t.require(node.this, *NUMBERS)
    return Typed(value.kind, exp.Abs(this=value.sql))


@rule(exp.Floor, exp.Ceil)
def _rounded(t: Translator, node: exp.Expr) -> Typed:
    """Of whole numbers DuckDB gives a double."""
    value = t.require(node.this, *NUMBERS)
    if value.kind.name == DECIMAL:
        kind = Kind(DECIMAL, value.kind.digits - value.kind.scale + 1, 0)
        return Typed(kind, type(node)(this=value.sql))
    return Typed(Kind(DOUBLE), type(node)(this=to_double(t, value, node.this)))
