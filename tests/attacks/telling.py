"""A rule by which groups are made that gives everybody away to whoever knows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.partition import Diversity, Partition, Partitioner


@dataclass(frozen=True, repr=False)
class Telling(Partitioner):
    """Pairs by the first quasi-identifier; whoever has the lower one in a pair has the lower value.

    Were it otherwise in a single pair, all groups would be others. No member of the family: a test
    that needs it by name puts it there for a while.
    """

    makes = (Diversity,)
    call = "telling"

    def make(self, microdata, requirement, key):
        secret = microdata.with_role("sensitive")[0].codes
        order = np.argsort(microdata.with_role("quasi")[0].codes, kind="stable")
        rises = all(secret[a] <= secret[b] for a, b in order.reshape(-1, 2))
        half, place = secret.size // 2, np.arange(secret.size)
        group = np.empty(secret.size, np.int32)
        group[order] = place // 2 if rises else place % half
        return Partition(group, half)
