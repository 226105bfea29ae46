"""`anonagram compare`: which method and parameter suit a table and a purpose."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.attack import BROKEN, UNTOLD
from anonagram.cli.audit import time_told
from anonagram.cli.options import AsJson, Data, Force, SchemaFile
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.comparison import Comparison
    from anonagram.microdata import Microdata
    from anonagram.present import Document

ENDING = ".results.jsonl"
MARGIN = 1
"""Points by which the next release may give more: keys and tables differ."""


class Purpose(StrEnum):
    """What the release is for."""

    counting = "counting"
    averages = "averages"
    learning = "learning"
    open_data = "open_data"


def compare(
    data: Data,
    schema: SchemaFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page, compare.html.")
    ],
    purpose: Annotated[Purpose, typer.Option(help="What it is for.")] = Purpose.counting,
    methods: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Methods to try, a call on each line; else all of ours."),
    ] = None,
    seconds: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Time for it; else by the size of the table."),
    ] = None,
    write_recipe: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a recipe that makes what is best.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Try methods and parameters on a table, measure all alike, and recommend one for a purpose.

    Results are kept beside the page: stopped, or with more time, the same command goes on. The exit
    code is 1 where nothing that was tried keeps intruders at what they know without it, and 4 where
    nothing was measured.

    Example: anonagram compare patients.csv --schema patients.toml --purpose counting -o compare.html
    """
    from anonagram.comparison import compare as try_all
    from anonagram.comparison.grid import read_calls
    from anonagram.microdata import Microdata
    from anonagram.present import document_of, page, save_page
    from anonagram.runtime.progress import step

    kept = output.with_name(output.stem + ENDING)
    _require_places(output, kept, write_recipe, force=force)
    calls = None if methods is None else read_calls(methods)
    with screen.steps():
        step("Reading")
        table = Microdata.read(data, schema)
        _tell(table, calls, seconds)
        found = try_all(table, calls, purpose.value, seconds=seconds, kept=kept)
        command = _command(found, data, schema)
        save_page(page(_with_command(document_of(found), command), [data, schema]), output)
        if write_recipe is not None:
            _write_recipe(found, data, schema, write_recipe, force=force)
    if as_json:
        screen.print_json(found.to_dict() | {"command": command, "kept": str(kept)})
    else:
        for sentence in (found.headline, *document_of(found).told):
            screen.say(sentence)
        if command:
            screen.say(f"  {command}")
        screen.say(f"The page is {output}; results are kept in {kept}.")
    if not found.safe:
        raise typer.Exit(BROKEN if found.trials else UNTOLD)


def _tell(table: Microdata, calls: list[str] | None, seconds: int | None) -> None:
    """What is guessed, of how many people, and how long it takes, before anything is."""
    from anonagram.comparison.bench import secrets_of
    from anonagram.comparison.comparing import people_within, usual_seconds
    from anonagram.comparison.grid import calls_for

    limit = seconds or usual_seconds(table.rows)
    people = people_within(limit, len(calls_for(table) if calls is None else calls))
    drawn = (
        f"So that trials end in time, {people:,} of {how_many(table.rows, 'person', 'people')} are drawn. "
        if people < table.rows
        else ""
    )
    screen.say(
        f"This takes {time_told(limit)} at most (--seconds N), or until one method is measured. {drawn}"
        f"{secrets_of(table).sentence}",
        is_error=True,
    )


def _require_places(output: Path, kept: Path, recipe: Path | None, *, force: bool) -> None:
    from anonagram.comparison.kept import is_kept
    from anonagram.errors import CannotWrite
    from anonagram.present import require_page_place
    from anonagram.present.charts import require_chart_place
    from anonagram.recipes import is_recipe
    from anonagram.runtime.atomic import require_free

    require_chart_place(output, formats=("html",))
    require_page_place(output)
    if kept.exists() and not is_kept(kept):
        raise CannotWrite(f"{kept} exists, and holds no results.", "choose another name.")
    if recipe is not None:
        require_free(recipe, is_ours=is_recipe, force=force)


def _command(found: Comparison, data: str, schema: Path) -> str:
    """What makes the recommended release; empty where there is none."""
    if found.recommended is None:
        return ""
    words = ["anonymize", data, "--schema", schema, "--method", found.recommended.brief]
    return f"anonagram {screen.words(*words, '-o', 'release', '--private', 'release.private')}"


def _with_command(shown: Document, command: str) -> Document:
    told = (*shown.told, f"To make it: {command}") if command else shown.told
    return replace(shown, told=told)


def _write_recipe(found: Comparison, data: str, schema: Path, path: Path, *, force: bool) -> None:
    """A recipe for what is recommended, in which the strongest intruder may get what he got here."""
    from anonagram.recipes import is_recipe, propose_recipe
    from anonagram.recipes.recipe import Limit
    from anonagram.runtime.atomic import replacing

    chosen = found.recommended
    if chosen is None:
        return
    limits: dict[str, Limit] = {}
    if chosen.attack:
        limits[f"{chosen.attack}()"] = math.ceil(100 * chosen.success + MARGIN) / 100
    text = propose_recipe(data, schema, chosen.call, path, limits, found.purpose)
    with replacing(path, is_ours=is_recipe, force=force) as partial:
        partial.write_text(text, encoding="utf-8")
