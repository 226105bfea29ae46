"""Other releases of a graph that is published again: together they may tell who is who."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from anonagram.attacks import AttackResult, Target, Verdict
from anonagram.errors import AnonagramError
from anonagram.graphs.attacks.signatures import LaidOver, Signatures
from anonagram.graphs.graph import Graph
from anonagram.release import GraphNames, Release
from anonagram.release.descriptor import DESCRIPTOR

MOST_LOOKED_AT = 200
"""Files and folders beside a new release that may be releases of the same graph."""


class Earlier(NamedTuple):
    """A release that is already there."""

    path: Path
    release: Release


def earlier_beside(place: Path, graph: Graph) -> list[Earlier]:
    """Releases at a place, and in the folder it is in, of graphs that have as many edges."""
    found = []
    for path in [place, *_beside(place)][:MOST_LOOKED_AT]:
        try:
            opened = Release.open(path)
            section = opened.manifest.section
            if isinstance(section, GraphNames) and section.edges == graph.edges:
                found.append(Earlier(path, opened.load()))
        except (AnonagramError, OSError):  # whatever stands there, it is no release
            continue
    return found


def _beside(place: Path) -> Iterator[Path]:
    folder = place.parent
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        is_bundle = path.suffix.lower() == ".zip" or (path / DESCRIPTOR).exists()
        if is_bundle and path.resolve() != place.resolve():
            yield path


def laid_over(
    release: Release, earlier: Iterable[Earlier]
) -> list[tuple[Path, AttackResult[LaidOver]]]:
    """What each of them tells together with the new one, where it is of the same graph and worse."""
    results = [
        (each.path, Signatures().run(Target(release, others=(each.release,)))) for each in earlier
    ]
    return [(path, found) for path, found in results if found.verdict is Verdict.DOES_NOT_WITHSTAND]
