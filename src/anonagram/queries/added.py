"""Questions where a release has rows that are nobody's: they are about people's rows only."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from anonagram.queries.reading.question import Question, both
from anonagram.release.sheet import Sheet


def about_people(question: Question, sheet: Sheet) -> Question:
    """The question with the condition that a row is somebody's.

    Which rows are is one more thing that was rearranged inside groups: bounds of conditions on
    several parts hold for it as for any other.
    """
    if sheet.real is None:
        return question
    is_real = exp.EQ(this=exp.column(sheet.real, quoted=True), expression=exp.true())
    return replace(question, condition=both(question.condition, is_real))
