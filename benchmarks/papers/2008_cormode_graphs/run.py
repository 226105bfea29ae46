"""Cormode, Srivastava, Yu and Zhang (2008), sections 4.3 and 4.5 of Zhang's thesis (2007, chapter 4).

    python -m benchmarks.papers.2008_cormode_graphs.run [--edges 100000] [--graphs dblp acl]

Queries A (mean authors of papers that meet a condition), B (papers with one author that do), C
(papers that do and have an author who meets another) at selectivities from 10 to 90 %; groups by
degree against arbitrary ones; co-authors after permuting edges; nodes that a (k,1) and a (1,l)
release of one graph give away together. The graphs are those of the folder ANONAGRAM_DATA names (or
../shared/data); where they are absent a random one stands in. Countries and venues are made up.
"""

from __future__ import annotations

import argparse

import numpy as np

from anonagram import Graph, Key, SafeGrouping
from anonagram.graphs.baseline import common_neighbours, permute_edges
from benchmarks.graphs import random_graph, real_graph
from benchmarks.papers.figures import print_figure

KEY = Key(bytes(32))
SIZES = ((5, 5), (10, 10), (20, 20), (10, 1), (1, 10))
SELECTED = (1, 3, 5, 7, 9)
"""Tenths of all papers."""
AUTHORS = 8
"""Tenths of all authors in query C, as in the thesis."""
QUERIES = {
    "A": "SELECT AVG(degree) FROM papers WHERE venue < {n}",
    "B": "SELECT COUNT(*) FROM papers WHERE venue < {n} AND degree = 1",
    "C": "SELECT COUNT(DISTINCT paper_id) FROM edges JOIN authors USING (author_id) "
    f"JOIN papers USING (paper_id) WHERE venue < {{n}} AND country < {AUTHORS}",
}


def truth(graph: Graph, query: str, n: int) -> float:
    """The answer of the original."""
    chosen = graph.right.column("venue").codes < n
    degrees = graph.degrees("right")
    if query == "A":
        return float(degrees[chosen].mean())
    if query == "B":
        return float((chosen & (degrees == 1)).sum())
    authors = graph.left.column("country").codes < AUTHORS
    hit = np.zeros(graph.right.rows, bool)
    hit[graph.right_ends[authors[graph.left_ends]]] = True
    return float((hit & chosen).sum())


def errors(graph: Graph, query: str, order: str = "degree") -> dict[str, list[tuple]]:
    """For each grouping and selectivity: half the width of the bounds and the estimate's error."""
    found = {}
    for k, l in SIZES:
        release = SafeGrouping(k, l, order=order).anonymize(graph, KEY)
        found[f"({k},{l})"] = [_error(graph, release, query, n) for n in SELECTED]
    return found


def _error(graph: Graph, release, query: str, n: int) -> tuple[float, float]:
    (row,) = release.query(QUERIES[query].format(n=n))
    (answer,) = row.values()
    true = truth(graph, query, n)
    assert answer.lower - 1e-9 <= true <= answer.upper + 1e-9, query
    return (answer.upper - answer.lower) / (2 * true), abs(answer.estimate - true) / true


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=100_000, help="of the graph that stands in")
    parser.add_argument("--graphs", nargs="+", default=["dblp", "acl"])
    options = parser.parse_args()
    graphs = {name: real_graph(name) for name in options.graphs}
    graphs = {name: graph for name, graph in graphs.items() if graph is not None}
    if not graphs:
        print("the real graphs are absent: a random one stands in")
        edges = options.edges
        graphs = {"random": random_graph(int(edges * 0.29), int(edges * 0.39), edges)}
    for name, graph in graphs.items():
        print(f"\n===== {name}: {graph!r}")
        for query in QUERIES:
            found = errors(graph, query)
            for place, what in enumerate(("half width of bounds", "error of the estimate")):
                print_figure(
                    f"Query {query}: {what}",
                    "papers",
                    [(f"{n}0 %", {s: each[i][place] for s, each in found.items()})
                     for i, n in enumerate(SELECTED)],
                )  # fmt: skip
        print_figure(
            "Query B, groups made in arbitrary order: half width of bounds",
            "papers",
            [(f"{n}0 %", {s: each[i][0] for s, each in errors(graph, "B", "arbitrary").items()})
             for i, n in enumerate(SELECTED)],
        )  # fmt: skip
        show_union(graph)
        show_coauthors(graph)


def show_union(graph: Graph) -> None:
    """Nodes that look like nobody else, which two releases of the same graph give away."""
    lines = []
    for rounds in range(1, 6):
        found = graph.signatures(rounds)
        lines.append((rounds, _classes(found["left"])))
    print_figure(
        "Authors alone in their class, or with few, by rounds of signatures", "rounds", lines
    )


def _classes(numbers) -> dict[str, float]:
    sizes = np.unique(numbers, return_inverse=True, return_counts=True)
    of_each = sizes[2][sizes[1]]
    return {"alone": float((of_each == 1).mean()), "fewer than 10": float((of_each < 10).mean())}


def show_coauthors(graph: Graph) -> None:
    """How many pairs wrote how many papers together, before and after permuting edges."""
    print("\nPairs of authors by papers in common, and the most papers of a pair")
    whole = {"original": graph}
    for size in (4, graph.edges):
        label = "all edges in one group" if size == graph.edges else f"groups of {size} edges"
        whole[label] = permute_edges(graph, size, KEY)
    for label, each in whole.items():
        pairs = common_neighbours(each)
        print(f"{label:>24} {sum(pairs.values()):10,} pairs, {pairs.get(1, 0):10,} once, "
              f"most {max(pairs, default=0):4}")  # fmt: skip
    print(f"{'':>24} a safe grouping keeps them all: the graph is the same")


if __name__ == "__main__":
    main()
