"""The types of published columns: in the descriptor, in Parquet, and in CSV and back.

>>> dtype_of(dtype_text(pl.Datetime("us")))
Datetime(time_unit='us', time_zone=None)
"""

from __future__ import annotations

import re

import polars as pl

from anonagram.errors import InternalError, ReleaseDamaged

SIMPLE = {
    str(dtype): dtype
    for dtype in (
        pl.Boolean(), pl.String(), pl.Null(), pl.Date(), pl.Time(), pl.Float32(), pl.Float64(),
        pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.Int128(),
        pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64(),
    )
}  # fmt: skip
MOMENT = "%Y-%m-%dT%H:%M:%S%.f"
CLOCK = "%H:%M:%S%.f"


def dtype_text(dtype: pl.DataType) -> str:
    """A type as the descriptor writes it."""
    if isinstance(dtype, pl.Datetime):
        return f"Datetime({dtype.time_unit}, {dtype.time_zone or ''})"
    if isinstance(dtype, pl.Duration):
        return f"Duration({dtype.time_unit})"
    if isinstance(dtype, pl.Decimal):
        return f"Decimal({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, pl.List):
        return f"List({dtype_text(dtype.inner)})"  # type: ignore[arg-type]
    if str(dtype) not in SIMPLE:
        raise InternalError(f"A column of type {dtype} reached a release.")
    return str(dtype)


def dtype_of(text: str) -> pl.DataType:
    """The type that a descriptor's text stands for."""
    if text in SIMPLE:
        return SIMPLE[text]
    if match := re.fullmatch(r"Datetime\((ms|us|ns), ([\w/+-]*)\)", text):
        return pl.Datetime(match[1], match[2] or None)  # type: ignore[arg-type]
    if match := re.fullmatch(r"Duration\((ms|us|ns)\)", text):
        return pl.Duration(match[1])  # type: ignore[arg-type]
    if match := re.fullmatch(r"List\((.*)\)", text):
        return pl.List(dtype_of(match[1]))
    if match := re.fullmatch(r"Decimal\((\d+), (\d+)\)", text):
        return pl.Decimal(int(match[1]), int(match[2]))
    raise ReleaseDamaged(f"The descriptor names an unknown type {text!r}.")


def field_type(dtype: pl.DataType) -> str:
    """The nearest type of the Data Package standard."""
    if dtype.is_integer() or isinstance(dtype, pl.Duration):
        return "integer"
    if dtype.is_numeric():
        return "number"
    names = {
        pl.Boolean: "boolean",
        pl.Date: "date",
        pl.Datetime: "datetime",
        pl.Time: "time",
        pl.List: "array",
    }
    return names.get(type(dtype), "string")


def to_csv_form(table: pl.DataFrame) -> pl.DataFrame:
    """Columns that CSV cannot carry as they are, in a form it can: UTC moments, ticks, JSON lists."""
    return table.select(
        _csv_form(pl.col(name), dtype).alias(name) for name, dtype in table.schema.items()
    )


def _csv_form(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        return column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if isinstance(dtype, pl.Duration):
        return column.cast(pl.Int64)
    if isinstance(dtype, pl.List):
        return _list_to_json(column.list.eval(_as_text(pl.element(), dtype.inner)))  # type: ignore[arg-type]
    return column


def _as_text(element: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A member of a list as the CSV file of a single column would write it."""
    form = _csv_form(element, dtype)
    if isinstance(dtype, pl.Datetime):
        return form.dt.strftime(MOMENT)
    return form.dt.strftime(CLOCK) if isinstance(dtype, pl.Time) else form.cast(pl.String)


def from_csv_form(table: pl.LazyFrame, dtypes: dict[str, pl.DataType]) -> pl.LazyFrame:
    """The typed table behind the texts of a CSV file."""
    return table.select(_from_text(name, dtype) for name, dtype in dtypes.items())


def _list_to_json(column: pl.Expr) -> pl.Expr:
    """A list as a JSON array of texts, null where a value is missing."""
    encoded = pl.struct(column.alias("v")).struct.json_encode()
    return encoded.str.slice(len('{"v":')).str.head(-1)


def _from_text(name: str, dtype: pl.DataType) -> pl.Expr:
    text = pl.col(name) if name else pl.element()
    match dtype:
        case pl.Boolean():
            return text.replace_strict({"true": True, "false": False}, return_dtype=dtype)
        case pl.Date():
            return text.str.to_date("%Y-%m-%d")
        case pl.Time():
            return text.str.to_time(CLOCK)
        case pl.Datetime():
            moment = text.str.to_datetime(MOMENT, time_unit=dtype.time_unit)
            if dtype.time_zone is None:
                return moment
            return moment.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
        case pl.List():
            texts = text.str.json_decode(pl.List(pl.String))
            return texts.list.eval(_from_text("", dtype.inner))  # type: ignore[arg-type]
        case pl.Duration():
            return text.cast(pl.Int64).cast(dtype)
        case _:
            return text.cast(dtype)
