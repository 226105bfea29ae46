"""`anonagram inspect`: what is in a table, and a schema file to edit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
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
    write_recipe: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a recipe to edit, for anonagram run."),
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

    A routine: anonagram inspect patients.csv --write-schema patients.toml --write-recipe anonagram.toml
    """
    from anonagram.present import document_of
    from anonagram.profile import Profile

    graph = GraphFiles.given(data, left, right)
    if graph is not None:
        _require_one(schema, write_schema)
        _refuse_recipe(write_recipe)
        inspect_graph(graph, schema, write_schema, force=force, as_json=as_json)
        return
    places = _places(write_schema, write_recipe, force=force)
    with screen.steps():
        profile = Profile.of(data)
    _write_all(profile, data, places, force=force)
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
    if write_recipe is not None and profile.suggestion.method is not None:
        screen.say(f"Or all of it, now and again: anonagram {screen.words('run', write_recipe)}")


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


def _refuse_recipe(path: Path | None) -> None:
    from anonagram.errors import CallError

    if path is not None:
        raise CallError("A recipe is for a table, not for a graph.", "leave --write-recipe out.")


def _places(schema: Path | None, recipe: Path | None, *, force: bool) -> dict[str, Path]:
    """Where is written, after a look that it can be."""
    from anonagram.errors import CallError
    from anonagram.runtime.atomic import require_free

    if recipe is not None and schema is None:
        raise CallError("A recipe names the file with the roles.", "--write-schema FILE, too.")
    places = {
        name: path
        for name, path in {"schema": schema, "recipe": recipe}.items()
        if path is not None
    }
    for name, path in places.items():
        require_free(path, is_ours=_is_ours(name), force=force)
    return places


def _write_all(profile: Profile, data: str, places: dict[str, Path], *, force: bool) -> None:
    """Write the schema, and the recipe where a method suits the table: both or neither."""
    from anonagram.runtime.atomic import replacing

    texts = {"schema": profile.to_toml()}
    method = profile.suggestion.method
    if "recipe" in places and method is not None:
        from anonagram.recipes import propose_recipe

        texts["recipe"] = propose_recipe(data, places["schema"], method, places["recipe"])
    with ExitStack() as stack:
        for name, path in places.items():
            if name in texts:
                at = replacing(path, is_ours=_is_ours(name), force=force)
                stack.enter_context(at).write_text(texts[name], encoding="utf-8")


def _is_ours(name: str) -> Callable[[Path], bool]:
    if name == "schema":
        return _is_schema
    from anonagram.recipes import is_recipe

    return is_recipe


def _is_schema(path: Path) -> bool:
    from anonagram.errors import SchemaError
    from anonagram.schema import Schema

    try:
        Schema.read(path)
    except SchemaError:
        return False
    return True
