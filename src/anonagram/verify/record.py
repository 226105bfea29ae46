"""A person's own record: what she, and somebody who knows her, would look for in a release."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.columns.coarsening import coarser_values
from anonagram.columns.encoding import encode
from anonagram.columns.hierarchies.intervals import interval_with
from anonagram.columns.hierarchy import value_texts
from anonagram.columns.original import Original
from anonagram.columns.spans import to_units
from anonagram.columns.written import find_format
from anonagram.errors import InputError, SchemaError, nearest, suggest
from anonagram.schema import ColumnRule, Kind
from anonagram.shown.wording import option
from anonagram.sources import Table
from anonagram.sources.table import refuse_repeated_names
from anonagram.verify.misread import what_to_write
from anonagram.verify.view import View, ViewColumn

MOST_LISTED = 12
MISSPELT = 0.75
"""So like a column's name is one that was meant to be it."""


def read_record(path: str | Path) -> dict[str, str | None]:
    """A record from a CSV file with a header and one row, or a JSON file with one object."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read: {why}.", "give a CSV or JSON file.") from error
    if path.suffix.lower() == ".json":
        return _from_json(path, text)
    header = text.split("\n", 1)[0]
    separator = max(",;\t|", key=header.count)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        raise InputError(
            f"{path} does not hold one record.",
            "a row with the columns' names, and one with values.",
        )
    refuse_repeated_names(rows[0], str(path))
    return dict(zip(rows[0], rows[1], strict=True))


def _from_json(path: Path, text: str) -> dict[str, str | None]:
    try:
        content = json.loads(text, object_pairs_hook=_without_repeats)
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.", '{"age": 41}') from error
    if not isinstance(content, dict) or any(isinstance(v, dict | list) for v in content.values()):
        raise InputError(f"{path} does not hold one record.", '{"age": 41, "sex": "F"}')
    return {name: _as_text(value) for name, value in content.items()}


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a column stands twice")
    return dict(pairs)


def _as_text(value: Any) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_settings(settings: Iterable[str]) -> dict[str, str]:
    """A record from texts like age=41.

    >>> read_settings(["age=41", "town=a=b"])
    {'age': '41', 'town': 'a=b'}
    """
    record: dict[str, str] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or not name:
            raise InputError(f"{setting!r} sets no column.", option("--set age=41", '"age=41"'))
        if name in record:
            raise InputError(f"{name} is set twice.", "set it once.")
        record[name] = value
    return record


def by_labels(view: View, record: Mapping[str, str | None]) -> dict[str, str | None]:
    """The record by columns' own names and values, where she gave labels, or another case."""
    about = {column.name: column for column in view.release.manifest.columns}
    titles = {name: [name, about[name].title] for name in view.columns}
    named = {_meant(name, titles): text for name, text in record.items()}
    if len(named) < len(record):
        raise InputError("A column is set twice, once by its label.", "set it once.")
    for name, text in named.items():
        column = view.columns.get(name)
        if column is not None and text is not None and not column.is_measured:
            labels = about[name].labels or {}
            named[name] = _meant(
                text, {each: [each, labels.get(each, each)] for each in column.texts}
            )
    return named


def _meant(given: str, words: Mapping[str, list[str]]) -> str:
    """What is written as given or called so, in any case; as given where that is none or several."""
    if given in words:
        return given
    wanted = given.strip().casefold()
    found = [own for own, called in words.items() if wanted in (each.casefold() for each in called)]
    return found[0] if len(found) == 1 else given


def require_columns(view: View, names: Iterable[str]) -> None:
    """Refuse the name of a column that the release does not have."""
    for name in names:
        if name not in view.columns:
            raise SchemaError(
                f"The release has no column {name!r}.", suggest(name, list(view.columns))
            )


def refuse_misspelt(view: View, names: Sequence[str]) -> None:
    """Refuse a name that is nearly that of a column which was not given.

    A whole record has columns that were never published, such as a name; those are left out.
    """
    left = [name for name in view.columns if name not in names]
    for name in names:
        meant = None if name in view.columns else nearest(name, left, MISSPELT)
        if meant is not None:
            raise SchemaError(
                f"The release has no column {name!r}.",
                f"{meant!r}, if that is meant; else leave it out.",
            )


@dataclass(frozen=True)
class Sought:
    """A value that is looked for in a column."""

    code: int
    """Which of the column's values it is; -1 for none of them."""
    place: float
    """Where it lies: infinity for a missing value, NaN for one that has no place."""


