"""What a notebook shows is short, and tables go on to other libraries."""

from __future__ import annotations

import polars as pl
import pytest

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.errors import MissingExtra
from anonagram.present.notebook import ROWS_SHOWN


@pytest.fixture(scope="module")
def release():
    table = {"age": list(range(60)), "ill": ["a", "b", "c", "d"] * 15}
    data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    return Anatomy(l=2).anonymize(data, Key(bytes(32)))


def test_a_long_answer_is_cut_and_says_so(release):
    answers = release.query("SELECT age, COUNT(*) FROM data WHERE ill = 'a' GROUP BY age")
    shown = answers._repr_html_()
    assert shown.count("<tr>") == ROWS_SHOWN + 1
    assert f"… and {len(answers) - ROWS_SHOWN} more rows." in shown


def test_a_chart_in_a_notebook_needs_no_network(release):
    from anonagram.measures import measure

    table = {"age": list(range(60)), "ill": ["a", "b", "c", "d"] * 15}
    data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    shown = measure(release, data)._repr_html_()
    assert "<svg" in shown
    assert "<script" not in shown
    assert "currentColor" in shown


def test_answers_and_tables_go_on_to_other_libraries(release, tmp_path):
    answers = release.query("SELECT COUNT(*) FROM data WHERE ill = 'a' AND age < 30")
    frame = answers.to_polars()
    assert frame.to_dicts() == answers.to_pandas().to_dict("records")
    assert answers.to_arrow().to_pylist() == frame.to_dicts()
    release.write(tmp_path / "release")
    table = Release.open(tmp_path / "release").tables["quasi"]
    assert table.to_polars().equals(release.tables["quasi"])
    assert list(table.to_pandas().columns) == table.to_arrow().column_names == ["group", "age"]


@pytest.mark.parametrize("way", ["to_pandas", "to_arrow"])
def test_a_library_that_is_not_there_is_named(release, monkeypatch, way):
    def missing(_frame: pl.DataFrame) -> None:
        raise ModuleNotFoundError

    monkeypatch.setattr(pl.DataFrame, way, missing)
    with pytest.raises(MissingExtra, match=r"anonagram\[frames\]"):
        getattr(release.query("SELECT COUNT(*) FROM data"), way)()
