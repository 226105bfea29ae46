from __future__ import annotations

import os
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from anonagram import Hierarchy, Microdata
from anonagram.columns.hierarchies.intervals import Intervals
from anonagram.columns.hierarchy import HierarchyRule, hierarchy_for, value_texts
from anonagram.columns.proposals import proposed
from anonagram.errors import CallError, SchemaError
from tests.tables import header

ADULT = [
    "age",
    "education",
    "marital-status",
    "native-country",
    "occupation",
    "race",
    "sex",
    "workclass",
]


def build(call: str, values: list[object]) -> Hierarchy:
    return HierarchyRule.parse(call).over("x", pl.Series(values))


def labels(hierarchy: Hierarchy, value: str) -> list[str]:
    return [hierarchy.label(value, level) for level in range(hierarchy.height + 1)]


@pytest.mark.parametrize("name", ADULT)
def test_reads_the_adult_hierarchies_and_they_cover_the_table(real_data, name):
    path = real_data(f"adult/hierarchies/adult_hierarchy_{name}.csv")
    columns = header(real_data("adult/adult_complete.csv"))
    schema = dict.fromkeys(columns, "drop") | {"hours-per-week": "plain"}
    schema[name] = {"role": "quasi", "hierarchy": str(path)}
    column = Microdata.read(real_data("adult/adult_complete.csv"), schema).column(name)
    assert column.hierarchy is not None
    assert column.hierarchy.label(column.text(0), column.hierarchy.height) == "*"


def test_age_hierarchy_of_adult(real_data):
    hierarchy = Hierarchy.read(real_data("adult/hierarchies/adult_hierarchy_age.csv"), "age")
    assert labels(hierarchy, "39") == ["39", "35-39", "30-39", "20-39", "*"]


def test_nominal_domain_follows_the_hierarchy():
    table = {"pet": ["cat", "cobra", "dog", "adder"], "s": [1, 2, 1, 2]}
    tree = 'tree({"mammal": ["cat", "dog"], "snake": ["adder", "cobra"]})'
    by_name = Microdata.read(table, {"pet": "quasi", "s": "sensitive"})
    assert by_name.column("pet").domain.to_list() == ["adder", "cat", "cobra", "dog"]
    with_tree = Microdata.read(
        table, {"pet": {"role": "quasi", "hierarchy": tree}, "s": "sensitive"}
    )
    assert with_tree.frame().equals(by_name.frame())


def test_ordinal_order_comes_from_the_hierarchy_file(tmp_path):
    (tmp_path / "size.csv").write_text("small;any\nmedium;any\nlarge;any\n")
    schema = tmp_path / "schema.toml"
    schema.write_text(
        '[columns]\nsize = { role = "quasi", kind = "ordinal", hierarchy = "size.csv" }\ns = "sensitive"'
    )
    data = Microdata.read({"size": ["large", "small", None, "medium"], "s": [1, 2, 1, 2]}, schema)
    assert data.column("size").domain.to_list() == ["small", "medium", "large"]
    assert data.column("size").codes.tolist() == [2, 0, 3, 1]


def test_intervals_of_growing_width():
    assert labels(build("intervals(width=5, levels=2)", [-1, 3, 7]), "-1") == [
        "-1", "[-5, 0)", "[-10, 0)", "*",
    ]  # fmt: skip


def test_intervals_are_exact():
    assert (
        labels(build("intervals(width=0.1, levels=1)", [0.3, 0.7, 9.0]), "0.3")[1] == "[0.3, 0.4)"
    )
    wide = build("intervals(width=10, levels=1)", [12345601, 12345611])
    assert labels(wide, "12345601")[1] == "[12345600, 12345610)"
    assert (
        labels(build("intervals(width=1, levels=1)", [Decimal("1.50"), Decimal("2.50")]), "1.50")[1]
        == "[1, 2)"
    )


def test_objects_do_as_well_as_texts_in_python():
    table = {"age": [1, 12, 23], "s": [1, 2, 3]}
    rule = {"role": "quasi", "hierarchy": Intervals(width=10)}
    column = Microdata.read(table, {"age": rule, "s": "quasi"}).column("age")
    assert column.hierarchy.label("12", 1) == "[10, 20)"
    again = Microdata.read(
        table, {"age": {"role": "quasi", "hierarchy": column.hierarchy}, "s": "quasi"}
    )
    assert again.column("age").hierarchy == column.hierarchy


def test_intervals_between_cuts():
    hierarchy = build("intervals(cuts=[[18, 30, 65], [18, 65]])", [5, 18, 29, 64, 80])
    assert labels(hierarchy, "5")[1:] == ["< 18", "< 18", "*"]
    assert labels(hierarchy, "29")[1:] == ["[18, 30)", "[18, 65)", "*"]
    assert labels(hierarchy, "80")[1:] == [">= 65", ">= 65", "*"]


def test_cuts_that_do_not_nest_are_refused():
    with pytest.raises(SchemaError, match="two parents"):
        build("intervals(cuts=[[10, 30], [20]])", [5, 15, 25, 35])


def test_mask_from_either_end():
    assert labels(build("mask()", ["91110", "911"]), "91110")[1:] == [
        "9111*",
        "911**",
        "91***",
        "9****",
    ]
    assert labels(build("mask(side=left)", ["ab", "cb"]), "ab") == ["ab", "*b"]


def test_dates():
    hierarchy = build("dates()", [date(1987, 5, 17), date(1991, 1, 2)])
    assert labels(hierarchy, "1987-05-17")[1:] == ["1987-05", "1987-Q2", "1987", "1980s", "*"]


