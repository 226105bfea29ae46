"""Personal data is found by its values, and not published unless the schema says so."""

from __future__ import annotations

import polars as pl
import pytest

from anonagram import Anatomy, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.profile import Profile
from anonagram.profile.personal import find_personal

ROWS = 60


def with_check_digit(stem: int) -> str:
    """A card number, by Luhn's rule written out."""
    digits = [int(c) for c in f"{stem:015d}"]
    doubled = [sum(divmod(2 * d, 10)) if place % 2 == 0 else d for place, d in enumerate(digits)]
    return f"{stem:015d}{-sum(doubled) % 10}"


def iban(account: int) -> str:
    """A German account number with the check digits of ISO 13616."""
    bban = f"{account:018d}"
    return f"DE{98 - int(bban + '131400') % 97:02d}{bban}"


def bsn(stem: int) -> str:
    """A Dutch citizen number: the elevenfold test; stems without one are left out."""
    digits = [int(c) for c in f"{stem:08d}"]
    last = sum(weight * d for weight, d in zip(range(9, 1, -1), digits, strict=True)) % 11
    return f"{stem:08d}{last}" if last < 10 else bsn(stem + 1)


SHOWING = {
    "e-mail addresses": [f"p{i}@clinic.example" for i in range(ROWS)],
    "web addresses": [f"https://people.example/{i}" for i in range(ROWS)],
    "phone numbers": [f"617-555-{i:04d}" for i in range(ROWS)],
    "social security numbers": [f"{100 + i}-45-{6789 - i}" for i in range(ROWS)],
    "IP addresses": [f"192.168.7.{i}" for i in range(ROWS)],
    "card numbers": [with_check_digit(400000000000000 + 7919 * i) for i in range(ROWS)],
    "bank account numbers": [iban(37040044053201300 + 31 * i) for i in range(ROWS)],
    "Dutch citizen numbers": [bsn(10000000 + 12345 * i) for i in range(ROWS)],
    "names of people": [f"{'ABCDEF'[i % 6]}nna {'KLMNOPQRST'[i // 6]}astro" for i in range(ROWS)],
    "free text": [f"came in on day {i} and was sent home" for i in range(ROWS)],
}


@pytest.mark.parametrize("what", SHOWING)
def test_values_give_themselves_away(what):
    values = pl.Series(SHOWING[what])
    found = find_personal(values, ROWS)
    assert (found.what, found.values) == (what, ROWS)
    profile = Profile.of({"x": SHOWING[what], "age": [20 + i % 9 for i in range(ROWS)]})
    assert profile.columns[0].role in ("identifier", "drop")


NOTATIONS = {
    "03 67 64 60 78": "phone numbers",
    "0176 5525 7668": "phone numbers",
    "(020) 7746 2746": "phone numbers",
    "017613635239": "phone numbers",
    "cell 6175550134 pls": "phone numbers",
    "yuki (at) example.com": "e-mail addresses",
    "2001:db8::92ff:4594": "IP addresses",
    "35-0F-41-F2-01-FC": "device addresses",
    "5ca71903-1433-4c63-a820-98c5e2fa9604": "unique identifiers",
    "269 01 7249": "social security numbers",
    "4896 2534 7116 0592": "card numbers",
    "to DE89 3704 0044 0532 0130 00": "bank account numbers",
    "lives at 12 Oak Street": "street addresses",
    "Hauptstraße 17": "street addresses",
    "born 3/11/1947": "dates of birth",
    "see MRN 1906526": "numbers of people",
    "vu avec son mari Kofi": "names of people",
    "spoke to anna about it": "names of people",
    "52.51631, 13.37777": "coordinates",
}


@pytest.mark.parametrize("text", NOTATIONS)
def test_one_value_in_another_notation_is_enough(text):
    found = find_personal(pl.Series([*(f"code {i}" for i in range(50)), text]), 1000)
    assert found is not None
    assert (found.what, found.values, found.shows.to_list()) == (
        NOTATIONS[text],
        1,
        [False] * 50 + [True],
    )


GIVEN = ["Anna", "Ben", "Carla", "Farid", "Gita", "Hiro", "Ivo", "John", "Maria", "Wei", "Olga"]
FAMILY = ["Meyer", "Okafor", "Nguyen", "Rossi", "Silva", "Kaya", "Novak"]
REPEATED = {
    "last name first": ([f"{b}, {a}" for a in GIVEN for b in FAMILY], "names of people"),
    "small letters": ([f"{a} {b}".lower() for a in GIVEN for b in FAMILY], "names of people"),
    "initials": ([f"{a[0]}. {b}" for a in GIVEN for b in FAMILY], "names of people"),
    "given names": (GIVEN, "names of people"),
    "American phones": ([2_125_550_000 + i for i in range(ROWS)], "phone numbers"),
    "groups of digits": ([f"691 40 92 {i + 10}" for i in range(ROWS)], "phone or account numbers"),
}


