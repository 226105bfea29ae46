"""Tables in files: CSV (and its cousins), Parquet, Arrow IPC.

CSV is read as text only. What type a column has is found later on its distinct values
(`anonagram.columns.encoding`), where a zip code's leading zero is still there to be seen and a value that
does not fit can be named with its row.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import InputError
from anonagram.shown.wording import how_many
from anonagram.sources.databases import sqlite_address
from anonagram.sources.statistics import kind_of, read_statistics
from anonagram.sources.table import Table, refuse_repeated_names
from anonagram.sources.workbooks import read_workbook

BEGINNING = 1 << 16
"""Bytes that are looked at first."""
FEW = 8
"""Fewer different texts than one in so many rows are few."""
SEPARATORS = ",;\t|"
PARQUET_MAGIC = b"PAR1"
ARROW_MAGIC = b"ARROW1"
WORKBOOK_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
SQLITE_MAGIC = b"SQLite format 3\0"
GZIP_MAGIC = b"\x1f\x8b"


def read_file(path: Path) -> Table:
    """Read a table from a file, whatever it is called, by what it holds.

    Behind a # may stand which sheet of a workbook is meant.
    """
    sheet = None
    if "#" in path.name and not path.exists():
        name, _, sheet = path.name.partition("#")
        path = path.with_name(name)
    start = _first_bytes(path)
    if not start:
        raise InputError(f"{path} is empty.", "give a file with a header row and rows.")
    try:
        if start.startswith(PARQUET_MAGIC):
            return Table(pl.read_parquet(path, glob=False), path.name)
        if start.startswith(ARROW_MAGIC):
            return Table(pl.read_ipc(path), path.name)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"{path} cannot be read: {str(error).splitlines()[0]}",
            "the file is damaged or cut short; make or copy it again.",
        ) from error
    if start.startswith(WORKBOOK_MAGIC):
        return read_workbook(path, sheet)
    if (kind := kind_of(start)) is not None:
        return read_statistics(path, kind)
    if start.startswith(SQLITE_MAGIC):
        raise InputError(
            f"{path} is an SQLite database.", f"say which table: {sqlite_address(path)}"
        )
    if b"\0" in start or (start.startswith(GZIP_MAGIC)):
        raise InputError(
            f"{path} is a binary file of an unknown kind.",
            "give CSV, Parquet, Arrow, Excel, SPSS, Stata or SAS (unpack it first if it is compressed).",
        )
    return _read_csv(path, start)


@dataclass(frozen=True)
class Scanned:
    """A table in a file, of which a part is read at a time."""

    frame: pl.LazyFrame
    names: tuple[str, ...]
    label: str
    is_text: bool = False
    csv: tuple[Path, str] | None = None
    """Of CSV, the file and its separator."""

    def batches(self, names: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
        """Some columns, so many rows at a time."""
        chosen = list(dict.fromkeys([*names, *([self.names[-1]] if self.csv else [])]))
        is_looked_at = self.csv is None
        try:
            for batch in self.frame.select(chosen).collect_batches(chunk_size=rows):
                # Polars fills a short row up with missing values; only then is a closer look worth it
                if not is_looked_at and batch[self.names[-1]].has_nulls():
                    self._refuse_ragged()
                    is_looked_at = True
                yield batch.select(names)
        except pl.exceptions.PolarsError as error:
            raise InputError(
                f"{self.label} cannot be read: {str(error).splitlines()[0]}",
                "the file is damaged or cut short; make or copy it again.",
            ) from error

    def _refuse_ragged(self) -> None:
        if self.csv is not None and _refuse_ragged_rows(*self.csv, len(self.names)):
            raise InputError(f"{self.label} ends with blank lines.", "remove them.")


def scan_file(path: Path) -> Scanned:
    """A table in a CSV, Parquet or Arrow file, or in a folder of Parquet files, of which nothing is read."""
    try:
        if path.is_dir():
            found = sorted(path.rglob("*.parquet"))
            if not found:
                raise InputError(f"{path} has no Parquet files.", "give a file, or such a folder.")
            return _scanned(pl.scan_parquet(found, glob=False), path)
        start = _first_bytes(path)
        if start.startswith(PARQUET_MAGIC):
            return _scanned(pl.scan_parquet(path, glob=False), path)
        if start.startswith(ARROW_MAGIC):
            return _scanned(pl.scan_ipc(path), path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"{path} cannot be read: {str(error).splitlines()[0]}",
            "the file is damaged or cut short; make or copy it again.",
        ) from error
    if not start or b"\0" in start or kind_of(start) is not None:
        raise InputError(f"{path} cannot be read a part at a time.", "give CSV, Parquet or Arrow.")
    header, separator = _read_header(path, start)
    frame = pl.scan_csv(
        path, separator=separator, infer_schema=False, glob=False, new_columns=header
    )
    texts = frame.with_columns(pl.all().replace("", None))
    return Scanned(texts, tuple(header), path.name, is_text=True, csv=(path, separator))


def _scanned(frame: pl.LazyFrame, path: Path) -> Scanned:
    return Scanned(frame, tuple(frame.collect_schema()), path.name)


def _first_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a table.", "give a file in it.")
    try:
        with path.open("rb") as handle:
            return handle.read(BEGINNING)
    except FileNotFoundError:  # it may be a misspelt address, which a chained error would quote
        near = [p.name for p in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        likest = get_close_matches(path.name, sorted(near), n=5, cutoff=0)
        there = f"in that folder there are: {', '.join(likest)}."
        remedy = there if near else "check its name, and the folder that it is looked for in."
        raise InputError(f"There is no file {path}.", remedy) from None
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}.") from None


def _read_csv(path: Path, start: bytes) -> Table:
    header, separator = _read_header(path, start)
    try:
        # names as csv reads them: Polars leaves doubled quotes in a header as they are
        frame = pl.read_csv(
            path, separator=separator, infer_schema=False, glob=False, new_columns=header,
            schema_overrides=_texts_of(start, separator, len(header)),
        )  # fmt: skip
    except pl.exceptions.PolarsError as error:
        _refuse_invalid_utf8(path)
        _refuse_ragged_rows(path, separator, len(header))
        raise InputError(
            f"{path} cannot be read as CSV: {str(error).splitlines()[0]}",
            "check its quotes and line ends.",
        ) from error
    # Polars fills a short row up with missing values; only then is a closer look worth its time
    if frame.width > 1 and frame.height and frame.to_series(-1).has_nulls():
        blank_at_the_end = _refuse_ragged_rows(path, separator, len(header))
        frame = frame.head(frame.height - blank_at_the_end)
    # an empty field is missing, whether its writer put quotes around it or not
    return Table(frame.with_columns(map(_without_empty, frame)), path.name, is_text=True)


def _without_empty(texts: pl.Series) -> pl.Series:
    # among few texts it is seen at once whether one is empty
    dtype = texts.dtype
    if isinstance(dtype, pl.Categorical) and "" not in dtype.categories.to_series():
        return texts
    return texts.replace("", None)


def _texts_of(start: bytes, separator: str, columns: int) -> list[Any] | None:
    """How the texts of each column are best read: where few are different at once as codes.

    None where a file is too short to care.
    """
    if len(start) < BEGINNING:
        return None
    lines = start[: start.rfind(b"\n") + 1]
    try:
        some = pl.read_csv(lines, separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError:  # the whole file will tell why
        return None
    if some.width != columns:
        return None
    return [
        pl.Categorical(pl.Categories.random())
        if each.n_unique() * FEW <= some.height
        else pl.String
        for each in some
    ]


def _read_header(path: Path, start: bytes) -> tuple[list[str], str]:
    """The names of the columns, and the separator that makes most of them."""
    csv.field_size_limit(sys.maxsize)
    trials = [_try_header(path, separator) for separator in SEPARATORS]
    names = max(trials, key=len)
    if not names or not start.strip(b"\xef\xbb\xbf\r\n"):
        raise InputError(f"{path} has no header row.", "name the columns in row 1.")
    refuse_repeated_names(names, str(path))
    return names, SEPARATORS[trials.index(names)]


def _try_header(path: Path, separator: str) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            return next(csv.reader(handle, delimiter=separator))
    except UnicodeDecodeError:
        _refuse_invalid_utf8(path)
        raise
    except (StopIteration, csv.Error):
        return []


def _refuse_invalid_utf8(path: Path) -> None:
    with path.open("rb") as handle:
        for number, line in enumerate(handle, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: byte 0x{line[error.start]:02x} is not UTF-8.",
                    f"if it is Latin-1: iconv -f latin1 -t utf8 {path.name} > fixed.csv",
                ) from error


def _refuse_ragged_rows(path: Path, separator: str, expected: int) -> int:
    """Name the first row that is too short or too long; how many blank lines end the file."""
    blank = 0
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.reader(handle, delimiter=separator)
        for fields in reader:
            if not fields:
                blank += 1
                continue
            if blank or len(fields) != expected:
                line = reader.line_num - (1 if blank else 0)
                found = "is blank" if blank else f"has {how_many(len(fields), 'field')}"
                raise InputError(
                    f"{path}, line {line} {found}, the header has {how_many(expected, 'field')}.",
                    "complete or remove that line; quote a field that holds the separator.",
                )
    return blank
