"""Tables of spreadsheets and statistical packages."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from anonagram import Microdata
from anonagram.errors import InputError
from anonagram.profile import Profile
from anonagram.sources import load

PEOPLE = pl.DataFrame(
    {
        "zip": ["02139", "94103", "10001", "02140"],
        "age": [31, 45, None, 52],
        "since": [date(2008, 7, 14), date(2009, 1, 1), date(2010, 2, 2), date(2011, 3, 3)],
        "pay": ["$1,234.00", "$12.50", "$800.00", "?"],
    }
)


@pytest.fixture
def workbook(tmp_path):
    pytest.importorskip("fastexcel")
    pytest.importorskip("xlsxwriter")
    PEOPLE.write_excel(tmp_path / "clinic.xlsx", worksheet="Patients")
    return tmp_path / "clinic.xlsx"


def test_a_workbook_is_read_as_its_csv_would_be(workbook):
    rule = {"role": "quasi", "missing": ["?"]}
    data = Microdata.read(workbook, {**dict.fromkeys(PEOPLE.columns, "quasi"), "pay": rule})
    assert [(c.name, c.kind) for c in data.columns] == [
        ("zip", "nominal"), ("age", "numeric"), ("since", "date"), ("pay", "numeric"),
    ]  # fmt: skip
    frame = data.frame()
    assert frame["zip"].to_list() == PEOPLE["zip"].to_list()
    assert frame["since"].to_list() == PEOPLE["since"].to_list()
    assert frame["pay"].to_list() == [1234.0, 12.5, 800.0, None]


def test_several_sheets_are_told_apart(tmp_path):
    pytest.importorskip("fastexcel")
    writer = pytest.importorskip("xlsxwriter")
    path = tmp_path / "two.xlsx"
    with writer.Workbook(str(path)) as book:
        PEOPLE.write_excel(book, worksheet="Patients")
        PEOPLE.head(2).write_excel(book, worksheet="Staff")
        book.add_worksheet("Empty")
    with pytest.raises(
        InputError, match=r"2 sheets with rows: Patients, Staff.*\n.*two.xlsx#Patients"
    ):
        load(path)
    assert load(f"{path}#Staff").frame.height == 2
    assert load(f"{path}#Staff").label == "two.xlsx#Staff"
    with pytest.raises(InputError, match="no sheet 'Staf'"):
        load(f"{path}#Staf")
    with pytest.raises(InputError, match="no sheet with rows"):
        load(f"{path}#Empty")


def test_a_damaged_workbook_is_refused(tmp_path):
    pytest.importorskip("fastexcel")
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(InputError, match=r"bad.xlsx cannot be read as a workbook"):
        load(tmp_path / "bad.xlsx")


CODED = {
    "sex": [1.0, 2.0, 1.0, -9.0, 2.0, 1.0], "age": [20.0, 30.0, 40.0, 50.0, 60.5, 70.0],
    "town": ["a", "b", "", "d", "a", "b"],
}  # fmt: skip


@pytest.mark.parametrize("kind", ["sav", "zsav", "dta", "xport"])
def test_statistical_packages_are_read_with_what_they_tell(tmp_path, kind):
    pandas, stat = pytest.importorskip("pandas"), pytest.importorskip("pyreadstat")
    path = tmp_path / f"survey.{kind}"
    labels = {"sex": {1: "male", 2: "female", -9: "refused"}}
    more = {"column_labels": {"sex": "Sex of person"}} if kind != "xport" else {}
    if kind in ("sav", "zsav"):
        more |= {"variable_value_labels": labels, "missing_ranges": {"sex": [-9]}}
        more |= {"compress": kind == "zsav"}
    elif kind == "dta":
        more |= {"variable_value_labels": labels}
    write = getattr(stat, f"write_{'sav' if kind == 'zsav' else kind}")
    write(pandas.DataFrame(CODED), str(path), **more)
    table = load(path)
    assert table.frame["sex"].to_list() == [1, 2, 1, -9, 2, 1]  # as they are, and whole
    assert table.frame["age"].to_list() == CODED["age"]
    assert table.frame["town"].to_list() == ["a", "b", None, "d", "a", "b"]
    if kind == "xport":
        return
    assert table.about["sex"].label == "Sex of person"
    rule = Profile.of(path).schema().columns["sex"]
    assert (rule.kind, rule.label, rule.labels["2"]) == ("nominal", "Sex of person", "female")
    assert rule.missing == ("-9",)
    data = Microdata.read(path, {"sex": rule, "age": "quasi", "town": "quasi"})
    assert data.column("sex").has_missing


@pytest.mark.parametrize("start", [b"$FL2 cut", b"<stata_dta><header>"])
def test_damaged_files_of_packages_are_refused(tmp_path, start):
    pytest.importorskip("pyreadstat")
    (tmp_path / "bad.sav").write_bytes(start)
    with pytest.raises(InputError, match=r"bad.sav cannot be read"):
        load(tmp_path / "bad.sav")
