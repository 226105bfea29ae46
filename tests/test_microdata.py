from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Microdata, Schema
from anonagram.errors import SchemaError
from tests.tables import AWKWARD_SCHEMA, awkward_table, header


def read_csv(tmp_path, text, schema):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    return Microdata.read(path, schema)


def test_missing_is_a_value_of_its_own():
    column = Microdata.read(
        {"a": [3, None, 1], "b": [1, 2, 3]}, {"a": "quasi", "b": "quasi"}
    ).column("a")
    assert column.codes.tolist() == [1, 2, 0]
    assert column.cardinality == 3
    assert column.text(2) == "(missing)"


def test_csv_types_come_from_the_values(tmp_path):
    data = read_csv(
        tmp_path,
        "n,x,zip,d,t,s\n1,1.5,01234,2020-01-02,2020-01-02 03:04:05,a\n"
        ",2,99,2021-01-01,2021-01-01T00:00:00,b\n",
        dict.fromkeys(["n", "x", "zip", "d", "t", "s"], "plain"),
    )
    assert [str(c.domain.dtype) for c in data.columns[:4]] == ["Int64", "Float64", "String", "Date"]
    assert [c.kind for c in data.columns] == [
        "numeric",
        "numeric",
        "nominal",
        "date",
        "date",
        "nominal",
    ]


def test_leading_zeros_survive_unless_the_schema_says_numeric(tmp_path):
    text = "zip,s\n01234,a\n99999,b\n"
    plain = read_csv(tmp_path, text, {"zip": "quasi", "s": "quasi"})
    assert plain.column("zip").domain.to_list() == ["01234", "99999"]
    numeric = read_csv(tmp_path, text, {"zip": {"role": "quasi", "kind": "numeric"}, "s": "quasi"})
    assert numeric.column("zip").domain.to_list() == [1234, 99999]


def test_texts_of_one_number_become_one_value(tmp_path):
    data = read_csv(tmp_path, "x,s\n1,a\n1.0,b\n2.50,a\n", {"x": "quasi", "s": "quasi"})
    assert data.column("x").domain.to_list() == [1.0, 2.5]
    assert data.column("x").codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize("value", ["inf", "nan", "1_000", "0x10", "1e", "--1", "١٢"])
def test_odd_numbers_stay_texts(tmp_path, value):
    data = read_csv(tmp_path, f"x,s\n1,a\n{value},b\n", {"x": "quasi", "s": "quasi"})
    assert value in data.column("x").domain.to_list()


@pytest.mark.parametrize(
    ("kind", "value"), [("numeric", "n/a"), ("date", "yesterday"), ("date", "2020-13-01")]
)
def test_value_that_does_not_fit_its_kind_is_named_with_its_row(tmp_path, kind, value):
    text = f"x,s\n,a\n2020-01-01,b\n{value},c\n" if kind == "date" else f"x,s\n1,a\n,b\n{value},c\n"
    with pytest.raises(SchemaError, match=r"data\.csv, row 3: column 'x'") as error:
        read_csv(tmp_path, text, {"x": {"role": "quasi", "kind": kind}, "s": "quasi"})
    assert repr(value) in error.value.what


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("12345678901234567890", "12345678901234567891"),
        ("0.12345678901234567890", "0.12345678901234567891"),
        ("2020-01-01 10:00:00.000000001", "2020-01-01 10:00:00.000000002"),
        ("2020-01-01 10:00:00.0000000001", "2020-01-01 10:00:00.0000000002"),
    ],
)
def test_no_digit_is_lost(tmp_path, first, second):
    data = read_csv(tmp_path, f"x,s\n{first},a\n{second},b\n", {"x": "quasi", "s": "quasi"})
    assert data.column("x").cardinality == 2


def test_misfit_is_the_first_row_that_really_does_not_fit(tmp_path):
    text = "x,s\n2020-01-01 10:00:00,a\n2020-01-02,b\ngarbage,c\n"
    with pytest.raises(SchemaError, match="row 3"):
        read_csv(tmp_path, text, {"x": {"role": "quasi", "kind": "date"}, "s": "quasi"})


def test_ordinal_needs_an_order_and_takes_it_from_an_enum_or_numbers():
    rule = {"role": "quasi", "kind": "ordinal"}
    with pytest.raises(SchemaError, match="order of its values is not known"):
        Microdata.read({"a": ["low", "high"], "b": [1, 2]}, {"a": rule, "b": "quasi"})
    levels = pl.Series("a", ["high", "low", "mid"], dtype=pl.Enum(["low", "mid", "high"]))
    for column, expected in (
        (levels, ["low", "mid", "high"]),
        (pl.Series("a", [10, 9, 2]), ["2", "9", "10"]),
    ):
        data = Microdata.read(
            pl.DataFrame([column, pl.Series("b", [1, 2, 3])]), {"a": rule, "b": "quasi"}
        )
        assert data.column("a").domain.to_list() == expected


