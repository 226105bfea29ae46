"""Pieces of SQL, in the dialect of questions; `t` is the table that is looked at."""

from __future__ import annotations

from sqlglot import exp

from anonagram.queries.reading.question import DIALECT
from anonagram.release.sheet import Sheet

UNKNOWN = "CAST(NULL AS DOUBLE)"


def quote(name: str) -> str:
    """A name as SQL writes it."""
    return exp.to_identifier(name, quoted=True).sql(DIALECT)


def size_of(sheet: Sheet) -> str:
    """The rows of a group, in the table of groups."""
    return f"CAST(t.{quote(sheet.size_column or '')} AS BIGINT)"


def with_column(node: exp.Expr, name: str, replacement: str) -> str:
    """The SQL of an expression in which a column is replaced by another, `table.column`."""
    table, _, column = replacement.partition(".")

    def swap(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and part.name == name:
            return exp.column(column, table=table, quoted=True)
        return part

    return node.transform(swap).sql(DIALECT)


def rows(weight: str | None, only: str | None = None) -> str:
    """How many people the rows (that meet a condition) stand for."""
    kept = f" FILTER (WHERE {only})" if only else ""
    if weight is None:
        return f"COUNT(*){kept}"
    return f"COALESCE(SUM(t.{quote(weight)}){kept}, 0)"


def on_table(expression: exp.Expr) -> str:
    """An expression whose columns stand in the table `t`."""

    def qualify(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            return exp.column(node.name, table="t", quoted=True)
        return node

    return f"({expression.transform(qualify).sql(DIALECT)})"


def where(condition: exp.Expr | None) -> str:
    """The clause for a condition, or nothing."""
    return "" if condition is None else f" WHERE {on_table(condition)}"


def places(number: int) -> str:
    """The first so many columns, by number."""
    return ", ".join(str(place + 1) for place in range(number))


def by(keys: int) -> str:
    """The clause that groups by the first so many columns, or nothing."""
    return f" GROUP BY {places(keys)}" if keys else ""
