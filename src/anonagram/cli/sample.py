"""`anonagram sample`: complete tables that may be the original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Folder, Force
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    import polars as pl

WHAT_THEY_ARE = (
    "Each is consistent with the release; none is the original, and no row in it is anybody's. "
    "Compute on every one of them, and combine the results: docs/query.md says how."
)


def sample(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write them.")
    ],
    number: Annotated[
        int, typer.Option("-n", min=1, max=10_000, metavar="N", help="How many worlds.")
    ] = 5,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same worlds.")] = 0,
    learned: Annotated[
        bool,
        typer.Option("--learned", help="Match people and values as a model of the release says."),
    ] = False,
    format: Annotated[  # noqa: A002
        Literal["csv", "parquet"], typer.Option(help="Of the files.")
    ] = "csv",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Draw worlds: complete tables that are consistent with a release with groups.

    For what SQL cannot ask: regressions, training, plots.

    Example: anonagram sample release -n 5 -o worlds
    """
    from anonagram.release import Release
    from anonagram.runtime.atomic import replacing
    from anonagram.runtime.progress import step

    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        worlds = release.worlds(number, seed, learned=learned)
        step("Drawing")
        with replacing(output, is_ours=_has_worlds_alone, force=force) as place:
            place.mkdir()
            names = []
            for each, world in enumerate(worlds, 1):
                names.append(f"world_{each}.{format}")
                _write(world, place / names[-1])
    if as_json:
        screen.print_json({"folder": str(output), "files": names, "learned": learned, "seed": seed})
        return
    screen.say(
        f"Wrote {how_many(number, 'world')} of {how_many(release.manifest.rows.published, 'row')} to "
        f"{output}."
    )
    screen.say(WHAT_THEY_ARE)


def _write(world: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        world.write_csv(path)
    else:
        world.write_parquet(path)


def _has_worlds_alone(path: Path) -> bool:
    names = [each.name for each in path.iterdir()] if path.is_dir() else []
    return bool(names) and all(name.startswith("world_") for name in names)
