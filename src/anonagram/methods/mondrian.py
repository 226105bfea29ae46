"""Mondrian: the table is cut where it is widest, as long as all parts keep the promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.places import on_scale
from anonagram.errors import CannotAnonymize
from anonagram.kernels.mondrian import Cut, cut_all
from anonagram.key import Key
from anonagram.lattice import Ladder, Test, goal_of
from anonagram.methods.covers import Cover, cover_of_groups, cover_of_levels, publish_covers
from anonagram.methods.goal_method import GoalMethod, unreachable
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.partition import Partition
from anonagram.release import Manifest
from anonagram.runtime.progress import step

BEYOND = 2.0
"""Where a missing value lies: beyond all others, so that it is cut off first."""


@dataclass(frozen=True, repr=False, init=False)
class Mondrian(GoalMethod, call="mondrian", example="mondrian(k_anonymity(k=3))"):
    """Cut at the median of the widest column into two parts, and each of them again.

    LeFevre, DeWitt and Ramakrishnan (2006). Strict cuts keep equal values together; relaxed ones
    make halves. Each group is told as the ranges and sets that its own values have. Along
    hierarchies, a column that has one is cut into the labels below its label, and told by it.

    >>> from anonagram import KAnonymity, Key, Microdata
    >>> table = {"age": [31, 33, 38, 45, 47, 52], "ill": ["flu", "cut", "flu", "gout", "flu", "cut"]}
    >>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    >>> release = Mondrian(KAnonymity(k=3)).anonymize(data, Key(bytes(32)))
    >>> release.rows["age"].unique().sort().to_list()
    ['[31, 38]', '[45, 52]']
    """

    cuts: Literal["strict", "relaxed"] = "strict"
    along: Literal["values", "hierarchies"] = "values"
    undivided = "it looks for its cuts in the whole table"

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Cut, and tell of each group its extent."""
        tests = self.tests(microdata)
        step("Cutting")
        ladders = self._ladders(microdata)
        group_of, levels = self.cut(microdata, tests, ladders, key)
        if levels.shape[0] == 1 and not self._holds(microdata, key, manifest):
            self._refuse(microdata, key, manifest)
        arrangement = Partition(group_of, levels.shape[0]).arrange(key, repr(self))
        step("Generalizing")
        # which group each published one was
        was = group_of[arrangement.order[arrangement.starts[:-1]]]
        firsts = arrangement.order[arrangement.starts[:-1]]
        covers: dict[str, Cover] = {}
        for place, column in enumerate(microdata.with_role("quasi")):
            ladder = ladders[place]
            covers[column.name] = (
                cover_of_groups(column, arrangement)
                if ladder is None
                else cover_of_levels(ladder, levels[was, place], column.codes[firsts])
            )
        return publish_covers(microdata, arrangement, covers, manifest)

    def _ladders(self, microdata: Microdata) -> list[Ladder | None]:
        """The hierarchies of columns that are cut along them."""
        return [
            Ladder.of(column) if self.along == "hierarchies" and column.hierarchy else None
            for column in microdata.with_role("quasi")
        ]

    def cut(
        self,
        microdata: Microdata,
        tests: Sequence[Test],
        ladders: Sequence[Ladder | None],
        key: Key,
    ) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
        """The group of every row, and the level of each column in each group."""
        columns, sensitive = microdata.with_role("quasi"), microdata.with_role("sensitive")
        # halves of equal values are told apart by the key, never by where they stood
        rows = key.permutation("mondrian/rows", microdata.rows)
        codes = np.stack([column.codes[rows] for column in columns], axis=1)
        tested = sensitive if any(test.column >= 0 for test in tests) else []
        values = np.empty((microdata.rows, len(tested)), np.int32)
        for place, column in enumerate(tested):
            values[:, place] = column.codes[rows]
        different = max((column.cardinality for column in tested), default=0)
        cut = _cut_of(columns, ladders, is_strict=self.cuts == "strict")
        starts, levels = cut_all(goal_of(tests, sensitive), cut, codes, values, rows, different)
        order = np.argsort(starts)
        group_of = np.empty(microdata.rows, np.int32)
        sizes = np.diff(np.append(starts[order], microdata.rows))
        group_of[rows] = np.repeat(np.arange(starts.size, dtype=np.int32), sizes)
        return group_of, levels[order]

    def _one_group(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        everybody = Partition(np.zeros(microdata.rows, np.int32), 1)
        arrangement = everybody.arrange(key, repr(self))
        quasi = microdata.with_role("quasi")
        covers = {column.name: cover_of_groups(column, arrangement) for column in quasi}
        return publish_covers(microdata, arrangement, covers, manifest)

    def _holds(self, microdata: Microdata, key: Key, manifest: Manifest) -> bool:
        release = self._one_group(microdata, key, manifest).release
        return all(model.check(release).holds for model in self.goal)

    def _refuse(self, microdata: Microdata, key: Key, manifest: Manifest) -> NoReturn:
        release = self._one_group(microdata, key, manifest).release
        raise CannotAnonymize(*unreachable(self.goal, release, microdata.label))


def _cut_of(columns: Sequence[Column], ladders: Sequence[Ladder | None], *, is_strict: bool) -> Cut:
    places, keys, shares = [np.empty(0)], [np.empty(0, np.int32)], [np.empty(0)]
    tallest = max((ladder.height for ladder in ladders if ladder is not None), default=0)
    where = np.full((len(columns), tallest + 1), -1, np.int64)
    at = 0
    for i, (column, ladder) in enumerate(zip(columns, ladders, strict=True)):
        places.append(_places(column))
        for level, ids in enumerate(() if ladder is None else ladder.ids):
            where[i, level], at = at, at + ids.size
            keys.append(ids)
            shares.append(ladder.leaves(level) / ladder.size)  # type: ignore[union-attr]
    heights = [0 if ladder is None else ladder.height for ladder in ladders]
    offset = np.cumsum([0, *(column.cardinality for column in columns)])
    return Cut(
        np.concatenate(places),
        offset.astype(np.int64),
        is_strict,
        np.concatenate(keys),
        np.concatenate(shares),
        where,
        np.array(heights, np.int16),
    )


def _places(column: Column) -> NDArray[np.float64]:
    """Where values lie from 0 to 1: numbers and dates as they are, others by their rank."""
    if column.kind in ("numeric", "date"):
        found = on_scale(column.domain).to_numpy()
    else:
        found = np.linspace(0, 1, len(column.domain)) if len(column.domain) > 1 else np.zeros(1)
    return np.append(found, BEYOND) if column.has_missing else found
