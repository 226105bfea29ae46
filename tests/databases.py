"""One database for all that tests ask in SQL: opening another takes longer than most questions."""

from __future__ import annotations

import duckdb

_database = duckdb.connect()


def connect() -> duckdb.DuckDBPyConnection:
    """A connection with tables of its own."""
    return _database.cursor()
