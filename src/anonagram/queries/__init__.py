"""Questions in SQL, and answers with bounds that always hold."""

from anonagram.queries.answers import Answer, Answers, Estimate
from anonagram.queries.ask import Asked, ask
from anonagram.queries.help_table import help_table
from anonagram.queries.question import Question

__all__ = ["Answer", "Answers", "Asked", "Estimate", "Question", "ask", "help_table"]
