"""How Anatomy grows: its passes against np.lexsort of the same columns, and the whole command.

    python -m benchmarks.scaling.anatomy [--rows 10000 100000 1000000 10000000]

Partition, arrangement and counting are timed on codes in memory, best of three, in the same run as
np.lexsort over the seven quasi-identifiers; then the whole way from a CSV file to a Parquet bundle.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from anonagram import Anatomy, Key, Microdata
from anonagram.cli.screen import steps
from anonagram.kernels.histogram import count_in_groups
from anonagram.partition import Buckets, Diversity
from benchmarks.census import QUASI, census, census_frame

L = 10


def best(work: Callable[[], object], times: int = 3) -> float:
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def passes(microdata: Microdata) -> None:
    """Partition, arrangement, and every published column put in order."""
    key = Key(bytes(32))
    sensitive = microdata.column("Occupation")
    arrangement = Buckets().divide(microdata, Diversity(L), key).arrange(key, "benchmark")
    for name in QUASI:
        microdata.column(name).codes[arrangement.order]
    codes = sensitive.codes[arrangement.order]
    groups = arrangement.starts.size - 1
    count_in_groups(codes, arrangement.group_ids - 1, groups, sensitive.cardinality)


def whole_way(rows: int, folder: Path) -> dict[str, float]:
    table = folder / "census.csv"
    census_frame(rows).write_csv(table)
    schema = dict.fromkeys(QUASI, "quasi") | {"Occupation": "sensitive", "Salary": "drop"}
    with steps() as seconds:
        release = Anatomy(L).anonymize(Microdata.read(table, schema), Key(bytes(32)))
        begun = time.perf_counter()
        release.write(folder / "release", force=True)
        seconds["Writing"] = time.perf_counter() - begun
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000, 10_000_000]
    )
    sizes = parser.parse_args().rows
    passes(census(1000))  # compile
    print(f"anatomy(l={L}), 7 quasi-identifiers; seconds\n")
    print(
        "      rows   lexsort   passes   ratio  growth |"
        "  read  encode  group  order  check  write  peak GiB"
    )
    before: tuple[int, float] | None = None
    for rows in sizes:
        microdata = census(rows)
        columns = [microdata.column(name).codes for name in QUASI]
        sort = best(lambda columns=columns: np.lexsort(columns))
        ours = best(lambda microdata=microdata: passes(microdata))
        # the exponent b of rows^b between this size and the one before
        growth = f"{np.log(ours / before[1]) / np.log(rows / before[0]):.2f}" if before else ""
        before = (rows, ours)
        del microdata, columns
        with tempfile.TemporaryDirectory() as folder:
            way = whole_way(rows, Path(folder))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        names = (
            "Reading",
            "Encoding",
            "Grouping",
            "Rearranging",
            "Checking the promise",
            "Writing",
        )
        shown = "  ".join(f"{way[name]:5.2f}" for name in names)
        print(
            f"{rows:10,} {sort:9.4f} {ours:8.4f} {ours / sort:7.2f} {growth:>7} | {shown}  {peak:7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
