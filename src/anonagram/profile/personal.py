"""Personal data that gives itself away by its values, whatever the column is called.

E-mail addresses, phone numbers and the like are found by their form, account and national numbers by
their check digits (python-stdnum, which knows those of many countries), names in a text by the title or
relative before them or because they are common, free text by its shape.

>>> find_personal(pl.Series(["fine", "wife Anna called 617-555-0134"]), rows=2).what
'phone numbers'
>>> find_personal(pl.Series(["flu", "cut", "burn"]), rows=9) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from anonagram.errors import CannotAnonymize
from anonagram.profile.forms import (
    ACCOUNT,
    AMERICAN,
    CHECKED,
    COMMON,
    DRAWN,
    FORMS,
    GIVEN,
    HOUSES,
    IN_GROUPS,
    NAME,
    NAME_ALONE,
    NUMBERED,
    POST_CODE,
)
from anonagram.profile.words import names_a_person, words_of
from anonagram.runtime.threads import in_threads
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.microdata import Column, Microdata

CARD_DIGITS = 13
SHORTEST = 10**7
"""Whole numbers with fewer digits have no check digit."""
LOOKED_AT = 200
"""Values whose check digits are tried."""
FEWEST = 20
"""Of fewer values all can have right check digits by chance."""
NEARLY_ALL = 0.95
MOSTLY = 0.5
SHAPED = 0.8
COMMON_NAMES = 0.15
"""So large a share of people anywhere has a name that is listed."""
FEWEST_NAMES = 5
LONG_NUMBER = 9
"""Digits in groups that no date has."""
ONE_LENGTH = 7
"""Amounts with so many digits do not all have equally many."""
LARGE = 10_000
"""Different values of a column that is worth a thread of its own."""
WORDS = 4
VARIED = 0.25


@dataclass(frozen=True)
class Personal:
    """What a column seems to hold."""

    what: str
    values: int
    """How many different values show it."""
    share: float
    """Of all different values."""
    shows: pl.Series | None = field(default=None, compare=False)
    """Which of the different values do; None for all."""

    @property
    def fills_column(self) -> bool:
        """Whether the column consists of it, rather than texts that mention it."""
        return self.share >= MOSTLY


def find_personal(values: pl.Series, rows: int) -> Personal | None:
    """What personal data the different values of a column show, if any.

    `rows` is how many rows the table has: texts that are nearly all different are free text.
    """
    return _find_each([values], rows)[0]


def _find_each(columns: Sequence[pl.Series], rows: int) -> list[Personal | None]:
    """The same of several columns.

    All forms at once, and of all columns: of few values, looking at them takes less than making the
    forms ready.
    """
    texts = [values.alias("text") for values in columns if values.dtype == pl.String]
    shown = (pl.concat(texts) if texts else pl.Series("text", [], pl.String)).to_frame()
    shown, first, found = shown.select(**_shown()), 0, []
    for values in columns:
        size = len(values) if values.dtype == pl.String else 0
        found.append(_find(values, rows, shown[first : first + size]))
        first += size
    return found


def _find(values: pl.Series, rows: int, shown: pl.DataFrame) -> Personal | None:
    """What a column shows; `shown` says which of its texts have which form."""
    if values.dtype.is_integer():
        if len(values) < FEWEST or int(values.min()) < SHORTEST:  # type: ignore[arg-type]
            return None
        texts = values.cast(pl.String)
        return _checked(texts) or _nearly_all(texts, "phone numbers", AMERICAN)
    if values.dtype != pl.String or not len(values):
        return None
    seen = [each for shows in shown if (each := _of_form(shows.name, shows)) is not None]
    accounts = _accounts(values)
    if accounts is not None and all(each.values <= accounts.values for each in seen):
        return accounts  # their groups of digits look like other numbers too
    if seen:
        return max(seen, key=lambda each: each.values)
    return _checked(values) or _shaped(values) or _named(values, rows) or _prose(values, rows)


def refuse_personal(microdata: Microdata) -> None:
    """Refuse to publish a column that looks like personal data, unless its rule says so in words."""
    small = [column for column in microdata.columns if len(column.domain) < LARGE]
    parts = [small, *([column] for column in microdata.columns if len(column.domain) >= LARGE)]
    seen = in_threads(
        lambda part: _find_each([column.domain for column in part], microdata.rows),
        [(part,) for part in parts if part],
    )
    shown = dict(zip((column.name for column in chain(*parts)), chain(*seen), strict=True))
    for column in microdata.columns:
        found = shown[column.name] or _numbered(column, microdata.rows)
        if found is not None and column.holds != found.what:
            raise _refusal(microdata, column, found)


def _numbered(column: Column, rows: int) -> Personal | None:
    """What tells nearly all rows apart and is called after people, or has the form of their numbers."""
    values = column.domain
    is_name = values.dtype.is_integer() or values.dtype == pl.String
    if not is_name or len(values) < max(FEWEST, NEARLY_ALL * rows):
        return None
    found = Personal("what names a person", len(values), 1.0)
    if names_a_person(words_of(column.name)):
        return found
    lengths = values.cast(pl.String).str.strip_prefix("-").str.len_chars()
    is_number = values.dtype.is_integer() or bool(values.str.contains(r"^[A-Z]{0,3}\d+$").all())
    is_even = lengths.n_unique() == 1 and int(lengths[0]) >= ONE_LENGTH
    return found if is_number and is_even else None


def _refusal(microdata: Microdata, column: Column, found: Personal) -> CannotAnonymize:
    place = microdata.label
    if column.codes.size:
        shows = np.ones(len(column.domain) + 1, np.bool_)
        if found.shows is not None:
            shows[:-1] = found.shows.to_numpy()
        shows[-1] = False  # a missing value shows nothing
        place += f", row {int(shows[column.codes].argmax()) + 1}"
    return CannotAnonymize(
        f"{place}: column {column.name!r} seems to hold {found.what} "
        f"({how_many(found.values, 'different value')}), and its role {column.role} would publish them.",
        f'give it the role "drop" or "identifier"; to publish it all the same, say so in the schema: '
        f'{{ role = "{column.role}", holds = "{found.what}" }}.',
    )


@cache
def _shown() -> dict[str, pl.Expr]:
    """Which texts show what."""
    text = pl.col("text")
    shown = {what: text.str.contains(form) for what, form in FORMS.items()}
    shown["names of people"] |= text.str.replace_all(HOUSES, "").str.contains(GIVEN)
    return shown


def _of_form(what: str, shows: pl.Series) -> Personal | None:
    number = int(shows.sum() or 0)
    if not number:
        return None
    return Personal(what, number, number / len(shows), shows)


def _accounts(values: pl.Series) -> Personal | None:
    """Account numbers of banks, which show themselves by their check digits even alone."""
    shown = values.str.extract_all(ACCOUNT).explode(empty_as_null=True).drop_nulls()
    if shown.is_empty():  # most of the time, and the library takes as long as all else
        return None
    is_valid = import_module("stdnum.iban").is_valid
    right = [text for text in shown.head(LOOKED_AT).to_list() if is_valid(text)]
    if not right:
        return None
    return _of_form(
        "bank account numbers", values.str.contains_any(right, ascii_case_insensitive=False)
    )


def _checked(texts: pl.Series) -> Personal | None:
    """Numbers nearly all of which have right check digits."""
    if len(texts) < FEWEST or not texts.str.contains(NUMBERED).all():
        return None
    tried = texts.gather_every(max(len(texts) // LOOKED_AT, 1)).head(LOOKED_AT).to_list()
    for what, module in CHECKED.items():
        if module == "luhn" and min(sum(c.isdigit() for c in each) for each in tried) < CARD_DIGITS:
            continue
        if _share_valid(module, tried) >= NEARLY_ALL:
            return Personal(what, len(texts), 1.0)
    return None


def _share_valid(module: str, texts: Iterable[str]) -> float:
    known = import_module(f"stdnum.{module}")
    valid = [known.is_valid(text) for text in texts]
    return sum(map(bool, valid)) / len(valid)


def _nearly_all(texts: pl.Series, what: str, form: str) -> Personal | None:
    """Something that only a whole column of it shows."""
    if len(texts) < FEWEST:
        return None
    found = _of_form(what, texts.str.contains(form))
    return found if found is not None and found.share >= NEARLY_ALL else None


def _shaped(values: pl.Series) -> Personal | None:
    """Numbers and tokens that have nothing in common but their form."""
    digits = values.str.count_matches(r"\d")
    is_long = int((digits >= LONG_NUMBER).sum()) >= NEARLY_ALL * len(values)
    if is_long and not values.str.contains(POST_CODE).all():
        found = _nearly_all(values, "phone numbers", AMERICAN) or _nearly_all(
            values, "phone or account numbers", IN_GROUPS
        )
        if found is not None:
            return found
    # letters and digits mixed are drawn; words joined by hyphens are not
    is_mixed = int((digits >= 4).sum()) >= NEARLY_ALL * len(values)
    return _nearly_all(values, "unique identifiers", DRAWN) if is_mixed else None


def _named(values: pl.Series, rows: int) -> Personal | None:
    """Names of people: nearly all different, or many of them common somewhere."""
    found = _of_form("names of people", values.str.contains(NAME))
    is_varied = len(values) >= max(FEWEST, MOSTLY * rows)
    if found is not None and found.share >= NEARLY_ALL and is_varied:
        return found
    shaped = _of_form("names of people", values.str.contains(NAME_ALONE))
    if shaped is None or shaped.share < SHAPED:
        return None
    common = int(values.str.replace_all(HOUSES, "").str.contains(COMMON).sum())
    return shaped if common >= max(FEWEST_NAMES, COMMON_NAMES * len(values)) else None


def _prose(values: pl.Series, rows: int) -> Personal | None:
    """Texts of many words that differ from row to row."""
    if len(values) < max(FEWEST, VARIED * rows):
        return None
    words = values.str.count_matches(r"\S+").mean()
    if not isinstance(words, float) or words < WORDS:
        return None
    return Personal("free text", len(values), 1.0)
