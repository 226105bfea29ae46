"""Questions in SQL, and answers with bounds that always hold."""

from anonagram.queries.answers import Answer, Answers, Estimate, Likely
from anonagram.queries.ask import Asked, ask
from anonagram.queries.databases import database_with, load
from anonagram.queries.reading.question import Question
from anonagram.queries.rearranged.help_table import help_table

__all__ = [
    "Answer",
    "Answers",
    "Asked",
    "Estimate",
    "Likely",
    "Question",
    "ask",
    "database_with",
    "help_table",
    "load",
]
