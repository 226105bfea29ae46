"""Rules for values as they stand: columns, literals and their places beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from anonagram.queries.kinds import (
    DATE,
    DECIMAL,
    DOUBLE,
    LONGEST,
    MISSING,
    MOMENT,
    QUOTED,
    SPAN,
    TEXT,
    TIME,
    TRUTH,
    WHOLE,
    Kind,
    together,
)
from anonagram.queries.meanings.translator import Translator, Typed, rule

DAY = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
FORMS = {
    TRUTH: "true|false|t|f",
    WHOLE: "-?[0-9]{1,19}",
    DOUBLE: r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?",
    DATE: DAY,
    TIME: CLOCK,
    MOMENT: f"{DAY}([ T]{CLOCK})?",
}
"""Texts that every database reads in the same way."""
TYPES = {
    TRUTH: "BOOLEAN", DOUBLE: "DOUBLE", DATE: "DATE", TIME: "TIME", MOMENT: "TIMESTAMP",
    TEXT: "TEXT",
}  # fmt: skip
EXACT_DIGITS = 18
"""Numbers of so many digits become the same floating-point number, however they are kept."""
MACHINE_DIGITS = 20
"""Whole numbers of so many digits are in 64 bits, which processors convert."""
UNITS = {
    "YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND",
    "YEARS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES", "SECONDS",
}  # fmt: skip


def form_of(kind: Kind) -> str | None:
    """How a text must look to become such a value; None where none can."""
    if kind.name == DECIMAL:
        return r"-?[0-9]{1,38}" + (rf"(\.[0-9]{{1,{kind.scale}}})?" if kind.scale else "")
    return FORMS.get(kind.name)


def cast(sql: exp.Expr, kind: str) -> exp.Expr:
    """A conversion as PostgreSQL does it."""
    return exp.Cast(this=sql, to=exp.DataType.build(kind, dialect="postgres"))


def binary(sql: exp.Expr) -> exp.Expr:
    """A text that is compared byte by byte, as DuckDB compares."""
    return exp.Collate(this=exp.Paren(this=sql), expression=exp.to_identifier("C", quoted=True))


def pg_type(kind: Kind) -> str:
    """What PostgreSQL calls a kind."""
    if kind.name == DECIMAL:
        return f"DECIMAL({LONGEST}, {kind.scale})"
    return "DECIMAL(39, 0)" if kind.name == WHOLE else TYPES[kind.name]


@rule(exp.Column, reads="this table")
def _column(t: Translator, node: exp.Expr) -> Typed:
    return t.columns(node)


@rule(exp.Literal, reads="this is_string")
def _literal(_: Translator, node: exp.Expr) -> Typed:
    text = node.name
    if node.args.get("is_string"):
        return Typed(Kind(QUOTED), node.copy())
    digits = text.replace(".", "")
    if not digits.isdigit() or len(digits) > LONGEST:  # DuckDB makes a double of it
        return Typed(Kind(DOUBLE), cast(exp.Literal.string(text), "DOUBLE"))
    scale = len(text.partition(".")[2])
    name = DECIMAL if "." in text else WHOLE
    return Typed(Kind(name, len(digits), scale), node.copy())


@rule(exp.Boolean)
def _boolean(_: Translator, node: exp.Expr) -> Typed:
    return Typed(Kind(TRUTH), node.copy())


@rule(exp.Null, reads="")
def _null(_: Translator, node: exp.Expr) -> Typed:
    return Typed(Kind(MISSING), node.copy())


@rule(exp.Paren)
def _paren(t: Translator, node: exp.Expr) -> Typed:
    inner = t.read(node.this)
    return Typed(inner.kind, exp.Paren(this=inner.sql))


@rule(exp.Interval, reads="this unit")
def _interval(t: Translator, node: exp.Expr) -> Typed:
    unit = node.args.get("unit")
    plain = isinstance(node.this, exp.Literal) and re.fullmatch("-?[0-9]{1,6}", node.this.name)
    if unit is None or unit.name.upper() not in UNITS or not plain:
        t.refuse(node, "interval")
    text = exp.Literal.string(f"{node.this.name} {unit.name.lower()}")
    return Typed(Kind(SPAN), cast(text, "INTERVAL"))


def become(t: Translator, value: Typed, kind: Kind, node: exp.Expr) -> exp.Expr:
    """A value beside others that are of another kind, converted as DuckDB does by itself."""
    if value.kind.name == MISSING or value.kind.name == kind.name:
        return value.sql
    if value.kind.name == QUOTED:
        return quoted(t, value, kind, node)
    if kind.name == DOUBLE:
        return to_double(t, value, node)
    if kind.name == MOMENT and value.kind.name == DATE:
        return cast(value.sql, "TIMESTAMP")
    if (value.kind.name, kind.name) != (WHOLE, DECIMAL):
        t.refuse(node, "mixed")
    return value.sql


def quoted(t: Translator, value: Typed, kind: Kind, node: exp.Expr) -> exp.Expr:
    """A bare text that becomes what stands beside it."""
    if kind.name == TEXT:
        return value.sql
    form, literal = form_of(kind), value.sql.unnest()
    if form is None or not re.fullmatch(form, literal.name):
        t.refuse(node, "literal")
    return cast(literal.copy(), pg_type(kind))


def beside(t: Translator, nodes: Sequence[exp.Expr], at: exp.Expr) -> tuple[Kind, list[exp.Expr]]:
    """Values side by side, converted into what they become together."""
    values = [t.read(node) for node in nodes]
    kind = together([value.kind for value in values])
    if kind is None:
        t.refuse(at, "mixed")
    found = [become(t, value, kind, node) for value, node in zip(values, nodes, strict=True)]
    return kind, found


def to_double(t: Translator, value: Typed, node: exp.Expr) -> exp.Expr:
    """A number as a floating-point one; where databases would round differently, an error.

    Both take the nearest one, but DuckDB not always of whole numbers too long for the machine.
    """
    kind, number = value.kind, value.sql
    if kind.name == DOUBLE:
        return number
    as_double = cast(number, "DOUBLE")
    limit = MACHINE_DIGITS if kind.name == WHOLE else EXACT_DIGITS
    if kind.scale > 0 or kind.digits <= limit or t.is_summed(node):
        return as_double
    if isinstance(number.unnest(), exp.Literal):
        t.refuse(node, "wide")
    short = exp.LT(
        this=exp.Abs(this=number.copy()), expression=exp.Literal.number(10**EXACT_DIGITS)
    )
    is_short = exp.or_(short, exp.Is(this=number.copy(), expression=exp.Null()))
    shown = exp.DPipe(
        this=exp.Literal.string("too many digits: "), expression=cast(number.copy(), "TEXT")
    )
    return exp.Case(ifs=[exp.If(this=is_short, true=as_double)], default=cast(shown, "DOUBLE"))
