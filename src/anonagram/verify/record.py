"""A person's own record: what she, and somebody who knows her, would look for in a release."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.columns.encoding import encode
from anonagram.columns.spans import to_units
from anonagram.errors import InputError, SchemaError, suggest
from anonagram.schema import ColumnRule
from anonagram.shown.wording import option
from anonagram.sources import Table
from anonagram.sources.table import refuse_repeated_names
from anonagram.verify.view import View, ViewColumn


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


def require_columns(view: View, names: Iterable[str]) -> None:
    """Refuse the name of a column that the release does not have."""
    for name in names:
        if name not in view.columns:
            raise SchemaError(
                f"The release has no column {name!r}.", suggest(name, list(view.columns))
            )


@dataclass(frozen=True)
class Sought:
    """A value that is looked for in a column."""

    code: int
    """Which of the column's values it is; -1 for none of them."""
    place: float
    """Where it lies: infinity for a missing value, NaN for one that has no place."""


def sought_in(column: ViewColumn, text: str | None) -> Sought:
    """Find a value in a column. None is a missing one, and so is an empty text that is no value."""
    if text in column.texts:
        code = column.texts.index(text)
        return Sought(code, float(column.places[code]))
    if text is None or text.strip() == "":
        return Sought(len(column.domain), float("inf"))
    if not column.is_measured:
        return Sought(-1, float("nan"))
    if not column.domain.dtype.is_numeric() and not isinstance(
        column.domain.dtype, pl.Date | pl.Datetime
    ):
        raise _misfit(column, text)
    record = Table(pl.DataFrame({column.name: [text]}), "your record", is_text=True)
    try:
        _, value, _, _ = encode(record, column.name, ColumnRule("quasi", column.kind))
        same = value if value.dtype.is_numeric() else value.cast(column.domain.dtype)
        found = column.domain.cast(same.dtype) == same[0]
    except (SchemaError, pl.exceptions.PolarsError, OverflowError) as error:
        raise _misfit(column, text) from error
    return Sought(int(found.arg_max() or 0) if found.any() else -1, float(to_units(same)[0]))


def _misfit(column: ViewColumn, text: str) -> InputError:
    return InputError(
        f"{column.name} is {column.kind}: {text!r} is no value of it.",
        f"for example {column.texts[0]}." if column.texts else "leave it out.",
    )


def texts_of(record: Mapping[str, Any]) -> dict[str, str | None]:
    """A record whose values are texts, as files and settings have them."""
    return {name: _as_text(value) for name, value in record.items()}
