"""Where rows come from: files, frames of other libraries, databases by URL.

>>> from anonagram.sources import load
>>> load({"age": [31, 45], "sex": ["F", "M"]}).frame.shape
(2, 2)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import InputError
from anonagram.sources.table import Table

__all__ = ["Table", "load"]


KNOWN_TYPES = (
    pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Null, pl.Float32, pl.Float64, pl.Decimal,
    pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64,
    pl.Date, pl.Time, pl.Datetime, pl.Duration,
)  # fmt: skip


def load(source: Any) -> Table:
    """Read a table from a path, a database URL or a frame, and check that it is one."""
    if isinstance(source, Table):
        return source
    if isinstance(source, str) and source.startswith(("http://", "https://", "ftp://", "s3://")):
        # without what stands after the question mark: signed links have their secrets there
        raise InputError(
            f"{source.split('?')[0]} is on the web.", "download it first and give its path."
        )
    if isinstance(source, str) and "://" in source:
        from anonagram.sources.databases import read_database

        table = read_database(source)
    elif isinstance(source, str | Path):
        from anonagram.sources.files import read_file

        table = read_file(Path(source))
    else:
        from anonagram.sources.frames import read_frame

        table = read_frame(source)
    _check(table)
    return table


def _check(table: Table) -> None:
    if table.frame.width == 0 or table.frame.height == 0:
        raise InputError(f"{table.label} has no rows.", "give a table with a header and rows.")
    if table.frame.height == 1:
        raise InputError(
            f"{table.label} has one row; nobody can hide alone.", "give a table of many people."
        )
    for name, dtype in table.frame.schema.items():
        if name.strip() == "":
            raise InputError(f"{table.label}: a column has no name.", "name it in the header.")
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise InputError(
                f"{table.label}: a column is called {name!r}, which reads like a pattern.",
                "rename it.",
            )
        if not isinstance(dtype, KNOWN_TYPES):
            raise InputError(
                f"{table.label}: column {name!r} holds {dtype}, which cannot be published.",
                "make single numbers, texts, dates or times of it, or leave it out.",
            )
