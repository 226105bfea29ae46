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

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import polars as pl

from anonagram.errors import CannotAnonymize
from anonagram.profile.words import names_a_person, words_of

if TYPE_CHECKING:
    from anonagram.microdata import Column, Microdata

FORMS = {
    "e-mail addresses": r"[\w.+-]+@[\w-]+\.[A-Za-z][\w.-]*",
    "web addresses": r"(?i)\b(?:https?://|www\.)\S+",
    "phone numbers": (
        r"(?:\+|\b00)[1-9][\d ().-]{6,16}\d\b|(?:\(\d{3}\) ?|\b\d{3}[ .-])\d{3}[ .-]\d{4}\b"
        r"|\b0\d{2,4}[ /-]\d{5,9}\b"
    ),
    "social security numbers": r"\b\d{3}-\d{2}-\d{4}\b",
    "IP addresses": (
        r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b"
        r"|(?i)\b(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}\b"
    ),
}
TITLES = "Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Herrn|Frau|Mme|Mlle|Sr|Sra|Señora?|Signora?|Dhr|Mevr"
RELATIVES = (
    "wife|husband|spouse|partner|fiancée?|son|daughter|child|mother|mom|mum|father|dad|brother|sister|"
    "uncle|aunt|cousin|niece|nephew|grandmother|grandfather|friend|neighbou?r|colleague|roommate|"
    "named|name is"
)
FORMS["names of people"] = (
    rf"\b(?:{TITLES})\.? (?:\p{{Lu}}\.? )?\p{{Lu}}[\p{{Ll}}'’-]+"
    rf"|\b(?:{RELATIVES}),? \(?\p{{Lu}}[\p{{Ll}}'’-]+"
)
"""Inside a text, by the word before it: lists of names miss most of the world's."""
GIVEN_NAMES = (
    "Aaron|Adam|Ahmed|Alejandro|Alexander|Alice|Alicia|Amanda|Amelia|Amy|Ana|Andrea|Andrew|Angela|Anita|"
    "Anna|Anne|Anthony|Antonio|Arjun|Barbara|Benjamin|Betty|Brenda|Brian|Carlos|Carmen|Carol|Caroline|"
    "Catherine|Charles|Christine|Christopher|Claudia|Cynthia|Daniel|David|Deborah|Denise|Dennis|Diana|"
    "Diego|Donna|Dorothy|Edward|Elena|Elizabeth|Emily|Emma|Eric|Eva|Fatima|Fernando|Francisco|Frank|"
    "Gabriel|Gary|George|Gerald|Giovanni|Gregory|Hannah|Hans|Harold|Heather|Helen|Henry|Ibrahim|Ines|"
    "Isabel|Jacob|James|Jan|Janet|Jason|Javier|Jean|Jeffrey|Jennifer|Jeremy|Jessica|Joan|Johannes|John|"
    "Jonathan|José|Jose|Joseph|Joshua|Juan|Judith|Julia|Julie|Jürgen|Karen|Katherine|Kathleen|Kenneth|"
    "Kevin|Kimberly|Klaus|Larry|Laura|Lisa|Louis|Lucas|Luis|Maria|María|Marie|Martin|Martha|Mary|Matthew|"
    "Megan|Mehmet|Melissa|Michael|Michelle|Miguel|Mohamed|Mohammed|Muhammad|Nancy|Natalie|Nicholas|"
    "Nicole|Olga|Oliver|Olivia|Pablo|Pamela|Patricia|Patrick|Paul|Pedro|Peter|Philip|Pierre|Priya|Rachel|"
    "Rafael|Rebecca|Richard|Robert|Roger|Ronald|Ruth|Ryan|Samuel|Sandra|Sarah|Scott|Sean|Sergio|Sharon|"
    "Sofia|Sophia|Sophie|Stefan|Stephanie|Stephen|Steven|Susan|Svetlana|Teresa|Theresa|Thomas|Timothy|"
    "Tyler|Ursula|Vladimir|Walter|Wei|William|Wolfgang|Yusuf|Zoe"
)
"""Common ones that are no other word and no place: the rest is left to titles and relatives."""
GIVEN = (
    rf"\S \b(?:{GIVEN_NAMES})\b[,.;]? \p{{L}}|\S \b(?:{GIVEN_NAMES}) \p{{Lu}}[\p{{Ll}}'’-]+"
    rf"|^(?:{GIVEN_NAMES}) (?:\p{{Lu}}[\p{{L}}'’-]+ )?\p{{Ll}}+ "
)
"""Inside a text, a given name among other words."""
HOUSES = (
    r"\b(?:St\.?|Saint|San|Santa|Johns) \p{Lu}[\w'’-]*"
    r"|(?:\p{Lu}[\w.'’-]*,? (?:and |of |& |bin |et |de |von |van )?)+"
    r"(?:University|Universität|Université|Universidad|Hospital|Institute?|College|School|Foundation|County|Company|Co|Inc|Corp|Clinic|"
    r"Cent(?:er|re)|Laborator\w+|Labs?|Press|Trust)\b"
    r"|\b(?:Universi\w+|Institut\w*|Hospital|College|School|Cent(?:er|re)|Laborato\w+)(?: \p{Ll}+)*"
    r"(?: \p{Lu}[\w.'’-]*)+"
)
"""What is called after people and is nobody: given names in it do not count."""
NAME = r"^\p{Lu}[\p{L}'’-]+(?: \p{Lu}\.?)? \p{Lu}[\p{L}'’-]+$"
NUMBERED = r"^[0-9A-Z][0-9A-Z ./+-]{7,30}$"
CHECKED = {
    "bank account numbers": "iban", "card numbers": "luhn", "British NHS numbers": "gb.nhs",
    "Spanish identity numbers": "es.dni", "Italian tax codes": "it.codicefiscale",
    "French social security numbers": "fr.nir", "German tax numbers": "de.idnr",
    "Dutch citizen numbers": "nl.bsn", "Polish identity numbers": "pl.pesel",
    "Swedish identity numbers": "se.personnummer", "Finnish identity codes": "fi.hetu",
    "Belgian national numbers": "be.nn", "Swiss social security numbers": "ch.ssn",
    "Brazilian taxpayer numbers": "br.cpf", "Norwegian identity numbers": "no.fodselsnummer",
    "Romanian identity numbers": "ro.cnp", "Turkish identity numbers": "tr.tckimlik",
    "Indian identity numbers": "in_.aadhaar", "Chinese identity numbers": "cn.ric",
    "Korean resident numbers": "kr.rrn", "South African identity numbers": "za.idnr",
    "Mexican identity codes": "mx.curp", "Australian tax numbers": "au.tfn",
}  # fmt: skip
"""Numbers with check digits: the modules of stdnum that know them."""
CARD_DIGITS = 13
SHORTEST = 10**7
"""Whole numbers with fewer digits have no check digit."""
LOOKED_AT = 200
"""Values whose check digits are tried."""
FEWEST = 20
"""Of fewer values all can have right check digits by chance."""
NEARLY_ALL = 0.95
MOSTLY = 0.5
LONG = 40
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
    first: int
    """The place of the first of them among the different values."""

    @property
    def fills_column(self) -> bool:
        """Whether the column consists of it, rather than texts that mention it."""
        return self.share >= MOSTLY


