"""A logistic model of attributes and pairs of them: stronger than naive Bayes, and calibrated.

Naive Bayes counts what two attributes say together twice where they depend on each other, and is too
sure of itself; here all tables are fitted together. It learns from values that are known with chances,
so a release, whose groups leave open whose value is whose, is fitted in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonagram.prediction.features import Features

RATE = 0.1
PULL = 3.0
"""How strongly a table is pulled to zero: so many people who say nothing."""
WORK = 3_000_000_000
"""Cells of tables that one pass looks at; of a larger table each pass takes other groups."""
Predicted: TypeAlias = tuple[NDArray[np.integer], NDArray[np.float64], NDArray[np.float64]]
"""For each row a class, the belief in it, and the belief in the true one."""


@dataclass(frozen=True)
class Logistic:
    """The model's tables, and how often each of their rows was met."""

    features: Features
    tables: NDArray[np.float64]
    seen: NDArray[np.float64]
    sizes: NDArray[np.float64]
    random: np.random.Generator
    """Which groups are met first; a seed, since nothing of it is published."""

    @classmethod
    def of(cls, features: Features, classes: int) -> Self:
        """A model that knows nothing yet."""
        places = int(features.offsets[-1])
        met = np.zeros(places, np.int64)
        for j, first in enumerate(features.offsets[:-1]):
            counts = np.bincount(features.codes[:, j])
            met[first : first + counts.size] += counts
        sizes = np.maximum(met, 1).astype(np.float64)
        random = np.random.default_rng(0)
        return cls(features, np.zeros((places, classes)), np.zeros(places), sizes, random)

    def fit(
        self,
        starts: NDArray[np.int64],
        value_starts: NDArray[np.int64],
        values: NDArray[np.int32],
        blocks: NDArray[np.int64],
        chances: NDArray[np.float64],
    ) -> None:
        """One pass over the groups, or as many of them as one pass may look at."""
        from anonagram.kernels.logistic import step_through

        codes, offsets = self.features.codes, self.features.offsets
        groups = starts.size - 1
        share = WORK / (int(starts[-1]) * codes.shape[1] * self.tables.shape[1] + 1)
        order = self.random.permutation(groups)[: max(int(groups * share), 1)]
        step_through(
            codes, offsets, starts, value_starts, values, blocks, chances, order, self.tables,
            self.seen, self.sizes, RATE, PULL,
        )  # fmt: skip

    def fit_known(self, codes: NDArray[np.int32], passes: int) -> None:
        """Learn from people whose values are known."""
        alone = np.arange(codes.size + 1)
        for _ in range(passes):
            self.fit(alone, alone, codes, alone, np.ones(codes.size))

    def predict(self, features: Features, truth: NDArray[np.int32]) -> Predicted:
        """For each row the likeliest class, the belief in it, and the belief in the true one."""
        from anonagram.kernels.logistic import find_predicted

        rows = len(features.codes)
        guess, belief, in_truth = np.empty(rows, np.int32), np.empty(rows), np.empty(rows)
        find_predicted(
            features.codes, features.offsets, self.tables, truth, guess, belief, in_truth
        )
        return guess, belief, in_truth
