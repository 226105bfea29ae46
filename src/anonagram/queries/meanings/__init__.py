"""One meaning in every database: questions as DuckDB understands them, written for PostgreSQL."""

# importing a file of rules makes them known
from anonagram.queries.meanings import casts, logic, numbers, texts, times, values
from anonagram.queries.meanings.questions import refusing, require_alike
from anonagram.queries.meanings.refusals import REFUSALS, remedy
from anonagram.queries.meanings.statements import translate_statement
from anonagram.queries.meanings.translator import RULES, Translator, Typed

__all__ = [
    "REFUSALS",
    "RULES",
    "Translator",
    "Typed",
    "casts",
    "logic",
    "numbers",
    "refusing",
    "remedy",
    "require_alike",
    "texts",
    "times",
    "translate_statement",
    "values",
]
