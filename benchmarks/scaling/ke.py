"""How (k,e)-anonymity grows: grouping and permuting against np.argsort of the same values.

    python -m benchmarks.scaling.ke [--rows 2000 100000 1000000 10000000]

Each partitioner makes the groups and puts groups and rows into random order, best of three, in one
run with np.argsort of the values. Once on the encoded column, as methods do it; once with encoding,
from a column of values on. The thesis stops at 2,000 values.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram import Key, Microdata
from anonagram.columns.encoding import encode
from anonagram.partition import Partitioner, Spread
from anonagram.schema import ColumnRule
from anonagram.sources import Table
from benchmarks.scaling.anatomy import best

KEY = Key(bytes(32))
K = 4
CALLS = ("min_sum()", "max_groups()", "min_max()", "random()", "close_rows(factor=2)")


def values_of(kind: str, rows: int) -> tuple[NDArray[np.generic], float]:
    """Values, and an e that some thousandth of their range."""
    random = np.random.default_rng(0)
    if kind == "floats, all different":
        return random.lognormal(10, 1, rows), 10.0
    return random.integers(0, 100_000, rows), 100.0


def work(call: str, microdata: Microdata, e: float) -> int:
    partition = Partitioner.parse(call).divide(microdata, Spread(K, e), KEY)
    partition.arrange(KEY, "benchmark")
    return partition.count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[2000, 100_000, 1_000_000, 10_000_000]
    )
    sizes = parser.parse_args().rows
    for kind in ("floats, all different", "whole numbers below 100,000"):
        print(f"\n{kind}; k = {K}; times of np.argsort")
        print(
            f"{'rows':>12} {'argsort s':>10} {'encode':>7} " + " ".join(f"{c:>21}" for c in CALLS)
        )
        for rows in sizes:
            values, e = values_of(kind, rows)
            table = pl.DataFrame({"age": np.arange(rows) % 77 + 18, "x": values})
            microdata = Microdata.read(table, {"age": "quasi", "x": "sensitive"})
            source = Table(table, "values", is_text=False)
            sort = best(lambda values=values: np.argsort(values))
            coded = best(lambda s=source: encode(s, "x", ColumnRule("sensitive"))) / sort
            cells = []
            for call in CALLS:
                groups = work(call, microdata, e)  # compiled
                ratio = best(lambda call=call, m=microdata, e=e: work(call, m, e)) / sort
                cells.append(f"{ratio:6.2f}× {groups:>10,} gr.")
            print(
                f"{rows:12,} {sort:10.4f} {coded:6.2f}× " + " ".join(f"{c:>21}" for c in cells),
                flush=True,
            )


if __name__ == "__main__":
    main()
