"""How changes against an attack are shown."""

from __future__ import annotations

from anonagram.attacks.attack import Verdict
from anonagram.attacks.defence import Defence, Tried
from anonagram.present.sections import Document, Mood, Section, Table


def document(defence: Defence) -> Document:
    """What helped, and everything that was tried."""
    headline, *told = defence.sentences
    title = f"Against {defence.against.attack!r}"
    sections = (_tried(defence),) if defence.tried else ()
    return Document(title, sections, headline, Mood.PLAIN, tuple(told))


def _tried(defence: Defence) -> Section:
    before = defence.against
    rows = [["as it is", f"{before.score:.1%}", f"{before.baseline:.1%}", "no"]]
    rows += [_row(each) for each in defence.tried]
    head = ["change", "he finds", "without it", "helped"]
    return Section(f"What was tried against {before.attack.call}", Table.of(head, rows))


def _row(each: Tried) -> list[str]:
    if each.result is None:
        return [each.change.words, "–", "–", each.why]
    unknown = each.result.verdict is Verdict.CANNOT_TELL
    helped = "yes" if each.helped else "cannot tell" if unknown else "no"
    return [each.change.words, f"{each.result.score:.1%}", f"{each.result.baseline:.1%}", helped]
