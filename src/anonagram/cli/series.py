"""What `anonagram anonymize` and `run` say where a release continues earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonagram.cli import screen

if TYPE_CHECKING:
    from anonagram.methods import Publication


def series_summary(publication: Publication) -> dict[str, Any]:
    """The figures for a program; nothing where no series was begun or continued."""
    from anonagram.present.series_words import changed_people

    series, rows = publication.series, publication.release.manifest.rows
    if series is None:
        return {}
    return {
        "series": {
            "releases": series.number,
            "fewest_values": series.least,
            "counterfeits": rows.added,
            "changed_people": changed_people(series),
        }
    }


def show_series(publication: Publication, private: Path | None) -> None:
    """What the releases of a series promise together, and what they cost."""
    from anonagram.present.series_words import series_sentences

    for sentence in series_sentences(publication):
        screen.say(sentence)
    if publication.series is not None and private is None:
        screen.say("Without --private FILE the next release cannot continue this one.")
