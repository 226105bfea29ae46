"""`anonagram anonymize`: from a table to a verified release."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.divided import Block, Elsewhere, Engine, Memory, anonymize_elsewhere, given_key
from anonagram.cli.explore import (
    choice_summary,
    require_explorable,
    save_explored,
    show_choice,
)
from anonagram.cli.figures import say_figures
from anonagram.cli.graphs import (
    GraphFiles,
    Kept,
    Left,
    Right,
    anonymize_graph,
    refuse_for_graphs,
)
from anonagram.cli.options import AsJson, Data, Force, SchemaFile
from anonagram.cli.risks import Risks
from anonagram.cli.series import series_summary, show_series
from anonagram.runtime.memory import keep_freed
from anonagram.runtime.progress import step
from anonagram.runtime.threads import beside
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.methods import Method, Publication
    from anonagram.microdata import Microdata
    from anonagram.release import Release, Series


class FileFormat(StrEnum):
    """How the tables are written."""

    parquet = "parquet"
    csv = "csv"


MethodCall = Annotated[
    str, typer.Option("--method", metavar="CALL", help='For example "anatomy(l=4)".')
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FOLDER", help="The new folder, or .zip.")
]
KeyFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="64 hex digits, or a private file; else a new key."),
]
Private = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep key and row mapping here, for your eyes only."),
]
Previous = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FOLDER",
        help="An earlier release of the same people: tell what both say together; may be repeated.",
    ),
]
PreviousPrivate = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The private file of the earlier release: keep everybody's possible values (m_invariance).",
    ),
]
HelpTable = Annotated[
    bool, typer.Option("--help-table", help="Add a table that gives the bounds in plain SQL.")
]
TableFormat = Annotated[FileFormat, typer.Option("--format", help="The tables' format.")]
Explore = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Show the levels that were chosen among all others (optimal, samarati, …).",
    ),
]
Page = Annotated[
    bool,
    typer.Option("--page/--no-page", help="Add verify.html, on which people find themselves."),
]


def anonymize(
    data: Data,
    schema: SchemaFile,
    method: MethodCall,
    output: Output,
    key: KeyFile = None,
    private: Private = None,
    previous: Previous = None,
    previous_private: PreviousPrivate = None,
    help_table: HelpTable = False,
    file_format: TableFormat = FileFormat.parquet,
    page: Page = True,
    explore: Explore = None,
    left: Left = None,
    right: Right = None,
    memory: Memory = None,
    engine: Engine = None,
    block: Block = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a release of a table or a graph, verify its promise, and write it as a folder or .zip.

    Example: anonagram anonymize patients.csv --schema patients.toml --method "anatomy(l=4)" -o release

    A graph: anonagram anonymize bought.csv --left customers.csv --right products.csv --schema
    shop.toml --method "safe_grouping(k=5, l=5)" -o release

    Next month: anonagram anonymize february.csv --schema patients.toml --method "m_invariance(m=4)"
    --previous january --previous-private january.private --private february.private -o february

    More rows than memory: anonagram anonymize register.parquet --schema register.toml --method
    "anatomy(l=4)" -o release --memory 4GiB

    On a cluster: the same with --engine spark://host:7077 (or "local[*]") in place of --memory.
    """
    elsewhere = Elsewhere.given(memory, engine, block)
    if elsewhere is not None:
        elsewhere.refuse(
            {
                "--private": private, "--previous": previous, "--help-table": help_table,
                "--previous-private": previous_private, "--explore": explore, "--left": left,
                "--right": right, "--format csv": file_format is FileFormat.csv,
            }
        )  # fmt: skip
        places = Kept(output, None, key, [], file_format.value, page, force)
        anonymize_elsewhere(elsewhere, data, schema, method, places, as_json=as_json)
        return
    graph = GraphFiles.given(data, left, right)
    if graph is not None:
        refuse_for_graphs(
            {
                "--previous-private": previous_private,
                "--help-table": help_table,
                "--explore": explore,
            }
        )
        kept = Kept(output, private, key, previous or [], file_format.value, page, force)
        anonymize_graph(graph, schema, method, kept, as_json=as_json)
        return
    folders = previous or []
    keep_freed()
    with screen.steps() as seconds:
        from anonagram.microdata import Microdata

        # the rest of the house, numba above all, takes as long to start as many a table to be read
        table = beside(lambda: Microdata.read(data, schema))
        from anonagram.methods.earlier import earlier_series

        chosen = _method(method, help_table=help_table)
        if explore is not None:
            require_explorable(chosen, explore)
        inputs = [Path(data), schema, key, previous_private, *folders]
        _require_places(output, private, inputs, force=force)
        releases = [_read(folder) for folder in folders]
        earlier = earlier_series(chosen, previous_private, folders, releases)
        publication = _publish(chosen, table, key, earlier, private, force=force)
        if help_table:
            publication = publication.with_help_tables()
        step("Writing")
        risks = beside(lambda: Risks.of(table(), publication, releases))
        notes = beside(lambda: table().notes)
        write = partial(publication.write, output, private, format=file_format.value)
        write(force=force, page=page, before=lambda _made: risks())
        if explore is not None:
            save_explored(publication, explore)
    if as_json:
        told = _summary(publication, output, private, seconds) | series_summary(publication)
        told |= choice_summary(publication, is_explored=explore is not None)
        screen.print_json(told | risks().summary(folders) | {"notes": notes()})
    else:
        risks().show(folders)  # the worst first
        show_series(publication, private)
        _remind(chosen, table(), folders)
        for note in notes():
            screen.say(note)
        show_choice(publication, explore)
        _show(publication, data, output, private, key)


