"""The release and the original that a measure compares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.original import Original
from anonagram.errors import CallError, InputError
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease, Manifest, PrivateFile, Release, count_values
from anonagram.schema import ColumnRule, Schema
from anonagram.shown.wording import how_many, option
from anonagram.sources import load

THAT_TABLE = "give the table the release was made from, its rows in the same order."


def read_release(path: str | Path) -> Release:
    """A release that can be asked with bounds."""
    release = Release.read(path)
    release.require_bounds()
    if release.replaced is None and release.grouped is None and release.graph is None:
        raise CallError(
            f"A {release.shape} release cannot be asked with bounds.",
            "anonagram measure and audit compare it with its original.",
        )
    return release


def read_original(source: Any, release: Release, schema: Any = None) -> Microdata:
    """The table a release was made from, with the roles and kinds that its manifest tells.

    The schema it was made with is needed where a column was published as a level of its hierarchy:
    the manifest does not tell which values there were.
    """
    table = load(source)
    rules = original_rules(release.manifest, table.frame.columns, schema)
    microdata = Microdata.read(table, rules)
    require_rows(microdata, release.manifest, is_given=schema is not None)
    original = microdata.frame()
    for name in original.columns:
        if release.manifest.rows.added and name in release.sheet.told:
            _require_told(table.label, original[name], release)
        published = release.values(name)
        if published is not None and not _are_among(published, original[name]):
            raise other_values(table.label, name)
    return microdata


def original_rules(manifest: Manifest, names: Sequence[str], schema: Any = None) -> Schema:
    """How the original is read: by the schema it was made with, or as the manifest says."""
    if schema is not None:
        return Schema.given(schema)
    if any(table.rows_per_person is not None for table in manifest.tables):
        raise InputError(
            "The release has some rows of each person only, and does not tell by which column.",
            f"{option('--schema FILE', 'schema=')}, the one the release was made with.",
        )
    rules: dict[str, ColumnRule] = dict.fromkeys(names, ColumnRule("drop"))
    for column in manifest.columns:
        read = column.original or Original(column.kind)
        if read.needs_schema:
            raise InputError(
                f"Column {column.name!r} is published coarser ({read.told}), and only the schema knows "
                "which values became what.",
                f"{option('--schema FILE', 'schema=')}, the one the release was made with.",
            )
        rules[column.name] = ColumnRule(
            column.role,  # type: ignore[arg-type]
            read.kind,  # type: ignore[arg-type]
            order=column.order if read.kind == "ordinal" else None,
            publish=read.publish or None,
            format=read.format,
            missing=read.missing or None,
        )
    return Schema(rules)


def require_rows(microdata: Microdata, manifest: Manifest, *, is_given: bool) -> None:
    """Refuse a table whose rows are not those that a release tells of, or columns by a given schema."""
    ours = {column.name: (column.role, column.kind) for column in microdata.columns}
    told = {column.name: (column.role, column.kind) for column in manifest.columns}
    if is_given and ours != told:
        name = min({*ours.items()} ^ {*told.items()})[0]
        raise InputError(
            f"Column {name!r}: the schema does not say what the release tells.",
            "give the schema the release was made with.",
        )
    if microdata.rows != manifest.rows.original:
        raise InputError(
            f"{microdata.label} has {how_many(microdata.rows, 'row')}, the release "
            f"{manifest.rows.original:,}.",
            THAT_TABLE,
        )


def other_values(label: str, name: str) -> InputError:
    """The error for a column whose values are not those of the release."""
    return InputError(
        f"{label}: column {name!r} does not have the values of the release.", THAT_TABLE
    )


def _require_told(label: str, original: pl.Series, release: Release) -> None:
    """Refuse a table with a value that the release does not have, where it also has rows of nobody."""
    told = pl.concat(release.sheet.told[original.name]).unique()
    if not original.unique().is_in(told.cast(original.dtype).implode(), nulls_equal=True).all():
        raise other_values(label, original.name)


def _are_among(published: pl.Series, original: pl.Series) -> bool:
    """Whether values are the original's, or some of them where rows were left out."""
    if len(published) == len(original):
        return published.sort().equals(original.sort())
    ours = published.alias("value").value_counts(name="ours")
    both = ours.join(
        original.alias("value").value_counts(), on="value", how="left", nulls_equal=True
    )
    return bool((both["ours"] <= both["count"]).fill_null(value=False).all())


def read_groups(
    path: str | Path, microdata: Microdata, release: GroupedRelease
) -> NDArray[np.int32]:
    """The group of every original row, from the release's own private file."""
    secret = PrivateFile.read(path)
    secret.require_for(release.manifest, path)
    groups = secret.mapping["group"]
    if groups.has_nulls():
        raise CallError(
            f"{how_many(groups.null_count(), 'row was', 'rows were')} left out of the release, in no group.",
            option("leave --private out", "leave group_of out")
            + ": figures that need everybody's group are not told.",
        )
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