def find_personal(values: pl.Series, rows: int) -> Personal | None:
    """What personal data the different values of a column show, if any.

    `rows` is how many rows the table has: texts that are nearly all different are free text.
    """
    if values.dtype.is_integer():
        is_long = len(values) >= FEWEST and int(values.min()) >= SHORTEST  # type: ignore[arg-type]
        return _checked(values.cast(pl.String)) if is_long else None
    if values.dtype != pl.String or not len(values):
        return None
    # all at once: of few values, looking at them takes less than asking for it
    shows = values.alias("text").to_frame().select(**_shown())
    seen = [each for shown in shows if (each := _of_form(shown.name, shown)) is not None]
    if seen:
        return max(seen, key=lambda each: each.values)
    return _checked(values) or _named(values, rows) or _prose(values, rows)


def refuse_personal(microdata: Microdata) -> None:
    """Refuse to publish a column that looks like personal data, unless its rule says so in words."""
    for column in microdata.columns:
        found = find_personal(column.domain, microdata.rows) or _numbered(column, microdata.rows)
        if found is not None and column.holds != found.what:
            raise _refusal(microdata, column, found)


def _numbered(column: Column, rows: int) -> Personal | None:
    """Numbers that are called after people and tell nearly all rows apart: check digits or not."""
    values = column.domain
    is_name = values.dtype.is_integer() or values.dtype == pl.String
    if not is_name or len(values) < max(FEWEST, NEARLY_ALL * rows):
        return None
    is_called_so = names_a_person(words_of(column.name))
    return Personal("what names a person", len(values), 1.0, 0) if is_called_so else None


def _refusal(microdata: Microdata, column: Column, found: Personal) -> CannotAnonymize:
    place = microdata.label
    if column.codes.size:
        place += f", row {int((column.codes == found.first).argmax()) + 1}"
    return CannotAnonymize(
        f"{place}: column {column.name!r} seems to hold {found.what} "
        f"({found.values:,} different values), and its role {column.role} would publish them.",
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
    return Personal(what, number, number / len(shows), int(shows.arg_max() or 0))


def _checked(texts: pl.Series) -> Personal | None:
    """Numbers nearly all of which have right check digits."""
    if len(texts) < FEWEST or not texts.str.contains(NUMBERED).all():
        return None
    tried = texts.gather_every(max(len(texts) // LOOKED_AT, 1)).head(LOOKED_AT).to_list()
    for what, module in CHECKED.items():
        if module == "luhn" and min(sum(c.isdigit() for c in each) for each in tried) < CARD_DIGITS:
            continue
        if _share_valid(module, tried) >= NEARLY_ALL:
            return Personal(what, len(texts), 1.0, 0)
    return None


def _share_valid(module: str, texts: Iterable[str]) -> float:
    known = import_module(f"stdnum.{module}")
    valid = [known.is_valid(text) for text in texts]
    return sum(map(bool, valid)) / len(valid)


def _named(values: pl.Series, rows: int) -> Personal | None:
    """First and last names, nearly all of them different."""
    if len(values) < max(FEWEST, MOSTLY * rows):
        return None
    found = _of_form("names of people", values.str.contains(NAME))
    return found if found is not None and found.share >= NEARLY_ALL else None


def _prose(values: pl.Series, rows: int) -> Personal | None:
    """Texts of many words that differ from row to row."""
    if len(values) < max(FEWEST, VARIED * rows):
        return None
    words = values.str.count_matches(r"\S+").mean()
    if not isinstance(words, float) or words < WORDS:
        return None
    return Personal("free text", len(values), 1.0, 0)