def test_kind_that_contradicts_a_typed_column():
    schema = {"a": {"role": "quasi", "kind": "date"}, "b": "quasi"}
    with pytest.raises(SchemaError, match="is not date"):
        Microdata.read({"a": [1, 2], "b": [1, 2]}, schema)


@pytest.mark.parametrize(
    ("values", "what"), [([None, None], "missing in every row"), ([7, 7], "'7' in every")]
)
def test_quasi_identifier_that_tells_nothing_is_refused(values, what):
    with pytest.raises(SchemaError, match=what):
        Microdata.read({"a": values, "b": [1, 2]}, {"a": "quasi", "b": "quasi"})


def test_constant_plain_column_is_fine():
    data = Microdata.read({"a": [7, 7], "b": [1, 2]}, {"a": "plain", "b": "quasi"})
    assert data.column("a").cardinality == 1


def test_ordinal_order():
    rule = {"role": "quasi", "kind": "ordinal", "order": ["low", "mid", "high"]}
    data = Microdata.read({"a": ["high", "low", None], "b": [1, 2, 3]}, {"a": rule, "b": "quasi"})
    assert data.column("a").domain.to_list() == ["low", "high"]
    assert data.column("a").codes.tolist() == [1, 0, 2]


def test_ordinal_value_outside_its_order():
    rule = {"role": "quasi", "kind": "ordinal", "order": ["low"]}
    with pytest.raises(SchemaError, match="'high' is not in its order"):
        Microdata.read({"a": ["high", "low"], "b": [1, 2]}, {"a": rule, "b": "quasi"})


def test_unknown_column_name_gets_a_suggestion():
    data = Microdata.read({"age": [1, 2]}, {"age": "quasi"})
    with pytest.raises(SchemaError, match="did you mean 'age'"):
        data.column("aeg")


@pytest.mark.parametrize(
    "convert", ["polars", "lazy", "pandas", "arrow", "duckdb", "dict", "parquet", "ipc"]
)
def test_every_source_gives_the_same_table(convert, tmp_path):
    frame = awkward_table().with_columns(weight=pl.col("weight").fill_null(float("nan")))
    expected = Microdata.read(awkward_table(), AWKWARD_SCHEMA).frame()
    source = {
        "polars": lambda: frame,
        "lazy": frame.lazy,
        "pandas": frame.to_pandas,
        "arrow": frame.to_arrow,
        "duckdb": lambda: __import__("duckdb").from_arrow(frame.to_arrow()),
        "dict": lambda: frame.to_dict(as_series=False),
        "parquet": lambda: frame.write_parquet(tmp_path / "t.parquet") or tmp_path / "t.parquet",
        "ipc": lambda: frame.write_ipc(tmp_path / "t.arrow") or str(tmp_path / "t.arrow"),
    }[convert]()
    assert Microdata.read(source, AWKWARD_SCHEMA).frame().equals(expected)


def test_rich_types_are_kept():
    frame = pl.DataFrame(
        {
            "money": [Decimal("1.10"), Decimal("2.20"), None],
            "stay": [timedelta(days=1), timedelta(hours=3), None],
            "when": pl.Series([date(2020, 1, 1), date(2021, 1, 1), None]).cast(
                pl.Datetime("ms", "UTC")
            ),
            "kind": pl.Series(["b", "a", None], dtype=pl.Categorical),
        }
    )
    data = Microdata.read(frame, dict.fromkeys(frame.columns, "quasi"))
    assert data.frame().cast({"kind": pl.String}).equals(frame.cast({"kind": pl.String}))
    assert [column.kind for column in data.columns] == ["numeric", "numeric", "date", "nominal"]


@given(
    values=st.lists(
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5).map(float)),
        min_size=2, max_size=30,
    )
)  # fmt: skip
def test_decoding_gives_back_every_value(values):
    data = Microdata.read(
        {"x": values, "i": list(range(len(values)))}, {"x": "plain", "i": "quasi"}
    )
    assert data.frame()["x"].to_list() == values
    domain = data.column("x").domain.to_list()
    assert domain == sorted(set(domain))


def test_adult_is_read_as_it_is(real_data):
    path = real_data("adult/adult.csv")
    data = Microdata.read(path, dict.fromkeys(header(path), "quasi"))
    assert data.rows == 48_842
    plain = pl.read_csv(path, infer_schema_length=None)
    assert data.frame().equals(plain)


def test_schema_object_and_dictionary_are_the_same():
    table = {"a": [1, 2]}
    assert repr(Microdata.read(table, Schema.of(a="quasi"))) == repr(
        Microdata.read(table, {"a": "quasi"})
    )


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinite_value_is_named_with_its_row(value):
    with pytest.raises(SchemaError, match="row 2: column 'x' is infinite"):
        Microdata.read({"x": [1.0, value, 3.0]}, {"x": "quasi"})


