"""How permutation anonymization grows: partition and permutation against np.lexsort, and memory.

    python -m benchmarks.scaling.permutation [--rows 100000 500000] [--algorithm-2-up-to 1000000]

All in one run: np.lexsort over the seven quasi-identifiers, our partitioner with the permutation of
all eight columns (best of three), Algorithm 2 (once) and its largest sub-tables. Peak memory is that
of a fresh process that encodes the table and then makes the groups and permutations.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import numpy as np

from anonagram import Key, Microdata
from anonagram.methods.permutation import shuffle_columns
from anonagram.partition import Diversity, NcpSplit, Neighbours, Partitioner
from anonagram.partition.partitioner import Rows
from benchmarks.census import QUASI, census
from benchmarks.scaling.anatomy import best

L = 10
KEY = Key(bytes(32))


def work(microdata: Microdata, partitioner: Partitioner) -> None:
    arrangement = partitioner.divide(microdata, Diversity(L), KEY).arrange(KEY, "benchmark")
    shuffle_columns(microdata.columns, arrangement, KEY)


MEMORY_SCRIPT = """
import resource, sys, threading, time
from benchmarks.census import census
from benchmarks.scaling.permutation import work
from anonagram.partition import Neighbours
work(census(1000), Neighbours())
microdata = census(int(sys.argv[1]))
import gc; gc.collect()
page = resource.getpagesize()
resident = lambda: int(open('/proc/self/statm').read().split()[1]) * page
before, peak, done = resident(), [0], threading.Event()
def watch():
    while not done.is_set():
        peak[0] = max(peak[0], resident()); time.sleep(0.002)
thread = threading.Thread(target=watch); thread.start()
work(microdata, Neighbours()); done.set(); thread.join()
print(peak[0] - before)
"""


def peak_bytes(rows: int) -> int:
    script = [sys.executable, "-c", MEMORY_SCRIPT, str(rows)]
    return int(subprocess.run(script, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[100_000, 500_000, 1_000_000, 10_000_000]
    )
    parser.add_argument("--algorithm-2-up-to", type=int, default=1_000_000)
    options = parser.parse_args()
    for way in (Neighbours(), NcpSplit()):
        work(census(2000), way)  # compile
    print(f"l = {L}, 7 quasi-identifiers and a sensitive column; seconds\n")
    print(
        "      rows  lexsort     ours  ratio  n log n |"
        "  Alg. 2  ratio  largest sub-tables | bytes / (row × column)"
    )
    before: tuple[int, float] | None = None
    for rows in options.rows:
        microdata = census(rows)
        columns = [microdata.column(name).codes for name in QUASI]
        sort = best(lambda columns=columns: np.lexsort(columns))
        ours = best(lambda microdata=microdata: work(microdata, Neighbours()))
        # 1 where time grows exactly as n log n
        growth = ""
        if before:
            expected = before[1] * rows * np.log(rows) / (before[0] * np.log(before[0]))
            growth = f"{ours / expected:.2f}"
        before = (rows, ours)
        theirs = f"{'':>7} {'':>6} {'':>19}"
        if rows <= options.algorithm_2_up_to:
            begun = time.perf_counter()
            work(microdata, NcpSplit())
            seconds = time.perf_counter() - begun
            starts = NcpSplit().split(Rows.shuffled(microdata, Diversity(L), KEY), KEY)
            sizes = np.sort(np.diff(starts))[::-1][:3].tolist()
            theirs = f"{seconds:7.2f} {seconds / sort:6.1f} {sizes!s:>19}"
        del microdata, columns
        each = peak_bytes(rows) / (rows * 8)
        print(
            f"{rows:10,} {sort:8.3f} {ours:8.3f} {ours / sort:6.2f} {growth:>8} | {theirs} | {each:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
