"""Random COUNT queries, their true answers, and what each kind of release estimates.

A small estimator for this experiment only: permuted groups, exact rows and generalized ranges are
answered from the same partition in one pass over the rows, so a thousand queries take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from anonagram import Microdata
from anonagram.partition import Partition

KINDS = ("permuted", "anatomy", "generalized")


@dataclass(frozen=True)
class Workload:
    """COUNT queries with w conditions: w - 1 quasi-identifiers and the sensitive attribute.

    A condition is a random interval of ⌊|A|·s^(1/(w+1))⌋ codes (Li et al. 2015, §4.2).
    """

    attributes: NDArray[np.int64]
    """For each query, which quasi-identifiers it asks about."""
    starts: NDArray[np.int64]
    """Where each condition begins; the sensitive one last."""
    lengths: NDArray[np.int64]

    @classmethod
    def draw(cls, microdata: Microdata, w: int, s: float, queries: int, seed: int) -> Workload:
        """Queries with w conditions of volume s."""
        random = np.random.default_rng(seed)
        quasi = microdata.with_role("quasi")
        (sensitive,) = microdata.with_role("sensitive")
        attributes = np.stack([random.permutation(len(quasi))[: w - 1] for _ in range(queries)])
        sizes = np.array([len(column.domain) for column in (*quasi, sensitive)])
        asked = np.concatenate([attributes, np.full((queries, 1), len(quasi))], axis=1)
        lengths = np.maximum(1, np.floor(sizes[asked] * s ** (1 / (w + 1)))).astype(np.int64)
        starts = random.integers(0, sizes[asked] - lengths + 1)
        return cls(attributes, starts, lengths)


def relative_errors(
    microdata: Microdata, partition: Partition, workload: Workload
) -> dict[str, NDArray[np.float64]]:
    """|estimate - truth| / truth of every query whose true answer is not 0, by kind of release."""
    order = np.argsort(partition.group_of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(partition.sizes)])
    quasi = microdata.with_role("quasi")
    (sensitive,) = microdata.with_role("sensitive")
    codes = np.stack([c.codes[order] for c in (*quasi, sensitive)], axis=1)
    is_nominal = np.array([column.kind == "nominal" for column in quasi])
    answers = np.array(
        [
            _answer(codes, starts, is_nominal, *query)
            for query in zip(workload.attributes, workload.starts, workload.lengths, strict=True)
        ]
    )
    truth = answers[:, 0]
    asked = truth > 0
    return {
        kind: np.abs(answers[asked, i + 1] - truth[asked]) / truth[asked]
        for i, kind in enumerate(KINDS)
    }


@numba.njit(cache=True)
def _answer(codes, starts, is_nominal, attributes, firsts, lengths):
    """The true count, and the estimates from permuted, exact and generalized groups."""
    total = np.zeros(4)
    conditions = attributes.size
    hits = np.zeros(conditions)
    low, high = np.zeros(conditions, np.int64), np.zeros(conditions, np.int64)
    seen = np.zeros(conditions, np.uint64)
    sensitive = codes.shape[1] - 1
    for g in range(starts.size - 1):
        size = starts[g + 1] - starts[g]
        hits[:] = 0
        seen[:] = 0
        values = rows = both = 0
        for i in range(starts[g], starts[g + 1]):
            inside = True
            for k in range(conditions):
                c = codes[i, attributes[k]]
                hit = firsts[k] <= c < firsts[k] + lengths[k]
                hits[k] += hit
                inside = inside and hit
                low[k] = c if i == starts[g] else min(low[k], c)
                high[k] = c if i == starts[g] else max(high[k], c)
                seen[k] |= np.uint64(1) << np.uint64(c & 63)
            v = codes[i, sensitive]
            wanted = firsts[conditions] <= v < firsts[conditions] + lengths[conditions]
            values += wanted
            rows += inside
            both += inside and wanted
        total[0] += both
        total[2] += rows * values / size
        permuted = general = float(values)
        for k in range(conditions):
            permuted *= hits[k] / size
            general *= _overlap(
                is_nominal[attributes[k]], seen[k], low[k], high[k], firsts[k], lengths[k]
            )
        total[1] += permuted
        total[3] += general
    return total


@numba.njit(cache=True)
def _overlap(nominal, seen, low, high, first, length):
    """The share of a published range or set that a condition covers."""
    if not nominal or high >= 64:
        covered = min(high, first + length - 1) - max(low, first) + 1
        return max(covered, 0) / (high - low + 1)
    members = covered = 0
    for c in range(low, high + 1):
        if seen >> np.uint64(c) & np.uint64(1):
            members += 1
            covered += first <= c < first + length
    return covered / members
