from __future__ import annotations

import csv

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Microdata
from anonagram.errors import InputError
from anonagram.sources import files, load


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n", "has no rows"),
        (b"a,b\n1,2\n", "one row"),
        (b"a,b,a\n1,2,3\n4,5,6\n", r"two columns are called 'a' \(columns 1 and 3\)"),
        (b"a,b\n1,2\n3,\xe9\n", "line 3: byte 0xe9 is not UTF-8"),
        (b"\xe9,b\n1,2\n3,4\n", "line 1: byte 0xe9"),
        (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, the header has 2 fields"),
        (b"a,b\n1,2\n3\n", "line 3 has 1 field, the header has 2 fields"),
        (b"a,b\n1,2\n\n3,4\n", "line 3 is blank"),
        (b"a,\n1,2\n3,4\n", "a column has no name"),
        (b"\x7fELF\x00\x01\x02", "binary file"),
        (b"\x1f\x8b\x08\x00", "binary file"),
        (b"PAR1 and then nothing", "cannot be read"),
        (b"ARROW1 and then nothing", "cannot be read"),
    ],
)
def test_bad_file_is_refused_by_name(tmp_path, content, message):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        load(path)
    assert "table.csv" in error.value.what


def test_missing_file_names_its_neighbours(tmp_path):
    (tmp_path / "adult.csv").write_text("a\n1\n2\n")
    with pytest.raises(InputError, match=r"adult\.csv"):
        load(tmp_path / "adlut.csv")


