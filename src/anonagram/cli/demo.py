"""`anonagram demo`: the whole story on a made-up hospital."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.check import show_findings

METHOD = "anatomy(l=4)"


def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demo's files.")] = Path(
        "anonagram-demo"
    ),
) -> None:
    """Anonymize a made-up hospital's table, check it, and show before and after.

    Example: anonagram demo
    """
    from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
    from anonagram.errors import CannotWrite
    from anonagram.key import Key
    from anonagram.methods import Method
    from anonagram.microdata import Microdata
    from anonagram.models import PrivacyModel
    from anonagram.release import Release

    data, schema, release_folder = (
        folder / "hospital.csv",
        folder / "hospital.toml",
        folder / "release",
    )
    try:
        folder.mkdir(exist_ok=True)
        hospital_table().write_csv(data)
        schema.write_text(HOSPITAL_SCHEMA, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(
            f"The demo cannot write to {folder}: {error}.", "name another folder."
        ) from error

    with screen.steps():
        microdata = Microdata.read(data, schema)
        release = Method.parse(METHOD).anonymize(microdata, Key.generate())
        release.write(release_folder, force=True)
        published = Release.read(release_folder)
        findings = [
            PrivacyModel.parse(claim.model).check(published) for claim in published.manifest.claims
        ]

    table = hospital_table()
    typer.echo(
        f"A made-up hospital with {table.height:,} patients. Its table, as it must not be published:"
    )
    screen.print_frame("Before", table.head(4))
    typer.echo(f"Published with {METHOD}: every value is still there, but nobody's disease.")
    for name, part in published.tables.items():
        group = published.manifest.layout["group"]
        screen.print_frame(f"After: {name} (group 1)", part.filter(part[group] == 1))
    typer.echo("The promise, recomputed from the published tables alone:")
    show_findings(findings)
    typer.echo(
        "  Whoever knows a patient's age, sex, zip and day of admission guesses the disease\n"
        f"  with probability {published.manifest.risk['highest_posterior']:.0%} at best.\n\n"
        "Try next:\n"
        f"  anonagram inspect {data}\n"
        f'  anonagram anonymize {data} --schema {schema} --method "anatomy(l=6)" -o {folder}/stronger\n'
        f'  anonagram check {release_folder} --model "entropy_l_diversity(l=4)" --model "k_anonymity(k=4)"'
    )