def test_groups_keep_the_order():
    assert labels(build("groups(size=2)", ["a", "b", "c", "d", "e"]), "c") == [
        "c",
        "c..d",
        "a..d",
        "*",
    ]


def test_tree_of_uneven_depth():
    hierarchy = build('tree({"EU": {"Alps": ["Austria"], "Rest": ["Spain"]}, "US": ["Ohio"]})',
                      ["Austria", "Ohio", "Spain"])  # fmt: skip
    assert labels(hierarchy, "Austria") == ["Austria", "Alps", "EU", "*"]
    assert labels(hierarchy, "Ohio") == ["Ohio", "Ohio", "US", "*"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;x\nb;y;z\n", "row 2"),
        ("a;x;p\nb;x;q\n", "at level 2, 'x' has two parents"),
        ("a;x\na;y\n", "two rows for 'a'"),
        ("", "is empty"),
        ("a;x\nc;x\n", "h.csv does not cover the value 'b'"),
    ],
)
def test_bad_file_is_refused_with_attribute_value_and_level(tmp_path, text, message):
    path = tmp_path / "h.csv"
    path.write_text(text)
    schema = {"pet": {"role": "quasi", "hierarchy": str(path)}, "s": "sensitive"}
    with pytest.raises(SchemaError, match=message):
        Microdata.read({"pet": ["a", "b"], "s": [1, 2]}, schema)


def test_a_row_that_is_repeated_as_it_stands_says_nothing_new(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("a;x\nb;x\na;x\n")
    assert Hierarchy.read(path).levels == (("a", "b"), ("x", "x"))


@pytest.mark.parametrize(
    ("call", "values", "message"),
    [
        ("intervals(width=5)", ["a", "b"], "needs numbers"),
        ("dates()", ["a", "b"], "needs dates"),
        ('tree({"x": ["a"]})', ["a", "b"], "does not hold the value 'b'"),
        ("intervals(width=5)", [1.0, float("inf")], "does not fit"),
        ("intervals(cuts=[1, [2]])", [1, 2], "cuts must be numbers"),
        ("intervals(cuts=5)", [1, 2], "cuts must be numbers"),
        ('tree({"E": []})', ["a"], "does not fit"),
    ],
)
def test_rule_that_does_not_fit_the_values(call, values, message):
    with pytest.raises(SchemaError, match=message):
        hierarchy_for("x", call, pl.Series(values), Path())


@pytest.mark.parametrize(
    "call",
    ["intervals(width=ten)", "intervals(cuts=[])", "intervals(width=1, levels=x)", "mask(symbol=5)",
     "dates(levels=5)", "intervals()", "intervals(width=0)", "intervals(width=5, cuts=[1])",
     "mask(side=up)", "dates(levels=['week'])", "groups(size=1)", "tree({})",
     'tree({"x": ["a"], "y": ["a"]})'],
)  # fmt: skip
def test_rule_with_bad_parameters(call):
    with pytest.raises(CallError):
        build(call, ["a", "b"])


@pytest.mark.parametrize("rule", ["groups(levels=1000000000)", "intervals(width=1, levels=65)"])
def test_endless_levels_are_refused_at_once(rule):
    with pytest.raises(CallError, match="levels must be a whole number from 1 to 64"):
        HierarchyRule.parse(rule)


def test_endless_numbers_are_refused_at_once():
    for rule in ("intervals(width=1, origin='1e999999999')", "intervals(cuts=['1e999999999'])"):
        with pytest.raises(CallError, match="number"):
            HierarchyRule.parse(rule)


def test_mask_of_a_very_long_value_is_refused_at_once():
    with pytest.raises(SchemaError, match=r"a value has 100,000 of them"):
        HierarchyRule.parse("mask()").over("x", pl.Series(["a" * 100_000, "b"]))


def test_hierarchy_that_would_never_end_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", "/dev/zero"):
        with pytest.raises(SchemaError, match="not a plain file"):
            Hierarchy.read(path)


@pytest.mark.parametrize(
    "values",
    [[-1e308, 0.0, 1.0, 2.0, 1e308], [0.0, 5e-324, 1e-323, 1.5e-323, 2e-323]],
    ids=["sums overflow", "quotients vanish"],
)
def test_a_hierarchy_is_proposed_for_numbers_at_the_ends_of_floats(values):
    domain = pl.Series("x", values)
    hierarchy = proposed(domain, "numeric").rule.over("x", domain)
    assert len(set(hierarchy.levels[1])) < len(values)


@pytest.mark.parametrize("dtype", [pl.Time, pl.Duration("ns"), pl.Duration("us")])
def test_values_within_a_second_are_told_apart(dtype):
    ticks = [0, 1, 999, 1000, 500_000_000, 37_992 * 10**9, 37_992 * 10**9 + 500]
    if dtype != pl.Time:
        ticks += [-1, -999, -1000]
    domain = pl.Series("x", sorted(ticks)).cast(dtype)
    assert len(set(value_texts(domain))) == domain.n_unique()
    assert HierarchyRule.parse("flat()").over("x", domain).height == 1


def test_times_without_fractions_are_written_as_ever():
    noon = pl.Series([43_200 * 10**9, 43_200 * 10**9 + 500_000_000]).cast(pl.Time)
    assert value_texts(noon) == ["12:00:00", "12:00:00.500"]


@pytest.mark.parametrize("row", ['"a;b",x\nc,x\n', '"a;b";x\nc;x\n', '\r\n"a;b",x\r\nc,x\r\n'])
def test_what_stands_in_quotes_parts_nothing(tmp_path, row):
    file = tmp_path / "quoted.csv"
    file.write_bytes(row.encode())
    assert Hierarchy.read(file).levels == (("a;b", "c"), ("x", "x"))
