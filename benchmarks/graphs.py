"""Graphs for benchmarks: the real ones where they are, and random ones with their degrees."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram import Graph
from benchmarks.papers.figures import DATA

SCHEMA = {
    "left": {"author_id": "identifier", "country": "quasi"},
    "right": {"paper_id": "identifier", "venue": "plain"},
    "edges": {"author_id": "left", "paper_id": "right"},
}
KINDS = 10
"""Countries and venues; each has a tenth of all, so conditions can select any tenth."""


def real_graph(name: str) -> Graph | None:
    """The graph of dblp or acl with a made-up country and venue each; None where it is absent."""
    folder = DATA / name
    if not folder.exists():
        return None
    tables = {
        side: pl.read_csv(folder / f"{side}.csv", infer_schema=False)
        for side in ("authors", "papers", "edges")
    }
    return labelled(tables["authors"]["author_id"], tables["papers"]["paper_id"], tables["edges"])


def random_graph(lefts: int, rights: int, edges: int, seed: int = 1) -> Graph:
    """Edges between ends drawn with the skew that authors and papers have (a few have very many)."""
    random = np.random.default_rng(seed)
    left, right = (
        _stubs(random, count, edges + edges // 1000, skew, min(400, across // 60))
        for count, skew, across in ((lefts, 1.9, rights), (rights, 3.6, lefts))
    )
    # a few more than asked were drawn, because some come twice
    both = random.permutation(np.unique(left * rights + right))[:edges]
    left, right = np.divmod(both, rights)
    frame = pl.DataFrame({"author_id": left, "paper_id": right})
    return labelled(pl.Series(np.arange(lefts)), pl.Series(np.arange(rights)), frame)


def _stubs(
    random: np.random.Generator, count: int, edges: int, skew: float, most: int
) -> NDArray[np.int64]:
    """The ends of edges: everybody once, the rest by Pareto's weights, about so many at most."""
    weights = random.pareto(skew, count) + 0.05
    weights = np.minimum(weights, weights.mean() * most * count / edges / 2)
    rest = random.choice(count, max(edges - count, 0), p=weights / weights.sum())
    return random.permutation(np.append(np.arange(count), rest)[:edges])


def labelled(authors: pl.Series, papers: pl.Series, edges: pl.DataFrame) -> Graph:
    """A graph whose entities have labels that tell nothing of their edges."""
    random = np.random.default_rng(2)
    label = [random.integers(0, KINDS, len(each)) for each in (authors, papers)]
    return Graph.read(
        {"author_id": authors, "country": label[0]},
        {"paper_id": papers, "venue": label[1]},
        edges.select("author_id", "paper_id"),
        SCHEMA,
        names=("authors", "papers"),
    )
