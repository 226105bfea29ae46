"""What `anonagram anonymize --previous` says of earlier releases of the same people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from anonagram.cli import screen

if TYPE_CHECKING:
    from anonagram.attacks import Intersection


def summary(found: Intersection, folders: list[Path]) -> dict[str, Any]:
    """The figures for a program."""
    return {
        "folders": [str(folder) for folder in folders],
        "people_met": found.met,
        "columns": {
            name: {
                "verdict": left.verdict,
                "people": left.people,
                "pinned_alone": left.pinned_alone,
                "pinned": left.pinned,
                "pinned_rightly": left.pinned_rightly,
                "least_alone": left.least,
                "below_least": left.below(left.least),
                "contradicted": left.contradicted,
                "values_left": left.counted().to_dicts(),
            }
            for name, left in found.columns.items()
        },
    }


def show(found: Intersection, folders: list[Path]) -> None:
    """The worst first, and how many values are left for how many people."""
    names = ", ".join(str(folder) for folder in folders)
    for name, left in found.columns.items():
        mark = "Warning: together" if left.is_worse else "Together"
        typer.echo(f"{mark} with {names}: {left.verdict}")
        screen.print_table(
            f"How many values of {name} are left for how many people",
            ["values", "this release", "all together"],
            [[f"{cell:,}" for cell in row] for row in left.counted().rows()],
            right=3,
        )
