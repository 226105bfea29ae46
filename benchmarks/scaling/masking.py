"""How long masking takes, as a multiple of sorting the masked columns once with np.argsort.

    python -m benchmarks.scaling.masking [--rows 10000 100000 1000000]

Three columns: floats that are all different, whole numbers below 100, and amounts in cents. The
method's own work is from the encoded table to the masked columns; the whole is from the table as
read to the release. The best of three, in one run with the sorting.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl

from anonagram import Key, Method, Microdata
from benchmarks.scaling.anatomy import best

KEY = Key(bytes(32))
CALLS = (
    "rank_swapping(p=5)", "shuffling()", "data_swapping()", "noise()", "correlated_noise()",
    "microaggregation(k=5)",
)  # fmt: skip


def table_of(rows: int) -> pl.DataFrame:
    random = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "a": random.normal(size=rows),
            "b": random.integers(0, 100, rows),
            "c": random.exponential(1000, rows).round(2),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    for rows in parser.parse_args().rows:
        table = table_of(rows)
        roles = dict.fromkeys(table.columns, "quasi")
        columns = [table[name].to_numpy() for name in table.columns]
        sort = best(lambda columns=columns: [np.argsort(each) for each in columns])
        microdata = Microdata.read(table, roles)
        print(f"\n{rows:,} rows; np.argsort of three columns takes {sort:.4f} s")
        for call in CALLS:
            method = Method.parse(call)
            method.publish(microdata, KEY)  # compiled
            chosen = method.chosen(microdata)
            own = best(lambda m=method, c=chosen, d=microdata: m.mask(c, d, KEY))
            whole = best(lambda m=method, t=table, r=roles: m.publish(Microdata.read(t, r), KEY))
            print(f"{call:>24} {own / sort:7.2f}× the method, {whole / sort:7.2f}× the whole")


if __name__ == "__main__":
    main()
