"""Complete tables that may be the original: consistent with all that a release tells.

A world has every value of the release where it can be. Rows that stand whole stay whole; what was
rearranged apart is matched inside groups, with every matching as likely as any other, or as likely as
a model says that is fitted to the release. Of a range some row has the lowest value and some the
highest, and the others any between: how values are spread inside it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from anonagram.calls import require
from anonagram.errors import CallError
from anonagram.learning.apart import Apart, stands_apart
from anonagram.learning.learned import Learned, learn
from anonagram.learning.ranges import draw_range
from anonagram.release import GroupedRelease, Release
from anonagram.release.sheet import Part

MOST_WORLDS = 10_000


def draw_worlds(
    release: Release, number: int, seed: int = 0, *, learned: bool = False
) -> Iterator[pl.DataFrame]:
    """So many worlds of a release with groups, one after the other; the same for the same seed.

    >>> from anonagram import Anatomy, Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "ill": ["flu", "cut", "flu", "gout"]}
    >>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    >>> worlds = list(draw_worlds(Anatomy(l=2).anonymize(data, Key(bytes(32))), 2))
    >>> [sorted(world["ill"]) for world in worlds]
    [['cut', 'flu', 'flu', 'gout'], ['cut', 'flu', 'flu', 'gout']]
    """
    require(1 <= number <= MOST_WORLDS, f"{number} worlds are none that can be drawn.", "5, or 20.")
    require(0 <= seed < 2**63, f"The seed {seed} is none.", "a whole number from 0.")
    groups = release.grouped
    if groups is None:
        raise CallError(
            f"Worlds are drawn inside groups, and a {release.shape} release has none.",
            "its rows stand as they were masked or replaced: take them as they are.",
        )
    groups.sensitive_counts()  # a shape that does not tell values says so
    if learned and not can_learn(groups):
        raise CallError(
            f"This {groups.shape} release publishes neither exact rows nor columns beside one sensitive "
            "column to learn from.",
            "draw worlds without learning.",
        )
    worlds = _Worlds(groups, learned)
    return (worlds.draw(np.random.default_rng([seed, each])) for each in range(number))


def can_learn(release: GroupedRelease) -> bool:
    """Whether all groups together tell more than each of them: of rows, or of columns apart."""
    return release.has_whole_rows or stands_apart(release)


@dataclass(frozen=True)
class _Worlds:
    release: GroupedRelease
    learns: bool

    @cached_property
    def models(self) -> dict[str, Learned]:
        """For each sensitive attribute what was learned about it."""
        whole = self.learns and self.release.has_whole_rows
        names = self.release.manifest.named("sensitive") if whole else ()
        return {name: learn(self.release, name, learner="logistic") for name in names}

    @cached_property
    def apart(self) -> Apart | None:
        """What was learned of columns that were rearranged apart."""
        is_apart = self.learns and not self.release.has_whole_rows
        return Apart.of(self.release) if is_apart else None

    def draw(self, random: np.random.Generator) -> pl.DataFrame:
        """One world, its columns as the original has them."""
        names = [each.name for each in self.release.manifest.columns]
        if self.apart is not None:
            return pl.DataFrame(self.apart.draw(self.release, random)).select(names)
        columns: dict[str, pl.Series] = {}
        for part in self.release.sheet.parts.values():
            if not part.columns or part.columns[0] in self.models:
                continue
            for column in self._shuffled(part, random):
                columns[column.name] = column
        for name, learned in self.models.items():
            values = learned.domain.extend_constant(None, 1)
            columns[name] = values.gather(learned.draw(random)).alias(name)
        rows = self.release.group_sizes().sort("group")["rows"].to_numpy()
        for name, told in self.release.sheet.ranges.items():
            columns[name] = draw_range(told, self.release, rows, random).alias(name)
        world = pl.DataFrame([columns[name] for name in names])
        real = self.release.sheet.real
        return world if real is None else world.filter(columns[real])

    def _shuffled(self, part: Part, random: np.random.Generator) -> list[pl.Series]:
        """The rows of a part by group, in a random order inside each, or in that of the models."""
        sheet = self.release.sheet
        table = sheet.tables[part.table]
        order = table[sheet.group].to_numpy()
        rows = np.arange(table.height)
        if part.weight is not None:
            rows = np.repeat(rows, table[part.weight].to_numpy())
        if self.models and part.weight is None:
            rows = next(iter(self.models.values())).order
        else:
            rows = rows[np.lexsort((random.random(rows.size), order[rows]))]
        return table.select(part.columns)[rows].get_columns()
