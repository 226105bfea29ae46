"""Groups that the owner names: by equal values of columns, or by a partitioner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CannotAnonymize
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.partition import Partition, Partitioner, Size


def given_groups(
    microdata: Microdata,
    key: Key,
    groups: str | Sequence[str],
    size: int,
    further: Sequence[Column],
    *,
    of: str,
) -> Partition:
    """Rows by equal columns or a partitioner's groups, divided further by other columns' values."""
    columns = [] if isinstance(groups, str) else [microdata.column(name) for name in groups]
    if isinstance(groups, str) and groups:
        made = Partitioner.parse(groups).divide(microdata, Size(size), key)
        columns = [_as_column(made)]
    for column in columns:
        if column.role == "sensitive":
            raise CannotAnonymize(
                f"{of}: groups by {column.name!r} would tell it.", "groups by quasi-identifiers."
            )
    group_of = np.zeros(microdata.rows, np.int64)
    for column in (*columns, *further):
        group_of = _together(group_of, column)
    return Partition(group_of.astype(np.int32), int(group_of.max()) + 1)


def _together(group_of: NDArray[np.int64], column: Column) -> NDArray[np.int64]:
    """Groups divided further by a column's values, numbered from 0 without gaps."""
    cells = group_of * column.cardinality + column.codes
    if not group_of.any():  # every code occurs, so there are no gaps
        return cells
    numbered: NDArray[np.int64] = np.unique(cells, return_inverse=True)[1]
    return numbered


def _as_column(partition: Partition) -> Column:
    domain = pl.Series(np.arange(partition.count))
    return Column("", "plain", "nominal", partition.group_of, domain, has_missing=False)
