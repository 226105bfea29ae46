"""Values that are compared with a column and not written as the release has them."""

from __future__ import annotations

import pytest

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.errors import UnsupportedQuery

ROLES = {
    "seen on": {"role": "quasi", "format": "month/day/year"},
    "bill": {"role": "quasi", "format": "1,234.5"},
    "paid": {"role": "quasi", "format": "1.234,5"},
    "born": {"role": "quasi", "format": "year/month/day"},
    "since": {"role": "quasi", "format": "day/month/year", "publish": "year"},
    "code": {"role": "sensitive", "kind": "nominal"},
}
ROWS = """seen on;bill;paid;born;since;code
07/14/2008;$1,234.00;1.234,50;2008/07/14;14/07/2008;414
01/02/2009;$12.50;7,5;1990/01/02;01/02/1999;V57
11/30/2001;$3,000.00;3.000;1971/11/30;30/11/2001;414
05/06/2003;$999.99;99;1985/06/05;05/06/2003;V57
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Release:
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    path.write_text(ROWS)
    return Anatomy(l=2).anonymize(Microdata.read(path, ROLES), Key(bytes(32)))


def count(release: Release, condition: str) -> int:
    (row,) = release.query(f"SELECT COUNT(*) AS n FROM data WHERE {condition}")
    assert row["n"].exact
    return row["n"].estimate


@pytest.mark.parametrize(
    ("condition", "word", "instead", "people"),
    [
        ("\"seen on\" >= '07/14/2008'", "'07/14/2008'", "'2008-07-14'", 2),
        ("'07/14/2008' > \"seen on\"", "'07/14/2008'", "'2008-07-14'", 2),
        ("\"seen on\" IN ('2001-11-30', '1/2/2009')", "'1/2/2009'", "'2009-01-02'", 2),
        ("since = '01/01/2008'", "'01/01/2008'", "'2008-01-01'", 1),
        ("bill > '$1,234.00'", "'$1,234.00'", "1234.00", 1),
        ("bill BETWEEN 10 AND '1,234.00'", "'1,234.00'", "1234.00", 3),
        ("paid <= '1.234,50'", "'1.234,50'", "1234.50", 3),
        # as a number of the database it would be one and a quarter
        ("paid <= '1.234'", "'1.234'", "1234", 2),
    ],
)
def test_the_refusal_says_how_the_release_writes_it(release, condition, word, instead, people):
    with pytest.raises(UnsupportedQuery) as refused:
        count(release, condition)
    error = refused.value
    assert f"SELECT COUNT(*) AS n FROM data WHERE {condition}"[error.start : error.end] == word
    assert error.remedy == f"{instead} instead of it."
    assert count(release, condition.replace(word, instead)) == people


@pytest.mark.parametrize(
    ("condition", "people"),
    [
        ("\"seen on\" >= '2008-07-14'", 2),
        ("born = '2008/07/14'", 1),
        ("bill > '1234'", 1),
        ("code = '07/14/2008'", 0),
        ("paid > '7.25'", 4),
    ],
)
def test_what_a_database_reads_is_left_as_it_is(release, condition, people):
    assert count(release, condition) == people


def test_a_number_beside_texts_is_told_to_be_quoted(release):
    with pytest.raises(UnsupportedQuery, match="'V57' is none of the whole numbers") as refused:
        count(release, "code = 414")
    assert refused.value.what.startswith("Texts of the release are compared with something else")
    assert "single quotes" in refused.value.remedy
    assert count(release, "code = '414'") == 2


@pytest.mark.parametrize(
    ("condition", "text", "column"),
    [
        ("'code' = '414'", "'code'", '"code"'),
        ("'Seen on' > '2001-01-01'", "'Seen on'", '"seen on"'),
    ],
)
def test_a_column_in_single_quotes_is_told_to_be_a_text(release, condition, text, column):
    answers = release.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
    assert answers.notes == (f"{text} is a text and no column; did you mean {column}?",)


def test_texts_that_are_no_columns_are_passed_over(release):
    assert release.query("SELECT COUNT(*) FROM data WHERE 'a' = 'b'").notes == ()
