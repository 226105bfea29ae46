"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, Parquet, Arrow, Excel, SPSS, Stata or SAS file, or a database URL such as "
        "sqlite:///clinic.db?table=patients",
    ),
]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A release: its folder or .zip.")]
SchemaFile = Annotated[
    Path, typer.Option("--schema", metavar="FILE", help="The TOML file with the columns' roles.")
]
OriginalSchema = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="The schema it was made with, where a column is published as a level of its hierarchy.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what an earlier run wrote.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Compare only these columns; may be repeated."),
]
RandomRecords = Annotated[
    int, typer.Option(min=100, metavar="N", help="Records made up at random to compare with.")
]
Tolerance = Annotated[
    float,
    typer.Option(min=0, max=1, help="What difference from random records is practically none."),
]
Records = Annotated[
    int | None,
    typer.Option(
        "--records", min=1, metavar="N", help="People to look for, drawn at random; else by size."
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Look for everybody, however long it takes.")]
PartsEngine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="URL",
        help="Of a release in parts: work on Apache Spark, such as spark://host:7077 or local[*].",
    ),
]
