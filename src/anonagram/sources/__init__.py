"""Where rows come from: files, frames of other libraries, databases by URL.

>>> from anonagram.sources import load
>>> load({"age": [31, 45], "sex": ["F", "M"]}).frame.shape
(2, 2)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anonagram.errors import InputError
from anonagram.sources.table import Table

__all__ = ["Table", "load"]


def load(source: Any) -> Table:
    """Read a table from a path, a database URL or a frame, and check that it is one."""
    if isinstance(source, Table):
        return source
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
        if dtype.is_nested() or dtype.is_object():
            raise InputError(
                f"{table.label}: column {name!r} holds {dtype}, not single values.",
                "unnest it into one column a value, or drop it before.",
            )
