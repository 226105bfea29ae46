"""The columns of a table from their different values alone: codes without collecting a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from anonagram.divided.rows import Rows, ValueCodes
from anonagram.engines.drafts import COUNT, VALUE
from anonagram.errors import CannotAnonymize
from anonagram.microdata import Column, Microdata, encode_column, refuse_constant
from anonagram.schema import Schema
from anonagram.sources import Table

Encoded = tuple[Microdata, dict[str, ValueCodes]]


def published_of(rows: Rows, schema: Schema) -> list[str]:
    """The columns that are looked at."""
    schema.match(list(rows.names), rows.label)
    _refuse_people(schema)
    return [name for name, rule in schema.columns.items() if rule.is_published]


def read_columns(rows: Rows, schema: Schema, counted: Mapping[str, pl.DataFrame]) -> Encoded:
    """The table without its rows, and for each column the codes of its values as they are read."""
    columns, codes = [], {}
    for name in counted:
        rule = schema.columns[name]
        # sorted, so that nothing depends on where a value was found first
        found = counted[name].sort(VALUE, nulls_last=True)
        times = found[COUNT].cast(pl.Int64).to_numpy()
        distinct = Table(
            found.select(VALUE).rename({VALUE: name}), rows.label, rows.is_text, is_numbered=False
        )
        column = encode_column(distinct, name, rule, schema, times)
        codes[name] = _codes_of(distinct, column)
        columns.append(replace(column, codes=np.zeros(0, np.int32)))
    refuse_constant(columns, rows.label)
    number = int(columns[0].counts.sum())
    table = Microdata(columns, number, rows.label, len(schema.columns) - len(columns))
    return table, codes


def _codes_of(table: Table, column: Column) -> ValueCodes:
    values = table.frame[column.name]
    known = values.is_not_null()
    codes = column.codes[known.to_numpy()]
    return ValueCodes(values.filter(known), np.append(codes, np.int32(len(column.domain))))


def _refuse_people(schema: Schema) -> None:
    """Rows are not brought together by who they are about."""
    bounded = [name for name, rule in schema.columns.items() if rule.rows_per_person is not None]
    for name in (*bounded, *schema.named("guard")):
        what = "rows_per_person" if name in bounded else 'the role "guard"'
        raise CannotAnonymize(
            f"{what} of {name!r} is about people one by one, which a table is not divided by.",
            "keep the rows that are to be published in a table of their own, or leave it whole.",
        )
