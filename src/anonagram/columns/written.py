"""Dates and numbers as people write them: 07/14/2008, $1,234.00, 1.234,00 €.

Which of two readings is meant is taken from the values where they leave no doubt, and has to be said
in the schema where they do not.

>>> found = find_format(pl.Series(["03/04/2008", "07/14/2008"]))
>>> found.formats, found.why
(('month/day/year',), '07/14/2008 has no other reading')
>>> find_format(pl.Series(["03/04/2008"])).formats
('day/month/year', 'month/day/year')
>>> read_as(pl.Series(["$1,234.50", "-12"]), "1,234.5").to_list()
['1234.50', '-12']
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

DATES = ("day/month/year", "month/day/year", "year/month/day")
NUMBERS = ("1,234.5", "1.234,5")
CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
PARTS = rf"^([0-9]{{1,4}})[./-]([0-9]{{1,2}})[./-]([0-9]{{1,4}})(?:[ T]+({CLOCK}))?$"
"""Three numbers, and perhaps a time of day."""
PLAIN_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
CURRENCY = "[$€£¥₹]"
BLANK = "[ \u00a0\u202f]"
BETWEEN = "'’\u00a0\u202f"
"""Between thousands in any format; a common blank also stands in phone numbers."""
AMOUNT = rf"^\(?[+-]?{CURRENCY}?{BLANK}?[+-]?[0-9][0-9.,{BETWEEN}]*{BLANK}?{CURRENCY}?\)?$"
"""Something like an amount: digits, separators, and signs around them."""
CODE = r"^[^0-9]*0[0-9]"
"""01234 is a code, not a number."""


@dataclass(frozen=True)
class Written:
    """How the values of a column can be read."""

    formats: tuple[str, ...]
    """All that read every value; where there are two, the schema has to say which is meant."""
    why: str
    """What rules the others out."""


def find_format(texts: pl.Series) -> Written | None:
    """The formats in which every text is a date, or a number that is not plain; None without any."""
    if not len(texts):
        return None
    if texts.str.contains(PARTS).all() and not texts.str.contains(PLAIN_DAY).all():
        return _found(texts, DATES)
    if texts.str.contains(AMOUNT).all() and not texts.str.contains(CODE).any():
        found = _found(texts, NUMBERS)
        return None if found is None else _same_numbers(texts, found)
    return None


def read_as(texts: pl.Series, written: str) -> pl.Series:
    """The texts as 2008-07-14 or 1234.5 are written; null where one is not of the format."""
    texts = texts.str.strip_chars()
    return _dates(texts, written) if written in DATES else _numbers(texts, written)


def _found(texts: pl.Series, formats: tuple[str, ...]) -> Written | None:
    fits = {each: is_read(texts, each) for each in formats}
    possible = tuple(each for each, fit in fits.items() if fit.all())
    if not possible:
        return None
    others = [fit for each, fit in fits.items() if each not in possible]
    telling = [texts.filter(~fit)[0] for fit in others]
    # of two other readings of dates, the one that is not ruled out by its form alone
    return Written(possible, f"{min(telling, key=len)} has no other reading" if telling else "")


def _same_numbers(texts: pl.Series, found: Written) -> Written:
    """Two formats that read the same numbers are one."""
    if len(found.formats) > 1:
        one, two = (read_as(texts, each).cast(pl.Float64) for each in found.formats)
        if one.equals(two):
            return Written(found.formats[:1], "no value has a separator")
    return found


def is_read(texts: pl.Series, written: str) -> pl.Series:
    """Which texts are a date or a number in a format."""
    if written in NUMBERS:
        return _numbers(texts, written).is_not_null()
    days = _dates(texts, written).str.head(10).str.to_date("%Y-%m-%d", strict=False)
    return days.is_not_null()


def _dates(texts: pl.Series, written: str) -> pl.Series:
    place = {
        part: pl.col("text").str.extract(PARTS, n) for n, part in enumerate(written.split("/"), 1)
    }
    year, month, day = (place[part] for part in ("year", "month", "day"))
    clock = pl.col("text").str.extract(PARTS, 4)
    seconds = pl.when(clock.str.count_matches(":") == 1).then(clock + ":00").otherwise(clock)
    moment = pl.concat_str(
        year, pl.lit("-"), month.str.zfill(2), pl.lit("-"), day.str.zfill(2),
        (pl.lit(" ") + seconds.str.zfill(8)).fill_null(""),
    )  # fmt: skip
    # a year of two digits does not say its century
    is_whole = (year.str.len_chars() == 4) & (day.str.len_chars() <= 2)
    # what is written as everywhere else needs no format
    is_plain = pl.col("text").str.contains(PLAIN_DAY)
    read = pl.when(is_plain).then(pl.col("text")).when(is_whole).then(moment)
    return pl.DataFrame({"text": texts}).select(read.alias(texts.name)).to_series()


def _numbers(texts: pl.Series, written: str) -> pl.Series:
    apart, point = (",", ".") if written == "1,234.5" else (".", ",")
    bare = pl.col("text").str.replace_all(f"{CURRENCY}|{BLANK}*$", "").str.strip_chars()
    is_negative = pl.col("text").str.starts_with("(") & pl.col("text").str.ends_with(")")
    bare = bare.str.strip_chars("()").str.strip_chars()
    groups = "|".join(f"(?:[{mark}][0-9]{{3}})+" for mark in (apart, *BETWEEN))
    form = rf"^[+-]?(?:[0-9]{{1,3}}(?:{groups})|[0-9]+)(?:[{point}][0-9]+)?$"
    digits = bare.str.replace_all(f"[{apart}{BETWEEN}]", "")
    plain = digits.str.replace(point, ".", literal=True)
    signed = pl.when(is_negative).then(pl.lit("-") + plain).otherwise(plain)
    read = pl.when(bare.str.contains(form)).then(signed)
    return pl.DataFrame({"text": texts}).select(read.alias(texts.name)).to_series()
