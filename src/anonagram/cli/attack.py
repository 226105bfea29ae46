"""`anonagram attack`: let intruders try a release, and say what they get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonagram.cli import screen
from anonagram.cli.graphs import intruders_for
from anonagram.cli.options import AsJson, Folder, OriginalSchema

if TYPE_CHECKING:
    from anonagram.attacks import Attack, AttackResults, Target

BROKEN = 1
UNTOLD = 4
"""It cannot be told; 3 is a defect of ours."""


def attack(
    folder: Folder,
    original: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="The table it was made from, to score the guesses."),
    ] = None,
    call: Annotated[
        list[str] | None,
        typer.Option(
            "--attack", metavar="CALL", help='Such as "definetti()"; else all that can try.'
        ),
    ] = None,
    other: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Another release of the same people; may be repeated."),
    ] = None,
    schema: OriginalSchema = None,
    defend: Annotated[
        bool, typer.Option(help="Try what would help, where somebody gets more than he should.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Attack a release: what an intruder finds out, beside what he would know without it.

    The exit code is 1 where somebody gets more than he should, and 4 where it cannot be told, as
    without the original.

    Example: anonagram attack release --original patients.csv
    """
    from anonagram.attacks import Target, Verdict, defend_release
    from anonagram.attacks.figures.intersection import require_comparable
    from anonagram.errors import CallError
    from anonagram.measures import read_original
    from anonagram.present import document_of
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        family = intruders_for(release, original)
        chosen: list[Attack[Any]] = [family.parse(text) for text in call or ()]
        others = tuple(Release.read(path) for path in other or ())
        table = None if original is None else read_original(original, release, schema)
        if table is not None:  # before anybody tries, which takes time
            require_comparable(table, others, [str(path) for path in other or ()], "--other")
        target = Target(release, table, None, others)
        results = _results(family, chosen, target)
        if not results.each:
            raise CallError(
                f"Nobody can try {folder} with what is given.",
                "--original DATA scores guesses; for a masked table: anonagram audit.",
            )
        defence = defend_release(results, target) if defend and release.graph is None else None
    if as_json:
        told = {} if defence is None else {"defence": defence.to_dict()}
        screen.print_json({"release": repr(release), **results.to_dict(), **told})
    else:
        screen.show_verdict(document_of(results))  # the worst first
        screen.say(f"Attacked: {release!r}")
        if defence is not None:
            screen.show(document_of(defence))
    if results.verdict is not Verdict.WITHSTANDS:
        raise typer.Exit(BROKEN if results.broken else UNTOLD)


def _results(family: type[Attack[Any]], chosen: list[Attack[Any]], target: Target) -> AttackResults:
    """What those find who were asked for, each of whom must be able to try; else all who can."""
    from anonagram.attacks import AttackResults

    if not chosen:
        return AttackResults.of_everybody(target, family)
    return AttackResults(tuple(each.run(target) for each in chosen))
