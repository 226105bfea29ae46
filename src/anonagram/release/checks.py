"""What shapes check about their tables when a bundle is read.

Whoever works with a release relies on it: a forged table is refused here and not stumbled over later.
"""

from __future__ import annotations

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.manifest import PublishedColumn
from anonagram.shown.wording import how_many

GROUP_NUMBERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)


def require_columns(where: str, table: pl.DataFrame, expected: list[str]) -> None:
    """Check that a published table has just the columns its shape asks for."""
    if table.columns != expected:
        raise ReleaseDamaged(
            f"Table {where!r} has the columns {', '.join(table.columns)}; "
            f"its manifest says {', '.join(expected)}."
        )


def require_rows(where: str, table: pl.DataFrame, rows: int) -> None:
    """Check that a table of people has as many rows as it should."""
    if table.height != rows or rows < 1:
        raise ReleaseDamaged(
            f"Table {where} has {how_many(table.height, 'row')} instead of {rows:,}."
        )


def require_groups(where: str, table: pl.DataFrame, group: str, rows: int) -> None:
    """Check that a table of people has as many rows as it should, in groups from 1 without a gap."""
    require_rows(where, table, rows)
    numbers = table[group]
    if numbers.dtype not in GROUP_NUMBERS or numbers.has_nulls():
        raise ReleaseDamaged(f"Table {where} has a row without a group number.")
    if numbers.min() != 1 or numbers.max() != numbers.n_unique():
        raise ReleaseDamaged(f"Table {where} does not number its groups from 1 without a gap.")


def require_same_groups(where: str, table: pl.DataFrame, other: pl.DataFrame, group: str) -> None:
    """Check that two tables write the numbers of groups alike."""
    if table.schema[group] != other.schema[group] or table[group].has_nulls():
        raise ReleaseDamaged(f"The tables disagree about groups: see {where}.")


def require_counts(where: str, counts: pl.Series, rows: int) -> None:
    """Check that counts are whole numbers from 1 to the number of all rows."""
    if not counts.dtype.is_integer():
        raise ReleaseDamaged(f"Table {where} has counts that are not whole numbers.")
    if counts.has_nulls() or (counts < 1).any():
        raise ReleaseDamaged(f"Table {where} has a count below 1.")
    if (counts > rows).any():
        raise ReleaseDamaged(f"Table {where} counts more than {how_many(rows, 'row')}.")


def require_values(where: str, values: pl.Series, column: PublishedColumn) -> None:
    """Check that values are of the kind that the manifest says."""
    if not _is_of_kind(values, column):
        raise ReleaseDamaged(
            f"Table {where}: {column.name!r} is {column.kind}, "
            f"which its values of type {values.dtype} are not."
        )


def _is_of_kind(values: pl.Series, column: PublishedColumn) -> bool:
    dtype = values.dtype
    if dtype.is_nested() or (dtype.is_float() and not values.is_finite().fill_null(True).all()):
        return False
    if column.kind == "ordinal":
        order = pl.Series(column.order or (), dtype=pl.String)
        return dtype == pl.String and bool(values.drop_nulls().is_in(order.implode()).all())
    if column.kind == "nominal" or values.null_count() == len(values):
        return True
    is_numeric = dtype.is_numeric() or isinstance(dtype, pl.Duration)
    return is_numeric if column.kind == "numeric" else dtype.is_temporal() and not is_numeric


def require_table(
    where: str, table: pl.DataFrame, columns: tuple[PublishedColumn, ...], *own: str
) -> None:
    """Check that a table has our own columns and these, with values of their kinds."""
    require_columns(where, table, [*own, *(column.name for column in columns)])
    for column in columns:
        require_values(where, table[column.name], column)
