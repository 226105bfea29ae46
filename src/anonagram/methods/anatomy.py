"""Anatomy: exact quasi-identifiers in one table, sensitive values by group in another."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from anonagram.kernels.histogram import count_in_groups
from anonagram.key import Key
from anonagram.methods.group_method import GroupMethod
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata, take_each
from anonagram.partition import Arrangement
from anonagram.release import AnatomizedRelease, Manifest
from anonagram.runtime.progress import step
from anonagram.runtime.threads import beside


@dataclass(frozen=True, repr=False)
class Anatomy(GroupMethod, call="anatomy", example="anatomy(l=4)"):
    """Xiao and Tao (2006): publish rows with a group number, and the group's sensitive values apart.

    Whoever knows a person's quasi-identifiers finds her group and guesses her sensitive value with
    probability 1/l by the group alone. Of several sensitive columns each is counted on its own and
    l-diverse. Groups are made of close rows, which answers questions far better than the paper's
    own, by value alone: ``partition="buckets"``.

    >>> from anonagram import Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "disease": ["flu", "asthma", "flu", "ulcer"]}
    >>> data = Microdata.read(table, {"age": "quasi", "disease": "sensitive"})
    >>> Anatomy(l=2).anonymize(data, Key(bytes(32)))
    AnatomizedRelease(anatomy(l=2, partition="neighbours"): 4 rows in 2 groups, l_diversity(l=2) achieved 2)
    """

    shape = AnatomizedRelease
    needed = ("quasi", "sensitive")

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Partition, then write rows and counted values in random order."""
        return anatomize(microdata, self.arrange(microdata, key), manifest)


def anatomize(microdata: Microdata, arrangement: Arrangement, manifest: Manifest) -> Publication:
    """Publish exact rows with a group number, and how often each sensitive value occurs in a group.

    Each sensitive column is counted on its own, so nothing tells which values belong together.
    """
    step("Rearranging")
    group = manifest.layout["group"]
    counting = beside(lambda: _count_all(microdata, arrangement, manifest))
    kept = microdata.with_role("quasi", "plain")
    taken = take_each(kept, [arrangement.order] * len(kept))
    coded = {column.name: (taken[column.name].codes, column.values) for column in kept}
    quasi = pl.DataFrame(
        {group: arrangement.group_ids} | {name: each.values for name, each in taken.items()}
    )
    mapping = pl.DataFrame(
        {
            "group": arrangement.group_ids[arrangement.position_of],
            "row_in_quasi": arrangement.position_of,
        }
    )
    return Publication(AnatomizedRelease(manifest, quasi, counting(), coded=coded), mapping)


def _count_all(
    microdata: Microdata, arrangement: Arrangement, manifest: Manifest
) -> dict[str, pl.DataFrame]:
    return {
        column.name: _count(column, arrangement, manifest)
        for column in microdata.with_role("sensitive")
    }


def _count(column: Column, arrangement: Arrangement, manifest: Manifest) -> pl.DataFrame:
    groups, values, counts = count_in_groups(
        column.codes[arrangement.order],
        arrangement.group_ids - 1,
        arrangement.starts.size - 1,
        column.cardinality,
    )
    layout = manifest.layout
    table = {layout["group"]: groups + 1, column.name: column.decode(values)}
    return pl.DataFrame(table | {layout["count"]: counts})
