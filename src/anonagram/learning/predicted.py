"""What somebody guesses who has no release, but learned how values go with attributes on other people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.learning.features import Features
from anonagram.learning.learned import SMOOTHING
from anonagram.microdata import Microdata

FOLDS = 2
AT_ONCE = 20_000_000
"""Chances that are computed at once."""


def predict_others(
    microdata: Microdata, attribute: str
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """For each person the code of the likeliest value, and the belief in it, by a naive Bayes model.

    Each half of the people is guessed by a model of the other half: nobody's own value is in hers.
    """
    target = microdata.column(attribute)
    columns = [c.decode(c.codes) for c in microdata.with_role("quasi")]
    features = Features.of(columns, target.cardinality)
    fold = np.random.default_rng(0).permutation(microdata.rows) % FOLDS
    guess, belief = np.empty(microdata.rows, np.int32), np.empty(microdata.rows)
    for each in range(FOLDS):
        there = np.flatnonzero(fold != each)
        model = _Model.of(features.taken(there), target.codes[there], target.cardinality)
        few = max(AT_ONCE // target.cardinality, 1)
        asked = np.flatnonzero(fold == each)
        for here in np.split(asked, range(few, asked.size, few)):
            guess[here], belief[here] = model.predict(features.taken(here))
    return guess, belief


@dataclass(frozen=True)
class _Model:
    """Logarithms of how frequent each class is, and each value of each attribute in it."""

    classes: NDArray[np.float64]
    attributes: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, features: Features, codes: NDArray[np.int32], size: int) -> Self:
        counts = np.bincount(codes, minlength=size).astype(np.float64)
        tables = []
        for place, values in enumerate(np.diff(features.offsets)):
            together = features.codes[:, place].astype(np.int64) * size + codes
            table = np.bincount(together, minlength=int(values) * size).reshape(-1, size)
            tables.append(np.log((table + SMOOTHING) / (counts + SMOOTHING * values)))
        return cls(np.log(counts + SMOOTHING), tuple(tables))

    def predict(self, features: Features) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        likely = np.tile(self.classes, (features.codes.shape[0], 1))
        for place, table in enumerate(self.attributes):
            likely += table[features.codes[:, place]]
        likely -= likely.max(axis=1, keepdims=True)
        chances = np.exp(likely)
        return likely.argmax(axis=1), 1 / chances.sum(axis=1)