TABLE = {"age": [31, 45, None, 60], "town": ["a", "b", "c", "b"], "ill": ["x", "y", "x", "z"]}
ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive"}
OTHERS = {
    "a value": ({**TABLE, "age": [31, 46, None, 60]}, ROLES),
    "whose value": ({**TABLE, "ill": ["x", "y", "z", "x"]}, ROLES),
    "a missing value": ({**TABLE, "age": [31, 45, 45, 60]}, ROLES),
    "where it is missing": ({**TABLE, "age": [31, 45, 60, None]}, ROLES),
    "the order of rows": ({name: values[::-1] for name, values in TABLE.items()}, ROLES),
    "a row more": ({name: [*values, values[0]] for name, values in TABLE.items()}, ROLES),
    "a name": ({"years": TABLE["age"], "town": TABLE["town"], "ill": TABLE["ill"]},
               {"years": "quasi", "town": "quasi", "ill": "sensitive"}),
    "a role": (TABLE, {**ROLES, "town": "plain"}),
    "a column less": (TABLE, {**ROLES, "town": "drop"}),
    "a type": ({**TABLE, "age": [31.0, 45.0, None, 60.0]}, ROLES),
    "a kind": (TABLE, {**ROLES, "age": {"role": "quasi", "kind": "nominal"}}),
    "an order": (TABLE, {**ROLES, "town": {"role": "quasi", "kind": "ordinal", "order": ["b", "a", "c"]}}),
    "a hierarchy": (TABLE, {**ROLES, "age": {"role": "quasi", "hierarchy": "intervals(width=10)"}}),
    "its levels": (TABLE, {**ROLES, "age": {"role": "quasi", "hierarchy": "intervals(width=20)"}}),
    "texts that join alike": ({**TABLE, "town": ["ab", "", "c", ""]}, ROLES),
}  # fmt: skip


def test_digest_tells_tables_apart_by_everything_a_release_depends_on():
    digests = {"as it is": Microdata.read(TABLE, ROLES).digest}
    for what, (table, schema) in OTHERS.items():
        digests[what] = Microdata.read(table, schema).digest
    assert len(set(digests.values())) == len(digests)


def test_digest_is_the_same_everywhere(tmp_path):
    digest = Microdata.read(TABLE, ROLES).digest
    assert digest.hex() == ("8888bf735ad166148f8ba9b0d1f5baa70c6cf42a45236fa490c89b93121041df")
    frame = pl.DataFrame(TABLE)
    frame.write_csv(tmp_path / "table.csv")
    frame.write_parquet(tmp_path / "table.parquet")
    sources = [tmp_path / "table.csv", tmp_path / "table.parquet", frame]
    assert {Microdata.read(source, ROLES).digest for source in sources} == {digest}


def test_every_type_has_a_digest():
    table = awkward_table()
    table = table.with_columns(
        pl.col("weight").cast(pl.Decimal(10, 2)).alias("price"),
        pl.col("Count").cast(pl.Int128).alias("huge"),
        pl.col("seen").dt.replace_time_zone("Europe/Rome").alias("zoned"),
        pl.col("seen").dt.time().alias("clock"),
        (pl.col("seen") - pl.col("seen").min()).alias("span"),
        pl.col("value").cast(pl.Categorical).alias("label"),
        pl.lit(None).alias("nothing"),
    )
    schema = AWKWARD_SCHEMA | dict.fromkeys(table.columns[len(AWKWARD_SCHEMA) :], "plain")
    digests = [column.digest for column in Microdata.read(table, schema).columns]
    assert len(set(digests)) == table.width - 1


def test_whole_numbers_of_more_digits_than_databases_hold():
    large = pl.Series([5, -(2**127), 7], dtype=pl.Int128)
    with pytest.raises(SchemaError, match="row 2: column 'k' holds a whole number of more than 38"):
        Microdata.read(pl.DataFrame({"k": large}), {"k": "quasi"})


def test_there_is_one_zero():
    data = Microdata.read({"x": [-0.0, 0.0, 1.0]}, {"x": "quasi"})
    assert [str(value) for value in data.frame()["x"]] == ["0.0", "0.0", "1.0"]


def test_a_day_beyond_the_calendar_is_refused_in_words(tmp_path):
    (tmp_path / "table.csv").write_text("age,ward\n,a\n+10000-01-01,b\n")
    with pytest.raises(SchemaError, match="column 'age' is date, but"):
        Microdata.read(
            tmp_path / "table.csv", {"age": {"role": "quasi", "kind": "date"}, "ward": "plain"}
        )
