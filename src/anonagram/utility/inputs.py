"""The release and the original that a measure compares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anonagram.errors import CallError, InputError
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease, Release
from anonagram.schema import ColumnRule, Schema
from anonagram.sources import load


def read_release(path: str | Path) -> GroupedRelease:
    """A release that has groups."""
    release = Release.read(path)
    if not isinstance(release, GroupedRelease):
        raise CallError(f"A release of the shape {release.shape!r} has no groups to measure.")
    return release


def read_original(source: Any, release: Release) -> Microdata:
    """The table a release was made from, with the roles and kinds that its manifest tells."""
    table = load(source)
    rules: dict[str, ColumnRule] = dict.fromkeys(table.frame.columns, ColumnRule("drop"))
    for column in release.manifest.columns:
        rules[column.name] = ColumnRule(column.role, column.kind, order=column.order)  # type: ignore[arg-type]
    microdata = Microdata.read(table, Schema(rules))
    if microdata.rows != release.manifest.rows:
        raise InputError(
            f"{table.label} has {microdata.rows:,} rows, the release {release.manifest.rows:,}.",
            "give the table the release was made from.",
        )
    return microdata
