"""A table on Apache Spark, as it reads it: its values counted, its rows read.

Of releases and methods nothing is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.engines.drafts import Draft
from anonagram.engines.spark_session import spark_sql
from anonagram.engines.spark_work import map_partitions
from anonagram.errors import AnonagramError


@dataclass(frozen=True)
class SparkTable:
    """A frame of Spark, as it is read."""

    frame: Any

    @property
    def names(self) -> list[str]:
        """Its columns."""
        return list(self.frame.columns)

    def distinct(self, names: Sequence[str], most: int) -> dict[str, pl.DataFrame]:
        """The different values of columns and how often each occurs, found in one pass.

        Of a column that has more than so many different values there may be fewer than all.
        """
        sql = spark_sql()
        functions, types = sql.functions, sql.types
        kinds = [self.frame.schema[name].dataType for name in names]
        values = [f"v{place}" for place in range(len(names))]
        plain = (self._plain(name).alias(v) for name, v in zip(names, values, strict=True))
        # each batch of rows counts its own values: few are left for Spark to add up
        counted = self.frame.select(*plain).mapInArrow(
            _count_batches,
            types.StructType(
                [types.StructField(v, kind) for v, kind in zip(values, kinds, strict=True)]
                + [types.StructField(name, types.LongType()) for name in ("place", "count")]
            ),
        )
        total = counted.groupBy("place", *values).agg(functions.sum("count").alias("count"))
        # where that many are not all, one of the columns has too many
        found = _in_utc(pl.DataFrame(total.limit((most + 1) * len(names)).toArrow()))
        return {
            name: found.filter(pl.col("place") == place).select(pl.col(v).alias("value"), "count")
            for place, (name, v) in enumerate(zip(names, values, strict=True))
        }

    def _plain(self, name: str) -> Any:
        """A column with one zero, and nothing for a number that is none."""
        functions = spark_sql().functions
        column = functions.col(_quoted(name))
        if self.frame.schema[name].dataType.typeName() in ("float", "double"):
            zero = functions.lit(0.0).cast(self.frame.schema[name].dataType)
            return functions.when(~functions.isnan(column), column + zero)
        return column

    def map_partitions(self, names: Sequence[str], do: Callable[[Iterator[Any]], Any]) -> list[Any]:
        """What is found in each partition, of which some columns come as frames, one after the other."""
        plain = (self._plain(name).alias(f"v{place}") for place, name in enumerate(names))
        return map_partitions(self.frame.select(*plain), partial(_named, names=list(names)), do)

    def drafted(
        self, names: Sequence[str], folder: Path, most: int, refuse: Callable[[str], AnonagramError]
    ) -> list[Draft]:
        """Every row as numbers of its values, each partition where it is."""
        folder.mkdir()
        return self.map_partitions(
            names, partial(Draft.of, folder=folder, most=most, refuse=refuse)
        )


def _count_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """For every column of each batch its values, each in a column of its own, and their counts."""
    for batch in batches:
        for place, name in enumerate(batch.schema.names):
            values, counts = batch.column(place).value_counts().flatten()
            number = batch.schema.field(place).with_type(counts.type)
            schema = batch.schema.append(number.with_name("place")).append(
                number.with_name("count")
            )
            rows = len(values)
            told: dict[str, Any] = {each: [None] * rows for each in batch.schema.names}
            told |= {name: values, "place": [place] * rows, "count": counts}
            yield type(batch).from_pydict(told, schema=schema)


def _named(batch: Any, names: Sequence[str]) -> pl.DataFrame:
    """A batch with the names that its columns had."""
    return _in_utc(pl.DataFrame(batch)).rename(lambda name: names[int(name[1:])])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _in_utc(table: pl.DataFrame) -> pl.DataFrame:
    """Moments as the files have them, whatever the session's clocks show."""
    zoned = [n for n, t in table.schema.items() if isinstance(t, pl.Datetime) and t.time_zone]
    return table.with_columns(pl.col(zoned).dt.convert_time_zone("UTC"))
