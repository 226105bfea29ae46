"""A table on Apache Spark: counted, encoded, hashed and cut in its own compiled code.

Rows come into Python once, when all rows of a block are together. What is asked for here is said in
numbers and expressions; of releases and methods nothing is known.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.engines.spark_session import spark_sql
from anonagram.errors import AnonagramError

LOW = 2**32 - 1
WORD = 63
"""Bits of a whole number into which codes are packed."""
DONE = "number long, done binary"
Codes = NDArray[np.int32]
Shift = tuple[int, int, int]
"""The word that a code is in, where it begins, and its bits."""


@dataclass(frozen=True)
class SparkTable:
    """A frame of Spark, as it is read."""

    frame: Any

    @property
    def names(self) -> list[str]:
        """Its columns."""
        return list(self.frame.columns)

    def distinct(self, name: str, most: int) -> pl.DataFrame:
        """The different values of a column and how often each occurs; at most so many and one more."""
        functions = spark_sql().functions
        values = self.frame.select(self._plain(name).alias("value"))
        counted = values.groupBy("value").agg(functions.count(functions.lit(1)).alias("count"))
        return _in_utc(pl.DataFrame(counted.limit(most + 1).toArrow()))

    def _plain(self, name: str) -> Any:
        """A column with one zero, and nothing for a number that is none."""
        functions = spark_sql().functions
        column = functions.col(_quoted(name))
        if self.frame.schema[name].dataType.typeName() in ("float", "double"):
            return functions.when(~functions.isnan(column), column + functions.lit(0.0))
        return column

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
        path = str(folder / "codes")
        frame.write.parquet(path)
        sizes = tuple(int(codes.max()) + 1 for _, codes in columns.values())
        return SparkCodes(frame.sparkSession.read.parquet(path), sizes)


@dataclass(frozen=True)
class SparkCodes:
    """Rows of codes in columns c0, c1 and so on; h is a hash where there is one."""

    frame: Any
    sizes: tuple[int, ...]
    """Above every code of each column."""

    @property
    def _columns(self) -> list[str]:
        return [f"c{place}" for place in range(len(self.sizes))]

    def hashed(self, secret: Codes) -> Any:
        """The hash of every row behind the words of a secret: an expression."""
        functions = spark_sql().functions
        words = [functions.lit(int(word)) for word in secret]
        return functions.xxhash64(*words, *self._columns)

    def sample(self, secret: Codes, limit: int) -> Codes:
        """The rows the upper half of whose hash is below a limit."""
        functions = spark_sql().functions
        high = functions.shiftrightunsigned(self.hashed(secret), 32)
        chosen = self.frame.where(high < functions.lit(limit)).select(*self._columns)
        found = pl.DataFrame(chosen.toArrow())
        return np.ascontiguousarray(found.to_numpy().reshape(-1, len(self.sizes)), np.int32)

    def with_hashes(self, hashed: Callable[[Codes], Codes]) -> SparkCodes:
        """With a hash for each row: of its codes, and of how many equal rows come before it."""
        sql = spark_sql()
        functions = sql.functions
        equal = sql.Window.partitionBy(*self._columns).orderBy(functions.lit(1))
        placed = self.frame.withColumn("place", functions.row_number().over(equal) - 1)
        columns = ", ".join(f"{name} int" for name in (*self._columns, "h"))
        work = partial(_add_hashes, hashed=hashed)
        beside = placed.select(*self._columns, "place").mapInArrow(work, columns)
        return replace(self, frame=beside)

    def count(
        self, leaf: str, proven: Sequence[int], secrets: Sequence[Codes]
    ) -> tuple[list[pl.DataFrame], list[int]]:
        """How many rows each leaf has with each code of some columns, and the sums of all hashes.

        `leaf` is an expression. Frames have the columns leaf, code and count; the code is 0 in the
        first, which counts the rows of leaves.
        """
        functions = spark_sql().functions
        frame = self.frame.withColumn("leaf", functions.expr(leaf))
        halves = []
        for number, secret in enumerate(secrets):
            hashed = self.hashed(secret)
            low, high = hashed.bitwiseAND(LOW), functions.shiftrightunsigned(hashed, 32)
            halves += [
                functions.sum(low).alias(f"l{number}"),
                functions.sum(high).alias(f"h{number}"),
            ]
        count = functions.count(functions.lit(1)).alias("count")
        first = [f"c{place}" for place in proven[:1]]
        found = [pl.DataFrame(frame.groupBy("leaf", *first).agg(count, *halves).toArrow())]
        found += [
            pl.DataFrame(frame.groupBy("leaf", f"c{place}").agg(count).toArrow())
            for place in proven[1:]
        ]
        sums = [
            (int(found[0][f"h{n}"].sum()) << 32) + int(found[0][f"l{n}"].sum())
            for n in range(len(secrets))
        ]
        rows = found[0].group_by("leaf").agg(pl.col("count").sum()).with_columns(code=0)
        counted = [rows]
        for place, each in zip(proven, found, strict=False):
            counted.append(each.rename({f"c{place}": "code"}))
        return [each.select("leaf", "code", "count") for each in counted], sums

    def map_blocks(
        self, block: str, count: int, do: Callable[[int, Codes], Any]
    ) -> list[tuple[int, Any]]:
        """What is found for each block, whose number an expression tells; each comes as a whole."""
        functions = spark_sql().functions
        shifts = _packed(self.sizes)
        words = [_word(shifts, word) for word in range(max(s[0] for s in shifts) + 1)]
        packed = self.frame.select(functions.expr(block).alias("b"), *map(functions.expr, words))
        together = packed.repartitionById(count, functions.col("b"))
        return _collected(together.mapInArrow(partial(_do_block, do=do, shifts=shifts), DONE))

    def map_items(self, items: Sequence[Any], do: Callable[[Any], Any]) -> list[Any]:
        """What is found for each item."""
        frame = self.frame.sparkSession.range(0, len(items), 1, max(len(items), 1))
        work = partial(_do_items, do=do, items=list(items))
        found = dict(_collected(frame.mapInArrow(work, DONE)))
        return [found[number] for number in range(len(items))]


def _do_block(
    batches: Iterable[Any], do: Callable[[int, Codes], Any], shifts: Sequence[Shift]
) -> Iterator[Any]:
    """The work on one block, where all of its rows are."""
    pieces, number, kind = [], None, None
    for batch in batches:
        if not batch.num_rows:
            continue
        block, *words = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
        number, kind = int(block[0]), type(batch)
        if (block != number).any():
            raise AssertionError("rows of two blocks came together")
        codes = np.empty((batch.num_rows, len(shifts)), np.int32)
        for column, (word, first, bits) in enumerate(shifts):
            codes[:, column] = words[word] >> first & ((1 << bits) - 1)
        pieces.append(codes)
    if number is not None:
        yield _told(kind, number, lambda: do(number, np.concatenate(pieces)))


def _add_hashes(batches: Iterable[Any], hashed: Callable[[Codes], Codes]) -> Iterator[Any]:
    for batch in batches:
        *codes, place = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
        rows = np.column_stack([*codes, place]).astype(np.int32)
        names = (*batch.schema.names[:-1], "h")
        yield type(batch).from_pydict(dict(zip(names, (*codes, hashed(rows)), strict=True)))


def _do_items(
    batches: Iterable[Any], do: Callable[[Any], Any], items: Sequence[Any]
) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _told(type(batch), number, partial(do, items[number]))


def _told(kind: Any, number: int, do: Callable[[], Any]) -> Any:
    """A row with what was found, or with what we refuse: trying that again would not help."""
    try:
        found = do()
    except AnonagramError as error:
        found = error
    return kind.from_pydict({"number": [number], "done": [pickle.dumps(found)]})


def _collected(frame: Any) -> list[tuple[int, Any]]:
    found = [(int(row["number"]), pickle.loads(row["done"])) for row in frame.collect()]  # noqa: S301
    for _, each in found:
        if isinstance(each, AnonagramError):
            raise each
    return sorted(found, key=lambda pair: pair[0])


def _packed(sizes: Sequence[int]) -> list[Shift]:
    """Where each code is when several are packed into a word: a shuffle moves what it is given."""
    shifts, word, used = [], 0, 0
    for size in sizes:
        bits = max(1, int(size).bit_length())
        if used + bits > WORD:
            word, used = word + 1, 0
        shifts.append((word, used, bits))
        used += bits
    return shifts


def _word(shifts: Sequence[Shift], word: int) -> str:
    parts = [
        f"shiftleft(CAST(c{column} AS BIGINT), {first})"
        for column, (place, first, _) in enumerate(shifts)
        if place == word
    ]
    return f"{' | '.join(parts)} AS w{word}"


def case_sql(attribute: Codes, border: Codes, left: Codes, right: Codes, by_hash: int) -> str:
    """A tree of cuts as an expression: nodes from 0 on, ~leaf for a node that is none."""

    def told(node: int) -> str:
        if node < 0:
            return str(~node)
        column = "h" if attribute[node] == by_hash else f"c{attribute[node]}"
        one, other = told(int(left[node])), told(int(right[node]))
        return f"CASE WHEN {column} <= {border[node]} THEN {one} ELSE {other} END"

    return told(0) if attribute.size else "0"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _in_utc(table: pl.DataFrame) -> pl.DataFrame:
    """Moments as the files have them, whatever the session's clocks show."""
    zoned = [n for n, t in table.schema.items() if isinstance(t, pl.Datetime) and t.time_zone]
    return table.with_columns(pl.col(zoned).dt.convert_time_zone("UTC"))