def sought_in(column: ViewColumn, text: str | None) -> Sought:
    """Find a value in a column. None is a missing one, and so is an empty text that is no value.

    Where the column is published coarser, her own value becomes what it is published as.
    """
    original = column.original or Original(column.kind)
    if text in column.texts:
        return _at(column, column.texts.index(text))
    if text is None or text.strip() == "" or text.strip() in original.missing:
        return Sought(len(column.domain), float("inf"))
    if not column.is_measured and not original.publish:
        return Sought(-1, float("nan"))
    value = _published(column, original, text)
    if not column.is_measured:
        known = value_texts(value)[0]
        return _at(column, column.texts.index(known) if known in column.texts else -1)
    try:
        same = value if value.dtype.is_numeric() else value.cast(column.domain.dtype)
        found = column.domain.cast(same.dtype) == same[0]
    except (pl.exceptions.PolarsError, OverflowError) as error:
        raise _misfit(column, text) from error
    return Sought(int(found.arg_max() or 0) if found.any() else -1, float(to_units(same)[0]))


def _at(column: ViewColumn, code: int) -> Sought:
    return Sought(code, float(column.places[code]) if code >= 0 else float("nan"))


def _is_odd(text: str, dtype: pl.DataType) -> bool:
    """Whether one value does not show how it is meant: 3,0 may be three or thirty."""
    return "," in text if dtype.is_numeric() else find_format(pl.Series([text])) is not None


def _published(column: ViewColumn, original: Original, text: str) -> pl.Series:
    """What a value of the original is published as."""
    dtype = column.domain.dtype
    if column.is_measured and not (dtype.is_numeric() or isinstance(dtype, pl.Date | pl.Datetime)):
        raise _misfit(column, text)
    if original.format is None and column.is_measured and _is_odd(text, dtype):
        raise _misfit(column, text)
    record = Table(pl.DataFrame({column.name: [text]}), "your record", is_text=True)
    rule = ColumnRule("quasi", _kind_of(original), format=original.format)
    try:
        _, value, _, _ = encode(record, column.name, rule)
        if any(step.alone for step in original.steps):
            return pl.Series([_label(column, original, value_texts(value)[0])])
        if original.publish and column.is_measured and dtype.is_float():
            value = value.cast(dtype)
        return coarser_values(value, original.steps)
    except (SchemaError, pl.exceptions.PolarsError, OverflowError) as error:
        raise _misfit(column, text) from error


def _kind_of(original: Original) -> Kind:
    """The kind to read one value as; of an ordinal one no order is needed."""
    return "nominal" if original.kind == "ordinal" else original.kind  # type: ignore[return-value]


def _label(column: ViewColumn, original: Original, text: str) -> str:
    """The label of a value, which nobody may be told where few people have the value.

    Which interval a number lies in, everybody can see.
    """
    found = original.coarser.get(text)
    if found is None and original.kind == "numeric":
        found = interval_with(column.texts, text)
    if found is None:
        listed = ", ".join(column.texts[:MOST_LISTED])
        more = ", …" if len(column.texts) > MOST_LISTED else ""
        raise InputError(
            f"{column.name} is published coarser ({original.told}), and {text!r} is not among the "
            "values of which the release tells what they became.",
            f"give the coarser value itself: {listed}{more}.",
        )
    return found


def _misfit(column: ViewColumn, text: str) -> InputError:
    return InputError(
        f"{column.name} is {column.kind}: {text!r} is no value of it.",
        f"{what_to_write(column, text)}.",
    )


def values_like(column: ViewColumn, text: str) -> tuple[str, ...]:
    """What to give instead of a value that nobody has: all of few, those of many that begin like it.

    Of amounts and days it is the lowest and the highest.
    """
    if column.is_measured:
        return tuple(dict.fromkeys([column.texts[0], column.texts[-1]])) if column.texts else ()
    if len(column.texts) <= MOST_LISTED:
        return tuple(column.texts)
    plain, wanted = [each.lower() for each in column.texts], text.strip().lower()
    for length in range(len(wanted), 0, -1):
        like = [i for i, each in enumerate(plain) if each.startswith(wanted[:length])]
        if like:
            return tuple(column.texts[i] for i in like[:MOST_LISTED])
    return ()


def texts_of(record: Mapping[str, Any]) -> dict[str, str | None]:
    """A record whose values are texts, as files and settings have them."""
    return {name: _as_text(value) for name, value in record.items()}
