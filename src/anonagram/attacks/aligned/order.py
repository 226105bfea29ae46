"""Which row of a masked table became of which row of the original.

An id tells, or the private file of a release, or the caller. Otherwise rows may stand at the same
place, which has to be shown (see `evidence`); where nothing shows it, the order is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import InputError, SchemaError, suggest
from anonagram.shown.wording import option
from anonagram.sources import Table

Rows = NDArray[np.int64]


class Order(StrEnum):
    """How it is known which rows belong together."""

    TOLD = "told"
    """By a private file, or by the caller."""
    ID = "id"
    POSITION = "position"
    """Rows stand at the same place, and their values show it."""
    UNKNOWN = "unknown"

    @property
    def is_known(self) -> bool:
        """Whether it is known at all."""
        return self is not Order.UNKNOWN


def by_id(name: str) -> str:
    """The remedy for rows that nobody can bring together."""
    return option(f"--id {name}", f"id_column={name}")


@dataclass(frozen=True)
class Brought:
    """Two tables, those people first whom both have, in the same order."""

    tables: tuple[Table, Table]
    paired: int
    """How many people both have."""
    rows: tuple[Rows, Rows]
    """Where each row stood before."""


def together_by_id(one: Table, two: Table, name: str) -> Brought:
    """Bring rows together by a column that tells people apart; some may be in one table only."""
    keys = [_ids(table, name) for table in (one, two)]
    left, right = (pl.DataFrame({"id": key}).with_row_index("row") for key in keys)
    both = left.join(right, on="id", how="inner", maintain_order="left", suffix="_masked")
    if both.is_empty():
        raise InputError(
            f"No id of {one.label} is in {two.label}: the first is {keys[0][0]!r} in one and "
            f"{keys[1][0]!r} in the other.",
            "name a column that has the same ids in both tables.",
        )
    rows = tuple(
        _first(table.frame.height, both[name].to_numpy())
        for table, name in ((one, "row"), (two, "row_masked"))
    )
    tables = tuple(
        Table(table.frame[order], table.label, table.is_text)
        for table, order in zip((one, two), rows, strict=True)
    )
    return Brought((tables[0], tables[1]), both.height, (rows[0], rows[1]))


def _first(height: int, rows: Rows) -> Rows:
    """All rows, some of them first, in the order given."""
    others = np.ones(height, np.bool_)
    others[rows] = False
    return np.concatenate([rows, np.flatnonzero(others)])


def _ids(table: Table, name: str) -> pl.Series:
    if name not in table.frame.columns:
        raise SchemaError(
            f"{table.label} has no column {name!r}.", suggest(name, table.frame.columns)
        )
    if table.frame.is_empty():
        raise InputError(f"{table.label} has no rows.", "give tables with people in them.")
    # 7 and 7.0 are one id, as tools write them
    key = table.frame[name].cast(pl.String).str.replace(r"^([0-9]+)\.0+$", "$1")
    twice = key.is_duplicated() | key.is_null()
    if twice.any():
        row = int(twice.arg_max())  # type: ignore[arg-type]
        what = "is missing" if key[row] is None else f"{key[row]!r} stands twice"
        raise InputError(
            f"{table.label}, row {row + 1}: the id {what} in column {name!r}.",
            "name a column that tells all rows apart.",
        )
    return key
