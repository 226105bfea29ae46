"""Columns that tell how many edges an entity has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import SchemaError
from anonagram.graphs.graph import Graph
from anonagram.graphs.schema import SIDES, Side
from anonagram.microdata import Column

TELLS = 0.9
"""The share of entities whose degree a column may not tell."""


def refuse_degrees(graph: Graph) -> None:
    """Refuse a column that tells how many neighbours entities have.

    The edges are published as they are, so whoever knows an entity's degree finds its node.
    """
    for side in SIDES:
        for name in telling_degrees(graph, side):
            raise SchemaError(
                f"{graph.table(side).label}: column {name!r} tells how many edges an "
                "entity has. Edges are published as they are, so it would tell which node of "
                "the graph is whose.",
                'give it the role "drop".',
            )


def telling_degrees(graph: Graph, side: Side) -> list[str]:
    """The columns of a side that tell how many neighbours its entities have."""
    degrees = graph.degrees(side)
    return [
        column.name
        for column in graph.table(side).columns
        if _equals(column, degrees) or _determines(column, degrees)
    ]


def _equals(column: Column, degrees: NDArray[np.int64]) -> bool:
    """Whether a number is the degree, for nearly all entities."""
    if not column.domain.dtype.is_numeric() or len(column.domain) < 2:
        return False
    values = np.append(column.domain.cast(float).to_numpy(), np.nan)[column.codes]
    return bool((values == degrees).mean() >= TELLS)


def _determines(column: Column, degrees: NDArray[np.int64]) -> bool:
    """Whether entities with equal values nearly always have equal degrees, and others others.

    Values that only one entity has say nothing about it.
    """
    often = column.counts[column.codes] > 1
    if often.mean() < TELLS or np.unique(degrees[often]).size < 2:
        return False
    pairs = column.codes[often].astype(np.int64) * (int(degrees.max()) + 1) + degrees[often]
    met, counts = np.unique(pairs, return_counts=True)
    most = np.zeros(column.cardinality, np.int64)
    np.maximum.at(most, met // (int(degrees.max()) + 1), counts)
    commonest = np.bincount(degrees[often]).max()
    # most entities have few edges: what counts is how much more is known with the column
    return bool(most.sum() >= TELLS * often.sum() and most.sum() > commonest + often.sum() * 0.05)
