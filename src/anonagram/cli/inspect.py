"""`anonagram inspect`: what is in a table, and a schema file to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.graphs import GraphFiles, Left, Right, inspect_graph
from anonagram.cli.options import AsJson, Data, Force

if TYPE_CHECKING:
    from anonagram.learning import Foretold
    from anonagram.profile import Profile


def inspect(
    data: Data,
    write_schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the proposed roles to edit.")
    ] = None,
    left: Left = None,
    right: Right = None,
    schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a graph: the TOML file with its roles.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Profile a table, propose the role of each column, and write a schema file to edit.

    Example: anonagram inspect patients.csv --write-schema patients.toml
    """
    from anonagram.present import document_of
    from anonagram.profile import Profile

    graph = GraphFiles.given(data, left, right)
    if graph is not None:
        _require_one(schema, write_schema)
        inspect_graph(graph, schema, write_schema, force=force, as_json=as_json)
        return
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
    for each in _foretold(profile, data):
        screen.say(str(each))
    _show_next(profile, data, write_schema)


def _require_one(schema: Path | None, written: Path | None) -> None:
    from anonagram.errors import CallError

    if schema is not None and written is not None:
        raise CallError("The roles are given by --schema.", "leave --write-schema out.")


def _foretold(profile: Profile, data: str) -> list[Foretold]:
    """How well the proposed quasi-identifiers together foretell the proposed sensitive columns."""
    from anonagram.learning import foretell
    from anonagram.microdata import Microdata

    roles = [column.role for column in profile.columns]
    if "sensitive" not in roles or "quasi" not in roles:
        return []
    return foretell(Microdata.read(data, profile.schema()))


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
