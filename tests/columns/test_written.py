"""Dates and numbers as people write them, and values that stand for missing ones."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata, Release
from anonagram.columns.written import find_format, read_as
from anonagram.errors import SchemaError
from anonagram.measures import read_original
from anonagram.verify import verify


def read(tmp_path, values, rule=None, name="x"):
    path = tmp_path / "t.csv"
    lines = [f'{i},"{value}"' for i, value in enumerate(values)]
    path.write_text(f"n,{name}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    rules = {"n": "drop", name: {"role": "quasi", **(rule or {})}}
    return Microdata.read(path, rules)


@pytest.mark.parametrize(
    ("values", "expected", "written"),
    [
        (["07/14/2008", "03/04/2008"], [date(2008, 7, 14), date(2008, 3, 4)], "month/day/year"),
        (["14.7.2008", "3.4.2008"], [date(2008, 7, 14), date(2008, 4, 3)], "day/month/year"),
        (["2008/07/14", "2008/3/4"], [date(2008, 7, 14), date(2008, 3, 4)], "year/month/day"),
        (["14-07-2008 9:30", "3-4-2008 10:00:05"],
         [datetime(2008, 7, 14, 9, 30), datetime(2008, 4, 3, 10, 0, 5)], "day/month/year"),
        (["$1,234.00", "$12.50", "($3.00)"], [1234.0, 12.5, -3.0], "1,234.5"),
        (["1.234,00 €", "12,50 €"], [1234.0, 12.5], "1.234,5"),
        (["1,234,567", "12"], [1234567, 12], "1,234.5"),
        (["12,5", "3"], [12.5, 3.0], "1.234,5"),
        (["$5", "$12"], [5, 12], "1,234.5"),
        (["1\u202f234,50", "12"], [1234.5, 12.0], "1.234,5"),
        (["1'234.50", "$ 12"], [1234.5, 12.0], "1,234.5"),
        (["617 555 0134", "617 555 0135"], ["617 555 0134", "617 555 0135"], None),
        (["01234", "99"], ["01234", "99"], None),
        (["CHF", "x"], ["CHF", "x"], None),
        (["1/2", "3/4"], ["1/2", "3/4"], None),
        (["07/14/08", "03/04/08"], ["07/14/08", "03/04/08"], None),
    ],
)  # fmt: skip
def test_values_that_leave_no_doubt_are_read(tmp_path, values, expected, written):
    data = read(tmp_path, values)
    column = data.column("x")
    assert column.decode(column.codes).to_list() == expected
    assert (column.original.format if column.original else None) == written
    assert bool(data.notes) == (written is not None)


@pytest.mark.parametrize("values", [["03/04/2008", "05/06/2009"], ["1,234", "5,678"]])
@pytest.mark.parametrize("kind", [None, "date", "numeric"])
def test_doubt_is_refused_with_both_readings(tmp_path, values, kind):
    with pytest.raises(SchemaError) as caught:
        read(tmp_path, values, {} if kind is None else {"kind": kind})
    assert "t.csv, row 1: column 'x'" in str(caught.value)
    if kind is None:
        assert str(caught.value).count('format = "') == 2


def test_a_word_in_the_schema_ends_the_doubt(tmp_path):
    first = read(tmp_path, ["03/04/2008", "05/06/2009"], {"format": "day/month/year"})
    assert first.column("x").domain.to_list() == [date(2008, 4, 3), date(2009, 6, 5)]
    assert not first.notes
    left = read(tmp_path, ["03/04/2008", "05/06/2009"], {"kind": "nominal"})
    assert left.column("x").kind == "nominal"
    with pytest.raises(SchemaError, match=r"row 2: column 'x' is date, written day/month/year"):
        read(tmp_path, ["03/04/2008", "05/16/2009"], {"format": "day/month/year"})


def test_why_is_told_with_a_value_that_rules_the_other_out(tmp_path):
    (note,) = read(tmp_path, ["03/04/2008", "07/14/2008"]).notes
    assert note == "t.csv: x is read as month/day/year, since 07/14/2008 has no other reading."


def test_marked_values_are_missing(tmp_path):
    data = read(tmp_path, ["?", "31", " -9 ", "45"], {"missing": ["?", "-9"]})
    column = data.column("x")
    assert column.kind == "numeric"
    assert column.decode(column.codes).to_list() == [None, 31, None, 45]
    typed = Microdata.read({"x": [1.5, -9.0, 2.0]}, {"x": {"role": "quasi", "missing": [-9]}})
    assert typed.column("x").decode(typed.column("x").codes).to_list() == [1.5, None, 2.0]
    with pytest.raises(SchemaError, match=r'missing = \["\?"\] if it stands'):
        read(tmp_path, ["?", "31", "45"], {"kind": "numeric"})


def test_the_original_is_read_again_as_it_was(tmp_path):
    path = tmp_path / "t.csv"
    rows = [
        f'{m:02}/{d:02}/2008,"${1000 * m:,}.00",{"abcd"[d % 4]}'
        for m in range(1, 13)
        for d in (5, 6, 15, 16)
    ]
    path.write_text("day,pay,ill\n" + "\n".join(rows) + "\n?,$9.00,a\n")
    rules = {
        "day": {"role": "quasi", "missing": ["?"], "publish": "month"},
        "pay": "quasi",
        "ill": "sensitive",
    }
    data = Microdata.read(path, rules)
    release = Method.parse("anatomy(l=3)").anonymize(data, Key(bytes(32)))
    release.write(tmp_path / "release")
    release = Release.read(tmp_path / "release")
    assert read_original(path, release).digest == data.digest
    # the value that told the order apart is nobody's business
    assert "2008" not in (tmp_path / "release/datapackage.json").read_text().replace(
        release.manifest.created, ""
    )
    mine = verify(release, {"day": "07/14/2008", "pay": "$7,000.00"})
    assert mine.open_rows == 4
    assert verify(release, {"day": "?"}).open_rows == 1


@given(
    st.lists(st.dates(date(1, 1, 1), date(9999, 12, 31)), min_size=1, max_size=20),
    st.sampled_from(["day/month/year", "month/day/year", "year/month/day"]),
    st.sampled_from("./-"),
)
def test_what_is_written_in_a_format_is_read_in_it(days, written, between):
    texts = pl.Series(
        [
            between.join(
                {"day": f"{d.day:02}", "month": f"{d.month:02}", "year": f"{d.year:04}"}[p]
                for p in written.split("/")
            )
            for d in days
        ]
    )
    assert read_as(texts, written).to_list() == [d.isoformat() for d in days]
    found = find_format(texts)
    if (written, between) == ("year/month/day", "-"):
        assert found is None  # as it is written everywhere needs no format
        return
    assert written in found.formats
    if len(found.formats) == 1:
        assert found.formats == (written,)


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20),
    st.sampled_from(["1,234.5", "1.234,5"]),
)
def test_amounts_are_read_in_their_format(cents, written):
    texts = [f"{each / 100:,.2f}" for each in cents]
    if written == "1.234,5":
        texts = [t.translate(str.maketrans(",.", ".,")) for t in texts]
    assert read_as(pl.Series(texts), written).cast(pl.Float64).to_list() == [
        each / 100 for each in cents
    ]
    assert find_format(pl.Series(texts)).formats == (written,)
