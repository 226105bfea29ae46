"""What somebody guesses who has no release, but learned how values go with attributes on other people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.learning.guesses import Guesses
from anonagram.learning.learned import SMOOTHING
from anonagram.microdata import Microdata
from anonagram.prediction.features import Features
from anonagram.prediction.logistic import Logistic, Predicted

FOLDS = 2
PASSES = range(2, 7)
"""Over the people whose values a logistic model learns: fewer where they are many."""
STEPS = 1_000_000
"""People whom it looks at, one after the other, if that takes passes as above."""
AT_ONCE = 20_000_000
"""Chances that are computed at once."""


def predict_others(microdata: Microdata, attribute: str, *, logistic: bool = False) -> Guesses:
    """What a naive Bayes model guesses of everybody, or a logistic one of attributes and pairs of them.

    Each half of the people is guessed by a model of the other half: nobody's own value is in hers.
    """
    target = microdata.column(attribute)
    features = Features.of_columns(microdata.with_role("quasi"), target.cardinality)
    if logistic:
        features = features.with_pairs(target.cardinality)
    fold = np.random.default_rng(0).permutation(microdata.rows) % FOLDS
    guess = np.empty(microdata.rows, np.int32)
    belief, in_truth = np.empty(microdata.rows), np.empty(microdata.rows)
    few = max(AT_ONCE // target.cardinality, 1)
    for each in range(FOLDS):
        there, asked = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        codes = target.codes[there]
        model = (_Pairs if logistic else _Model).of(
            features.taken(there), codes, target.cardinality
        )
        for here in np.split(asked, range(few, asked.size, few)):
            found = model.predict(features.taken(here), target.codes[here])
            guess[here], belief[here], in_truth[here] = found
    return Guesses(guess == target.codes, belief, in_truth)


@dataclass(frozen=True)
class _Pairs:
    """A logistic model that has learned."""

    model: Logistic

    @classmethod
    def of(cls, features: Features, codes: NDArray[np.int32], size: int) -> Self:
        model = Logistic.of(features, size)
        model.fit_known(codes, min(max(STEPS // codes.size, PASSES[0]), PASSES[-1]))
        return cls(model)

    def predict(self, features: Features, truth: NDArray[np.int32]) -> Predicted:
        return self.model.predict(features, truth)


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

    def predict(self, features: Features, truth: NDArray[np.int32]) -> Predicted:
        likely = np.tile(self.classes, (features.codes.shape[0], 1))
        for place, table in enumerate(self.attributes):
            likely += table[features.codes[:, place]]
        likely -= likely.max(axis=1, keepdims=True)
        chances = np.exp(likely)
        total = chances.sum(axis=1)
        return likely.argmax(axis=1), 1 / total, chances[np.arange(truth.size), truth] / total
