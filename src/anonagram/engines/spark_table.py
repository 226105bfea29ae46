"""A table on Apache Spark: counted, encoded, hashed and cut in its own compiled code.

Rows come into Python once, when all rows of a block are together. What is asked for here is said in
numbers and expressions; of releases and methods nothing is known.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
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
QUICK = {"compression": "uncompressed", "parquet.enable.dictionary": "false"}
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
        work = partial(_do_partition, do=do, names=list(names))
        return [found for _, found in _collected(self.frame.select(*plain).mapInArrow(work, DONE))]

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
        shifts = _packed([int(codes.max()) + 1 for _, codes in columns.values()])
        # read several times and then gone: quick rather than small
        packed = frame.selectExpr(*_words(shifts)).write
        packed.options(**QUICK).parquet(path)
        return SparkCodes(frame.sparkSession.read.parquet(path), shifts)


@dataclass(frozen=True)
class SparkCodes:
    """Rows of codes, packed into words w0, w1 and so on; h is a hash where there is one."""

    frame: Any
    shifts: tuple[Shift, ...]
    """Where the code of each column is."""

    @property
    def _columns(self) -> list[str]:
        return [f"c{place}" for place in range(len(self.shifts))]

    @property
    def _unpacked(self) -> Any:
        """With the codes beside the words, in columns c0, c1 and so on."""
        codes = [
            f"CAST(shiftrightunsigned(coalesce(w{word}, 0L), {first}) & {(1 << bits) - 1} AS INT) "
            f"AS c{place}"
            for place, (word, first, bits) in enumerate(self.shifts)
        ]
        return self.frame.selectExpr("*", *codes)

    def hashed(self, secret: Codes) -> Any:
        """The hash of every row behind the words of a secret: an expression."""
        functions = spark_sql().functions
        words = [functions.lit(int(word)) for word in secret]
        return functions.xxhash64(*words, *self._columns)

    def sample(self, secret: Codes, limit: int) -> Codes:
        """The rows the upper half of whose hash is below a limit."""
        functions = spark_sql().functions
        high = functions.shiftrightunsigned(self.hashed(secret), 32)
        chosen = self._unpacked.where(high < functions.lit(limit)).select(*self._columns)
        found = pl.DataFrame(chosen.toArrow())
        return np.ascontiguousarray(found.to_numpy().reshape(-1, len(self.shifts)), np.int32)

    def with_hashes(self, hashed: Callable[[Codes], Codes]) -> SparkCodes:
        """With a hash for each row: of its codes, and of how many equal rows come before it."""
        sql = spark_sql()
        functions = sql.functions
        words = [column for column in self.frame.columns if column != "h"]
        equal = sql.Window.partitionBy(*words).orderBy(functions.lit(1))
        placed = self.frame.withColumn("place", functions.row_number().over(equal) - 1)
        columns = ", ".join([f"{word} long" for word in words] + ["h int"])
        work = partial(_add_hashes, hashed=hashed, shifts=self.shifts)
        beside = placed.select(*words, "place").mapInArrow(work, columns)
        return replace(self, frame=beside)

    def count(
        self, leaf: str, proven: Sequence[int], secrets: Sequence[Codes]
    ) -> tuple[list[pl.DataFrame], list[int]]:
        """How many rows each leaf has with each code of some columns, and the sums of all hashes.

        `leaf` is an expression. Frames have the columns leaf, code and count; the code is 0 in the
        first, which counts the rows of leaves.
        """
        functions = spark_sql().functions
        frame = self._unpacked.withColumn("leaf", functions.expr(leaf))
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
        words = [column for column in self.frame.columns if column != "h"]
        packed = self._unpacked.select(functions.expr(block).alias("b"), *words)
        together = packed.repartitionById(count, functions.col("b"))
        work = partial(_do_block, do=do, shifts=self.shifts)
        return _collected(together.mapInArrow(work, DONE))

    def map_items(self, items: Sequence[Any], do: Callable[[Any], Any]) -> list[Any]:
        """What is found for each item."""
        return map_items(self.frame.sparkSession, items, do)


def map_items(session: Any, items: Sequence[Any], do: Callable[[Any], Any]) -> list[Any]:
    """What is found for each item, each in a task of its own."""
    frame = session.range(0, len(items), 1, max(len(items), 1))
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
        pieces.append(_codes_in(words, shifts))
    if number is not None:
        yield _told(kind, number, lambda: do(number, np.concatenate(pieces)))


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


def _codes_in(words: Sequence[NDArray[np.int64]], shifts: Sequence[Shift]) -> Codes:
    """The codes that are packed into words, a row each."""
    codes = np.empty((len(words[0]), len(shifts)), np.int32)
    for column, (word, first, bits) in enumerate(shifts):
        codes[:, column] = words[word] >> first & ((1 << bits) - 1)
    return codes


def _add_hashes(
    batches: Iterable[Any], hashed: Callable[[Codes], Codes], shifts: Sequence[Shift]
) -> Iterator[Any]:
    for batch in batches:
        *words, place = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
        rows = np.column_stack([_codes_in(words, shifts), place.astype(np.int32)])
        names = (*batch.schema.names[:-1], "h")
        yield type(batch).from_pydict(dict(zip(names, (*words, hashed(rows)), strict=True)))


def _do_partition(
    batches: Iterable[Any], do: Callable[[Iterator[pl.DataFrame]], Any], names: Sequence[str]
) -> Iterator[Any]:
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        return
    frames = (_in_utc(pl.DataFrame(batch)) for batch in chain([first], rest))
    named = (frame.rename(lambda name: names[int(name[1:])]) for frame in frames)
    yield _told(type(first), 0, lambda: do(named))


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


def _packed(sizes: Sequence[int]) -> tuple[Shift, ...]:
    """Where each code is when several are packed into a word: disks and shuffles move what they get."""
    shifts, word, used = [], 0, 0
    for size in sizes:
        bits = max(1, int(size).bit_length())
        if used + bits > WORD:
            word, used = word + 1, 0
        shifts.append((word, used, bits))
        used += bits
    return tuple(shifts)


def _words(shifts: Sequence[Shift]) -> list[str]:
    """The words as expressions over codes."""
    parts: dict[int, list[str]] = {}
    for column, (word, first, _) in enumerate(shifts):
        parts.setdefault(word, []).append(f"shiftleft(CAST(c{column} AS BIGINT), {first})")
    return [f"{' | '.join(codes)} AS w{word}" for word, codes in parts.items()]


def cuts_sql(attribute: Codes, border: Codes, left: Codes, right: Codes, by_hash: int) -> str:
    """A tree of cuts as an expression: nodes from 0 on, ~leaf for a node that is none."""

    def told(node: int) -> str:
        if node < 0:
            return str(~node)
        column = "h" if attribute[node] == by_hash else f"c{attribute[node]}"
        one, other = told(int(left[node])), told(int(right[node]))
        # not CASE, of which Spark makes three times the code: what is too long Java does not compile
        return f"IF({column} <= {border[node]}, {one}, {other})"

    return told(0) if attribute.size else "0"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _in_utc(table: pl.DataFrame) -> pl.DataFrame:
    """Moments as the files have them, whatever the session's clocks show."""
    zoned = [n for n, t in table.schema.items() if isinstance(t, pl.Datetime) and t.time_zone]
    return table.with_columns(pl.col(zoned).dt.convert_time_zone("UTC"))
