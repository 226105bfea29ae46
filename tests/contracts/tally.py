"""Another shape in one file, which has neither rows of people nor groups: how often values occur.

What follows from neither it says itself, and what nobody can do with it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, Self

import polars as pl

from anonagram.errors import CallError, ReleaseDamaged
from anonagram.microdata import Microdata
from anonagram.release import Figures, Manifest, Release
from anonagram.release.release import numbered


@dataclass(frozen=True, repr=False)
class TallyRelease(Release, shape="tally"):
    """Tables ``tally``, ``tally_2`` and so on: the values of a column, and how often each occurs."""

    tallies: Mapping[str, pl.DataFrame]
    own_columns = ("count",)

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        return list(numbered("tally", [column.name for column in manifest.columns]).values())

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        names = numbered("tally", [column.name for column in self.manifest.columns])
        return {names[column]: table for column, table in self.tallies.items()}

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        names = numbered("tally", [column.name for column in manifest.columns])
        count = manifest.layout["count"]
        for column, name in names.items():
            if tables[name].columns != [column, count]:
                raise ReleaseDamaged(f"Table {name} does not count {column!r}.")
            if tables[name][count].sum() != manifest.rows.published:
                raise ReleaseDamaged(f"Table {name} does not count every row once.")
        return cls(manifest, {column: tables[name] for column, name in names.items()})

    def values(self, column: str) -> pl.Series:
        self.require_published(column)
        count = self.manifest.layout["count"]
        return self.tallies[column].select(pl.col(column).repeat_by(count).explode())[column]

    def make_sheet(self) -> NoReturn:
        raise CallError(
            "A tally release does not tell which values belong together.",
            "read the counts in its tables.",
        )

    def figures(self) -> Figures:
        count = self.manifest.layout["count"]
        alone = sum(int((table[count] == 1).sum()) for table in self.tallies.values())
        return {"values_of_one_person": float(alone)}, {"columns": float(len(self.tallies))}

    def compare(self, original: Microdata) -> dict[str, float]:
        lost = sum(column.cardinality for column in original.columns) - sum(
            table.height for table in self.tallies.values()
        )
        return {"values_lost": float(lost)}
