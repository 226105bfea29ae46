"""k-Optimize: the best set of cuts between neighbouring values, as far as it can be proved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.key import Key
from anonagram.lattice import CutChoice, CutCost, CutSets
from anonagram.lattice.cut_sets import WORK_A_SECOND, Flags
from anonagram.methods.covers import Codes, Cover, cover_of_runs
from anonagram.methods.publication import Publication
from anonagram.methods.suppressing import Groups, Suppressing, Tell
from anonagram.microdata import Column, Microdata
from anonagram.release import Manifest
from anonagram.runtime.progress import step

LONGEST = 86_400


@dataclass(frozen=True, repr=False, init=False)
class KOptimize(
    Suppressing, call="k_optimize", example="k_optimize(k_anonymity(k=3), seconds=0.05)"
):
    """Cuts between neighbouring values of each column, the same for all rows, that lose least.

    Bayardo and Agrawal (2005), for any promises. Values stand in the order of their domain, nominal
    ones in that of their hierarchy's leaves; a set of cuts tells each value as the run it is in. The
    search begins with the best levels of hierarchies and improves on them, then looks at subtrees of
    sets in the order of what they cost at least. It ends by itself or after a time, and tells which.

    >>> from anonagram import KAnonymity, Key, Microdata
    >>> table = {"age": [31, 33, 38, 45, 47, 52], "ill": ["flu", "cut", "flu", "gout", "flu", "cut"]}
    >>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    >>> publication = KOptimize(KAnonymity(k=2), seconds=1).publish(data, Key(bytes(32)))
    >>> publication.release.rows["age"].unique().sort().to_list()
    ['[31, 33]', '[38, 45]', '[47, 52]']
    >>> publication.choice.found.is_best
    True
    """

    cost: CutCost = "loss"
    """What is made least."""
    seconds: Annotated[float, Between(0, LONGEST)] = 10.0
    """About how long it may take; counted as work, so that every machine finds the same."""
    undivided = "cuts are chosen for the whole of each column"

    def cost_name(self) -> str:
        """As it was asked for."""
        return self.cost

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Find the cuts, and tell of each group the runs that its values are in."""
        lattice, rule = self.lattice(microdata)
        sets = CutSets(lattice, self.cost)
        step("Searching")
        found = sets.best(rule, int(self.seconds * WORK_A_SECOND))
        tell = _runs(sets, found.cuts)
        if not np.isfinite(found.cost):
            self.refuse(microdata, tell, key, manifest)
        step("Generalizing")
        groups = Groups(*sets.groups(found.cuts, rule), tell)
        choice = CutChoice(sets, rule, found, repr(self), self.cost)
        return replace(self.publish_groups(microdata, groups, key, manifest), choice=choice)


def _runs(sets: CutSets, cuts: Flags) -> Tell:
    """The run of values that each code is told as."""
    names = [order.ladder.column.name for order in sets.orders]
    runs_of = dict(zip(names, sets.runs_of(cuts), strict=True))

    def tell(column: Column, codes: Codes, is_hidden: NDArray[np.bool_]) -> Cover:
        return cover_of_runs(runs_of[column.name], column, codes, is_hidden)

    return tell
