"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, Parquet or Arrow file, or a database URL such as "
        "sqlite:///clinic.db?table=patients",
    ),
]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A release: its folder or .zip.")]
SchemaFile = Annotated[
    Path, typer.Option("--schema", metavar="FILE", help="The TOML file with the columns' roles.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what an earlier run wrote.")]
