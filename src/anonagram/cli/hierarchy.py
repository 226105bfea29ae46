"""`anonagram hierarchy`: how a column's values become coarser, as a file to edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Data


def hierarchy(
    data: Data,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="The column it is for.")],
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="CALL", help='For example "intervals(width=10)"; else one that suits.'
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it as CSV, to be edited."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a column's hierarchy as CSV, and say what every level would merge.

    The CSV goes to standard output, what it merges to standard error: > age.csv keeps the first.

    Example: anonagram hierarchy patients.csv age --rule "intervals(width=10, levels=3)" -o age.csv
    """
    from anonagram.present import document_of
    from anonagram.present.saving import require_new_file, save_text
    from anonagram.profile.climb import Climb

    if output is not None:
        require_new_file(output)
    with screen.steps():
        climb = Climb.of(data, column, rule)
    if output is not None:
        save_text(climb.to_csv(), output)
    if as_json:
        screen.print_json(climb.to_dict())
        return
    if output is None:
        screen.say(climb.to_csv().rstrip("\n"))
    shown = document_of(climb)
    for line in (shown.title, *shown.sections[0].sentences):
        screen.say(line, is_error=output is None)
    if output is not None:
        screen.say(f"Wrote {output}. In the schema: {climb.in_schema(output)}")
