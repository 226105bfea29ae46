"""From the text of a question to the tree of one SELECT, with one way to write each expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from anonagram.errors import UnsupportedQuery
from anonagram.queries.reading.allowed import PARTS, PARTS_BY_NAME, SAME_WORDS, UNITS
from anonagram.queries.reading.question import DIALECT, position, tokens

EXAMPLE = "SELECT COUNT(*) FROM data WHERE …"
BY_NAME: dict[str, type[exp.Expr]] = {"MEAN": exp.Avg}
INTERVAL = rf"\s*(-?\d{{1,9}} +({'|'.join(UNITS)})S?\s*)+"


def parse(sql: str, columns: Sequence[str] = ()) -> exp.Select:
    """The one SELECT statement of a text about some columns."""
    if not sql.strip():
        refuse(sql, None, "There is no question.", EXAMPLE)
    try:
        sql.encode()
    except UnicodeEncodeError:
        readable = sql.encode(errors="replace").decode()
        refuse(readable, "?", "The question holds half a character.", "save it as UTF-8.")
    try:
        statements = Dialect.get_or_raise(DIALECT).parser().parse(tokens(sql), sql)
    except SqlglotError as error:
        _refuse_syntax(sql, error, columns)
    except RecursionError:
        refuse(sql, None, "The question is nested too deeply.", "ask a simpler one.")
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        second = statements[1] if len(statements) > 1 else None
        word = ";" if second is not None else sql.split()[0]
        refuse(sql, word, "A question is one SELECT statement.", EXAMPLE)
    first = tokens(sql)[0]
    if first.token_type != TokenType.SELECT or not statements[0].expressions:
        refuse(sql, first.text, "A question begins with SELECT and what is asked.", EXAMPLE)
    return statements[0].transform(_plainly, copy=False)  # type: ignore[return-value]


def refuse(sql: str, at: exp.Expr | str | None, why: str, remedy: str) -> NoReturn:
    """Say what cannot be answered, pointing at it."""
    start, end = position(sql, at or "")
    raise UnsupportedQuery(why, remedy, sql, start, end)


def texts_of_items(sql: str) -> list[str]:
    """The SELECT list cut at its commas.

    >>> texts_of_items("SELECT DISTINCT sex, max(age) FROM data")
    ['sex', 'max(age)']
    """
    texts, depth, first, last = [], 0, None, 0
    words = tokens(sql)[1:]
    if words and words[0].token_type == TokenType.DISTINCT:
        words = words[1:]
    for token in words:
        ends = depth == 0 and token.token_type in (TokenType.COMMA, TokenType.FROM)
        if ends and first is not None:
            texts.append(sql[first : last + 1])
            first = None
        elif first is None:
            first = token.start
        if ends and token.token_type == TokenType.FROM:
            break
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        last = token.end
    return texts


def is_whole_number(node: exp.Expr | None) -> bool:
    """Whether a node is a literal such as 12; isdigit() would also take ²."""
    return (
        isinstance(node, exp.Literal)
        and not node.is_string
        and bool(re.fullmatch("[0-9]{1,18}", node.name))
    )


def _refuse_syntax(sql: str, error: SqlglotError, columns: Sequence[str]) -> NoReturn:
    """Point at what is wrong; most often it is a name with a space, of which that is said."""
    unquoted = [
        name
        for name in columns
        if not name.isidentifier()
        and re.search(rf"(?<![\"\w]){re.escape(name)}(?![\"\w])", sql, re.IGNORECASE)
    ]
    if unquoted:
        at = sql.lower().find(unquoted[0].lower())
        quoted = exp.to_identifier(unquoted[0], quoted=True).sql(DIALECT)
        raise UnsupportedQuery(
            "This is not understood as SQL.",
            f"put double quotes around the name: {quoted}",
            sql,
            at,
            at + len(unquoted[0]),
        ) from error
    details = getattr(error, "errors", None) or [{}]
    before, word = details[0].get("start_context", ""), details[0].get("highlight", "")
    start = sql.find(before + word) + len(before) if word else len(sql.rstrip()) - 1
    raise UnsupportedQuery(
        "This is not understood as SQL.",
        EXAMPLE,
        sql,
        max(start, 0),
        max(start, 0) + max(len(word), 1),
    ) from error


def _plainly(node: exp.Expr) -> exp.Expr:
    """The same under the one name that the lists of what is allowed know it by."""
    if type(node) in PARTS and not {k for k, v in node.args.items() if v} - {"this"}:
        return _part(PARTS[type(node)], node.this)
    if isinstance(node, exp.Anonymous):
        return _by_name(node)
    if isinstance(node, exp.Extract):
        word = node.name.upper()
        return _part(SAME_WORDS.get(word, word), node.expression)
    if isinstance(node, exp.Interval):
        return _interval(node)
    return node


def _by_name(node: exp.Anonymous) -> exp.Expr:
    """A function that sqlglot has no class for."""
    name, given = node.name.upper(), node.expressions
    if name in ("DATE_PART", "DATEPART") and len(given) == 2 and given[0].is_string:
        word = given[0].name.upper()
        return _part(SAME_WORDS.get(word, word), given[1])
    if len(given) != 1:
        return node
    if name in PARTS_BY_NAME:
        return _part(PARTS_BY_NAME[name], given[0])
    return BY_NAME[name](this=_inside(given[0])) if name in BY_NAME else node


def _part(word: str, of: exp.Expr) -> exp.Expr:
    return exp.Extract(this=exp.Var(this=word), expression=_inside(of))


def _inside(node: exp.Expr) -> exp.Expr:
    """What stands in a node that was replaced: nobody else looks into it."""
    return node.transform(_plainly, copy=False)


def _interval(node: exp.Interval) -> exp.Expr:
    """Units in the singular, numbers without parentheses; what is not plain is refused later."""
    number, unit = node.this, node.args.get("unit")
    if isinstance(number, exp.Paren) and is_whole_number(number.this):
        number = exp.Literal.string(number.this.name)
    if unit is None and number is not None and re.fullmatch(INTERVAL, number.name, re.IGNORECASE):
        return exp.Interval(this=exp.Literal.string(number.name.strip()))
    if isinstance(unit, exp.Var):
        unit = exp.Var(this=unit.name.upper().removesuffix("S"))
    return exp.Interval(**{**node.args, "this": number, "unit": unit})


def is_plain_interval(node: exp.Interval) -> bool:
    """Whether an interval is a whole number of units, or several of them.

    Fractions are read in two ways: '1.5 hours' is 90 minutes, '1.5' HOURS is an hour.
    """
    number, unit = node.this, node.args.get("unit")
    if not isinstance(number, exp.Literal):
        return False
    if unit is None:
        return bool(re.fullmatch(INTERVAL, number.name, re.IGNORECASE))
    is_known = isinstance(unit, exp.Var) and unit.name.upper() in UNITS
    return is_known and bool(re.fullmatch(r"-?\d{1,9}", number.name))
