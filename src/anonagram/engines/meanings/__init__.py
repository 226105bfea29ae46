"""One meaning in every database: questions as DuckDB understands them, written for PostgreSQL."""

# importing a file of rules makes them known
from anonagram.engines.meanings import casts, logic, numbers, texts, times, values
from anonagram.engines.meanings.questions import refusing, require_alike
from anonagram.engines.meanings.refusals import REFUSALS, REMEDY
from anonagram.engines.meanings.statements import translate_statement
from anonagram.engines.meanings.translator import RULES, Translator, Typed

__all__ = [
    "REFUSALS",
    "REMEDY",
    "RULES",
    "Translator",
    "Typed",
    "casts",
    "logic",
    "numbers",
    "refusing",
    "require_alike",
    "texts",
    "times",
    "translate_statement",
    "values",
]
