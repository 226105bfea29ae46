"""Kinds of values: what a question may do with them, and how another database writes them.

DuckDB has more types than these, but those of one kind are written alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
from sqlglot import exp

TRUTH, WHOLE, DECIMAL, DOUBLE, TEXT = "truth", "whole", "decimal", "double", "text"
DATE, TIME, MOMENT, SPAN = "date", "time", "moment", "span"
MISSING, QUOTED, LIST, UNKNOWN = "missing", "quoted", "list", "unknown"
NUMBERS = (WHOLE, DECIMAL, DOUBLE)
TEXTS = (TEXT, QUOTED)
DAYS = (DATE, MOMENT)
"""What has a day in a calendar."""
LONGEST = 38
"""Digits of the longest decimal in DuckDB."""


@dataclass(frozen=True)
class Kind:
    """What an expression is.

    `missing` is a bare NULL and `quoted` a bare text, which become what stands beside them.
    """

    name: str
    digits: int = 0
    """At most so many digits, for whole numbers and decimals."""
    scale: int = 0
    """So many of them after the point."""
    inner: Kind | None = None
    """What a list holds."""


WHOLES: dict[type[pl.DataType], int] = {
    pl.Int8: 3, pl.UInt8: 3, pl.Int16: 5, pl.UInt16: 5, pl.Int32: 10, pl.UInt32: 10,
    pl.Int64: 19, pl.UInt64: 20, pl.Int128: 39,
}  # fmt: skip
OTHERS: dict[type[pl.DataType], str] = {
    pl.Boolean: TRUTH, pl.String: TEXT, pl.Categorical: TEXT, pl.Enum: TEXT, pl.Null: TEXT,
    pl.Date: DATE, pl.Time: TIME, pl.Datetime: MOMENT, pl.Duration: SPAN, pl.Float64: DOUBLE,
}  # fmt: skip


Type = exp.DataType.Type
CASTS = {
    Type.BOOLEAN: TRUTH, Type.DOUBLE: DOUBLE, Type.VARCHAR: TEXT, Type.TEXT: TEXT, Type.DATE: DATE,
    Type.TIME: TIME, Type.TIMESTAMP: MOMENT, Type.TIMESTAMPNTZ: MOMENT, Type.DATETIME: MOMENT,
    Type.DECIMAL: DECIMAL, Type.SMALLINT: WHOLE, Type.INT: WHOLE, Type.BIGINT: WHOLE,
}  # fmt: skip
"""What comes out of a CAST to a type."""


def kind_of_column(dtype: pl.DataType) -> Kind:
    """The kind of a published column.

    >>> kind_of_column(pl.Int8()).name
    'whole'
    """
    if isinstance(dtype, pl.List):
        return Kind(LIST, inner=kind_of_column(dtype.inner))  # type: ignore[arg-type]
    if isinstance(dtype, pl.Decimal):
        return Kind(DECIMAL, dtype.precision or LONGEST, dtype.scale)
    if type(dtype) in WHOLES:
        return Kind(WHOLE, WHOLES[type(dtype)])
    return Kind(OTHERS.get(type(dtype), UNKNOWN))


def together(kinds: list[Kind]) -> Kind | None:
    """What values become where they stand side by side, as in COALESCE; None where they cannot.

    >>> together([Kind(WHOLE, 5), Kind(DECIMAL, 4, 2)])
    Kind(name='decimal', digits=7, scale=2, inner=None)
    """
    names = {kind.name for kind in kinds} - {MISSING}
    if not names:
        return Kind(MISSING)
    if names <= {QUOTED, TEXT}:
        return Kind(TEXT)
    names -= {QUOTED}  # becomes what the others are
    if names <= set(NUMBERS):
        return _number(names, [kind for kind in kinds if kind.name in NUMBERS])
    if names == set(DAYS):
        return Kind(MOMENT)
    return Kind(names.pop()) if len(names) == 1 else None


def _number(names: set[str], kinds: list[Kind]) -> Kind:
    if DOUBLE in names:
        return Kind(DOUBLE)
    scale = max(kind.scale for kind in kinds)
    digits = max(kind.digits - kind.scale for kind in kinds) + scale
    return Kind(DECIMAL, digits, scale) if DECIMAL in names else Kind(WHOLE, digits)
