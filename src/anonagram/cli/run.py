"""`anonagram run`: everything that a recipe tells of, with one word."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Force
from anonagram.cli.places import Places
from anonagram.cli.series import series_summary

PASSED = 1


def run(
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE", help="The recipe; anonagram.toml unless told.")
    ] = Path("anonagram.toml"),
    day: Annotated[
        str | None,
        typer.Option("--date", metavar="DAY", help="The day it is made for, such as 2026-11-18."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make the release, the report and the comparison that a recipe tells of.

    Exit code 0: written, and every limit kept; 1: a limit of the recipe is passed, and nothing is
    written; 2: bad input.

    Example: anonagram run anonagram.toml
    """
    from anonagram.present import document_of
    from anonagram.recipes import Recipe
    from anonagram.recipes import run as follow

    read, on = Recipe.read(recipe), _day(day)
    with screen.steps():
        places = Places.of(read, on, recipe, force=force)
        found = follow(read, on, recipe.parent)
        if found.holds:
            places.write(found)
    if as_json:
        told = {"written": places.told() if found.holds else None, **found.to_dict()}
        screen.print_json(told | series_summary(found.publication))
    else:
        shown = document_of(found)
        for sentence in (found.headline, *shown.told, *found.original.notes):
            screen.say(sentence)
        written = "; ".join(f"{name} {at}" for name, at in places.told().items())
        screen.say(f"Wrote {written}." if found.holds else "Nothing was written.")
    if not found.holds:
        raise typer.Exit(PASSED)


def _day(text: str | None) -> date:
    """The day that is meant, today unless told."""
    from anonagram.errors import CallError

    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CallError(f"{text!r} is no day.", "write it as 2026-11-18.") from error
