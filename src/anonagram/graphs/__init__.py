"""Bipartite graphs: who bought what, who wrote what, who saw whom."""

from anonagram.graphs.attack import GraphAttack
from anonagram.graphs.graph import Graph
from anonagram.graphs.method import GraphMethod
from anonagram.graphs.schema import GraphSchema

__all__ = ["Graph", "GraphAttack", "GraphMethod", "GraphSchema"]
