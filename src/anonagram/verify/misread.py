"""What was probably meant by a value that is none: the number in 75y, the day in 12.3.1980."""

from __future__ import annotations

import re

import polars as pl

from anonagram.columns.written import find_format, read_as
from anonagram.schema import FORMATS
from anonagram.verify.view import ViewColumn

NUMBER = re.compile(r"[0-9.,]*[0-9]")
YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])")


def what_to_write(column: ViewColumn, text: str) -> str:
    """What to give instead: what was meant, where that can be seen, or else how values look."""
    if not column.texts:
        return "leave it out"
    written = column.original.format if column.original else None
    own = "" if written is None else f"written {written} ({FORMATS[written]}), or "
    meant = _meant(column, text)
    if not meant:
        return f"{own}for example {column.texts[len(column.texts) // 2]}"
    is_one = len(meant) == 1
    return f"{own}{' or '.join(meant)}, {'if that is' if is_one else 'whichever is'} meant"


def _meant(column: ViewColumn, text: str) -> list[str]:
    return _numbers(text) if column.domain.dtype.is_numeric() else _days(column, text)


def _numbers(text: str) -> list[str]:
    """The only number in a text, in both readings where there are two.

    >>> _numbers("75y"), _numbers("-3 °C"), _numbers("3,5 kg"), _numbers("70-80"), _numbers("old")
    (['75'], ['-3'], ['3.5'], [], [])
    >>> _numbers("1,234 €")
    ['1.234', '1234']
    """
    found = list(NUMBER.finditer(text))
    if len(found) != 1:
        return []
    sign = "-" if text[: found[0].start()].strip() == "-" else ""
    return [f"{sign}{each}" for each in _readings(found[0].group())]


def _days(column: ViewColumn, text: str) -> list[str]:
    """The day in a text, in both readings; or of a year the first day that somebody has."""
    if found := _readings(text.strip()):
        return found
    years = YEAR.findall(text)
    if len(years) != 1 or re.search(
        "[0-9]", YEAR.sub("", text)
    ):  # or it was a day that there is not
        return []
    return [each for each in column.texts if each.startswith(years[0])][:1]


def _readings(text: str) -> list[str]:
    """All that a text may be, as it would be written plainly; the least changed first."""
    found = find_format(pl.Series([text]))
    if found is None:
        return [text] if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) else []
    read = {str(read_as(pl.Series([text]), each)[0]) for each in found.formats}
    return sorted(read, key=lambda each: (each.replace(".", "") == each, each))
