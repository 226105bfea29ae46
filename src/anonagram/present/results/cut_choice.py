"""How the cuts that were chosen are shown, and what each is worth."""

from __future__ import annotations

from anonagram.lattice import CutChoice
from anonagram.present.sections import Cell, Document, Mood, Section, Table
from anonagram.shown.wording import how_many

BEGINS_SHOWN = 12


def document(choice: CutChoice) -> Document:
    """What was found and proved, the runs of each column, and what a cut less would cost."""
    found = choice.found
    headline = (
        f"Costs {found.cost:.4g} ({choice.cost}), {how_many(found.suppressed, 'row')} suppressed."
    )
    mood = Mood.PLAIN if found.is_best else Mood.UNSURE
    return Document(choice.method, (_runs(choice), _cuts(choice)), headline, mood, (choice.search,))


def _runs(choice: CutChoice) -> Section:
    rows: list[list[Cell]] = []
    for (name, begins), order in zip(choice.begins.items(), choice.sets.orders, strict=True):
        more = " …" if len(begins) > BEGINS_SHOWN else ""
        shown = ", ".join(begins[:BEGINS_SHOWN]) + more
        rows.append([name, shown, f"{len(begins):,}", f"{order.codes.size:,}"])
    head = ["column", "runs begin with", "runs", "values"]
    return Section("The runs", Table.of(head, rows, right=2))


def _cuts(choice: CutChoice) -> Section:
    made = sum(len(begins) - 1 for begins in choice.begins.values())
    tried = len(choice.made)
    about = (f"Of {how_many(made, 'cut')} {tried:,} were tried.",) if tried < made else ()
    said = (*about, *(str(each) for each in choice.made))
    return Section("One cut less", sentences=said, is_detail=True)
