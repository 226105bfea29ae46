"""How a single attack is shown."""

from __future__ import annotations

from typing import Any

from anonagram.attacks import AttackResult
from anonagram.present.results.audit import MOODS
from anonagram.present.sections import Document, Section, Table


def document(result: AttackResult[Any]) -> Document:
    """The worst that is true, beside whom the intruder is compared with."""
    rows = [
        ["he knows", result.attack.knows],
        ["records", f"{result.records.size:,}"],
        ["finds", f"{result.score:.2%}"],
        [result.compared, f"{result.baseline:.2%}"],
    ]
    title = f"{result.attack!r}: {result.verdict}"
    section = Section("Figures", Table.of(["", ""], rows))
    return Document(title, (section,), result.sentence, MOODS[result.verdict], result.details)
