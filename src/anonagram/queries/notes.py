"""What whoever reads an answer should know about the columns and values that were asked about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import polars as pl
from sqlglot import exp

from anonagram.engines import Engine, InFiles
from anonagram.queries.compared import equal_to, texts_alone
from anonagram.queries.dialects import own_words
from anonagram.queries.left_out import note_of
from anonagram.queries.reading.question import DIALECT, Question, coarser_columns, plain_name
from anonagram.queries.sql import quote
from anonagram.release import Manifest, PublishedColumn
from anonagram.release.sheet import Sheet

LIKE_ENOUGH = 0.75
"""From here on one word is taken for another one misspelt."""
MOST_COMPARED = 2_000
"""Different values that a word is compared with letter by letter."""


@dataclass(frozen=True)
class Notes:
    """Sentences beside an answer."""

    coarser: tuple[str, ...]
    """About columns that are published coarser than they were."""
    others: tuple[str, ...]

    @classmethod
    def of(cls, question: Question, manifest: Manifest, sheet: Sheet, engine: Engine) -> Notes:
        """What there is to know about a question."""
        unknown = dict.fromkeys(_unknown(question, manifest, sheet, engine))
        return cls(
            coarser_columns(manifest, question),
            (*note_of(question, manifest.rows), *unknown),
        )

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return self.coarser + self.others


def _unknown(question: Question, manifest: Manifest, sheet: Sheet, engine: Engine) -> Iterator[str]:
    """Values that nobody can have, and texts, where something else was probably meant."""
    known = {column.name for column in manifest.columns}
    for name, value in equal_to(question):
        if name in known:
            as_text = _read_as_numbers(manifest.column(name), value, sheet, engine)
            if as_text:
                yield as_text
                continue
            meant = _meant(manifest.column(name), _text(value), sheet, engine)
            if meant is not None:
                yield f"No row of the release has {plain_name(name)} = {value.sql(DIALECT)}{meant}"
    by_plain = {_plain(name): name for name in known}
    for text in texts_alone(question):
        meant = by_plain.get(_plain(text.name))
        if meant is not None:
            column = exp.to_identifier(meant, quoted=True).sql(DIALECT)
            yield f"{text.sql(DIALECT)} is a text and no column; did you mean {column}?"


def _read_as_numbers(column: PublishedColumn, value: exp.Expr, sheet: Sheet, engine: Engine) -> str:
    """That texts were compared with a number as numbers; empty where they were not."""
    values = None if value.is_string else _others(column.name, _text(value), sheet, engine)
    if values is None:
        return ""
    numbers = values.str.strip_chars().cast(pl.Float64, strict=False)
    same = values.filter(numbers == float(_text(value))).sort()
    if same.is_empty():
        return ""
    name, first = plain_name(column.name), _quoted(same[0])
    more = f" and {len(same) - 1} more" * (len(same) > 1)
    return (
        f"{name} holds texts, which were read as numbers here: {value.sql(DIALECT)} is {first}{more}. "
        f"To ask for one text: {name} = {first}."
    )


def _text(value: exp.Expr) -> str:
    return f"-{value.name}" if isinstance(value, exp.Neg) else value.name


def _meant(column: PublishedColumn, text: str, sheet: Sheet, engine: Engine) -> str | None:
    """What to ask instead of a value that nobody has; None where somebody has it, or nothing is like it."""
    if column.original is not None and text in column.original.missing:
        return f": it stood for a missing value. Ask for {plain_name(column.name)} IS NULL."
    for code, label in (column.labels or {}).items():
        if _plain(label) == _plain(text) and code != text:
            return f": that is the label of {_quoted(code)}."
    values = _others(column.name, text, sheet, engine)
    found = None if values is None else _likest(text, values)
    return None if found is None else f"; did you mean {_quoted(found)}?"


def _others(name: str, text: str, sheet: Sheet, engine: Engine) -> pl.Series | None:
    """The different values of a column of texts; None where one of them is the one asked for."""
    first, *others = sheet.told[name]
    if others or not isinstance(first.dtype, pl.String | pl.Categorical | pl.Enum):
        return None
    if not isinstance(engine, InFiles):
        values = first if first.dtype == pl.String else first.unique().cast(pl.String)
        return None if (values == text).any() else values.drop_nulls().unique()
    if name in sheet.ranges:
        return None
    # on disk: no more is loaded than both ends of a column
    table = quote(sheet.parts[sheet.part_of(name)].table)
    asked = f"FROM {table} AS t WHERE t.{quote(name)}"
    has_it = own_words(f"SELECT 1 {asked} = {_quoted(text)} LIMIT 1", engine.dialect)
    if engine.run(has_it, text):
        return None
    different = f"SELECT DISTINCT t.{quote(name)} {asked} IS NOT NULL"
    rows = engine.run(own_words(different, engine.dialect), text)
    return pl.Series([value for (value,) in rows], dtype=pl.String)


def _likest(text: str, values: pl.Series) -> str | None:
    """The value that differs only in case or spaces, else the one with nearly the same letters."""
    by_plain = {_plain(value): value for value in sorted(values, reverse=True)}
    same = by_plain.get(_plain(text))
    if same is not None or len(by_plain) > MOST_COMPARED:
        return same
    close = get_close_matches(_plain(text), by_plain, 1, LIKE_ENOUGH)
    return by_plain[close[0]] if close else None


def _plain(text: str) -> str:
    """A text without what people do not see as a difference."""
    return " ".join(text.casefold().split())


def _quoted(text: str) -> str:
    return exp.Literal.string(text).sql(DIALECT)
