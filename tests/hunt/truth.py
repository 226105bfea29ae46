"""The truth: the same question, asked of the original by plain DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import duckdb
import polars as pl

from anonagram import Release
from tests.hunt.expressions import quoted_name
from tests.hunt.places import Key, key_of
from tests.hunt.question import Question
from tests.hunt.tables import Table

WIDE = {pl.Int128: "HUGEINT", pl.UInt128: "UHUGEINT"}


UNKNOWN = object()
"""What DuckDB did not tell because a sum beside it overflowed."""


class NoTruth(Exception):
    """DuckDB cannot answer the question about the original either."""


@dataclass
class Found:
    """What a question has for an answer, by group key."""

    rows: dict[Key, list[Any]] = field(default_factory=dict)
    """The values of the aggregates."""
    lists: dict[Key, list[Any]] = field(default_factory=dict)
    """What each aggregate was taken over."""
    twins: set[Key] = field(default_factory=set)
    """Keys that Python cannot tell apart, such as nanoseconds."""


def as_asked(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns as the documentation says they are asked.

    NaN is missing, -0.0 is 0.0, an ordinal column a text, a moment of a zone the time on its clocks.
    """
    return frame.select(
        _as_asked(pl.col(column.name), frame.schema[column.name], column.kind == "ordinal")
        for column in table.published
    )


def changed_values(table: Table, release: Release) -> list[str]:
    """The columns whose values are not just those of the original, where the shape keeps them."""
    original, changed = as_asked(table, table.asked()), []
    for column in table.published:
        values = release.values(column.name)
        if values is None:
            continue
        told = values.to_frame().select(
            _as_asked(pl.col(values.name), values.dtype, column.kind == "ordinal")
        )
        if release.manifest.rows.suppressed:
            if not told.to_series().is_in(original[column.name].implode(), nulls_equal=True).all():
                changed.append(column.name)
        elif not told.to_series().sort().equals(original[column.name].sort()):
            changed.append(column.name)
    return changed


def _as_asked(column: pl.Expr, dtype: pl.DataType, is_ordinal: bool) -> pl.Expr:
    if is_ordinal or dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if dtype == pl.Float16:
        return _plain(column.cast(pl.Float32), pl.Float32())
    if dtype.is_float():
        return _plain(column, dtype)
    if dtype == pl.Datetime and getattr(dtype, "time_zone", None):
        return column.dt.replace_time_zone(None)
    return column


def _plain(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    is_some = column.is_null() | (column != 0)
    return pl.when(is_some).then(column.fill_nan(None)).otherwise(pl.lit(0.0, dtype=dtype))


class Oracle:
    """A DuckDB that holds the original, and the worlds."""

    def __init__(self) -> None:
        self.database = duckdb.connect(config={"threads": 1})

    def hold(self, name: str, frame: pl.DataFrame) -> None:
        """Make a table of a frame."""
        wide = {n: WIDE[type(t)] for n, t in frame.schema.items() if type(t) in WIDE}
        arrow = frame.with_columns(pl.col(n).cast(pl.String) for n in wide).to_arrow()
        told = [
            f"CAST({q} AS {wide[n]}) AS {q}" if n in wide else q for n, q in _quoted(frame.columns)
        ]
        cursor = self.database.cursor()
        try:
            cursor.register("handed", arrow)
            cursor.execute(
                f"CREATE OR REPLACE TABLE {name} AS SELECT {', '.join(told)} FROM handed"
            )
        except duckdb.Error as error:
            raise NoTruth(str(error)) from error
        finally:
            cursor.close()

    def answer(self, question: Question) -> Found:
        """The truth of a question; sums and means also over the lists of their values."""
        found = Found()
        try:
            self._fill(found, question, self._run(question.truth_sql(lists=False)))
        except NoTruth:
            if not any(item.function == "SUM" for item in question.items):
                raise
        if any(item.function in ("SUM", "AVG") for item in question.items):
            self._add_lists(found, question)
        return found

    def answer_worlds(self, question: Question) -> dict[int, Found]:
        """What is true in each world."""
        worlds: dict[int, list[Any]] = {}
        for world, *row in self._run(question.worlds_sql()):
            worlds.setdefault(world, []).append(row)
        answers = {}
        for world, rows in worlds.items():
            answers[world] = Found()
            self._fill(answers[world], question, rows)
        return answers

    def _add_lists(self, found: Found, question: Question) -> None:
        """Without the sums of DuckDB (they overflow) the lists are all there is."""
        no_sums = not found.rows
        for row in self._run(question.truth_sql(lists=True)):
            key, lists = _split(question, row)
            found.lists[key] = lists
            if no_sums:
                found.rows[key] = [
                    None if item.function in ("SUM", "AVG") else UNKNOWN
                    for item in question.aggregates
                ]

    def _fill(self, found: Found, question: Question, rows: Iterable[Any]) -> None:
        for row in rows:
            key, values = _split(question, row)
            if key in found.rows:
                found.twins.add(key)
            found.rows[key] = [repr(v) if isinstance(v, list | dict) else v for v in values]

    def _run(self, sql: str) -> list[Any]:
        cursor = self.database.cursor()
        try:
            return cursor.execute(sql).fetchall()
        except (duckdb.Error, OverflowError, ValueError) as error:
            raise NoTruth(str(error)) from error
        finally:
            cursor.close()


def exact_sum(values: list[Any] | None) -> Fraction | None:
    """The sum of numbers without any rounding; None where there are none, or no numbers."""
    present = [value for value in values or () if value is not None]
    try:
        return sum((Fraction(value) for value in present), Fraction(0)) if present else None
    except (TypeError, ValueError, OverflowError):  # dates, texts, infinite results of arithmetic
        return None


def _split(question: Question, row: Any) -> tuple[Key, list[Any]]:
    keys = [value for value, item in zip(row, question.items, strict=True) if item.is_key]
    values = [value for value, item in zip(row, question.items, strict=True) if not item.is_key]
    return key_of(keys), values


def _quoted(names: list[str]) -> list[tuple[str, str]]:
    return [(name, quoted_name(name)) for name in names]
