"""t-closeness: the values of every group are spread nearly as those of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.hierarchy import value_texts
from anonagram.errors import CallError
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.compared import distances, levels_at_most
from anonagram.models.model import GroupModel
from anonagram.release import WithGroups
from anonagram.release.manifest import PublishedColumn, describe_column

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class TCloseness(GroupModel, call="t_closeness", example="t_closeness(t=0.2)"):
    """No group is further than t from the whole table (Li, Li and Venkatasubramanian 2007).

    The earth mover's distance: which share of the group must change its value, times how far. All
    values are equally far from each other; or ordered, as far as they are apart in the order of all
    values, 1 from end to end; or hierarchical, as high as one must climb in the column's hierarchy
    to find both, 1 at its top. The table is the whole original, also where rows were left out.

    >>> TCloseness(t=0.2)
    t_closeness(t=0.2, distance="equal")
    """

    in_words = "the sensitive values of every group are distributed as in the table, but for {t}"

    t: Annotated[float, Between(0, 1)]
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    less_is_stronger = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        return [self._test(j, column) for j, column in enumerate(sensitive)]

    def _test(self, j: int, column: Column) -> Test:
        about = describe_column(column)
        if self.distance == "equal":
            return Test(goals.EQUAL, j, self.t, is_compared=True)
        if self.distance == "ordered":
            require_order(about)
            return Test(goals.ORDERED, j, self.t, is_compared=True)
        values = column.domain.extend_constant(None, 1) if column.has_missing else column.domain
        paths = climbs(about, values)
        return Test(goals.TREE, j, self.t, is_compared=True, paths=paths)

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """The distance of every group."""
        totals = release.sensitive_totals()
        return pl.concat(
            levels_at_most(
                name,
                distances(counts, totals[name], self._distance(release, name, totals[name])),
                self.t,
            )
            for name, counts in release.promised_counts().items()
        )

    def _distance(self, release: WithGroups, name: str, totals: pl.DataFrame):  # type: ignore[no-untyped-def]
        """What becomes of differences of shares, a row each group and a column each value."""
        if self.distance == "equal":
            return lambda excess: np.maximum(excess, 0.0).sum(axis=1)
        about = release.manifest.column(name)
        if self.distance == "ordered":
            require_order(about)
            return _moved_along
        return _Tree(climbs(about, totals["value"])).moved


def require_order(about: PublishedColumn) -> None:
    """Refuse an ordered distance of values that have no order."""
    if not about.is_ordered:
        raise CallError(
            f"t_closeness: {about.name} is nominal, its values have no order.",
            'distance="equal", distance="hierarchical", or kind = "ordinal" with an order in the '
            "schema.",
        )


def climbs(about: PublishedColumn, values: pl.Series) -> list[tuple[str, ...]]:
    """The labels of every value from its own up to one that all have; missing ones stay alone."""
    if about.hierarchy is None:
        raise CallError(
            f"t_closeness: {about.name} has no hierarchy.",
            f'give {about.name} a hierarchy in the schema, or take distance="equal".',
        )
    present = values.drop_nulls()
    texts = value_texts(present)
    missing = [text for text in texts if text not in about.hierarchy]
    if missing:
        raise CallError(
            f"t_closeness: the hierarchy of {about.name} does not cover {missing[0]!r}.",
            "make the release again with a hierarchy that covers every value.",
        )
    paths = [(f"={text}", *(f"^{each}" for each in about.hierarchy[text])) for text in texts]
    height = len(paths[0]) if paths else 2
    if len(values) > len(present):
        paths.append(("",) * height)
    tops = {path[-1] for path in paths}
    return [(*path, "*") for path in paths] if len(tops) > 1 else paths


def _moved_along(excess: Floats) -> Floats:
    """How much is moved from each value to the next, over the most that can be."""
    if excess.shape[1] < 2:
        return np.zeros(excess.shape[0])
    moved: Floats = np.abs(np.cumsum(excess, axis=1)[:, :-1]).sum(axis=1) / (excess.shape[1] - 1)
    return moved


class _Tree:
    """The hierarchy of a column: what cannot be evened out below a label goes through it."""

    def __init__(self, paths: list[tuple[str, ...]]) -> None:
        # a label counts together with all above it, so that two of one name stay two
        self.levels = [
            np.unique([repr(path[level:]) for path in paths], return_inverse=True)[1]
            for level in range(len(paths[0]))
        ]

    def moved(self, excess: Floats) -> Floats:
        total = np.zeros(excess.shape[0])
        height = len(self.levels) - 1
        for level in range(1, height + 1):
            below = _summed(excess, self.levels[level - 1])
            first_of = np.unique(self.levels[level - 1], return_index=True)[1]
            above = self.levels[level][first_of]
            more, less = (_summed(np.maximum(sign * below, 0.0), above) for sign in (1, -1))
            total += np.minimum(more, less).sum(axis=1) * level / height
        return total


def _summed(numbers: Floats, place: NDArray[np.int64]) -> Floats:
    """The columns of a matrix added up where they have the same place."""
    summed = np.zeros((numbers.shape[0], int(place.max()) + 1))
    for column, where in enumerate(place):
        summed[:, where] += numbers[:, column]
    return summed
