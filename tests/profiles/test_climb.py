"""Hierarchies that are proposed: in the schema file, and as a file to edit."""

from __future__ import annotations

import json
from datetime import date

import polars as pl
import pytest
from typer.testing import CliRunner

from anonagram import Key, Method, Microdata
from anonagram.cli.app import app
from anonagram.columns.hierarchy import Hierarchy
from anonagram.errors import SchemaError
from anonagram.methods.masking import by_rank
from anonagram.profile import Profile
from anonagram.profile.climb import Climb
from anonagram.schema import Schema

ROWS = 120


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + i * 7 % 60 for i in range(ROWS)],
            "zip": [f"{10000 + i * 7 % 20 * 37:05}" for i in range(ROWS)],
            "admitted": [date(2020 + i % 4, 1 + i % 12, 1 + i % 28) for i in range(ROWS)],
            "band": [f"[{i % 9 * 10}-{i % 9 * 10 + 10})" for i in range(ROWS)],
            "town": [["Bonn", "Rome", "Oslo", "Kyiv", "Lund"][i % 5] for i in range(ROWS)],
            "sex": ["FM"[i % 2] for i in range(ROWS)],
            "disease": ["abcde"[i // 5 % 5] * 3 for i in range(ROWS)],
        }
    )


def test_every_quasi_identifier_gets_one_with_its_reason(tmp_path):
    profile = Profile.of(table())
    toml = profile.to_toml()
    rules = {
        "age": "intervals(width=5, levels=4)", "zip": "mask()", "admitted": "dates()",
        "band": "groups(size=2, levels=3)", "town": "flat()", "sex": "flat()",
    }  # fmt: skip
    assert {c.name: c.hierarchy for c in profile.columns if c.role == "quasi"} == rules
    lines = {line.split(" =")[0]: line for line in toml.splitlines()}
    for name in rules:
        assert "; coarser: " in lines[name]
    assert "hierarchy" not in lines["disease"]
    (tmp_path / "t.toml").write_text(toml, encoding="utf-8")
    data = Microdata.read(table(), Schema.read(tmp_path / "t.toml"))
    release = Method.parse("optimal(k_anonymity(k=5))").anonymize(data, Key(bytes(32)))
    assert release.group_sizes()["rows"].min() >= 5


def test_a_flat_hierarchy_says_nothing_about_order():
    towns = {"town": [*["b"] * 5, *["a"] * 3, "c"], "x": list(range(9))}
    flat = Microdata.read(towns, {"town": {"role": "quasi", "hierarchy": "flat()"}, "x": "quasi"})
    none = Microdata.read(towns, {"town": "quasi", "x": "quasi"})
    assert by_rank(flat.column("town"))[0].tolist() == by_rank(none.column("town"))[0].tolist()


def test_what_levels_merge_is_counted():
    climb = Climb.of({"age": [31, 31, 38, 45, None]}, "age", "intervals(width=10, levels=1)")
    assert climb.missing == 1
    assert [(e.labels, e.most_values, e.fewest_rows, e.most_rows) for e in climb.levels] == [
        (3, 1, 1, 2), (2, 2, 1, 3), (1, 3, 4, 4),
    ]  # fmt: skip
    assert climb.levels[1].largest == "[30, 40)"


def test_the_file_reads_back(tmp_path):
    table().write_csv(tmp_path / "t.csv")
    path = tmp_path / "zip.csv"
    run = CliRunner()
    done = run.invoke(app, ["hierarchy", str(tmp_path / "t.csv"), "zip", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert "Level 1:" in done.output
    assert 'hierarchy = "zip.csv"' in done.output
    built = Climb.of(tmp_path / "t.csv", "zip").hierarchy
    assert Hierarchy.read(path, "zip") == built
    done = run.invoke(app, ["hierarchy", str(tmp_path / "t.csv"), "zip", "--json"])
    assert json.loads(done.stdout)["rule"] == "mask()"


@pytest.mark.parametrize(
    ("column", "rule", "words"),
    [("zap", None, "no column 'zap'"), ("town", "intervals(width=10)", "needs numbers"),
     ("age", "intervals()", "width or cuts"), ("age", "no_such()", "no hierarchy called")],
)  # fmt: skip
def test_what_cannot_be_built_is_refused(column, rule, words):
    with pytest.raises(SchemaError, match=words):
        Climb.of(table(), column, rule)
