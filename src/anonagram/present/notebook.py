"""Results in a notebook: the headline first, the rest folded; charts need no network."""

from __future__ import annotations

from anonagram.errors import MissingExtra
from anonagram.present.pages import drawn, render
from anonagram.present.sections import Mood, Section, document_of
from anonagram.shown.result import Shown

ROWS_SHOWN = 20
"""Of a table; a notebook is read past, a page is read."""
COLOURS = {Mood.PLAIN: "#888", Mood.GOOD: "#2a7", Mood.UNSURE: "#c90", Mood.BAD: "#c33"}


def fragment(result: Shown) -> str:
    """A result as a piece of HTML."""
    document = document_of(result)
    sections = [section for section in document.sections if not section.is_detail]
    return str(
        render(
            "notebook.html",
            document=document,
            sections=sections,
            most=ROWS_SHOWN,
            colour=COLOURS[document.mood],
            drawn=_drawn_if_possible,
        )
    )


def _drawn_if_possible(section: Section) -> object:
    """A chart as a picture; None, and so the table in its place, where nothing can draw it."""
    try:
        return drawn(section)
    except MissingExtra:
        return None
