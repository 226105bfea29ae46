"""How the results of several attacks are shown."""

from __future__ import annotations

from anonagram.attacks import AttackResults
from anonagram.attacks.results import together
from anonagram.present.results.audit import MOODS
from anonagram.present.sections import Document, Section, Table
from anonagram.shown.wording import how_many


def document(results: AttackResults) -> Document:
    """The worst of all first; then every intruder beside what he would score without his attack."""
    sections = [] if not results.each else [_who_tried(results), _what_they_find(results)]
    sections += [_not_tried(results)] if results.not_tried else []
    if not results.each:
        return Document("Nobody could try", tuple(sections))
    title = f"{how_many(len(results), 'attack')}: {results.verdict}"
    return Document(title, tuple(sections), results.headline, MOODS[results.verdict])


def _who_tried(results: AttackResults) -> Section:
    rows = [
        [repr(each.attack), str(each.verdict), each.attack.about, f"{each.score:.1%}", f"{each.baseline:.1%}"]
        for each in results.worst_first
    ]  # fmt: skip
    head = ["intruder", "the release", "finds a", "on average", "compared with"]
    return Section("Who tried, the worst first", Table.of(head, rows, right=2))


def _what_they_find(results: AttackResults) -> Section:
    lines = [
        f"{each.attack.call} (knows {each.attack.knows}): {' '.join(each.sentences)}"
        for each in results.worst_first
    ]
    return Section(sentences=tuple(lines))


def _not_tried(results: AttackResults) -> Section:
    return Section("Who could not try", sentences=tuple(together(results.not_tried)))
