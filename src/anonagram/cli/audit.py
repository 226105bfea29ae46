"""`anonagram audit`: attack a masked table with full knowledge of its original."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from time import process_time
from typing import Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.attack import BROKEN, UNTOLD
from anonagram.cli.options import AsJson, Columns, Data, Full, RandomRecords, Records, Tolerance

LONG = 10


class DiversityCriterion(StrEnum):
    """How different the values near a person's are."""

    variance = "variance"
    distinct = "distinct"
    entropy = "entropy"
    closeness = "closeness"


def audit(
    original: Data,
    masked: Annotated[
        str, typer.Argument(metavar="MASKED", help="What any tool made of it, or a release.")
    ],
    schema: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Roles, orders and hierarchies; else all columns."),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", metavar="NAME", help="Match rows by this column, not by position."),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The private file of a release: whose row is whose."),
    ] = None,
    column: Columns = None,
    criterion: Annotated[
        DiversityCriterion, typer.Option(help="The diversity v of permuted privacy.")
    ] = DiversityCriterion.variance,
    records: Records = None,
    full: Full = False,
    random: RandomRecords = 10_000,
    tolerance: Tolerance = 0.1,
    links: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every record's match (CSV); for your eyes only."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with charts here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Audit a masked table, whatever made it: how far values moved, and who can be found again.

    Intruders who know the whole original try to find everybody's row. The exit code is 0 where it is
    shown that they cannot, 1 where they can, and 4 where it cannot be told.

    Example: anonagram audit patients.csv masked.csv --html audit.html
    """
    began = process_time()
    from anonagram.attacks import Aligned, MaximumKnowledge, Verdict, audit_seconds
    from anonagram.attacks import audit as run_audit
    from anonagram.present import (
        document_of,
        page,
        require_new_file,
        require_page_place,
        save_page,
        save_text,
    )
    from anonagram.present.charts import require_chart_place

    if html is not None:
        require_chart_place(html, formats=("html",))
        require_page_place(html)
    if links is not None:
        require_new_file(links)
    attack = MaximumKnowledge(random, tolerance, records_to_look_for(records, full=full))
    with screen.steps():
        pair = Aligned.read(
            original, masked, schema, id_column=id_column, columns=column or (), private=private
        )
        tell_time(audit_seconds(pair, attack, process_time() - began))
        found = run_audit(pair, attack, criterion.value)
        if links is not None:
            save_text(found.links().write_csv(), links, is_private=True)
        if html is not None:
            save_page(page(document_of(found), (original, masked)), html)
    if as_json:
        screen.print_json(found.to_dict())
    else:
        screen.show_verdict(document_of(found))
        if links is not None:
            screen.say(f"Every record's match is in {links}: keep it secret.")
        if html is not None:
            screen.say(f"The page is {html}.")
    if found.verdict is not Verdict.WITHSTANDS:
        raise typer.Exit(BROKEN if found.verdict is Verdict.DOES_NOT_WITHSTAND else UNTOLD)


def records_to_look_for(records: int | None, *, full: bool) -> int:
    """How many people an attack looks for: as many as said, everybody, or by size."""
    from anonagram.attacks import EVERYBODY
    from anonagram.errors import CallError

    if full and records is not None:
        raise CallError("--full looks for everybody.", "leave --records out.")
    return EVERYBODY if full else records or 0


def tell_time(seconds: float, work: str = "This") -> None:
    """Say beforehand that work takes long, in a time that other work beside it does not change."""
    if seconds >= LONG:
        told = f"{work} takes at most about {time_told(seconds)} of a processor."
        screen.say(told, is_error=True)


def time_told(seconds: float) -> str:
    """A time in words.

    >>> time_told(42.3), time_told(900)
    ('42 seconds', '15 minutes')
    """
    from anonagram.shown.wording import how_many

    if seconds < 100:
        return how_many(round(seconds), "second")
    return how_many(round(seconds / 60), "minute")
