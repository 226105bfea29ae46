"""`anonagram attack`: let intruders try a release, and say what they get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Folder

if TYPE_CHECKING:
    from anonagram.attacks import AttackResults

BROKEN = 1


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
    as_json: AsJson = False,
) -> None:
    """Attack a release: what an intruder finds out, beside what he would know without it.

    The exit code is 1 where somebody gets more than he should.

    Example: anonagram attack release --original patients.csv
    """
    from anonagram.attacks import Attack, AttackResults, Target
    from anonagram.errors import CallError
    from anonagram.measures import read_original
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    chosen: list[Attack[Any]] = [Attack.parse(text) for text in call or ()]
    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        others = tuple(Release.read(path) for path in other or ())
        table = None if original is None else read_original(original, release)
        target = Target(release, table, None, others)
        step("Attacking")
        if chosen:
            results = AttackResults(tuple(each.run(target) for each in chosen))
        else:
            results = AttackResults.of_everybody(target)
    if not results.each:
        raise CallError(
            f"Nobody can try {folder} with what is given.",
            "--original DATA scores guesses; for a masked table: anonagram audit.",
        )
    if as_json:
        screen.print_json([each.to_dict() for each in results])
    else:
        screen.say(repr(release))
        show_results(results)
    if results.worst.reason:
        raise typer.Exit(BROKEN)


def show_results(results: AttackResults) -> None:
    """Verdict and sentences of each intruder, the worst first."""
    from anonagram.attacks import Verdict

    order = list(Verdict)
    for each in sorted(results, key=lambda found: -order.index(found.verdict)):
        screen.say(f"{each.verdict.capitalize()}: {each.attack!r}, who knows {each.attack.knows}")
        for sentence in each.sentences:
            screen.say(f"  {sentence}")
