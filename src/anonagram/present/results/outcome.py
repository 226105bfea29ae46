"""How what came of a recipe is shown: its limits first, then the report."""

from __future__ import annotations

from dataclasses import replace

from anonagram.comparison import PURPOSES
from anonagram.methods import Method
from anonagram.present.sections import Document, Mood, Section, Table, document_of
from anonagram.present.series_words import series_sentences
from anonagram.recipes import Kept, Outcome

HEAD = ["limit", "allowed", "found", ""]


def document(outcome: Outcome) -> Document:
    """The report on the release, below what the recipe asks of it."""
    report = document_of(outcome.report)
    sections = (*_limits(outcome), *report.sections)
    mood = Mood.BAD if outcome.passed else report.mood
    told = (
        *_told(outcome),
        *series_sentences(outcome.publication),
        *report.told,
        *_compared(outcome),
    )
    return replace(report, headline=outcome.headline, mood=mood, told=told, sections=sections)


def _told(outcome: Outcome) -> list[str]:
    """The limits; the first that is passed is the headline."""
    if outcome.passed:
        return [f"Passed: {each}." for each in outcome.passed[1:]]
    number = len(outcome.limits)
    return [f"The recipe's limits are kept ({number})." if number else "The recipe sets no limits."]


def _compared(outcome: Outcome) -> list[str]:
    """Whether another method would do better next time."""
    found = outcome.comparison
    if found is None or found.recommended is None:
        return []
    best, own = found.recommended, Method.parse(outcome.recipe.method)
    whose = "the recipe's method" if best.call == repr(own) else f"not the recipe's {own.brief}"
    return [
        f"Compared for {PURPOSES[found.purpose]}: {best.brief} is recommended, which is {whose}."
    ]


def _limits(outcome: Outcome) -> list[Section]:
    if not outcome.limits:
        return []
    rows = [_row(each) for each in sorted(outcome.limits, key=lambda each: each.holds)]
    return [Section("What the recipe asks", Table.of(HEAD, rows))]


def _row(kept: Kept) -> list[str]:
    return [kept.what, kept.allowed, kept.found, "kept" if kept.holds else "PASSED"]
