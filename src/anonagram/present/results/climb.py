"""How a column's hierarchy is shown."""

from __future__ import annotations

from anonagram.present.sections import Document, Section
from anonagram.profile.climb import Climb


def document(climb: Climb) -> Document:
    """What every level would merge."""
    why = f" ({climb.reason})" if climb.reason else ""
    missing = f" {climb.missing:,} rows have no value." if climb.missing else ""
    sentences = tuple(str(level) for level in climb.levels)
    return Document(f"{climb.column}: {climb.rule}{why}.{missing}", (Section(sentences=sentences),))
