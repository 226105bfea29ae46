"""`anonagram report`: one page on a release that can be filed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.audit import tell_time
from anonagram.cli.options import AsJson, Folder, OriginalSchema

if TYPE_CHECKING:
    from anonagram.reports import Report

A_PERSON = 6e-4
"""Seconds of a processor that all intruders take for one of many people, as measured."""
OriginalData = Annotated[
    str | None,
    typer.Option("--original", metavar="DATA", help="The table it was made from: intruders try."),
]


def report(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page, report.html.")
    ],
    original: OriginalData = None,
    private: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its private file, to audit a masked table."),
    ] = None,
    schema: OriginalSchema = None,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Print it as well, where a browser is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write one page on a release: what is promised, what intruders get, what it costs.

    The page is complete in itself, loads nothing and can be printed and filed. The exit code is 1
    where a promise does not hold.

    Example: anonagram report release --original patients.csv -o report.html --pdf
    """
    from anonagram.cli.printing import find_browser, print_page
    from anonagram.present import document_of, page, require_page_place, save_page
    from anonagram.present.charts import require_chart_place

    require_chart_place(output, formats=("html",))
    require_page_place(output)
    if pdf:
        find_browser()
    with screen.steps():
        found = make_report(folder, original, private, schema)
        sources = [each for each in (folder, original) if each is not None]
        save_page(page(document_of(found), sources), output)
        if pdf:
            print_page(output, output.with_suffix(".pdf"))
    if as_json:
        screen.print_json(found.to_dict())
    else:
        screen.say(found.headline)
        for sentence in document_of(found).told:
            screen.say(sentence)
        also = f" and {output.with_suffix('.pdf')}" if pdf else ""
        screen.say(f"The page is {output}{also}.")
    if not found.is_kept:
        raise typer.Exit(1)


def make_report(
    folder: Path, original: str | None, private: Path | None, schema: Path | None
) -> Report:
    """Read what is given, and find out what there is to know."""
    from anonagram.attacks import Aligned
    from anonagram.errors import CallError
    from anonagram.measures import read_original
    from anonagram.release import Release
    from anonagram.reports import report_on
    from anonagram.runtime.progress import step

    step("Reading")
    release = Release.read(folder)
    if private is not None and original is None:
        raise CallError("A private file says nothing without the original.", "--original DATA.")
    if original is None:
        return report_on(release)
    table = read_original(original, release, schema)
    tell_time(A_PERSON * table.rows)
    if private is None or not release.masked:
        return report_on(release, table)
    return report_on(release, table, Aligned.read(original, folder, schema, private=private))