def test_of_many_neighbours_those_with_a_like_name_come_first(tmp_path):
    for name in [*(f"a{number}.csv" for number in range(9)), "messy.csv"]:
        (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(InputError, match=r"there are: messy\.csv, "):
        load(tmp_path / "mesy.csv")


def test_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        load(tmp_path)


@pytest.mark.parametrize("separator", list(",;\t|"))
def test_separator_is_found(tmp_path, separator):
    path = tmp_path / "t.csv"
    path.write_text(f"a{separator}b\n1{separator}x\n2{separator}y\n")
    assert load(path).frame.columns == ["a", "b"]


def test_quoted_fields_byte_order_mark_and_empty_fields(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes('\ufeffa,b,c\n"x, y","line\nbreak",\n"say ""hi""","",z\n'.encode())
    frame = load(path).frame
    assert frame.to_dict(as_series=False) == {
        "a": ["x, y", 'say "hi"'],
        "b": ["line\nbreak", None],
        "c": [None, "z"],
    }


def test_nested_columns_are_refused(tmp_path):
    with pytest.raises(InputError, match="column 'a' holds List"):
        load({"a": [[1], [2]]})
    with pytest.raises(InputError, match="column 'a' holds Binary"):
        load({"a": [b"x", b"y"]})


def test_mixed_types_in_a_frame_are_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="values of one type"):
        load(pandas.DataFrame({"a": [1, "x", 2.5]}))


def test_duplicate_names_in_a_frame_are_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="two columns are called 'a'"):
        load(pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


def test_mixed_types_in_a_dictionary_are_named_with_their_row():
    with pytest.raises(InputError, match="row 3: column 'a' holds 'x', most rows hold int"):
        load({"a": [1, 2, "x", None]})


def test_separator_inside_quotes_does_not_count(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a;b;c;d",x\n1,2\n3,4\n')
    assert load(path).frame.columns == ["a;b;c;d", "x"]


def test_byte_order_mark_alone_is_no_table(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbf")
    with pytest.raises(InputError, match="no header row"):
        load(tmp_path / "t.csv")


def test_blank_lines_at_the_end_are_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n\n\n")
    assert load(path).frame.rows() == [("1", "2"), ("3", "4")]


def test_web_address_is_refused():
    with pytest.raises(InputError, match="download it first"):
        load("https://example.org/table.csv")


@pytest.mark.parametrize("make", ["series", "reader", "lazy"])
def test_what_is_not_a_whole_table_is_refused(make, tmp_path):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    source = {
        "series": lambda: pandas.Series([1, 2]),
        "reader": lambda: pyarrow.chunked_array([[1, 2]]),
        "lazy": lambda: pl.scan_parquet(tmp_path / "none.parquet"),
    }[make]()
    with pytest.raises(InputError):
        load(source)


def test_unknown_object_is_refused():
    with pytest.raises(InputError, match="not a table"):
        load(object())


def test_pandas_is_read_without_pyarrow(monkeypatch):
    """Polars takes its columns by pyarrow: whoever had none got an ImportError of Polars."""
    pandas = pytest.importorskip("pandas")

    def without(*_args, **_more):
        raise ModuleNotFoundError("pyarrow is required for converting a pandas column")

    frame = pandas.DataFrame(
        {
            "age": [31, 45, 52],
            "pay": [1.5, None, 3.0],
            "town": ["Ulm", None, "Bonn"],
            "day": pandas.to_datetime(["2024-01-31", None, "2024-02-29"]),
            "kind": pandas.Categorical(["a", "b", "a"]),
        },
        index=[7, 8, 9],
    )
    expected = load(frame).frame
    monkeypatch.setattr(pl, "from_pandas", without)
    found = load(frame).frame
    assert found.with_columns(pl.col("kind").cast(pl.String)).equals(
        expected.with_columns(pl.col("kind").cast(pl.String))
    )


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="column 'b' has 1 value, and 'a' has 2"):
        load({"a": [1, 2], "b": [1]})


SOME_TEXTS = st.lists(
    st.sampled_from(["", "a", "b", 'q"uo"te', "se,parated", "two\nlines", " padded ", "07", "7", "é"]),
    min_size=2, max_size=9, unique=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    return tmp_path_factory.mktemp("long") / "table.csv"


@given(st.lists(SOME_TEXTS, min_size=1, max_size=3), st.booleans(), st.integers(0, 9))
def test_texts_that_are_counted_while_they_are_read_are_the_same_texts(
    long_file, columns, quotes, turned
):
    rows = 40_000 // len(columns)
    kinds = [[each[(i * (i + turned)) % len(each)] for i in range(rows)] for each in columns]
    names = [f"c{j}" for j in range(len(kinds))] + ["id"]
    with long_file.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, quoting=csv.QUOTE_ALL if quotes else csv.QUOTE_MINIMAL)
        writer.writerow(names)
        writer.writerows(zip(*kinds, range(rows), strict=True))
    assert long_file.stat().st_size > files.BEGINNING
    frame = load(long_file).frame
    counted = [isinstance(dtype, pl.Categorical) for dtype in frame.dtypes]
    # where the beginning ends inside of a text, it is not looked at
    if not any("two\nlines" in each for each in columns):
        assert counted == [True] * len(columns) + [False]
    texts = [[text or None for text in each] for each in kinds]
    assert [frame[name].cast(pl.String).to_list() for name in names[:-1]] == texts
    constant = {name for name in names if frame[name].n_unique() < 2}
    roles = {name: "drop" if name in constant else "quasi" for name in names}
    as_texts = pl.DataFrame(dict(zip(names, [*texts, [str(i) for i in range(rows)]], strict=True)))
    numbers = as_texts.with_columns(pl.col("id").cast(pl.Int64))
    read = Microdata.read(long_file, roles)
    assert read.frame().equals(Microdata.read(numbers, roles).frame().cast(read.frame().schema))


def test_a_column_that_begins_with_few_texts_may_have_many(tmp_path):
    path = tmp_path / "table.csv"
    rows = ["x" if i < 30_000 else f"x{i}" for i in range(60_000)]
    path.write_text("name,sex\n" + "".join(f"{x},{'mf'[i % 2]}\n" for i, x in enumerate(rows)))
    assert isinstance(load(path).frame["name"].dtype, pl.Categorical)
    column = Microdata.read(path, {"name": "plain", "sex": "quasi"}).column("name")
    assert column.decode(column.codes).to_list() == rows


def test_values_of_rows_that_are_left_out_are_no_values_of_the_column(tmp_path):
    path, schema = tmp_path / "table.csv", tmp_path / "roles.toml"
    lines = [f"{i // 2},{'abc'[i % 2 * 2]},{i % 5}\n" for i in range(20_000)]
    path.write_text("who,what,age\n" + "".join(lines))
    schema.write_text(
        '[columns]\nwho = { role = "identifier", rows_per_person = 1 }\n'
        'what = "plain"\nage = "quasi"\n'
    )
    assert Microdata.read(path, schema).column("what").domain.to_list() == ["a"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"m,\xe9\n", "line 30002: byte 0xe9 is not UTF-8"),
        (b"m,1,2\n", "line 30002 has 3 fields, the header has 2 fields"),
        (b"m\n", "line 30002 has 1 field, the header has 2 fields"),
        (b'"m,1\n', "cannot be read as CSV|has 1 field"),
    ],
)
def test_a_fault_far_behind_the_beginning_is_named(tmp_path, line, message):
    path = tmp_path / "table.csv"
    path.write_bytes(b"sex,age\n" + b"m,1\nf,2\n" * 15_000 + line + b"f,2\n" * 9)
    with pytest.raises(InputError, match=message):
        load(path)
