"""Aggregates with conditions of their own: one question for each condition, joined by their keys.

COUNT(*) FILTER (WHERE c) is COUNT(*) of the question that also asks for c. The keys are those of the
question without it: whoever can be counted there can be counted here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from anonagram.queries.reading.question import DIALECT, Aggregate, Question, both, columns_of
from anonagram.release.sheet import RANGES, Sheet

EVERYBODY = "\0everybody"
"""The COUNT(*) of the question without conditions of aggregates."""


@dataclass(frozen=True)
class Split:
    """A question without conditions of aggregates, and where its answers belong."""

    question: Question
    places: tuple[int, ...]
    """For each of its aggregates: the place in the question as it was asked; -1 if not asked."""


def split(question: Question, sheet: Sheet) -> list[Split]:
    """The questions to ask, the one without further conditions first."""
    aggregates = [_where_there(as_filter(each, sheet), sheet) for each in question.aggregates]
    question = replace(question, aggregates=tuple(aggregates))
    if all(each.only is None for each in aggregates):
        return [Split(question, tuple(range(len(aggregates))))]
    by_condition: dict[str, list[int]] = {"": []}
    for place, each in enumerate(aggregates):
        text = "" if each.only is None else each.only.sql(DIALECT)
        by_condition.setdefault(text, []).append(place)
    found = [_without_filters(question, places) for places in by_condition.values()]
    everybody = Aggregate(EVERYBODY, "COUNT", None)
    first = replace(found[0].question, aggregates=(*found[0].question.aggregates, everybody))
    return [Split(first, (*found[0].places, -1)), *found[1:]]


def _without_filters(question: Question, places: list[int]) -> Split:
    """The question for aggregates that all have the same condition."""
    chosen = [question.aggregates[place] for place in places]
    condition = both(question.condition, chosen[0].only if chosen else None)
    plain = replace(
        question,
        condition=condition,
        aggregates=tuple(replace(each, only=None) for each in chosen),
        having=None,
        order=(),
        limit=None,
        offset=None,
    )
    return Split(plain, tuple(places))


def as_filter(aggregate: Aggregate, sheet: Sheet) -> Aggregate:
    """AGG(CASE WHEN c THEN x END) as AGG(x) FILTER (WHERE c), where no row holds c and x together."""
    case = aggregate.argument.unnest() if aggregate.argument is not None else None
    if not isinstance(case, exp.Case) or case.this is not None or len(case.args["ifs"]) != 1:
        return aggregate
    parts = {sheet.part_of(name) for name in columns_of(case)}
    if parts != {RANGES} and len(parts) == 1:
        return aggregate
    branch, default = case.args["ifs"][0], case.args.get("default")
    value, condition = branch.args["true"], both(aggregate.only, branch.this)
    counted = _is_number(value, "1")
    if _is_number(default, "0") and aggregate.function == "SUM" and (counted or columns_of(value)):
        function = "COUNT" if counted else "SUM"
        argument = None if counted else value
        # a FILTER that nobody meets makes it NULL, and is no longer told from the condition of CASE
        is_filtered = counted and aggregate.only is not None
        return replace(
            aggregate,
            function=function,
            argument=argument,
            only=condition,
            of_none="zero or null" if is_filtered else "zero",
        )
    if default is not None and not isinstance(default, exp.Null):
        return aggregate
    if aggregate.function == "COUNT" and isinstance(value, exp.Literal):
        return replace(aggregate, argument=None, only=condition)
    return replace(aggregate, argument=value, only=condition) if columns_of(value) else aggregate


def _where_there(aggregate: Aggregate, sheet: Sheet) -> Aggregate:
    """COUNT(x) as COUNT(*) FILTER (WHERE x IS NOT NULL), of what is made of columns told as ranges."""
    x = aggregate.argument
    if x is None or aggregate.function != "COUNT" or isinstance(x.unnest(), exp.Column):
        return aggregate
    if {sheet.part_of(name) for name in columns_of(x)} != {RANGES}:
        return aggregate
    there = exp.Not(this=exp.Is(this=exp.Paren(this=x.copy()), expression=exp.Null()))
    return replace(aggregate, argument=None, only=both(aggregate.only, there))


def _is_number(node: exp.Expr | None, text: str) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.name == text
