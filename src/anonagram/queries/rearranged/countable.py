"""Questions that need only the hits of each group, which a compiled pass can count."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
from sqlglot import exp

from anonagram.queries.reading.question import columns_of
from anonagram.queries.rearranged.plan import Plan
from anonagram.queries.sql import quote
from anonagram.release.sheet import RANGES, Part


@dataclass(frozen=True)
class Counting:
    """A question that needs only the hits of each part in each group, and sums of another part.

    Most questions about rearranged values are of this kind. A database in this process can hand
    over the hits and leave the rest to a compiled pass; the statement says the same in SQL.
    """

    rows: tuple[str, ...]
    """For each part with conditions: a query for the group g, keys and weight w of its rows.

    Only the first has keys.
    """
    values: tuple[tuple[str, str | None], ...]
    """For each aggregate: its function and column."""


def counting_of(plan: Plan) -> Counting | None:
    """The question as one of counting, if it is."""
    arguments = [a.argument for a in plan.question.aggregates if a.argument is not None]
    keyed = list(plan.keys_in)
    if plan.mixed or RANGES in plan.touched or len(keyed) > 1 or not plan.touched:
        return None
    if plan.is_known(None) and not arguments:
        return None
    if any(_may_be_span(plan, key.expression) for key in plan.question.keys):
        return None  # Polars takes no intervals from a database
    if arguments:
        parts = {plan.part_of(argument) for argument in arguments}
        part = plan.sheet.parts.get(next(iter(parts)))
        apart = part is not None and len(parts) == 1 and plan.touched != [part.name]
        if not apart or len(plan.touched) > 1 or not _can_be_summed(plan):
            return None
    first = [*keyed, *(name for name in plan.touched if name not in keyed)]
    return Counting(
        tuple(_rows_of(plan, plan.sheet.parts[name]) for name in first),
        tuple(
            (a.function, None if a.argument is None else columns_of(a.argument)[0])
            for a in plan.question.aggregates
        ),
    )


def _may_be_span(plan: Plan, expression: exp.Expr) -> bool:
    """Whether an expression may be a length of time: of a column, or between two moments."""
    dtypes = [plan.sheet.dtypes[name] for name in columns_of(expression)]
    if any(isinstance(dtype, pl.Duration) for dtype in dtypes):
        return True
    is_computed = expression.find(exp.Sub, exp.Interval) is not None
    return is_computed and any(dtype.is_temporal() for dtype in dtypes)


def _can_be_summed(plan: Plan) -> bool:
    """Whether every aggregate is a sum of plain numbers."""
    for aggregate in plan.question.aggregates:
        if aggregate.argument is None:
            continue
        dtype = plan.sheet.dtypes[columns_of(aggregate.argument)[0]]
        is_number = dtype.is_integer() or dtype.is_float()
        is_sum = aggregate.function in ("COUNT", "SUM", "AVG")
        if not (is_number and is_sum) or plan.can_miss(aggregate.argument):
            return False
    return True


def _rows_of(plan: Plan, part: Part) -> str:
    keys = plan.keys_in.get(part.name, [])
    columns = [f"t.{quote(plan.sheet.group)} AS g", *plan.key_columns(keys)]
    columns += [] if part.weight is None else [f"t.{quote(part.weight)} AS w"]
    return f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t{plan.where(part)}"
