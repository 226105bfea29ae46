"""Tables of statistical packages: SPSS (.sav, .zsav), Stata (.dta), SAS (.sas7bdat, .xpt).

pyreadstat reads all of them, with what they tell about columns: labels, names of codes, and which
codes stand for a missing answer. These are read as they are (``user_missing``), and proposed for the
schema: whether "refused" is an answer is for whoever publishes to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import InputError, MissingExtra
from anonagram.sources.table import About, Table

SAS = bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
STARTS = {
    b"$FL2": "sav", b"$FL3": "sav", b"<stata_dta>": "dta", bytes(12) + SAS: "sas7bdat",
    b"HEADER RECORD*******LIB": "xport",
}  # fmt: skip
"""How files of each kind begin."""
OLD_STATA = range(104, 116)
MOST_LABELS = 1000


def kind_of(start: bytes) -> str | None:
    """Which kind of file this is the beginning of; None for any other."""
    for begin, kind in STARTS.items():
        if start.startswith(begin):
            return kind
    is_stata = len(start) > 4 and start[0] in OLD_STATA and start[1] in (1, 2) and start[2] == 1
    return "dta" if is_stata else None


def read_statistics(path: Path, kind: str) -> Table:
    """Read a file of a statistical package."""
    try:
        import pyreadstat
    except ImportError as error:
        raise MissingExtra("pyreadstat", "statistics") from error
    read = getattr(pyreadstat, f"read_{kind}")
    more = {} if kind == "xport" else {"user_missing": True}
    try:
        frame, meta = read(str(path), output_format="polars", **more)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read: {str(error).splitlines()[0]}",
            "the file is damaged or cut short; make or copy it again, or save it as CSV.",
        ) from error
    columns = [_whole(column) for column in frame]
    about = {column.name: _about(column, meta) for column in columns}
    return Table(pl.DataFrame(columns), path.name, about=about)


def _whole(column: pl.Series) -> pl.Series:
    """These packages have no whole numbers and no empty texts: 1.0 is 1, and "" is missing."""
    if column.dtype == pl.String:
        return column.replace("", None)
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.cast(pl.Int64, strict=False)
        return whole if whole.cast(column.dtype).equals(column) else column
    if isinstance(column.dtype, pl.Datetime):
        days = column.dt.truncate("1d")
        return column.cast(pl.Date) if days.equals(column) else column
    return column


def _about(column: pl.Series, meta: Any) -> About:
    named: Mapping[Any, str] = meta.variable_value_labels.get(column.name) or {}
    missing = _codes(column, meta.missing_ranges.get(column.name) or [])
    missing += [str(each) for each in meta.missing_user_values.get(column.name) or []]
    labels = {_text(value): str(text) for value, text in list(named.items())[:MOST_LABELS]}
    return About(
        label=meta.column_names_to_labels.get(column.name) or None,
        labels=labels or None,
        missing=tuple(dict.fromkeys(missing)),
    )


def _codes(column: pl.Series, ranges: list[Mapping[str, Any]]) -> list[str]:
    """The codes of a column that lie in the ranges that mean a missing answer."""
    found = []
    for each in ranges:
        inside = column.drop_nulls().unique().sort()
        inside = inside.filter(inside.is_between(each["lo"], each["hi"]))
        found += [_text(value) for value in inside.to_list()]
    return found


def _text(value: Any) -> str:
    """A code as the schema writes it."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
