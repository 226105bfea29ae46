"""How long a question may be: told at once, before anybody works on it."""

from __future__ import annotations

from typing import NoReturn

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from anonagram.errors import CallError, UnsupportedQuery
from anonagram.queries.reading.question import tokens
from anonagram.shown.wording import how_many

MOST_CHARACTERS = 100_000
MOST_WORDS = 5_000
MOST_LINKS = 100
"""Each nests what stands before it, and reading such a tree costs far more than its length."""
LINKS = {
    TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.PLUS, TokenType.DASH, TokenType.STAR,
    TokenType.SLASH, TokenType.MOD, TokenType.DIV, TokenType.DPIPE, TokenType.WHEN, TokenType.DCOLON,
}  # fmt: skip
SHOWN = 60


def require_short(sql: str) -> None:
    """Refuse a question that is longer, or joins more conditions, than anybody means to ask."""
    if not isinstance(sql, str):
        raise CallError(f"{sql!r} is no question.", 'a text in SQL: "SELECT COUNT(*) FROM data".')
    if len(sql) > MOST_CHARACTERS:
        _refuse(sql, f"{how_many(len(sql), 'character')}; {MOST_CHARACTERS:,} are the most")
    try:
        words = [token.token_type for token in tokens(sql)]
    except (SqlglotError, UnicodeError):  # whoever parses it says what is wrong
        return
    if len(words) > MOST_WORDS:
        _refuse(sql, f"{how_many(len(words), 'word')}; {MOST_WORDS:,} are the most")
    links = sum(word in LINKS for word in words)
    if links > MOST_LINKS:
        _refuse(sql, f"{how_many(links, 'condition')} or operators; {MOST_LINKS:,} are the most")


def _refuse(sql: str, why: str) -> NoReturn:
    shown = sql[:SHOWN].split("\n", 1)[0]
    raise UnsupportedQuery(
        f"The question is too long: it has {why}.",
        "IN (…) instead of many comparisons joined by OR, or several questions.",
        f"{shown} …",
        0,
        len(shown),
    )
