"""How sure an intruder can be that a person is in her group (Li et al. 2015, Lemma 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.kernels.presence import multiply_shares
from anonagram.microdata import Microdata
from anonagram.release import Release, Told


def presence(
    microdata: Microdata, release: Release, group_of: NDArray[np.int32]
) -> NDArray[np.float64] | None:
    """δ of every row: the product over quasi-identifiers of its value's share of the group.

    A permuted group holds a person's values with that probability; a release with exact rows shows
    that she is there, so δ is 1. Other shapes have no such figure.
    """
    if release.has_whole_rows:
        return np.ones(microdata.rows)
    quasi = microdata.with_role("quasi")
    if any(release.how_told(column.name) is not Told.MOVED for column in quasi):
        return None
    starts = count_starts(group_of, int(group_of.max()) + 1)
    order = sort_by_group(np.arange(group_of.size, dtype=np.int32), group_of, starts)
    result = np.ones(microdata.rows)
    for column in quasi:
        codes = column.codes.view()
        codes.flags.writeable = False  # as those of some columns are, for one compiled form
        multiply_shares(codes, order, starts, column.cardinality, result)
    return result
