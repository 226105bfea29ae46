"""A release in a database, where it is asked."""

from __future__ import annotations

import json

import polars as pl

from anonagram.engines import IN_MEMORY, Engine, engine_at, kind_at
from anonagram.queries.clocks import shown_between
from anonagram.release import Release
from anonagram.runtime.progress import step


def database_with(release: Release, address: str = IN_MEMORY) -> Engine:
    """The database at an address, which must hold this release; one in memory is filled with it."""
    if address == IN_MEMORY:
        step("Loading")
    return engine_at(address, tables_of(release), _about(release))


def load(release: Release, address: str, *, force: bool = False) -> Engine:
    """Copy a release into the database at an address."""
    return kind_at(address).load(address, tables_of(release), _about(release), force=force)


def tables_of(release: Release) -> dict[str, pl.DataFrame]:
    """The tables of a release, with ranges of moments as ranges of what clocks show.

    Conditions are about clocks, as are moments in databases.
    """
    tables = dict(release.tables)
    for column in release.ranges.values():
        if column.ends is not None and getattr(column.dtype, "time_zone", None):
            table = tables[column.table]
            low, high = (table[end] for end in column.ends[:2])
            tables[column.table] = table.with_columns(shown_between(low, high))
    return tables


def _about(release: Release) -> str:
    """What the release says about itself."""
    return json.dumps(release.to_dict(), sort_keys=True)
