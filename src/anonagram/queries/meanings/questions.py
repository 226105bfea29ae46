"""Refuses a question for another database if anything in it would mean something else there."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, NoReturn

from sqlglot import exp

from anonagram.queries.kinds import DOUBLE, Kind, kind_of_column
from anonagram.queries.meanings.letters import Letters
from anonagram.queries.meanings.refusals import REFUSALS, remedy
from anonagram.queries.meanings.statements import Refuse
from anonagram.queries.meanings.translator import Translator, Typed

if TYPE_CHECKING:
    from anonagram.queries.reading.question import Question
    from anonagram.release.sheet import Sheet

AGGREGATES = {"COUNT", "SUM", "AVG", "MIN", "MAX", "DISTINCT", "QUANTILE_CONT", "QUANTILE_DISC"}
"""Those whose statements were proven to answer alike."""
OVER_ANSWERS = ("having", "order")


def refusing(question: Question, database: str = "PostgreSQL") -> Refuse:
    """How to say of a question that a part of it would mean something else there."""

    def refuse(node: exp.Expr | str, reason: str) -> NoReturn:
        text = node if isinstance(node, str) else node.sql("duckdb")
        why = REFUSALS[reason].why
        question.refuse(node, f"{database} is not asked {text}: {why}.", remedy())

    return refuse


def require_alike(question: Question, sheet: Sheet, database: str = "PostgreSQL") -> None:
    """Refuse a question that another database would understand in another way."""
    refuse = refusing(question, database)
    for aggregate in question.aggregates:
        if aggregate.function not in AGGREGATES:
            refuse(aggregate.function, "aggregate")
    kinds = {name: kind_of_column(dtype) for name, dtype in sheet.dtypes.items()}
    letters = Letters(tuple(sheet.tables.values()))
    of_people = Translator(lambda column: _typed(column, kinds), refuse, letters)
    for name in (field.name for field in fields(question) if field.name not in OVER_ANSWERS):
        for expression in _expressions(getattr(question, name)):
            of_people.read(expression)
    answers = {key.name: of_people.read(key.expression).kind for key in question.keys}
    for aggregate in question.aggregates:
        if aggregate.function in ("MIN", "MAX") and aggregate.argument is not None:
            answers[aggregate.name] = of_people.read(aggregate.argument).kind
    of_answers = Translator(lambda column: _typed(column, answers), refuse, letters)
    if question.having is not None:
        of_answers.read(question.having)
    for each in question.order:
        of_answers.read(each.this)


def _typed(column: exp.Expr, kinds: dict[str, Kind]) -> Typed:
    # whatever else is asked about people as a whole is a number
    return Typed(kinds.get(column.name, Kind(DOUBLE)), column.copy())


def _expressions(value: object) -> list[exp.Expr]:
    """Every expression in a part of a question, whatever parts it is made of."""
    if isinstance(value, exp.Expr):
        return [value]
    if isinstance(value, tuple):
        return [each for part in value for each in _expressions(part)]
    if is_dataclass(value):
        return [each for part in fields(value) for each in _expressions(getattr(value, part.name))]
    return []
