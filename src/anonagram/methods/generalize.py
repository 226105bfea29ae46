"""The generalized table that a partition implies: the papers' baseline."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.key import Key
from anonagram.methods.covers import cover_of_groups, publish_covers
from anonagram.methods.group_method import GroupMethod
from anonagram.methods.publication import Publication
from anonagram.microdata import Microdata
from anonagram.models import PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.release import GeneralizedRelease, Manifest
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads


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
        quasi = microdata.with_role("quasi")
        made = in_threads(
            lambda column: cover_of_groups(column, arrangement), [(c,) for c in quasi]
        )
        covers = {column.name: cover for column, cover in zip(quasi, made, strict=True)}
        return publish_covers(microdata, arrangement, covers, manifest)
