"""Tables in spreadsheets: Excel (.xlsx, .xlsb, .xls) and OpenDocument (.ods).

Cells are read as texts, as those of CSV are, by fastexcel (the reader that Polars uses): what type a
column has is found on its distinct values, and a text in a column of numbers is named with its row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import InputError, MissingExtra, suggest
from anonagram.shown.wording import how_many
from anonagram.sources.table import Table, refuse_repeated_names

MIDNIGHT = " 00:00:00"


def read_workbook(path: Path, sheet: str | None) -> Table:
    """Read a sheet of a workbook: the one that is named, or the only one with rows."""
    book = _opened(path)
    sheets = {name: _sheet(book, name, path) for name in _asked(book, sheet, path)}
    filled = {name: frame for name, frame in sheets.items() if frame.height and frame.width}
    if len(filled) > 1:
        listed = ", ".join(filled)
        raise InputError(
            f"{path} has {how_many(len(filled), 'sheet')} with rows: {listed}.",
            f'name one after a #: "{path}#{next(iter(filled))}"',
        )
    if not filled:
        raise InputError(f"{path} has no sheet with rows.", "give a header row and rows.")
    ((name, frame),) = filled.items()
    refuse_repeated_names(frame.columns, str(path))
    label = path.name if sheet is None else f"{path.name}#{name}"
    return Table(frame.select(_days(column) for column in frame), label, is_text=True)


def _opened(path: Path) -> Any:
    try:
        import fastexcel
    except ImportError as error:
        raise MissingExtra("fastexcel", "excel") from error
    try:
        return fastexcel.read_excel(path)
    except (fastexcel.FastExcelError, OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read as a workbook: {str(error).splitlines()[0]}",
            "save it again as .xlsx, or as CSV; a workbook with a password cannot be read.",
        ) from error


def _asked(book: Any, sheet: str | None, path: Path) -> list[str]:
    names: list[str] = book.sheet_names
    if sheet is not None and sheet not in names:
        raise InputError(f"{path} has no sheet {sheet!r}.", suggest(sheet, names))
    return names if sheet is None else [sheet]


def _sheet(book: Any, name: str, path: Path) -> pl.DataFrame:
    import fastexcel

    try:
        frame: pl.DataFrame = book.load_sheet(name, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise InputError(
            f"{path}, sheet {name!r}: {str(error).splitlines()[0]}",
            "leave a header row and rows, and nothing above or beside them.",
        ) from error
    return frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width else frame


def _days(column: pl.Series) -> pl.Series:
    """Dates without a time of day: a workbook knows moments only. Empty texts are missing."""
    filled = column.replace("", None)
    present = filled.drop_nulls()
    if len(present) and present.str.ends_with(MIDNIGHT).all():
        return filled.str.strip_suffix(MIDNIGHT)
    return filled
