"""Tables held by other libraries: Polars, pandas, Arrow, DuckDB, or plain dictionaries.

None of them is imported here: an object brings its own library with it.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from anonagram.errors import InputError
from anonagram.sources.table import Table


def read_frame(source: Any) -> Table:
    """Take a frame of any of the known libraries."""
    library = type(source).__module__.split(".")[0].lstrip("_")
    if library in ("pandas", "pyarrow"):  # the others cannot have two columns of one name
        _refuse_duplicate_names(source)
    try:
        return Table(_to_polars(source, library), "the data frame")
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"The {library} table cannot be read: {str(error).splitlines()[0]}",
            "give every column values of one type.",
        ) from error


def _to_polars(source: Any, library: str) -> pl.DataFrame:
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if library == "pandas":
        return pl.from_pandas(source.reset_index(drop=True), nan_to_null=True)
    if library == "pyarrow":
        frame = pl.from_arrow(source)
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()
    if library == "duckdb":
        result: pl.DataFrame = source.pl()
        return result
    if isinstance(source, dict):
        return pl.DataFrame(source, strict=True)
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    raise InputError(
        f"A {type(source).__name__} is not a table Anonagram knows.",
        "give a path, a database URL, or a Polars, pandas, Arrow or DuckDB table.",
    )


def _refuse_duplicate_names(source: Any) -> None:
    names = list(getattr(source, "column_names", None) or source.columns)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InputError(
                f"The data frame has two columns called {name!r}.", "rename one of them."
            )
