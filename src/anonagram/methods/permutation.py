"""Permutation anonymization: every column of a group in a random order of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.recoding import inverse
from anonagram.key import Key
from anonagram.methods.group_method import GroupMethod
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata, take_each
from anonagram.partition import Arrangement
from anonagram.release import Manifest, PermutedRelease
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads


@dataclass(frozen=True, repr=False)
class Permutation(GroupMethod, call="permutation", example="permutation(l=4)"):
    """Li, He, Cao and Chen (2015): break the links between all columns, inside small groups.

    Quasi-identifiers are no longer exact rows, so where the rows of a group differ, whoever knows a
    person's cannot be sure that she is in the table. Any number of sensitive columns will do:
    without one every column counts as sensitive and groups have at least l rows; with several, each
    is l-diverse in every group.

    >>> from anonagram import Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "disease": ["flu", "asthma", "flu", "ulcer"]}
    >>> data = Microdata.read(table, {"age": "quasi", "disease": "sensitive"})
    >>> Permutation(l=2).anonymize(data, Key(bytes(32)))
    PermutedRelease(permutation(l=2, partition="neighbours"): 4 rows in 2 groups, l_diversity(l=2) achieved 2)
    """

    shape = PermutedRelease

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Partition, then shuffle each column inside the groups."""
        arrangement = self.arrange(microdata, key)
        step("Rearranging")
        group = manifest.layout["group"]
        orders = shuffle_columns(microdata.columns, arrangement, key)
        taken = take_each(microdata.columns, list(orders.values()))

        def table(columns: list[Column]) -> pl.DataFrame:
            values = {c.name: taken[c.name].values for c in columns}
            return pl.DataFrame({group: arrangement.group_ids} | values)

        sensitive = microdata.with_role("sensitive")
        release = PermutedRelease(
            manifest,
            table(microdata.with_role("quasi", "plain")),
            table(sensitive) if sensitive else None,
            coded={c.name: (taken[c.name].codes, c.values) for c in microdata.with_role("quasi")},
        )
        rows = in_threads(inverse, [(order,) for order in orders.values()])
        mapping = pl.DataFrame(
            {"group": arrangement.group_ids[arrangement.position_of]}
            | {f"row_of_{name}": each for name, each in zip(orders, rows, strict=True)}
        )
        return Publication(release, mapping)


def shuffle_columns(
    columns: Sequence[Column], arrangement: Arrangement, key: Key
) -> dict[str, NDArray[np.int32]]:
    """For each column, which input row's value stands in each published row."""
    orders = in_threads(
        lambda column: key.shuffle(f"permute/{column.name}", arrangement.order, arrangement.starts),
        [(column,) for column in columns],
    )
    return {column.name: order for column, order in zip(columns, orders, strict=True)}
