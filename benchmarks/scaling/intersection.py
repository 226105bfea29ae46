"""What two and three releases of the same people leave open, and how long it takes to find out.

    python -m benchmarks.scaling.intersection [--rows 10000 100000 1000000] [--keys 20]

First the demo's hospital (3,000 people, 13 diseases), published again and again with other keys:
how many people have one value left, on average over keys. Then the time on a census-like table for
a new release and two earlier ones: of the clock and of all processors together, best of three.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from anonagram import Key, Method, Microdata, Release
from anonagram.attacks import intersect
from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
from benchmarks.census import census

HOSPITAL_CALLS = (
    "anatomy(l=4)",
    'anatomy(l=4, partition="neighbours")',
    "permutation(l=4)",
    "generalize(l=4)",
)
CENSUS_CALLS = (
    "anatomy(l=10)",
    'anatomy(l=10, partition="neighbours")',
    "permutation(l=10)",
    "generalize(l=10)",
)


def hospital() -> Microdata:
    with tempfile.TemporaryDirectory() as folder:
        schema = Path(folder) / "hospital.toml"
        schema.write_text(HOSPITAL_SCHEMA)
        return Microdata.read(hospital_table(), schema)


def show_pinned(microdata: Microdata, keys: int) -> None:
    print(
        f"{microdata.rows:,} people, mean over {keys} trials: one disease left, fewer than 4 left"
    )
    for call in HOSPITAL_CALLS:
        method, found = Method.parse(call), {2: [], 3: []}
        for trial in range(keys):
            first, *others = (
                method.anonymize(microdata, Key((3 * trial + n).to_bytes(32, "big")))
                for n in range(3)
            )
            for count, figures in found.items():
                left = intersect(microdata, first, others[: count - 1]).columns["disease"]
                figures.append((left.pinned, left.below(4)))
        for count, figures in found.items():
            pinned, below = np.mean(figures, axis=0)
            print(f"{call:40} {count} releases {pinned:8,.1f} {below:10,.1f}", flush=True)


def show_times(sizes: list[int]) -> None:
    print(f"\n{'rows':>10} {'seconds':>9} {'processor':>9}  a new release and two earlier ones")
    for rows in sizes:
        microdata = census(rows)
        for call in CENSUS_CALLS:
            method = Method.parse(call)
            first, *others = (method.anonymize(microdata, Key(bytes([n]) * 32)) for n in range(3))
            intersect(microdata, first, others)  # compiled
            seconds, processor = zip(
                *(spent(microdata, first, others) for _ in range(3)), strict=True
            )
            print(f"{rows:10,} {min(seconds):9.2f} {min(processor):9.2f}  {call}", flush=True)


def spent(microdata: Microdata, release: Release, previous: list[Release]) -> tuple[float, float]:
    clock, processor = time.perf_counter(), time.process_time()
    intersect(microdata, release, previous)
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--keys", type=int, default=20)
    chosen = parser.parse_args()
    show_pinned(hospital(), chosen.keys)
    show_times(chosen.rows)


if __name__ == "__main__":
    main()
