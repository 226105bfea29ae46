"""What `inspect` proposes about how messy columns are read."""

from __future__ import annotations

import polars as pl
import pytest

from anonagram import Microdata
from anonagram.profile import Profile
from anonagram.profile.reading import propose_reading
from anonagram.schema import Schema
from anonagram.sources import Table


def profile_of(tmp_path, name, values):
    path = tmp_path / "t.csv"
    rows = [f'{20 + i % 30},"{value}",{"abcde"[i % 5]}' for i, value in enumerate(values)]
    path.write_text(f"age,{name},disease\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path, Profile.of(path)


@pytest.mark.parametrize(
    ("name", "values", "said", "comment"),
    [
        ("town", ["Bonn", "?", "Rome", "Oslo"], {"missing": ("?",)}, "'?' in 10 rows"),
        ("weeks", ["3", "NA", "14", "9"], {"missing": ("NA",)}, "stands for a missing value"),
        ("children", ["3", "-9", "1", "-8"], {"missing": ("-9", "-8")}, "'-9' and '-8' in 20 rows"),
        (
            "weeks",
            ["3", "?", "-9", "9"],
            {"missing": ("?", "-9")},
            "'?' and '-9' in 20 rows stand for",
        ),
        (
            "seen",
            ["07/14/2008", "03/04/2008"],
            {"format": "month/day/year"},
            "has no other reading",
        ),
        ("seen", ["14.7.2008", "n/a"], {"format": "day/month/year", "missing": ("n/a",)}, "'n/a'"),
        (
            "seen",
            ["03/04/2008", "05/06/2008"],
            {"kind": "nominal"},
            "a text until format says which",
        ),
        ("rent", ["$1,234.00", "$800.00"], {"format": "1,234.5"}, "written 1,234.5"),
        ("rent", ["1.234,00 €", "800,00 €"], {"format": "1.234,5"}, "written 1.234,5"),
        ("days", ["-3", "-9", "4", "1"], {}, ""),
    ],
)
def test_each_proposal_stands_in_the_schema_with_its_reason(tmp_path, name, values, said, comment):
    path, profile = profile_of(tmp_path, name, values * (40 // len(values)))
    toml = profile.to_toml()
    (line,) = [line for line in toml.splitlines() if line.startswith(name)]
    assert comment in line.partition("#")[2]
    (tmp_path / "t.toml").write_text(toml, encoding="utf-8")
    schema = Schema.read(tmp_path / "t.toml")
    rule = schema.columns[name]
    told = {option: getattr(rule, option) for option in ("format", "missing", "kind")}
    assert {option: value for option, value in told.items() if value is not None} == said
    data = Microdata.read(path, schema)  # what is proposed can be read
    assert not data.notes


def test_texts_of_a_typed_table_are_read_as_days_and_amounts_where_nothing_else_is_meant():
    """A statistics package or Parquet has 07/14/2008 as a text; it was masked letter by letter."""
    days = ["03/04/2008", "07/14/2008", "12/30/2008"] * 4
    table = Table(
        pl.DataFrame(
            {
                "admitted": days,
                "cost": ["$1,234.00", "$9.50", "$12,000.00"] * 4,
                "zip": ["91114", "91107", "10001"] * 4,
                "either": ["03/04/2008", "05/06/2008", "01/02/2008"] * 4,
            }
        ),
        "typed.parquet",
    )
    read, reading = propose_reading(table, "admitted")
    assert (read.kind, reading.rule.format) == ("date", "month/day/year")
    assert reading.why == ("written month/day/year: 07/14/2008 has no other reading",)
    read, reading = propose_reading(table, "cost")
    assert (read.kind, reading.rule.format) == ("numeric", "1,234.5")
    for name in ("zip", "either"):
        read, reading = propose_reading(table, name)
        assert (read.kind, reading.rule.format) == ("nominal", None)