def _remind(method: Method, microdata: Microdata, folders: list[Path]) -> None:
    """That people who were published before are hidden less, where nobody named an earlier release."""
    from anonagram.methods.earlier import why_nobody_is_known

    if method.continues and (why := why_nobody_is_known(microdata)):
        screen.say(f"Warning: no release can continue this one: {why}.")
    if not folders:
        screen.say(
            "If these people are in an earlier release, both tell more than each: "
            "--previous FOLDER measures it."
        )


def _method(call: str, *, help_table: bool) -> Method:
    from anonagram.methods import Method

    chosen = Method.parse(call)
    if help_table and not chosen.shape.has_exact_rows:
        chosen.shape.refuse_help_table()
    return chosen


def _require_places(
    output: Path, private: Path | None, inputs: list[Path | None], *, force: bool
) -> None:
    from anonagram.methods.publication import require_places

    require_places(output, private, force=force, inputs=[each for each in inputs if each])


def _read(folder: Path) -> Release:
    from anonagram.release import Release

    return Release.read(folder)


def _publish(
    method: Method,
    table: Callable[[], Microdata],
    path: Path | None,
    earlier: Series | None,
    private: Path | None,
    *,
    force: bool,
) -> Publication:
    """Make the release with a new key or the one at a path, once the table is there."""
    from anonagram.kernels.compiled import numba
    from anonagram.methods.earlier import require_rememberable
    from anonagram.release import PrivateFile

    key, created = given_key(path, method)
    numba()
    microdata = table()
    require_rememberable(method, microdata, private)
    if path is not None and not force and PrivateFile.is_one(path):
        PrivateFile.read(path).require_table(microdata, path)
    return method.publish(microdata, key, created, earlier=earlier)


def _summary(
    publication: Publication, output: Path, private: Path | None, seconds: dict[str, float]
) -> dict[str, object]:
    manifest = publication.release.manifest
    return {
        "folder": str(output),
        "private": None if private is None else str(private),
        "method": manifest.method,
        "rows": manifest.rows.published,
        "tables": {name: table.height for name, table in publication.release.tables.items()},
        "claims": [{"model": c.model, "achieved": c.achieved} for c in manifest.claims],
        "risk": manifest.risk,
        "utility": manifest.utility,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }


def _show(
    publication: Publication, data: str, output: Path, private: Path | None, key: Path | None
) -> None:
    release = publication.release
    screen.say(f"Wrote {output}: {release!r}.")
    for name, table in release.tables.items():
        screen.say(f"  {name}: {how_many(table.height, 'row')} × {how_many(table.width, 'column')}")
    say_figures(release.manifest)
    if private is None and key is None:
        screen.say("The key was not kept; with --private FILE the release can be made again.")
    if private is not None:
        screen.say(f"Key and row mapping are in {private}: keep it secret.")
    if release.manifest.claims:
        screen.say(f"Next: anonagram {screen.words('check', output)}")
    else:
        screen.say("It promises nothing that can be checked without the original.")
        if private is not None:
            audit = screen.words("audit", data, output, "--private", private)
            screen.say(f"What an intruder finds: anonagram {audit}")
        else:
            screen.say(
                "To see what an intruder finds (anonagram audit), make it with --private FILE."
            )
