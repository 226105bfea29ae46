"""What `anonagram anonymize --previous` says of earlier releases of the same people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonagram.cli import screen
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.attacks import Intersection


def summary(found: Intersection, folders: list[Path]) -> dict[str, Any]:
    """The figures for a program."""
    from anonagram.attacks.several_releases import narrowed_sentence

    return {
        "folders": [str(folder) for folder in folders],
        "people_met": found.met,
        "columns": {
            name: {
                "verdict": narrowed_sentence(left),
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
    from anonagram.attacks.several_releases import narrowed_sentence
    from anonagram.present.results.intersection import CONTRADICTED, values_left

    names = ", ".join(str(folder) for folder in folders)
    screen.say(
        f"Of {how_many(found.people, 'person', 'people')} {found.met:,} may be in {names} too."
    )
    for left in found.columns.values():
        mark = "Warning: together" if left.is_worse else "Together"
        screen.say(f"{mark} with {names}: {narrowed_sentence(left)}")
        if left.contradicted:
            screen.say(CONTRADICTED.format(left.contradicted))
        screen.show_sections([values_left(left)])
