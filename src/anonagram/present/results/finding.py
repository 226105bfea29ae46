"""How the check of a promise is shown."""

from __future__ import annotations

from typing import Any

from anonagram.models import Finding
from anonagram.present.sections import Document, Mood, Section, Table


def document(finding: Finding) -> Document:
    """Whether it holds, and the weakest groups where it does not."""
    sections: tuple[Section, ...] = ()
    if finding.worst and not finding.holds and _is_named(finding.worst[0]):
        rows = [[_text(value) for value in group.values()] for group in finding.worst]
        table = Table.of(list(finding.worst[0]), rows, right=2)
        sections = (Section(_title(finding.worst[0]), table),)
    mark, mood = ("✓", Mood.GOOD) if finding.holds else ("✗", Mood.BAD)
    told = (finding.note,) if finding.note else ()
    if finding.holds and finding.model.not_promised:
        told = (*told, f"Not promised: {finding.model.not_promised}")
    if finding.needed:
        told = (*told, f"Checked with {finding.needed}: nobody without it can check it.")
    return Document(repr(finding.model), sections, f"{mark} {finding}", mood, told)


def _is_named(worst: dict[str, Any]) -> bool:
    """Whether it says of what it is the level: of equal rows, which nothing names, it does not."""
    return any(worst.get(name) is not None for name in ("group", "attribute"))


def _title(worst: dict[str, Any]) -> str:
    return "Weakest groups" if "group" in worst else "Weakest columns"


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value or "")
