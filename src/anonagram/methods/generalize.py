"""The generalized table that a partition implies: the papers' baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.histogram import count_in_groups
from anonagram.key import Key
from anonagram.methods.group_method import GroupMethod
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.models import PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.partition import Arrangement
from anonagram.release import GeneralizedRelease, Manifest
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False)
class Generalize(GroupMethod, call="generalize", example="generalize(l=4)"):
    """Each group's quasi-identifiers become ranges and sets; sensitive values stay as they are.

    Groups are made as for `permutation` and `anatomy`, so the three can be compared (Li et al. 2015,
    Table 2).

    >>> from anonagram import Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "disease": ["flu", "asthma", "flu", "ulcer"]}
    >>> data = Microdata.read(table, {"age": "quasi", "disease": "sensitive"})
    >>> Generalize(l=2).anonymize(data, Key(bytes(32))).groups.sort("age_low").drop("group")
    shape: (2, 4)
    ┌──────┬─────────┬──────────┬─────────────┐
    │ rows ┆ age_low ┆ age_high ┆ age_missing │
    │ ---  ┆ ---     ┆ ---      ┆ ---         │
    │ i32  ┆ i64     ┆ i64      ┆ bool        │
    ╞══════╪═════════╪══════════╪═════════════╡
    │ 2    ┆ 31      ┆ 45       ┆ false       │
    │ 2    ┆ 52      ┆ 60       ┆ false       │
    └──────┴─────────┴──────────┴─────────────┘
    """

    shape = GeneralizedRelease

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """k-anonymity, and l-diversity where something is sensitive."""
        others = [each for each in super().promises(microdata) if each != KAnonymity(self.l)]
        return (KAnonymity(self.l), *others)

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Partition, then tell about each group only its extent."""
        arrangement = self.arrange(microdata, key)
        step("Generalizing")
        layout = manifest.layout
        sizes = np.diff(arrangement.starts).astype(np.int32)
        numbers = np.arange(1, sizes.size + 1, dtype=np.int32)
        groups: dict[str, object] = {layout["group"]: numbers, layout["rows"]: sizes}
        for column in microdata.with_role("quasi"):
            groups |= _told(column, arrangement, layout)
        rest = microdata.with_role("sensitive", "plain")
        rows = {layout["group"]: arrangement.group_ids} | {
            column.name: column.decode(column.codes[arrangement.order]) for column in rest
        }
        mapping = pl.DataFrame(
            {
                "group": arrangement.group_ids[arrangement.position_of],
                "row_in_rows": arrangement.position_of,
            }
        )
        release = GeneralizedRelease(manifest, pl.DataFrame(groups), pl.DataFrame(rows))
        return Publication(release, mapping)


def _told(
    column: Column, arrangement: Arrangement, layout: Mapping[str, str]
) -> dict[str, pl.Series]:
    """What is published about a column's values in each group."""
    codes = column.codes[arrangement.order]
    if column.kind == "nominal":
        return {column.name: _sets(column, codes, arrangement)}
    firsts = arrangement.starts[:-1]
    is_missing = codes == len(column.domain)
    # a group without any value gets the code of the missing one at both ends
    low = np.minimum.reduceat(codes, firsts)
    high = np.maximum.reduceat(np.where(is_missing, -1, codes), firsts)
    high = np.where(high < 0, len(column.domain), high).astype(np.int32)
    return {
        layout[f"{column.name}_low"]: column.decode(low),
        layout[f"{column.name}_high"]: column.decode(high),
        layout[f"{column.name}_missing"]: pl.Series(np.logical_or.reduceat(is_missing, firsts)),
    }


def _sets(column: Column, codes: NDArray[np.int32], arrangement: Arrangement) -> pl.Series:
    """The different values of each group, in the domain's order."""
    groups, values, _ = count_in_groups(
        codes, arrangement.group_ids - 1, arrangement.starts.size - 1, column.cardinality
    )
    # known to be sorted, groups are cut out of the column instead of being looked up
    frame = pl.DataFrame({"group": pl.Series(groups).set_sorted(), "value": column.decode(values)})
    return frame.group_by("group", maintain_order=True).agg("value")["value"]
