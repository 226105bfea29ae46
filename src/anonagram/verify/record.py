"""A person's own record: what she, and somebody who knows her, would look for in a release."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.encoding import encode
from anonagram.errors import InputError, SchemaError, suggest
from anonagram.schema import ColumnRule
from anonagram.sources import Table
from anonagram.verify.view import View, ViewColumn


def read_record(path: str | Path) -> dict[str, str | None]:
    """A record from a CSV file with a header and one row, or a JSON file with one object."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "give a CSV or JSON file.") from error
    if path.suffix.lower() == ".json":
        return _from_json(path, text)
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        raise InputError(
            f"{path} does not hold one record.",
            "a row with the columns' names, and one with values.",
        )
    return dict(zip(rows[0], rows[1], strict=True))


def _from_json(path: Path, text: str) -> dict[str, str | None]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.", '{"age": 41}') from error
    if not isinstance(content, dict) or any(isinstance(v, dict | list) for v in content.values()):
        raise InputError(f"{path} does not hold one record.", '{"age": 41, "sex": "F"}')
    return {name: _as_text(value) for name, value in content.items()}


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
            raise InputError(f"{setting!r} sets no column.", "--set age=41")
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


def place_of(column: ViewColumn, text: str | None) -> float:
    """Where a value lies among those of a column; NaN for one that has no place there.

    None is a missing value, and so is an empty text where it is no value of the column.
    """
    if text in column.texts:
        return float(column.places[column.texts.index(text)])
    if text is None or text.strip() == "":
        return float("inf")
    if not column.is_measured:
        return float("nan")
    record = Table(pl.DataFrame({column.name: [text]}), "your record", is_text=True)
    _, read, _, _ = encode(record, column.name, ColumnRule("quasi", column.kind))
    try:
        value = read.cast(column.domain.dtype)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"{column.name}: {text!r} is no value of such a column.",
            f"for example {column.texts[0]}.",
        ) from error
    return float(value.to_physical().cast(pl.Float64)[0])


def texts_of(record: Mapping[str, Any]) -> dict[str, str | None]:
    """A record whose values are texts, as files and settings have them."""
    return {name: _as_text(value) for name, value in record.items()}
