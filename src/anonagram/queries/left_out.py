"""Answers where rows were left out of a release: nothing is known of them but how many they are."""

from __future__ import annotations

from anonagram.queries.answers import Answer
from anonagram.queries.reading.question import Question
from anonagram.release import Rows


def require_countable(question: Question, rows: Rows) -> None:
    """Refuse what rows that nobody knows could change without bounds."""
    if not rows.suppressed:
        return
    why = f"{rows.suppressed:,} rows were left out of the release, and nothing is told of their values"
    remedy = "COUNT(*) with conditions, whose bounds count them in."
    if question.having is not None:
        question.refuse("HAVING", f"{why}.", remedy)
    if question.combined:
        question.refuse("SELECT", f"{why}: ask for each COUNT by itself.", remedy)
    for aggregate in question.aggregates:
        if aggregate.function != "COUNT":
            question.refuse(aggregate.function, f"{why}.", remedy)


def note_of(question: Question, rows: Rows) -> tuple[str, ...]:
    """That rows were left out, and what it means for the answer."""
    if not rows.suppressed:
        return ()
    told = f"{rows.suppressed:,} rows were left out of the release: bounds count them in"
    return (
        f"{told}; they may also be in groups that are not listed." if question.keys else f"{told}.",
    )


def counted_in(answer: Answer, rows: Rows) -> Answer:
    """A count of all rows, of which some were left out: each of them may meet the conditions.

    The estimate takes them to be like the others.
    """
    if not rows.suppressed:
        return answer
    lower, upper = answer.lower or 0, (answer.upper or 0) + rows.suppressed
    share = rows.original / rows.published if rows.published else 1.0
    estimate = min(max(float(answer.estimate or 0) * share, lower), upper)
    return Answer(estimate, lower, upper, None, exact=False)


def explained(statement: str, rows: Rows) -> str:
    """A statement, with what it does not know."""
    if not rows.suppressed:
        return statement
    left_out = f"{rows.suppressed:,} rows were left out"
    return f"-- {left_out}: the answer adds them to upper bounds\n{statement}"
