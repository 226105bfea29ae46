"""A table on Apache Spark, as it reads it: its values counted, its rows encoded.

Of releases and methods nothing is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.engines.spark_codes import Packing, SparkCodes
from anonagram.engines.spark_session import spark_sql
from anonagram.engines.spark_work import map_partitions

Codes = NDArray[np.int32]


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
            return functions.when(~functions.isnan(column), column + functions.lit(0.0))
        return column

    def map_partitions(self, names: Sequence[str], do: Callable[[Iterator[Any]], Any]) -> list[Any]:
        """What is found in each partition, of which some columns come as frames, one after the other."""
        plain = (self._plain(name).alias(f"v{place}") for place, name in enumerate(names))
        return map_partitions(self.frame.select(*plain), partial(_named, names=list(names)), do)

    def coded(self, columns: Mapping[str, tuple[pl.Series, Codes]], folder: Path) -> SparkCodes:
        """Every row as codes, written once.

        Of each column its values are given, and the codes of these and, behind them, of a missing one.
        """
        sql = spark_sql()
        functions, types = sql.functions, sql.types
        frame = self.frame.select(
            *(self._plain(name).alias(f"v{place}") for place, name in enumerate(columns))
        )
        for place, (name, (values, codes)) in enumerate(columns.items()):
            field = types.StructField(f"k{place}", self.frame.schema[name].dataType)
            schema = types.StructType([field, types.StructField(f"c{place}", types.IntegerType())])
            table = pl.DataFrame({f"k{place}": values, f"c{place}": codes[:-1]})
            known = frame.sparkSession.createDataFrame(table.to_arrow(), schema)
            frame = frame.join(
                functions.broadcast(known), frame[f"v{place}"] == known[f"k{place}"], "left"
            ).drop(f"k{place}")
            changed = functions.raise_error(functions.lit("The table changed while it was read."))
            missing = functions.when(functions.col(f"v{place}").isNull(), int(codes[-1]))
            frame = frame.withColumn(
                f"c{place}",
                functions.coalesce(functions.col(f"c{place}"), missing.otherwise(changed)),
            ).drop(f"v{place}")
        packing = Packing.of([int(codes.max()) + 1 for _, codes in columns.values()])
        return SparkCodes.written(
            frame.selectExpr(*packing.expressions()), packing, folder / "codes"
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
