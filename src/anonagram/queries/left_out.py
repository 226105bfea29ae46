"""Answers where rows were left out of a release: nothing is known of them but how many they are."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from anonagram.columns.rounding import EXACT_IN_DOUBLE
from anonagram.queries.answers import Answer
from anonagram.queries.reading.question import Aggregate, Question
from anonagram.queries.rearranged.monotone import factor
from anonagram.release import Rows
from anonagram.shown.wording import how_many

COUNTING = ("COUNT", "DISTINCT")


def require_countable(question: Question, rows: Rows) -> None:
    """Refuse what rows that nobody knows could change without bounds."""
    if not rows.suppressed:
        return
    for aggregate in question.aggregates:
        if aggregate.function not in COUNTING and _named_values(aggregate) is None:
            question.refuse(
                aggregate.function,
                f"{how_many(rows.suppressed, 'row was', 'rows were')} left out of the release, and "
                f"nothing is told of their values: with them, {aggregate.function} has no bounds.",
                "COUNT(*) with conditions, shares of counts, COUNT(DISTINCT …), or a SUM of what is "
                "counted, as in SUM(CASE WHEN … THEN 1 ELSE 0 END).",
            )


def note_of(question: Question, rows: Rows) -> tuple[str, ...]:
    """That rows were left out, and what it means for the answer."""
    if not rows.suppressed:
        return ()
    told = (
        f"{how_many(rows.suppressed, 'row was', 'rows were')} left out of the release: bounds count them "
        "in"
    )
    return (
        f"{told}; they may also be in groups that are not listed." if question.keys else f"{told}.",
    )


def with_left_out(
    question: Question, aggregate: Aggregate, answer: Answer, rows: Rows, *, is_sure: bool
) -> Answer:
    """The answer about all rows, of which some were left out: each may be anything.

    `is_sure` says whether somebody of the release is asked about for certain.
    """
    if not rows.suppressed:
        return answer
    if aggregate.function == "COUNT":
        is_everybody = question.condition is None and not question.keys
        if is_everybody and aggregate.argument is None and aggregate.only is None:
            return Answer(rows.original, rows.original, rows.original, 0.0, exact=True)
        return counted_in(answer, rows)
    if aggregate.function == "DISTINCT":
        return replace(answer, upper=answer.upper + rows.suppressed, deviation=None, exact=False)
    ends = _named_values(aggregate)
    if ends is None:
        return answer
    return _of_named(aggregate.function, answer, ends, rows, is_sure=is_sure)


def counted_in(answer: Answer, rows: Rows) -> Answer:
    """A count of all rows, of which some were left out: each of them may meet the conditions.

    The estimate takes them to be like the others.
    """
    if not rows.suppressed:
        return answer
    return _added(answer, 0, rows.suppressed, rows)


def _added(answer: Answer, least: int, most: int, rows: Rows) -> Answer:
    """A sum to which the rows left out add between least and most."""
    lower, upper = (answer.lower or 0) + least, (answer.upper or 0) + most
    estimate = min(max(float(answer.estimate or 0) * rows.like_others, lower), upper)
    return Answer(estimate, lower, upper, None, exact=False)


def _of_named(
    function: str, answer: Answer, ends: tuple[int, int], rows: Rows, *, is_sure: bool
) -> Answer:
    """An aggregate of values that a question names itself, so that nobody has others.

    Perhaps only rows that were left out are asked about, and then these have the largest value.
    """
    low, high = ends
    if function == "SUM":
        return _added(answer, rows.suppressed * min(low, 0), rows.suppressed * max(high, 0), rows)
    lower = answer.lower if is_sure and function == "MAX" else low
    upper = answer.upper if is_sure and function == "MIN" else high
    estimate = (low + high) / 2 if answer.estimate is None else answer.estimate
    return Answer(estimate, lower, upper, None, exact=False)


def _named_values(aggregate: Aggregate) -> tuple[int, int] | None:
    """The least and greatest of the whole numbers between which CASE chooses, if it does."""
    case = None if aggregate.argument is None else aggregate.argument.unnest()
    if aggregate.function not in ("SUM", "AVG", "MIN", "MAX") or not isinstance(case, exp.Case):
        return None
    values = [each.args["true"].unnest() for each in case.args["ifs"]]
    values += [case.args["default"].unnest()] if case.args.get("default") is not None else []
    numbers = [factor(each) for each in values if not isinstance(each, exp.Null)]
    told = [
        int(number)
        for number in numbers
        if number is not None and number.is_integer() and abs(number) < EXACT_IN_DOUBLE
    ]
    return (min(told), max(told)) if told and len(told) == len(numbers) else None


def explained(statement: str, rows: Rows) -> str:
    """A statement, with what it does not know."""
    if not rows.suppressed:
        return statement
    left_out = f"{how_many(rows.suppressed, 'row was', 'rows were')} left out"
    return f"-- {left_out}: the answer adds them to the bounds\n{statement}"
