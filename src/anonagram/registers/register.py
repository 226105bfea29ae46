"""A register: quasi-identifiers of people who may or may not be in a table."""

from __future__ import annotations

from typing import Any

from anonagram.columns.original import Original
from anonagram.errors import InputError
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease
from anonagram.schema import ColumnRule, Schema
from anonagram.sources import load


def read_register(source: Any, release: GroupedRelease) -> Microdata:
    """The quasi-identifiers of people, read and made coarser as the release's manifest says."""
    table = load(source)
    rules: dict[str, ColumnRule] = dict.fromkeys(table.frame.columns, ColumnRule("drop"))
    for column in release.manifest.columns_of("quasi"):
        if column.name not in rules:
            raise InputError(
                f"{table.label} has no column {column.name!r}, which the release tells of.",
                f"give a table with {', '.join(release.manifest.named('quasi'))}.",
            )
        read = column.original or Original(column.kind)
        if read.needs_schema:
            raise InputError(
                f"Column {column.name!r} is published coarser ({read.told}), and only the schema knows "
                "which values became what.",
                f"a table that has the published labels of {column.name!r}, for a release of them.",
            )
        rules[column.name] = ColumnRule(
            "quasi",
            # people of a register may have labels that the release knows no order of
            "nominal" if read.kind == "ordinal" else read.kind,  # type: ignore[arg-type]
            publish=read.publish or None,
            format=read.format,
            missing=read.missing or None,
        )
    return Microdata.read(table, Schema(rules))
