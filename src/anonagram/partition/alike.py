"""Groups of people of whom the same would be predicted, whatever their attributes are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.kernels.cuts import Attributes
from anonagram.key import Key
from anonagram.microdata import Microdata
from anonagram.partition.neighbours import Neighbours, cut
from anonagram.partition.partitioner import Grouped, RowPartitioner, Rows
from anonagram.partition.requirements import Requirement
from anonagram.prediction.likeness import Likeness
from anonagram.runtime.progress import step

STEPS = 1024
"""Codes of the longest direction."""
PART = 0.6
"""Parts of fewer rows than this share of the table are cut by likeness too: halves, or nearly."""


@dataclass(frozen=True, repr=False)
class Alike(RowPartitioner, call="alike", example="alike(near=0.5)"):
    """Groups in which learning tells nobody apart: their values are predicted with the same odds.

    Groups of close rows must bring different values together, and so bring people together whose
    values a model can tell apart. Here rows are cut and groups filled as by `neighbours`, but by
    what a model, learned on other people, predicts of their sensitive values, as matching by
    propensity scores does in causal inference. The first cut goes by nearness alone, since counts
    about halves of the table are asked for most. Where nothing can be predicted, nearness decides;
    without a sensitive column, nearness alone.

    It is no protection against a better model than its own (naive Bayes): people whose odds are
    alike to one may be told apart by another. `withstands_learning` measures that on a release.
    Predictions come from other people's sensitive values, and values move borders as with
    `neighbours`.
    """

    makes = (Requirement,)
    near: Annotated[float, Between(0, 1)] = 0.5
    """How much nearness counts beside likeness: from 0, not at all, to 1, alone."""

    def look(self, microdata: Microdata, requirement: Requirement, key: Key) -> Rows:
        """Rows with where they stand by likeness beside their attributes."""
        rows = super().look(microdata, requirement, key)
        if not requirement.about_values or not microdata.with_role("sensitive"):
            return rows
        step("Predicting")
        likeness = Likeness.of(microdata, key).codes(STEPS)
        step("Grouping")
        return _weighted(rows, likeness[rows.rows], self.near)

    def group(self, rows: Rows, key: Key) -> Grouped:
        """Cut once by nearness, then cut and fill as neighbours are."""
        size, way = rows.rows.size, Neighbours()
        few = size * PART < way.leaf * rows.least
        if few or not isinstance(rows, _Likened) or not 0 < self.near < 1:
            return way.group(rows, key)
        near = replace(rows, attributes=rows.near_alone)
        starts = np.append(cut(near, 0, size, int(size * PART) + 1), size)
        parts = [way.group(rows.between(a, b), key) for a, b in pairwise(starts.tolist())]
        before = np.cumsum([0, *(part.groups for part in parts)])
        group_of = [part.group_of + first for part, first in zip(parts, before, strict=False)]
        return Grouped(np.concatenate(group_of).astype(np.int32), int(before[-1]))


@dataclass(frozen=True)
class _Likened(Rows):
    """Rows whose first columns say where they stand by likeness."""

    near_alone: Attributes
    """The attributes where likeness has no extent."""


def _weighted(rows: Rows, likeness: NDArray[np.int32], near: float) -> _Likened:
    """Rows that stand where likeness and their attributes say.

    At near=0.5 the longest direction counts as much as all attributes together.
    """
    attributes, directions = rows.attributes, likeness.shape[1]
    weight = 2 * near / rows.codes.shape[1]
    steps = np.arange(STEPS + 1) / STEPS * 2 * (1 - near)
    found = Attributes(
        np.append(np.zeros(directions, np.bool_), attributes.is_nominal),
        np.append(np.tile(steps, directions), attributes.position * weight),
        np.append(np.arange(directions) * steps.size, attributes.offset + directions * steps.size),
        # without a weight, all values of an attribute together have no extent
        np.append(
            np.ones(directions),
            attributes.spread / weight if weight else np.full(attributes.spread.size, np.inf),
        ),
    )
    flat = np.append(np.zeros(directions * steps.size), found.position[directions * steps.size :])
    both = {"codes": np.hstack([likeness, rows.codes]), "attributes": found}
    return _Likened(**(vars(rows) | both), near_alone=found._replace(position=flat))
