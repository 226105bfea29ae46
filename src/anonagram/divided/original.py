"""The original of a release in parts, of which some rows are in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from anonagram.divided.columns import published_of, read_columns
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.divided.on_spark import rows_on_spark
from anonagram.divided.rows import Codes, Done, Rows, ValueCodes
from anonagram.errors import InputError
from anonagram.learning.foretold import ROWS
from anonagram.measures.inputs import original_rules, other_values, require_rows
from anonagram.microdata import Microdata
from anonagram.partition.blocks import with_codes
from anonagram.queries.opened import MEMORY
from anonagram.release import OpenedRelease
from anonagram.sources import load
from anonagram.sources.files import Scanned


@dataclass(frozen=True)
class OriginalElsewhere:
    """A table whose columns are known, and whose rows are where they are."""

    table: Microdata
    """Without rows."""
    rows: Rows
    codes: Mapping[str, ValueCodes]

    @classmethod
    def of(cls, rows: Rows, opened: OpenedRelease, schema: Any = None) -> Self:
        """Count its values, and refuse one that has other columns than the release."""
        rules = original_rules(opened.manifest, rows.names, schema)
        table, codes = read_columns(rows, rules, rows.count_values(published_of(rows, rules)))
        require_rows(table, opened.manifest, is_given=schema is not None)
        return cls(table, rows, codes)

    def require_values(self, published: Mapping[str, pl.DataFrame], kept: Sequence[str]) -> None:
        """Refuse one that does not have each value as often as the release: columns value and count.

        Only columns that the release has kept say so.
        """
        for column in self.table.columns:
            if column.name not in kept:
                continue
            told = published[column.name].sort("value")
            ours = pl.DataFrame({"value": column.values, "count": column.counts}).sort("value")
            values = told["value"].cast(column.domain.dtype, strict=False)
            if not (values.equals(ours["value"]) and told["count"].equals(ours["count"])):
                raise other_values(self.table.label, column.name)

    def look_through(self, do: Callable[[Iterator[Codes]], Done]) -> list[Done]:
        """Do something with all rows as codes, in the order of the columns."""
        return self.rows.look_through(self.codes, do)

    def sample(self) -> Microdata:
        """Rows at equal distances, as many as are learned from."""
        found = self.look_through(EveryNth(max(1, -(-self.table.rows // ROWS))))
        return with_codes(self.table, np.concatenate(found))


@dataclass(frozen=True)
class EveryNth:
    """Picks rows at equal distances."""

    step: int

    def __call__(self, batches: Iterator[Codes]) -> Codes:
        """The first row, and those that come so many behind it."""
        picked, first = [], 0
        for codes in batches:
            picked.append(codes[first :: self.step].copy())  # so that its batch can go
            first = (first - len(codes)) % self.step
        return np.concatenate(picked)


@contextmanager
def rows_at(source: Any, engine: str | None) -> Iterator[Rows]:
    """A table where it is; what cannot be read a part at a time is loaded."""
    if engine is not None:
        with rows_on_spark(engine, str(source)) as rows:
            yield rows
        return
    yield _on_disk(source)


def _on_disk(source: Any) -> RowsOnDisk:
    try:
        return RowsOnDisk.at(source, MEMORY)
    except (InputError, TypeError):
        table = load(source)
        names = tuple(table.frame.columns)
        return RowsOnDisk(Scanned(table.frame.lazy(), names, table.label, table.is_text), MEMORY)
