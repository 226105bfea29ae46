"""What is shown of a result: once, for terminal, page and notebook alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from anonagram.shown.result import Shown

if TYPE_CHECKING:
    from anonagram.measures.measured import Measured
    from anonagram.measures.spread import Spread


class Mood(StrEnum):
    """What a headline is; only what was shown to be good is good."""

    PLAIN = "plain"
    GOOD = "good"
    UNSURE = "unsure"
    BAD = "bad"


@dataclass(frozen=True)
class Bar:
    """A share between 0 and 1, drawn as long as it is."""

    share: float


@dataclass(frozen=True)
class Interval:
    """A range with a value in it, drawn on a line from start to end."""

    low: float
    middle: float
    high: float
    start: float
    end: float

    def places(self) -> tuple[float, float, float]:
        """Where low, middle and high stand, from 0 to 1; all in the middle of a line without length."""
        if self.end <= self.start:
            return 0.5, 0.5, 0.5
        low, middle, high = (
            (each - self.start) / (self.end - self.start)
            for each in (self.low, self.middle, self.high)
        )
        return low, middle, high


Cell = str | Bar | Interval


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head; the last `right` columns are numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: int = 0

    @classmethod
    def of(cls, head: Sequence[str], rows: Sequence[Sequence[Cell]], right: int = 0) -> Table:
        """A table from any sequences."""
        return cls(tuple(head), tuple(tuple(row) for row in rows), right)


@dataclass(frozen=True)
class Section:
    """A table or a chart under its title, and sentences after it."""

    title: str = ""
    table: Table | None = None
    sentences: tuple[str, ...] = ()
    chart: Callable[[], Any] | None = None
    """Draws what the table tells, where pictures can be shown."""
    is_detail: bool = False
    """Whether it is for pages alone, which have room."""


@dataclass(frozen=True)
class Document:
    """A result as a title, the worst true thing about it, and sections."""

    title: str
    sections: tuple[Section, ...] = ()
    headline: str = ""
    mood: Mood = Mood.PLAIN
    told: tuple[str, ...] = ()
    """What else is worth saying first."""
    glossary: Mapping[str, str] = field(default_factory=dict)
    """Words that a reader may not know."""


def document_of(result: Shown) -> Document:
    """The sections of a result."""
    home = import_module(f"anonagram.present.results.{result.shown_by}")
    document: Document = home.document(result)
    return document


MOST_WARNED = 3
"""Of columns that give a sensitive one away the worst are told."""


def say(*sentences: str) -> Section:
    """A section of sentences alone."""
    return Section(sentences=sentences)


def spread_table(spreads: Mapping[str, Spread | None], form: str) -> Table:
    """Distributions, a line each, with numbers in the given format."""
    return Table.of(
        ["", "mean", "least", "25 %", "median", "75 %", "most"],
        [
            [name, *(format(value, form) for value in vars(spread).values())]
            for name, spread in spreads.items()
            if spread is not None
        ],
        right=6,
    )


def sorting_found(measured: Measured) -> list[str]:
    """What sorting amounts inside groups finds, where it is more than it should be."""
    return [f"Warning: {each} {each.remedy}" for each in measured.ranked if each.gain > 0]


def common_sections(measured: Measured) -> list[Section]:
    """What all measures tell: what is foretold without any release, and what was given up before."""
    given_away = [
        say(f"Warning: {each.told(measured.rows)}. {each.remedy}")
        for each in measured.given_away[:MOST_WARNED]
    ]
    foretold = [say(*(str(each) for each in measured.foretold))] if measured.foretold else []
    return [*given_away, *foretold, *_lost_sections(measured.detail_lost)]


def _lost_sections(detail_lost: Mapping[str, float]) -> list[Section]:
    """What was given up before anything was rearranged, where columns were published coarser."""
    if not detail_lost:
        return []
    rows: list[list[Cell]] = [
        [name, f"{lost:.4f}", Bar(lost)] for name, lost in detail_lost.items()
    ]
    about = "All other figures are about the coarser values; this comes to them."
    title = "Detail given up before: how wide what a published value stands for is"
    return [Section(title, Table.of(["column", "width", ""], rows), (about,))]


def number(value: float | None, form: str) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else format(value, form)
