"""`anonagram inspect`: what is in a table, and a schema file to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Data, Force

if TYPE_CHECKING:
    from anonagram.profile import Profile


def inspect(
    data: Data,
    write_schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the proposed roles to edit.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Profile a table, propose the role of each column, and write a schema file to edit.

    Example: anonagram inspect patients.csv --write-schema patients.toml
    """
    from anonagram.profile import Profile

    if write_schema is not None:
        _require_free(write_schema, force=force)
    with screen.steps():
        profile = Profile.of(data)
    if write_schema is not None:
        _write(write_schema, profile.to_toml(), force=force)
    if as_json:
        screen.print_json(profile.to_dict())
        return
    _show(profile)
    _show_next(profile, data, write_schema)


def _show_next(profile: Profile, data: str, schema: Path | None) -> None:
    """What to do next: a command that works on this table, or why there is none."""
    suggestion = profile.suggestion
    if suggestion.method is None:
        screen.say(suggestion.reason)
        return
    if schema is None:
        screen.say("Next: the same with --write-schema FILE, to edit these roles.")
        return
    screen.say(f"Wrote {schema}. Read and edit every line of it, then ({suggestion.reason}):")
    read = screen.words("anonymize", data, "--schema", schema)
    screen.say(f'  anonagram {read} --method "{suggestion.method}" -o release')


def _require_free(path: Path, *, force: bool) -> None:
    from anonagram.runtime.atomic import require_free

    require_free(path, is_ours=_is_schema, force=force)


def _write(path: Path, text: str, *, force: bool) -> None:
    from anonagram.runtime.atomic import replacing

    with replacing(path, is_ours=_is_schema, force=force) as partial:
        partial.write_text(text, encoding="utf-8")


def _is_schema(path: Path) -> bool:
    from anonagram.errors import SchemaError
    from anonagram.schema import Schema

    try:
        Schema.read(path)
    except SchemaError:
        return False
    return True


def _show(profile: Profile) -> None:
    if profile.person is not None:
        person = profile.person
        screen.say(
            f"Warning: "
            f"{profile.rows:,} rows are about {person.people:,} people ({person.column}), one of them "
            f"has {person.most_rows:,} rows. Promises are about rows: whoever has many is hidden less "
            "in all of them together. Keep one row a person, or few."
        )
    screen.print_table(
        f"{profile.label}: {profile.rows:,} rows",
        ["column", "role", "because", "kind", "distinct", "missing", "most frequent"],
        [
            [c.name, c.role, c.reason, c.kind, f"{c.distinct:,}", f"{c.missing:,}",
             f"{c.most_frequent_share:.1%}"]
            for c in profile.columns
        ],
        right=3,
    )  # fmt: skip
    if profile.uniqueness:
        _show_uniqueness(profile)
    if not any(column.role == "sensitive" for column in profile.columns):
        screen.say("No column looks sensitive: give the one to protect that role in the schema.")


def _show_uniqueness(profile: Profile) -> None:
    screen.print_table(
        "Share of rows that are unique once an intruder knows …",
        ["columns", "unique", ""],
        [
            [("+ " if i else "") + step.columns[-1], f"{step.share:.1%}", screen.bar(step.share)]
            for i, step in enumerate(profile.uniqueness)
        ],
    )