@pytest.mark.parametrize("name", REPEATED)
def test_a_column_shows_what_no_value_alone_does_however_often_it_is_repeated(name):
    values, what = REPEATED[name]
    assert find_personal(pl.Series(values).unique().sort(), 100 * ROWS).what == what


@pytest.mark.parametrize(
    "harmless",
    [
        [f"2008-07-{1 + i % 28:02d}" for i in range(ROWS)],
        [f"{250 + i}.83" for i in range(ROWS)],
        [f"25-{i:05d}" for i in range(ROWS)],
        [f"[{i}-{i + 10})" for i in range(ROWS)],
        [f"{i}:30:05" for i in range(24)],
        ["New York", "Los Angeles", "San Diego"],
        ["Separated or divorced from a spouse", "Never married at all so far"],
        [f"v1.2.{i}" for i in range(ROWS)],
        [f"{10001 + i}-{1000 + i}" for i in range(ROWS)],
        [f"{i + 1:02d}.07.2008 10:30" for i in range(28)],
        [
            "Boston",
            "San Jose",
            "San Antonio",
            "St. Paul",
            "Austin",
            "El Paso",
            "Jackson",
            "Lincoln",
        ],
        [
            f"{name} County"
            for name in ("Adams", "Lee", "Clark", "Wilson", "Lewis", "Allen", "Harris")
        ],
    ],
    ids=lambda values: values[1],
)
def test_what_is_no_personal_data_is_left_alone(harmless):
    assert find_personal(pl.Series(harmless), 10 * ROWS) is None


def test_numbers_without_check_digits_are_no_card_numbers():
    long = pl.Series([400000000000000 + 7919 * i for i in range(ROWS)])
    assert find_personal(long, ROWS) is None


def clinic(comments: list[str]) -> dict[str, list[object]]:
    return {
        "age": [20 + i % 20 for i in range(ROWS)],
        "comment": list(comments),
        "disease": ["flu", "cut", "burn", "gout"] * (ROWS // 4),
    }


def test_a_column_with_one_phone_number_is_not_published():
    comments = ["fine"] * ROWS
    comments[41] = "wife Anna called 617-555-0134"
    schema = {"age": "quasi", "comment": "quasi", "disease": "sensitive"}
    with pytest.raises(
        CannotAnonymize, match=r"row 42: column 'comment' seems to hold phone"
    ) as told:
        Anatomy(l=4).anonymize(Microdata.read(clinic(comments), schema))
    assert 'holds = "phone numbers"' in told.value.remedy


@pytest.mark.parametrize(
    ("name", "step", "is_refused"),
    [
        ("insurance_number", 1, True),
        ("insurance_number", 2, False),
        ("steps", 1, False),
        ("longer", 1, True),
    ],
)
def test_numbers_of_people_that_tell_all_rows_apart(name, step, is_refused):
    least = 573_379_866 if name == "longer" else 7_000
    table = {**clinic(["fine"] * ROWS), name: [least + 13 * (i // step) for i in range(ROWS)]}
    schema = {"age": "quasi", "comment": "drop", "disease": "sensitive", name: "quasi"}
    data = Microdata.read(table, schema)
    if not is_refused:
        Anatomy(l=4).anonymize(data)
        return
    with pytest.raises(CannotAnonymize, match="seems to hold what names a person"):
        Anatomy(l=4).anonymize(data)


def test_it_is_published_where_the_schema_says_so_in_words():
    comments = ["fine"] * (ROWS - 1) + ["call +49 30 1234567"]
    rule = {"role": "quasi", "holds": "phone numbers"}
    schema = {"age": "quasi", "comment": rule, "disease": "sensitive"}
    release = Anatomy(l=4).anonymize(Microdata.read(clinic(comments), schema))
    assert "call +49 30 1234567" in release.quasi["comment"]
    schema["comment"] = {"role": "quasi", "holds": "e-mail addresses"}
    with pytest.raises(CannotAnonymize, match="phone numbers"):
        Anatomy(l=4).anonymize(Microdata.read(clinic(comments), schema))


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("his wife Anna called", True),
        ("seen by Dr. Miller", True),
        ("Mrs O’Neil is well", True),
        ("her daughter (Élodie) was there", True),
        ("Frau J. Weber", True),
        ("wife called twice", False),
        ("Married-civ-spouse", False),
        ("Partner visa", False),
        ("son of a teacher", False),
        ("MR scan", False),
    ],
)
def test_names_in_a_text_are_found_by_the_word_before_them(text, is_named):
    found = find_personal(pl.Series(["stable", text, "worse"]), ROWS)
    assert (found is not None and found.what == "names of people") == is_named


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("seen by Anna Miller today", True),
        ("patient says Anna called", True),
        ("John Smith was told", True),
        ("diabetes mellitus, type two", False),
        ("St. John Hospital east", False),
        ("Robert Koch Institute, Berlin", False),
        ("New York City", False),
    ],
)
def test_names_in_a_text_need_no_title(text, is_named):
    found = find_personal(pl.Series([text, "fine"]), rows=2)
    assert (found is not None and found.what == "names of people") == is_named
