"""A table on Apache Spark: read, counted, encoded and shuffled by it.

What is done with codes is done in Python, a batch of packed rows at a time: a tree of cuts said in
expressions would be code that grows with its leaves, and of long code Java compiles nothing. Of releases
and methods nothing is known here.
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

from anonagram.engines.spark_session import ROWS_A_BATCH, spark_sql
from anonagram.errors import AnonagramError
from anonagram.kernels.packed import unpack_codes

WORD = 63
"""Bits of a whole number into which codes are packed."""
DONE = "number long, done binary"
PIECE, PIECES = 1 << 22, (0, 22, 44)
"""Of a hash of 64 bits."""
QUICK = {"compression": "uncompressed", "parquet.enable.dictionary": "false"}
Codes = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Needed = NDArray[np.bool_]
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
        work = partial(_do_partition, do=do, read=partial(_named, names=list(names)))
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
    """Rows of codes, packed into words w0, w1 and so on."""

    frame: Any
    shifts: tuple[Shift, ...]
    """Where the code of each column is."""
    need: Callable[[Codes], Needed] | None = None
    """Which rows stand among those that were dealt, and count there alone."""
    dealt: Any = None
    """Rows with a hash h behind their words."""

    def draw(
        self, secret: Codes, limit: int, share: int, whole: int
    ) -> tuple[Codes, NDArray[np.int64]]:
        """Rows the upper half of whose hash behind a secret's words is below a limit.

        Of equal ones a share of a whole is kept; about parts of a row the rest of its hash decides.
        """
        hashed = self._coded().selectExpr("*", f"{self._hash(secret)} AS h")
        drawn = hashed.where(f"shiftrightunsigned(h, 32) < {limit}L")
        counted = drawn.groupBy(*drawn.columns).agg(spark_sql().functions.expr("count(1) AS times"))
        kept = f"(times * {share}L + pmod(h, {whole}L)) DIV {whole}L AS kept"
        found = counted.selectExpr(*drawn.columns, kept).where("kept > 0").drop("h").toArrow()
        found = pl.DataFrame(found)
        numbers = found.drop("kept").to_numpy().reshape(-1, len(self.shifts))
        return np.ascontiguousarray(numbers, np.int32), found["kept"].to_numpy()

    def sums_of_hashes(self, secrets: Sequence[Codes]) -> list[int]:
        """For each secret the hashes of all rows behind its words, added up: in pieces, none overflows."""
        rows = self._coded()
        pieces = [
            f"sum(shiftrightunsigned({self._hash(secret)}, {first}) & {PIECE - 1})"
            for secret in secrets
            for first in PIECES
        ]
        (sums,) = rows.selectExpr(*pieces).collect()
        shifted = [
            int(each or 0) << first for each, first in zip(sums, PIECES * len(secrets), strict=True)
        ]
        return [
            sum(shifted[first : first + len(PIECES)])
            for first in range(0, len(shifted), len(PIECES))
        ]

    def _coded(self) -> Any:
        """Rows as codes c0, c1 and so on."""
        codes = [
            f"CAST(shiftrightunsigned(coalesce(w{word}, 0L), {first}) & {(1 << bits) - 1} AS INT) "
            f"AS c{place}"
            for place, (word, first, bits) in enumerate(self.shifts)
        ]
        return self.frame.selectExpr(*codes)

    def _hash(self, secret: Codes) -> str:
        """The hash of a row behind a secret's words."""
        words = [f"CAST({word} AS INT)" for word in secret.tolist()]
        return (
            f"xxhash64({', '.join([*words, *(f'c{place}' for place in range(len(self.shifts)))])})"
        )

    def with_hashes(
        self, need: Callable[[Codes], Needed], hashed: Callable[[Codes], Hashes], folder: Path
    ) -> SparkCodes:
        """With a hash for each row that needs one: of its codes, and its number among equal rows.

        Equal rows may change places, so they are counted and not looked for.
        """
        functions = spark_sql().functions
        split = partial(_needing, need=need, shifts=self.shifts)
        some = self.frame.mapInArrow(split, self.frame.schema)
        counted = some.groupBy(*self.frame.columns).agg(
            functions.count(functions.lit(1)).alias("times")
        )
        work = partial(_add_hashes, hashed=hashed, shifts=self.shifts)
        path = str(folder / "dealt")
        counted.mapInArrow(work, self._with("h long")).write.options(**QUICK).parquet(path)
        return replace(self, need=need, dealt=self.frame.sparkSession.read.parquet(path))

    def map_partitions(self, do: Callable[[Iterator[tuple[Codes, Hashes]]], Any]) -> list[Any]:
        """What is found in each partition, whose rows come as codes and, where there are some, hashes."""
        found = []
        for frame, need in self._frames():
            work = partial(_do_partition, do=do, read=partial(_read, shifts=self.shifts, need=need))
            found += [each for _, each in _collected(frame.mapInArrow(work, DONE))]
        return found

    def map_blocks(
        self,
        block_of: Callable[[Codes, Hashes], Codes],
        count: int,
        do: Callable[[int, Codes], Any],
    ) -> list[tuple[int, Any]]:
        """What is found for each block, of whose number a row tells; each comes as a whole."""
        numbered = [
            frame.mapInArrow(
                partial(_add_blocks, block_of=block_of, shifts=self.shifts, need=need),
                self._with("b int"),
            )
            for frame, need in self._frames()
        ]
        rows = numbered[0] if len(numbered) == 1 else numbered[0].union(numbered[1])
        together = rows.repartitionById(count, spark_sql().functions.col("b"))
        work = partial(_do_block, do=do, shifts=self.shifts)
        return _collected(together.mapInArrow(work, DONE))

    def _frames(self) -> list[tuple[Any, Callable[[Codes], Needed] | None]]:
        """All rows, with what leaves some out."""
        return [(self.frame, self.need), *([] if self.dealt is None else [(self.dealt, None)])]

    def _with(self, column: str) -> str:
        """The columns of the words, and one behind them."""
        return ", ".join([*(f"{word} long" for word in self.frame.columns), column])

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
        *words, block = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
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
    for place, word in enumerate(words):
        inside = [(j, first, bits) for j, (of, first, bits) in enumerate(shifts) if of == place]
        columns, firsts, bits = np.array(inside, np.int64).T.copy()
        unpack_codes(np.array(word), columns, firsts, (1 << bits) - 1, codes)
    return codes


