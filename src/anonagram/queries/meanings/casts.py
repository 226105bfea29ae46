"""Rules for CAST: from each kind to each type."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from anonagram.queries.kinds import (
    CASTS,
    DATE,
    DECIMAL,
    DOUBLE,
    MISSING,
    MOMENT,
    NUMBERS,
    QUOTED,
    TEXT,
    TIME,
    TRUTH,
    UNKNOWN,
    WHOLE,
    Kind,
    Type,
)  # fmt: skip
from anonagram.queries.meanings.translator import Translator, Typed, rule
from anonagram.queries.meanings.values import (
    EXACT_DIGITS,
    binary,
    cast,
    form_of,
    pg_type,
    quoted,
    to_double,
)

WHOLES = {Type.SMALLINT: 5, Type.INT: 10, Type.BIGINT: 19}
REFUSED = {Type.FLOAT: "float", Type.TINYINT: "tiny"}
NATURAL = {(DATE, MOMENT), (MOMENT, DATE), (MOMENT, TIME)}
"""Conversions that databases do alike, beside those of numbers and texts."""


@rule(exp.Cast, reads="this to")
def _cast(t: Translator, node: exp.Expr) -> Typed:
    to: exp.DataType = node.args["to"]
    value, target = t.read(node.this), to.this
    if target not in CASTS or value.kind.name == UNKNOWN:
        t.refuse(node, REFUSED.get(target, "no rule"))
    kind = target_of(to)
    if target in WHOLES:
        return Typed(kind, cast(_to_whole(t, value, node), target.value))
    return Typed(kind, _converted(t, value, kind, node))


def target_of(to: exp.DataType) -> Kind:
    """What comes out of a CAST to a type."""
    if to.this in WHOLES:
        return Kind(WHOLE, WHOLES[to.this])
    if to.this != Type.DECIMAL:
        return Kind(CASTS.get(to.this, UNKNOWN))
    numbers = [int(each.this.name) for each in to.expressions] or [18, 3]
    return Kind(DECIMAL, numbers[0], numbers[1] if len(numbers) > 1 else 0)


def _to_whole(t: Translator, value: Typed, node: exp.Expr) -> exp.Expr:
    if value.kind.name == TRUTH:
        return cast(value.sql, "INT")
    if value.kind.name in (TEXT, QUOTED):
        return _from_text(t, value, Kind(WHOLE), node)
    if value.kind.name not in (*NUMBERS, MISSING):
        t.refuse(node, "cast")
    return value.sql


def _converted(t: Translator, value: Typed, kind: Kind, node: exp.Expr) -> exp.Expr:
    source, target = value.kind.name, kind.name
    if source == MISSING:
        return cast(value.sql, pg_type(kind))
    if target == TEXT:
        return as_text(t, value, node)
    if source in (TEXT, QUOTED):
        return cast(_from_text(t, value, kind, node), _type_of(kind))
    if source in (*NUMBERS, TRUTH) and target in (*NUMBERS, TRUTH):
        return _number(t, value, kind, node)
    if source != target and (source, target) not in NATURAL:
        t.refuse(node, "cast")
    return cast(value.sql, pg_type(kind))


def _number(t: Translator, value: Typed, kind: Kind, node: exp.Expr) -> exp.Expr:
    """Between numbers and truth values."""
    if kind.name == value.kind.name == TRUTH:
        return value.sql
    if kind.name == TRUTH:
        return exp.Paren(this=exp.NEQ(this=value.sql, expression=exp.Literal.number(0)))
    if value.kind.name == TRUTH:
        value = Typed(Kind(WHOLE, 1), cast(value.sql, "INT"))
    if kind.name == DOUBLE:
        return to_double(t, value, node.this)
    if value.kind.name == DOUBLE:
        return cast(_rounded(t, value.sql, kind, node), _type_of(kind))
    return cast(value.sql, _type_of(kind))


def _rounded(t: Translator, number: exp.Expr, kind: Kind, node: exp.Expr) -> exp.Expr:
    """A double with so many digits behind the point, as DuckDB rounds it: multiplied first.

    What PostgreSQL makes of a double has 15 digits; through whole numbers of 64 bits none is lost.
    """
    if kind.digits > EXACT_DIGITS:
        t.refuse(node, "double as decimal")
    power = cast(exp.Literal.string(f"1e{kind.scale}"), "DOUBLE")
    moved = exp.Paren(this=exp.Mul(this=number, expression=power))
    whole = exp.Anonymous(this="TRUNC", expressions=[moved])
    rest = exp.Abs(this=exp.Sub(this=moved.copy(), expression=whole.copy()))
    away = exp.Anonymous(this="SIGN", expressions=[moved.copy()])
    nearest = exp.Case(
        ifs=[
            exp.If(
                this=exp.GTE(this=rest, expression=exp.Literal.number("0.5")),
                true=exp.Add(this=whole.copy(), expression=away),
            )
        ],
        default=whole.copy(),
    )
    step = exp.Literal.number(f"{Decimal(1).scaleb(-kind.scale):f}")
    return exp.Mul(this=cast(cast(nearest, "BIGINT"), "DECIMAL"), expression=step)


def _type_of(kind: Kind) -> str:
    return f"DECIMAL({kind.digits}, {kind.scale})" if kind.name == DECIMAL else pg_type(kind)


def as_text(t: Translator, value: Typed, node: exp.Expr) -> exp.Expr:
    """A value as a text, compared byte by byte."""
    name = value.kind.name
    if name == TEXT:
        return value.sql
    if name == QUOTED:
        return binary(value.sql)
    if name not in (WHOLE, TRUTH, DATE, TIME, MOMENT, DECIMAL):
        t.refuse(node, "double as text" if name == DOUBLE else "cast")
    # a decimal is written with as many digits as DuckDB's type has
    sql = cast(value.sql, pg_type(value.kind)) if name == DECIMAL else value.sql
    return binary(cast(sql, "TEXT"))


def _from_text(t: Translator, value: Typed, kind: Kind, node: exp.Expr) -> exp.Expr:
    """A text in a form that all databases read alike; any other fails to be converted."""
    if value.kind.name == QUOTED:
        return quoted(t, value, kind, node)
    form = form_of(kind)
    if form is None:
        t.refuse(node, "cast")
    text = value.sql
    plain = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(f"^({form})$"))
    is_plain = exp.or_(plain, exp.Is(this=text.copy(), expression=exp.Null()))
    odd = exp.DPipe(this=exp.Literal.string("not in plain form: "), expression=text.copy())
    return exp.Case(ifs=[exp.If(this=is_plain, true=text)], default=odd)
