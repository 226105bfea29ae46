"""Anatomy: exact quasi-identifiers in one table, sensitive values by group in another."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from anonagram.errors import CannotAnonymize
from anonagram.kernels.histogram import count_in_groups
from anonagram.key import Key
from anonagram.methods.group_method import GroupMethod
from anonagram.methods.method import Publication
from anonagram.microdata import Column, Microdata
from anonagram.progress import step
from anonagram.release import AnatomizedRelease, Manifest


@dataclass(frozen=True, repr=False)
class Anatomy(GroupMethod, call="anatomy", example="anatomy(l=4)"):
    """Xiao and Tao (2006): publish rows with a group number, and the group's sensitive values apart.

    Whoever knows a person's quasi-identifiers finds her group and guesses her sensitive value with
    probability 1/l at best.

    >>> from anonagram import Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "disease": ["flu", "asthma", "flu", "ulcer"]}
    >>> data = Microdata.read(table, {"age": "quasi", "disease": "sensitive"})
    >>> Anatomy(l=2).anonymize(data, Key(bytes(32)))
    AnatomizedRelease(anatomy(l=2, partition="buckets"): 4 rows in 2 groups, l_diversity(l=2) achieved 2)
    """

    partition: str = "buckets"
    """How groups are made: a partitioner's call; the paper's own by default."""
    shape = AnatomizedRelease

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Partition, then write the two tables in random order."""
        sensitive = _one_sensitive(microdata)
        arrangement = self.arrange(microdata, key)
        step("Rearranging")
        group, count = manifest.layout["group"], manifest.layout["count"]
        kept = microdata.with_role("quasi", "plain")
        quasi = pl.DataFrame(
            {group: arrangement.group_ids}
            | {column.name: column.decode(column.codes[arrangement.order]) for column in kept}
        )
        groups, values, counts = count_in_groups(
            sensitive.codes[arrangement.order],
            arrangement.group_ids - 1,
            arrangement.starts.size - 1,
            sensitive.cardinality,
        )
        table = {group: groups + 1, sensitive.name: sensitive.decode(values), count: counts}
        mapping = pl.DataFrame(
            {
                "group": arrangement.group_ids[arrangement.position_of],
                "row_in_quasi": arrangement.position_of,
            }
        )
        return Publication(AnatomizedRelease(manifest, quasi, pl.DataFrame(table)), mapping)


def _one_sensitive(microdata: Microdata) -> Column:
    columns = microdata.with_role("sensitive")
    if len(columns) != 1:
        names = ", ".join(column.name for column in columns) or "none"
        raise CannotAnonymize(
            f"anatomy needs one sensitive column; the schema has {len(columns)} ({names}).",
            'give one column the role "sensitive" and others "quasi" or "drop", '
            'or take the method "permutation".',
        )
    return columns[0]
