"""Questions in SQL about a graph: the two tables of entities and the edges between them."""

from anonagram.graphs.questions.ask import ask

__all__ = ["ask"]
