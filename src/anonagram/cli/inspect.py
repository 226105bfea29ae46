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
    from anonagram.present import document_of
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
    shown = document_of(profile)
    if shown.headline:
        screen.say(shown.headline)
    screen.show_sections(shown.sections)
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
