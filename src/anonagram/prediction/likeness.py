"""Where people stand by the value that others like them have, in whole numbers.

A naive Bayes model of each sensitive column is learned on other people: in parts, each predicted by a
model of the others, so nobody's own value shapes what is predicted of her. Of its logarithms, less
their mean, the few directions are kept along which people differ most: two people at one place have
odds alike between any two values, and who of them has which is a coin toss even for somebody who
learned everything that the model can say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.alike import (
    add_places,
    centre,
    count_together,
    find_directions,
    find_moments,
    project_tables,
)
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.prediction.features import Features, in_bins

FOLDS = 5
DIRECTIONS = 6
ROUNDS = 60
"""Of multiplication, after which a direction hardly turns."""
SAMPLE = 10_000
"""People on whom directions are found."""
MOST_VALUES = 256
"""Of a column with more values the most frequent ones are told apart, and the others are one."""
SMOOTHING = 1
STEPS = 1 << 16
"""Of a logarithm, to which everything is rounded before it is added up."""


@dataclass(frozen=True)
class Likeness:
    """For each row where it stands along each direction, the longest first."""

    places: NDArray[np.int64]

    @classmethod
    def of(cls, microdata: Microdata, key: Key) -> Self:
        """Predict the sensitive columns of a table and find where its rows stand.

        >>> table = {"sex": ["F", "M"] * 20, "ill": ["a", "b", "a", "c"] * 10}
        >>> data = Microdata.read(table, {"sex": "quasi", "ill": "sensitive"})
        >>> Likeness.of(data, Key(bytes(32))).places.shape
        (40, 6)
        """
        columns, quasi = microdata.with_role("sensitive"), microdata.with_role("quasi")
        classes = sum(min(each.cardinality + 1, MOST_VALUES) for each in columns)
        features = Features.of_columns(quasi, classes * FOLDS * 2)
        fold = (key.words("alike/folds", microdata.rows) % FOLDS).astype(np.int8)
        tables = np.concatenate([_tables(features, each, fold) for each in columns], axis=2)
        # which rows are looked at is drawn as well: the first ones of a sorted table are all alike
        sample = np.sort(key.permutation("alike/sample", microdata.rows)[:SAMPLE])
        moments = find_moments(features.codes[sample], features.offsets, fold[sample], tables)
        directions = find_directions(moments, DIRECTIONS, ROUNDS)
        projected = np.zeros((FOLDS, tables.shape[1], DIRECTIONS), np.int64)
        for each in range(FOLDS):
            project_tables(tables[each], directions, float(STEPS), projected[each])
        places = np.empty((microdata.rows, DIRECTIONS), np.int64)
        add_places(features.codes, features.offsets, fold, projected, places)
        return cls(places)

    def codes(self, steps: int) -> NDArray[np.int32]:
        """Places as codes from 0, of which so many are the extent of the longest direction.

        One in a thousand at either end does not count for the extent, and ends where it ends.
        """
        ends = np.sort(self.places[:, 0])
        spare = ends.size // 1000
        extent = max(int(ends[ends.size - 1 - spare] - ends[spare]), 1)
        lowest = np.sort(self.places, axis=0)[spare]
        codes: NDArray[np.int64] = np.clip(self.places - lowest, 0, extent) * steps // extent
        return codes.astype(np.int32)


def _tables(features: Features, column: Column, fold: NDArray[np.int8]) -> NDArray[np.float64]:
    """For each part of the people, an attribute's values and classes: centred logarithms."""
    classes, size = _classes(column)
    tables = learned_elsewhere(features, classes, size, fold)
    weights = np.bincount(classes, minlength=size) / classes.size
    for each in tables:
        centre(each, weights)
    return tables


def learned_elsewhere(
    features: Features, classes: NDArray[np.int32], size: int, fold: NDArray[np.int8]
) -> NDArray[np.float64]:
    """For each part the logarithms of P(an attribute's value | class) among all the others."""
    counts = np.zeros((FOLDS, int(features.offsets[-1]), size), np.int32)
    count_together(features.codes, features.offsets, classes, fold, counts)
    others = counts.sum(axis=0) - counts
    per_class = np.stack([np.bincount(classes[fold != f], minlength=size) for f in range(FOLDS)])
    sizes = np.repeat(np.diff(features.offsets), np.diff(features.offsets))
    shares = (others + SMOOTHING) / (per_class[:, None, :] + SMOOTHING * sizes[None, :, None])
    # last digits of a logarithm differ between machines
    logarithms: NDArray[np.float64] = np.round(np.log(shares) * STEPS) / STEPS
    return logarithms


def _classes(column: Column) -> tuple[NDArray[np.int32], int]:
    """The values of a column as so many classes."""
    codes, size = in_bins(column.codes, column.domain)
    if size <= MOST_VALUES:
        return codes, size
    counts = np.bincount(codes, minlength=size)
    number = np.full(size, MOST_VALUES - 1, np.int32)
    frequent = np.argsort(-counts, kind="stable")[: MOST_VALUES - 1]
    number[frequent] = np.arange(MOST_VALUES - 1)
    return number[codes], MOST_VALUES
