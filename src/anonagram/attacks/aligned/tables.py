"""Reading an original and a masked table, and which of their columns are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonagram.errors import CallError, InputError, SchemaError, nearest, suggest
from anonagram.measures.inputs import read_original
from anonagram.people import one_by_one
from anonagram.release import PrivateFile, Release, is_bundle
from anonagram.schema import ColumnRule, Schema
from anonagram.shown.wording import option
from anonagram.sources import Table, load

Rules = dict[str, ColumnRule]
SAME_NAME = 0.8
"""How alike names are that are probably one."""


def read_masked(masked: Any, private: str | Path | None) -> Table:
    """The masked table; the rows of a release in the order that its private file tells."""
    if not (isinstance(masked, str | Path) and is_bundle(Path(masked))):
        if private is not None and (not isinstance(masked, str | Path) or Path(masked).exists()):
            raise CallError(
                "Only a release has a private file.", f"leave {option('--private', 'private')} out."
            )
        return load(masked)
    release = Release.read(masked)
    if release.people is None:
        raise CallError(
            f"This release ({release.shape}) has no masked row for each person.",
            f"{option('anonagram attack RELEASE --original DATA', 'AttackResults.of_everybody')} lets "
            "intruders try it; verify, check and measure are for it too.",
        )
    if private is None:
        raise InputError(
            f"{masked} has its rows in a random order.",
            f"give its private file: {option('--private FILE', 'private=FILE')}.",
        )
    secret = PrivateFile.read(private)
    secret.require_for(release.manifest, private)
    return Table(release.people[secret.mapping["row_in_rows"].to_numpy()], str(masked))


def as_published(original: Table, masked: Any, schema: Schema | None) -> tuple[Table, Rules]:
    """The original as coarse as a release of it is, and how its columns are then read.

    Whoever knows the finer values knows these too, and the release was made of these alone.
    """
    if not (isinstance(masked, str | Path) and is_bundle(Path(masked))):
        return original, {}
    release = Release.read(masked)
    is_bounded = release.manifest.tables[0].rows_per_person is not None
    if not is_bounded and all(column.original is None for column in release.manifest.columns):
        return original, {}
    if schema is not None:
        original, _ = one_by_one(original, schema)
    read = [
        column for column in read_original(original, release, schema).columns if column.original
    ]
    values = [column.decode(column.codes) for column in read]
    rules = {
        column.name: ColumnRule(
            column.role,
            column.kind,
            order=tuple(column.domain) if column.kind == "ordinal" else None,
        )
        for column in read
    }
    return replace(original, frame=original.frame.with_columns(values)), rules


def compared_columns(
    one: Table, two: Table, schema: Schema | None, id_column: str | None, columns: Sequence[str]
) -> dict[str, ColumnRule]:
    """The columns to look at."""
    if schema is not None:
        schema.match(one.frame.columns, one.label)
        rules = {n: rule for n, rule in schema.columns.items() if rule.is_published}
    else:
        rules = {n: ColumnRule("quasi") for n in one.frame.columns if n in two.frame.columns}
    rules.pop(id_column or "", None)
    for name in columns:
        if name not in rules:
            raise SchemaError(f"There is no column {name!r} to look at.", suggest(name, rules))
    rules = {name: rule for name, rule in rules.items() if not columns or name in columns}
    for name in rules:
        if name not in two.frame.columns:
            raise InputError(
                f"{two.label} has no column {name!r}, which {one.label} has.{_meant(name, one, two)}",
                f"name the columns that both have: {option('--column NAME', 'columns=[NAME]')}.",
            )
    if not rules:
        raise InputError(
            f"{one.label} and {two.label} have no column in common.",
            f"{two.label} has: {', '.join(two.frame.columns)}.",
        )
    return rules


def probably_same(one: Table, two: Table) -> tuple[tuple[str, str], ...]:
    """Columns of which each table has one, under names that are nearly the same."""
    pairs = ((name, _other_name(name, one, two)) for name in one.frame.columns)
    return tuple((name, other) for name, other in pairs if other is not None)


def _other_name(name: str, one: Table, two: Table) -> str | None:
    """What a column that only one table has is probably called in the other."""
    if name in two.frame.columns:
        return None
    alone = [each for each in two.frame.columns if each not in one.frame.columns]
    plain = {_plain(each): each for each in alone}
    found = nearest(_plain(name), plain, SAME_NAME)
    return None if found is None else plain[found]


def _plain(name: str) -> str:
    """A name without what people write in one way or another."""
    return "".join(filter(str.isalnum, name.casefold()))


def _meant(name: str, one: Table, two: Table) -> str:
    other = _other_name(name, one, two)
    return "" if other is None else f" It has {other!r}: did you mean that?"