def _rows_in(
    batch: Any, shifts: Sequence[Shift], need: Callable[[Codes], Needed] | None
) -> tuple[dict[str, NDArray[np.int64]], Codes, Hashes]:
    """The words of a batch, the codes in them, and hashes where there are some; without some rows."""
    words = {name: batch.column(name).to_numpy() for name in batch.schema.names}
    hashes = words.pop("h").view(np.uint64) if "h" in words else np.zeros(0, np.uint64)
    codes = _codes_in(list(words.values()), shifts)
    if need is not None and (left_out := need(codes)).any():
        words = {name: word[~left_out] for name, word in words.items()}
        codes = codes[~left_out]
    return words, codes, hashes


def _read(
    batch: Any, shifts: Sequence[Shift], need: Callable[[Codes], Needed] | None
) -> tuple[Codes, Hashes]:
    return _rows_in(batch, shifts, need)[1:]


def _needing(
    batches: Iterable[Any], need: Callable[[Codes], Needed], shifts: Sequence[Shift]
) -> Iterator[Any]:
    """The rows that need a hash."""
    for batch in batches:
        words, _, _ = _rows_in(batch, shifts, lambda codes: ~need(codes))
        yield type(batch).from_pydict(words)


def _add_hashes(
    batches: Iterable[Any], hashed: Callable[[Codes], Hashes], shifts: Sequence[Shift]
) -> Iterator[Any]:
    """Each row as often as it was counted, numbered, with its hashes."""
    for batch in batches:
        *words, times = (column.to_numpy() for column in batch.columns)
        ends = np.cumsum(times)
        for first in range(0, int(ends[-1]) if ends.size else 0, ROWS_A_BATCH):
            number = np.arange(first, min(first + ROWS_A_BATCH, int(ends[-1])))
            row = np.searchsorted(ends, number, side="right")
            place = (number - (ends - times)[row]).astype(np.int32)
            repeated = [word[row] for word in words]
            codes = np.column_stack([_codes_in(repeated, shifts), place])
            columns = dict(zip(batch.schema.names, [*repeated, hashed(codes)], strict=True))
            columns["h"] = columns.pop("times").view(np.int64)
            yield type(batch).from_pydict(columns)


def _add_blocks(
    batches: Iterable[Any],
    block_of: Callable[[Codes, Hashes], Codes],
    shifts: Sequence[Shift],
    need: Callable[[Codes], Needed] | None,
) -> Iterator[Any]:
    for batch in batches:
        words, codes, hashes = _rows_in(batch, shifts, need)
        yield type(batch).from_pydict({**words, "b": block_of(codes, hashes)})


def _do_partition(
    batches: Iterable[Any], do: Callable[[Iterator[Any]], Any], read: Callable[[Any], Any]
) -> Iterator[Any]:
    rest = iter(batches)
    first = next(rest, None)
    if first is not None:
        yield _told(type(first), 0, lambda: do(map(read, chain([first], rest))))


def _named(batch: Any, names: Sequence[str]) -> pl.DataFrame:
    """A batch with the names that its columns had."""
    return _in_utc(pl.DataFrame(batch)).rename(lambda name: names[int(name[1:])])


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


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _in_utc(table: pl.DataFrame) -> pl.DataFrame:
    """Moments as the files have them, whatever the session's clocks show."""
    zoned = [n for n, t in table.schema.items() if isinstance(t, pl.Datetime) and t.time_zone]
    return table.with_columns(pl.col(zoned).dt.convert_time_zone("UTC"))
