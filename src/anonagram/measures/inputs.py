"""The release and the original that a measure compares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError, InputError
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease, PrivateFile, Release, count_values
from anonagram.schema import ColumnRule, Schema
from anonagram.sources import load

THAT_TABLE = "give the table the release was made from, its rows in the same order."


def read_release(path: str | Path) -> Release:
    """A release that can be asked with bounds."""
    release = Release.read(path)
    if release.replaced is None and release.grouped is None:
        raise CallError(
            f"A {release.shape} release cannot be asked with bounds.",
            "anonagram measure and audit compare it with its original.",
        )
    return release


def read_original(source: Any, release: Release) -> Microdata:
    """The table a release was made from, with the roles and kinds that its manifest tells."""
    table = load(source)
    rules: dict[str, ColumnRule] = dict.fromkeys(table.frame.columns, ColumnRule("drop"))
    for column in release.manifest.columns:
        rules[column.name] = ColumnRule(column.role, column.kind, order=column.order)  # type: ignore[arg-type]
    microdata = Microdata.read(table, Schema(rules))
    if microdata.rows != release.manifest.rows.original:
        raise InputError(
            f"{table.label} has {microdata.rows:,} rows, the release {release.manifest.rows.original:,}.",
            THAT_TABLE,
        )
    original = microdata.frame()
    for name in original.columns:
        published = release.values(name)
        if published is not None and not published.sort().equals(original[name].sort()):
            raise InputError(
                f"{table.label}: column {name!r} does not have the values of the release.",
                THAT_TABLE,
            )
    return microdata


def read_groups(
    path: str | Path, microdata: Microdata, release: GroupedRelease
) -> NDArray[np.int32]:
    """The group of every original row, from the release's own private file."""
    secret = PrivateFile.read(path)
    secret.require_for(release.manifest, path)
    groups = secret.mapping["group"]
    for name, counts in release.sensitive_counts().items():
        column = microdata.column(name)
        rows = pl.DataFrame({"group": groups, name: column.decode(column.codes)})
        expected = count_values(rows, "group", name)
        if not expected.sort("group", "value").equals(
            counts.select(expected.columns).cast(expected.schema).sort("group", "value")
        ):
            raise InputError(
                f"{microdata.label} does not have its rows in the order the release was made from.",
                THAT_TABLE,
            )
    return groups.to_numpy() - 1
