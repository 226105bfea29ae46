"""Tables held by other libraries: Polars, pandas, Arrow, DuckDB, or plain dictionaries.

None of them is imported here: an object brings its own library with it.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from anonagram.errors import InputError
from anonagram.shown.wording import how_many
from anonagram.sources.table import Table, refuse_repeated_names

LABEL = "the data frame"


def read_frame(source: Any) -> Table:
    """Take a frame of any of the known libraries."""
    library = type(source).__module__.split(".")[0].lstrip("_")
    if isinstance(source, dict):
        return Table(_beside([_plain_column(*item) for item in source.items()]), LABEL)
    try:
        return Table(_to_polars(source, library), LABEL)
    except InputError:
        raise
    except (
        TypeError,
        ValueError,
        OverflowError,
        AttributeError,
        OSError,
        pl.exceptions.PolarsError,
    ) as error:
        raise InputError(
            f"The {library} table cannot be read: {str(error).splitlines()[0]}",
            "give a whole table whose columns have values of one type.",
        ) from error


def _beside(columns: list[pl.Series]) -> pl.DataFrame:
    """Columns as a table, which all must be as long as the first."""
    for column in columns:
        if len(column) != len(columns[0]):
            raise InputError(
                f"{LABEL}: column {column.name!r} has {how_many(len(column), 'value')}, and "
                f"{columns[0].name!r} has {len(columns[0]):,}.",
                "give every column a value for each row.",
            )
    return pl.DataFrame(columns)


def _pandas_column(name: str, column: Any) -> pl.Series:
    """A column of pandas without the help of pyarrow: NaN, NaT and NA are missing values."""
    is_moment = (
        getattr(column.dtype, "kind", "") == "M" and getattr(column.dtype, "tz", None) is None
    )
    if is_moment:
        return pl.Series(name, column.to_numpy())
    return _plain_column(name, column.astype(object).where(column.notna(), None).tolist())


def _plain_column(name: str, values: Any) -> pl.Series:
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        kinds = [type(value) for value in values]
        usual = max((kind for kind in kinds if kind is not type(None)), key=kinds.count)
        row = next((i for i, kind in enumerate(kinds) if kind not in (usual, type(None))), 0)
        raise InputError(
            f"{LABEL}, row {row + 1}: column {name!r} holds {values[row]!r}, "
            f"most rows hold {usual.__name__}.",
            "give every column values of one type.",
        ) from None


def _to_polars(source: Any, library: str) -> pl.DataFrame:
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if library == "pandas":
        refuse_repeated_names([str(name) for name in source.columns], LABEL)
        try:
            return pl.from_pandas(source.reset_index(drop=True), nan_to_null=True)
        except ImportError:  # Polars takes most columns by pyarrow, which need not be there
            return _beside([_pandas_column(str(name), column) for name, column in source.items()])
    if library == "pyarrow":
        refuse_repeated_names(source.schema.names, LABEL)
        frame = pl.from_arrow(source)
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()
    if library == "duckdb":
        result: pl.DataFrame = source.pl()
        return result
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    raise InputError(
        f"A {type(source).__name__} is not a table Anonagram knows.",
        "give a path, a database URL, or a Polars, pandas, Arrow or DuckDB table.",
    )
