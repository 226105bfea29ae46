"""A statement in the words of the database that runs it, with the meaning it has in questions."""

from __future__ import annotations

import sqlglot

from anonagram.queries.meanings import refusing, require_alike, translate_statement
from anonagram.queries.on_spark import for_spark, require_plain
from anonagram.queries.reading.question import DIALECT, Question
from anonagram.release.sheet import Sheet


def in_dialect(
    text: str, dialect: str, question: Question, sheet: Sheet, *, pretty: bool = False
) -> str:
    """A statement in the dialect of questions, for a database; refused if it would differ there."""
    if dialect == DIALECT and not pretty:
        return text
    tree = sqlglot.parse_one(text, read=DIALECT)
    if dialect == "postgres":
        require_alike(question, sheet)
        tree = translate_statement(tree, sheet.tables, refusing(question))
    if dialect == "spark":
        require_plain(question, sheet)
        tree = for_spark(tree)
    return tree.sql(dialect, pretty=pretty)


def own_words(text: str, dialect: str) -> str:
    """A statement of our own, in which no word of a question is but names and values."""
    return text if dialect == DIALECT else sqlglot.parse_one(text, read=DIALECT).sql(dialect)
