"""Rules for dates and times."""

from __future__ import annotations

import re

from sqlglot import exp

from anonagram.queries.kinds import DATE, DOUBLE, MOMENT, SPAN, TEXT, TIME, WHOLE, Kind
from anonagram.queries.meanings.translator import Translator, Typed, rule
from anonagram.queries.meanings.values import binary, cast

CLOCK_WORDS = {"HOUR", "MINUTE", "SECOND", "EPOCH"}
WORDS = {
    DATE: CLOCK_WORDS | {
        "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DECADE", "CENTURY", "DOW", "DOY", "ISODOW",
        "ISOYEAR",
    },
    TIME: CLOCK_WORDS,
    SPAN: {"EPOCH"},
}  # fmt: skip
SPAN_WORDS = {"HOUR", "MINUTE", "SECOND", "DAY"}
"""Of a published length of time, which every database keeps in microseconds alone."""
WORDS[MOMENT] = WORDS[DATE]
FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Year: "YEAR", exp.Quarter: "QUARTER", exp.Month: "MONTH", exp.Day: "DAY",
    exp.DayOfMonth: "DAY", exp.Week: "WEEK", exp.WeekOfYear: "WEEK", exp.DayOfWeek: "DOW",
    exp.DayOfYear: "DOY", exp.Hour: "HOUR", exp.Minute: "MINUTE", exp.Second: "SECOND",
}  # fmt: skip
CUTS = {
    "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "DECADE",
}  # fmt: skip
FORMATS = {
    "%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "HH24", "%M": "MI", "%S": "SS", "%j": "DDD",
}  # fmt: skip
SAME = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY", "WEEKOFYEAR": "WEEK", "DAYOFMONTH": "DAY"}
"""Other names of some words."""
EVEN_UNITS = {"WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
MICRO = 1_000_000


@rule(exp.Extract, reads="this expression")
def _extract(t: Translator, node: exp.Expr) -> Typed:
    word = node.name.upper()
    return _part(t, node, SAME.get(word, word), node.expression)


@rule(*FUNCTIONS)
def _named(t: Translator, node: exp.Expr) -> Typed:
    return _part(t, node, FUNCTIONS[type(node)], node.this)


def _part(t: Translator, node: exp.Expr, word: str, of: exp.Expr) -> Typed:
    value = t.require(of, DATE, MOMENT, TIME, SPAN)
    if value.kind.name == SPAN and word in SPAN_WORDS and is_kept(of):
        cut = exp.Anonymous(this="TRUNC", expressions=[_extracted(word, value.sql)])
        return Typed(Kind(WHOLE, 19), cast(cut, "BIGINT"))
    if word not in WORDS[value.kind.name]:
        t.refuse(node, "word")
    sql = cast(value.sql, "TIMESTAMP") if value.kind.name == DATE else value.sql
    part = _extracted(word, sql)
    if word == "EPOCH":
        # microseconds as a double, then divided: DuckDB rounds in this order
        part = exp.Mul(this=part, expression=exp.Literal.number(MICRO))
        part = exp.Div(this=cast(part, "DOUBLE"), expression=exp.Literal.number(MICRO), typed=True)
        return Typed(Kind(DOUBLE), exp.Paren(this=part))
    return Typed(Kind(WHOLE, 19), cast(exp.Floor(this=part), "BIGINT"))


def is_kept(node: exp.Expr) -> bool:
    """Whether a length of time is as it was published, with any sign: it has no days or months."""
    node = node.unnest()
    return isinstance(node, exp.Column) or (isinstance(node, exp.Neg) and is_kept(node.this))


def is_even(node: exp.Expr) -> bool:
    """Whether a length of time is made without months and years, which databases tell differently."""
    node = node.unnest()
    if isinstance(node, exp.Interval):
        return str(node.args.get("unit")).upper().rstrip("S") in EVEN_UNITS
    if isinstance(node, exp.Add | exp.Sub):
        return is_even(node.this) and is_even(node.expression)
    return is_kept(node)


def _extracted(word: str, sql: exp.Expr) -> exp.Expr:
    return exp.Extract(this=exp.var(word), expression=sql)


@rule(exp.DateTrunc, exp.TimestampTrunc, reads="this unit")
def _cut(t: Translator, node: exp.Expr) -> Typed:
    value = t.require(node.this, DATE, MOMENT)
    unit, sql = node.args["unit"].name.upper(), cast(value.sql, "TIMESTAMP")
    if unit == "CENTURY":
        return Typed(Kind(MOMENT), _century(sql))
    if unit not in CUTS:
        t.refuse(node, "no rule")
    return Typed(Kind(MOMENT), _truncated(unit, sql))


def _truncated(unit: str, sql: exp.Expr) -> exp.Expr:
    words = [exp.Literal.string(unit.lower()), sql]
    return exp.Anonymous(this="DATE_TRUNC", expressions=words)


def _century(sql: exp.Expr) -> exp.Expr:
    """DuckDB's begin with the year 2000, PostgreSQL's with 2001."""
    year = cast(_extracted("YEAR", sql.copy()), "INT")
    since = exp.Anonymous(this="MOD", expressions=[year, exp.Literal.number(100)])
    years = exp.Mul(this=since, expression=cast(exp.Literal.string("1 year"), "INTERVAL"))
    return exp.Paren(this=exp.Sub(this=_truncated("YEAR", sql), expression=years))


@rule(exp.TimeToStr, reads="this format")
def _written(t: Translator, node: exp.Expr) -> Typed:
    value = t.require(node.this, DATE, MOMENT)
    form = node.args["format"]
    pieces = re.findall(r"%.|[^%]+|%", form.name) if isinstance(form, exp.Literal) else []
    found: exp.Expr = binary(exp.Literal.string(""))
    for piece in pieces:
        if piece.startswith("%") and piece not in (*FORMATS, "%%"):
            t.refuse(node, "format")
        if piece in FORMATS:
            moment = cast(value.sql.copy(), "TIMESTAMP")
            text: exp.Expr = exp.Anonymous(
                this="TO_CHAR", expressions=[moment, exp.Literal.string(FORMATS[piece])]
            )
        else:
            text = exp.Literal.string(piece.replace("%%", "%"))
        found = exp.DPipe(this=found, expression=text)
    if not pieces:
        t.refuse(node, "format")
    return Typed(Kind(TEXT), exp.Paren(this=found))


def add_span(node: exp.Expr, when: Typed, span: Typed) -> Typed:
    """A date becomes a moment."""
    kind = Kind(MOMENT) if when.kind.name == DATE else when.kind
    sql = cast(when.sql, "TIMESTAMP") if when.kind.name == DATE else when.sql
    return Typed(kind, exp.Paren(this=type(node)(this=sql, expression=span.sql)))


def add_days(node: exp.Expr, day: Typed, days: Typed) -> Typed:
    """PostgreSQL counts days in 32 bits."""
    sql = type(node)(this=day.sql, expression=cast(days.sql, "INT"))
    return Typed(Kind(DATE), exp.Paren(this=sql))


def difference(one: Typed, two: Typed) -> Typed:
    """Days between dates, a span between moments."""
    if (one.kind.name, two.kind.name) == (DATE, DATE):
        return Typed(Kind(WHOLE, 10), exp.Paren(this=exp.Sub(this=one.sql, expression=two.sql)))
    sides = [cast(each.sql, "TIMESTAMP") for each in (one, two)]
    return Typed(Kind(SPAN), exp.Paren(this=exp.Sub(this=sides[0], expression=sides[1])))
