"""`anonagram anonymize`: from a table to a verified release."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Data, Force, SchemaFile
from anonagram.cli.risks import Risks

if TYPE_CHECKING:
    from anonagram.key import Key
    from anonagram.methods import Method, Publication

FIGURES = {
    "highest_posterior": "highest posterior by a group alone",
    "mean_posterior": "mean posterior by a group alone",
}
"""What a figure assumes, where its name does not say so."""


class FileFormat(StrEnum):
    """How the tables are written."""

    parquet = "parquet"
    csv = "csv"


def anonymize(
    data: Data,
    schema: SchemaFile,
    method: Annotated[str, typer.Option(metavar="CALL", help='For example "anatomy(l=4)".')],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The new folder, or .zip.")
    ],
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="64 hex digits, or a private file; else a new key."),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep key and row mapping here, for your eyes only."),
    ] = None,
    previous: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="An earlier release of the same people: tell what both say together; may be repeated.",
        ),
    ] = None,
    help_table: Annotated[
        bool,
        typer.Option("--help-table", help="Add a table that gives the bounds in plain SQL."),
    ] = False,
    file_format: Annotated[
        FileFormat, typer.Option("--format", help="The tables' format.")
    ] = FileFormat.parquet,
    page: Annotated[
        bool,
        typer.Option("--page/--no-page", help="Add verify.html, on which people find themselves."),
    ] = True,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a release of a table, verify its promise, and write it as a folder or .zip.

    Example: anonagram anonymize patients.csv --schema patients.toml --method "anatomy(l=4)" -o release
    """
    from anonagram.kernels.compiled import get_ready
    from anonagram.methods import Method
    from anonagram.methods.publication import require_places
    from anonagram.microdata import Microdata
    from anonagram.release import PrivateFile, Release
    from anonagram.runtime.progress import step

    chosen = Method.parse(method)
    if help_table and not chosen.shape.has_exact_rows:
        chosen.shape.refuse_help_table()
    inputs = [Path(data), schema, *([key] if key else [])]
    require_places(output, private, force=force, inputs=inputs)
    folders = previous or []
    with screen.steps() as seconds:
        releases = [Release.read(folder) for folder in folders]
        secret, created = _key(key, chosen)
        get_ready()
        microdata = Microdata.read(data, schema)
        if key is not None and not force and PrivateFile.is_one(key):
            PrivateFile.read(key).require_table(microdata, key)
        publication = chosen.publish(microdata, secret, created)
        risks = Risks.of(microdata, publication, releases)
        if help_table:
            step("Making the help table")
            helped = publication.release.with_help_tables()
            publication = replace(publication, release=helped)
        step("Writing")
        publication.write(output, private, format=file_format.value, force=force, page=page)
    if as_json:
        told = _summary(publication, output, private, seconds)
        screen.print_json(told | risks.summary(folders))
    else:
        risks.show(folders)  # the worst first
        _show(publication, data, output, private, key)


def _key(path: Path | None, method: Method) -> tuple[Key, date | None]:
    """A new key, or a given one.

    The private file of a release by the same method also says its date, so that the bytes come out
    equal.
    """
    from anonagram.key import Key
    from anonagram.release import PrivateFile

    if path is None:
        return Key.generate(), None
    if PrivateFile.is_one(path):
        earlier = PrivateFile.read(path)
        return earlier.key, earlier.created if earlier.method == repr(method) else None
    return Key.read(path), None


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
        screen.say(f"  {name}: {table.height:,} rows × {table.width} columns")
    for name, value in (*release.manifest.risk.items(), *release.manifest.utility.items()):
        screen.say(f"  {FIGURES.get(name, name.replace('_', ' '))}: {value:.4g}")
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
