"""How long safe groupings and questions about graphs take.

    python -m benchmarks.scaling.graphs [--scale 0.1 1] [--size 20]

Random graphs with the skew of authors and papers; at scale 1 as many as the paper's DBLP (402,023
authors, 543,065 papers, 1,401,349 edges). Groups are compared with np.argsort of the
shuffled edges, a question about both sides with the plain join in DuckDB, each in the same run and
in seconds of the processor (all threads), the best of five.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import duckdb
import numpy as np

from anonagram import Key, SafeGrouping
from anonagram.graphs.methods.safe_grouping import safe_groups
from benchmarks.graphs import random_graph

TIMES = 5
KEY = Key(bytes(32))
ASKED = (
    "SELECT COUNT(DISTINCT paper_id) FROM edges JOIN authors USING (author_id) "
    "JOIN papers USING (paper_id) WHERE country < 8 AND venue < 3"
)


def best(work: Callable[[], object]) -> float:
    """The processor's seconds: others at work on the machine disturb them least."""
    seconds = []
    for _ in range(TIMES):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("--size", type=int, default=20, help="k and l")
    options = parser.parse_args()
    size = options.size
    for scale in options.scale:
        graph = random_graph(*(int(scale * each) for each in (402_023, 543_065, 1_401_349)))
        method = SafeGrouping(size, size)
        edges = graph.left_ends.astype(np.int64) * graph.right.rows + graph.right_ends
        edges = np.random.default_rng(0).permutation(edges)
        sort = best(lambda edges=edges: np.argsort(edges))
        print(f"\n{graph!r}; np.argsort of the edges takes {sort:.4f} s")
        for side in ("left", "right"):
            order = method.order_of(graph, side, KEY, 0)
            found = safe_groups(graph, side, size, order, strict=True)
            took = best(lambda m=method, g=graph, s=side: m.group(g, s, size, KEY))
            print(
                f"{graph.name(side):>12} {took / sort:7.2f}× ({took:.3f} s) in groups; "
                f"left over after the first pass {found.first_left:,}, then {found.left:,}"
            )
        begun = time.process_time()
        release = method.anonymize(graph, KEY)
        print(f"{'whole':>12} {(time.process_time() - begun) / sort:7.2f}× to a checked release")
        ask(graph, release)


def ask(graph, release) -> None:
    """A question about both sides, beside the same question about the original in DuckDB."""
    database = duckdb.connect()
    for name, frame in {
        "edges": {"author_id": graph.left_ends, "paper_id": graph.right_ends},
        "authors": {"author_id": np.arange(graph.left.rows)} | _columns(graph.left),
        "papers": {"paper_id": np.arange(graph.right.rows)} | _columns(graph.right),
    }.items():
        database.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
        del frame
    release.query(ASKED)
    ours = best(lambda: release.query(ASKED))
    plain = best(lambda: database.execute(ASKED).fetchall())
    answer = next(iter(release.query(ASKED)[0].values()))
    (truth,) = database.execute(ASKED).fetchone()
    print(
        f"{'question':>12} {ours / plain:7.2f}× the plain join ({plain:.4f} s): truth {truth:,}, "
        f"estimate {answer.estimate:,.1f}, between {answer.lower:,} and {answer.upper:,}"
    )


def _columns(table) -> dict[str, np.ndarray]:
    return {column.name: column.codes for column in table.columns}


if __name__ == "__main__":
    main()
