"""A question: what is asked, taken from the text and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token

from anonagram.errors import UnsupportedQuery

if TYPE_CHECKING:
    from anonagram.release import Manifest

DIALECT = "duckdb"
"""How questions are read, whichever database answers them."""


@dataclass(frozen=True)
class GroupKey:
    """An expression of GROUP BY."""

    name: str
    expression: exp.Expr
    shown: bool = True


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of the question; `argument` is None for COUNT(*)."""

    name: str
    function: str
    argument: exp.Expr | None
    only: exp.Expr | None = None
    """The condition of its own FILTER."""
    share: Fraction | None = None
    """Of a quantile: which share of the values is below it."""
    of_none: Literal["", "zero", "zero or null"] = ""
    """What it is where people are asked about and none of them meets its own condition."""


@dataclass(frozen=True)
class Question:
    """What is asked, with every column under the name it has in the release."""

    sql: str
    keys: tuple[GroupKey, ...]
    aggregates: tuple[Aggregate, ...]
    shown: tuple[str, ...]
    """Names of keys and aggregates in the order of the SELECT list."""
    condition: exp.Expr | None
    having: exp.Expr | None
    """Over columns named like keys and aggregates, as is `order`."""
    order: tuple[exp.Ordered, ...]
    limit: int | None
    offset: int | None
    combined: dict[str, exp.Expr] = field(default_factory=dict)
    """Arithmetic with aggregates, by its name: over columns named like them."""

    @property
    def expressions(self) -> list[exp.Expr]:
        """Every expression on one row."""
        asked = [self.condition, *(key.expression for key in self.keys)]
        for aggregate in self.aggregates:
            asked += [aggregate.argument, aggregate.only]
        return [each for each in asked if each is not None]

    def refuse(self, at: exp.Expr | str, why: str, remedy: str) -> NoReturn:
        """Say that something cannot be answered, pointing at it."""
        start, end = position(self.sql, at)
        raise UnsupportedQuery(why, remedy, self.sql, start, end)

    def refuse_endless(self, aggregate: Aggregate) -> NoReturn:
        """Say that an aggregate is infinite for some people, or too large to be added up."""
        self.refuse(
            aggregate.function,
            f"{aggregate.function} meets numbers that are infinite, or too large to be added up.",
            "conditions that leave them out, or COUNT(*).",
        )


def plain_name(name: str) -> str:
    """A column's name as it is typed: in quotes where it must be."""
    return exp.to_identifier(name, quoted=not name.isidentifier()).sql(DIALECT)


def columns_of(expression: exp.Expr | None) -> list[str]:
    """The names of the columns an expression uses, each once."""
    if expression is None:
        return []
    return list(dict.fromkeys(column.name for column in expression.find_all(exp.Column)))


def coarser_columns(manifest: Manifest, question: Question) -> tuple[str, ...]:
    """A sentence for each column that is asked about and published coarser than it was."""
    known = {column.name for column in manifest.columns}
    asked = dict.fromkeys(
        name for each in question.expressions for name in columns_of(each) if name in known
    )
    originals = {name: manifest.column(name).original for name in asked}
    return tuple(
        f"{name} is published coarser ({original.told}): the question is about these values."
        for name, original in originals.items()
        if original is not None and original.told
    )


def both(one: exp.Expr | None, two: exp.Expr | None) -> exp.Expr | None:
    """The condition that both hold."""
    if one is None or two is None:
        return one or two
    return exp.And(this=exp.Paren(this=one.copy()), expression=exp.Paren(this=two.copy()))


@lru_cache(maxsize=4)
def tokens(sql: str) -> list[Token]:
    """The words of a text; several look at them, and they are found once."""
    return sqlglot.tokenize(sql, dialect=DIALECT)


def position(sql: str, at: exp.Expr | str) -> tuple[int, int]:
    """Where a node or a word stands in the text."""
    if isinstance(at, exp.Expr):
        # what sqlglot adds by itself, such as the digits of DECIMAL, stands in no text of ours
        places = [
            n.meta for n in at.walk() if "start" in n.meta and not n.find_ancestor(exp.DataType)
        ]
        if places:
            first = min(places, key=lambda place: place["start"])
            return first["start"], first["end"] + 1
        at = at.sql_name() if isinstance(at, exp.Func) else at.sql(DIALECT)
    word = next(iter(at.upper().split()), "")
    try:
        for token in tokens(sql):
            if word and token.text.upper().split()[:1] == [word]:  # GROUP BY is one token
                return token.start, token.end + 1
    except SqlglotError:
        pass
    found = sql.find(at) if at else -1
    return (found, found + len(at)) if found >= 0 else (0, len(sql.split("\n", 1)[0]) or 1)
