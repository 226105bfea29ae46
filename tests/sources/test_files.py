from __future__ import annotations

import polars as pl
import pytest

from anonagram.errors import InputError
from anonagram.sources import load


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
