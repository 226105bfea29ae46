"""`anonagram verify`: how well a release hides one's own record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.graphs import verify_in_graph
from anonagram.cli.options import AsJson, Folder


def verify(
    folder: Folder,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your record: CSV with a header and a row, or JSON."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="COLUMN=VALUE", help="A value of yours; may be repeated."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a graph: the table that you are in."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find out what somebody who knows you learns about you from a release.

    Nothing but the release is needed, and nothing is sent anywhere. Values of sensitive columns, if
    you give them, are only compared with what he would believe. The page verify.html in the release
    does the same in a browser.

    Example: anonagram verify release --set age=41 --set sex=F --set disease=flu
    """
    from anonagram.errors import CallError
    from anonagram.present import document_of
    from anonagram.release import Release
    from anonagram.runtime.progress import step
    from anonagram.verify import (
        by_labels,
        read_record,
        read_settings,
        require_columns,
        verify_in,
        view_of,
    )

    if record is None and not settings:
        raise CallError("There is no record to look for.", "--set age=41 or --record me.csv")
    given = read_record(record) if record is not None else {}
    set_apart = read_settings(settings or ())
    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        if release.graph is not None:
            verify_in_graph(release, table, {**given, **set_apart}, as_json=as_json)
            return
        step("Looking at the release")
        view = view_of(release)
        require_columns(view, by_labels(view, set_apart))
        found = verify_in(view, {**given, **set_apart})
    if as_json:
        screen.print_json(found.to_dict())
    else:
        screen.show_verdict(document_of(found))
