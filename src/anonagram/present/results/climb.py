"""How a column's hierarchy is shown."""

from __future__ import annotations

from anonagram.present.sections import Document, Section
from anonagram.profile.climb import Climb
from anonagram.shown.wording import how_many


def document(climb: Climb) -> Document:
    """What every level would merge."""
    why = f" ({climb.reason})" if climb.reason else ""
    missing = (
        f" {how_many(climb.missing, 'row has', 'rows have')} no value." if climb.missing else ""
    )
    sentences = tuple(str(level) for level in climb.levels)
    return Document(f"{climb.column}: {climb.rule}{why}.{missing}", (Section(sentences=sentences),))
