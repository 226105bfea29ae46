"""The paper's own pre-partition: split by certainty penalty, then deal (Li et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.kernels.ncp import NEEDS_WORDS, Progress, split_by_ncp
from anonagram.kernels.needs import Diverse
from anonagram.key import Key
from anonagram.partition.deal import deal
from anonagram.partition.partitioner import Grouped, RowPartitioner, Rows, number_nodes
from anonagram.partition.requirements import Requirement

WORDS_AT_ONCE = 1 << 20


@dataclass(frozen=True, repr=False)
class NcpSplit(RowPartitioner, call="ncp_split", example="ncp_split(tries=5)"):
    """Algorithm 2, kept faithful, followed by Algorithm 1 on each sub-table.

    A sub-table is split by giving its rows, in random order, to the half whose penalty grows less.
    It stays whole when in `tries` tries a half was not l-diverse; on skewed data such sub-tables can
    be very large. `neighbours` does not have this weakness. For requirements other than diversity
    the sub-tables are the groups.
    """

    makes = (Requirement,)
    tries: Annotated[int, AtLeast(1)] = 5
    """k of the paper."""

    def group(self, rows: Rows, key: Key) -> Grouped:
        """Split, then deal each sub-table."""
        starts = self.split(rows, key)
        return deal(rows, starts) if isinstance(rows.needs, Diverse) else number_nodes(starts)

    def split(self, rows: Rows, key: Key) -> NDArray[np.int64]:
        """Where the sub-tables begin, and the end; rows are brought into their order."""
        size, most = rows.rows.size, rows.rows.size // rows.least + 2
        stack = np.zeros((most, 2), np.int64)
        starts = np.zeros(most, np.int64)
        numbers = np.array([1, 0, 0])  # open nodes, tries used for the topmost, starts found
        stack[0] = 0, size
        part = 0
        status = NEEDS_WORDS
        while status == NEEDS_WORDS:
            # enough for one try at the largest node that is open, and many at small ones
            largest = int((stack[: numbers[0], 1] - stack[: numbers[0], 0]).max())
            words = key.words(
                f"ncp_split/{part}", max(WORDS_AT_ONCE, largest + largest // 32 + 128)
            )
            status = split_by_ncp(
                rows.codes, rows.sensitive, rows.rows, rows.needs, rows.least, self.tries,
                rows.attributes, rows.values, Progress(stack, starts, numbers), words,
            )  # fmt: skip
            part += 1
        return np.append(starts[: numbers[2]], size)
