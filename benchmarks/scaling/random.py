"""How random anonymization grows, against np.random.permutation of the same length per attribute.

    python -m benchmarks.scaling.random [--rows 100000 1000000 10000000]

Choosing, drawing and reordering nine attributes of a census-like table on codes in memory, best of
three, in one run with one np.random.permutation for each attribute; λ = 1 and λ = 3.
"""

from __future__ import annotations

import argparse

import numpy as np

from anonagram import Key, Microdata, Random
from anonagram.release import PerturbedRelease, describe
from benchmarks.census import DOMAINS, census_frame
from benchmarks.scaling.anatomy import best

KEY = Key(bytes(32))


def work(method: Random, microdata: Microdata) -> None:
    """Everything but reading, checking and writing: choose, replace, reorder, decode."""
    manifest = describe(repr(method), microdata, KEY, None)
    manifest = manifest.with_layout(PerturbedRelease.own_names(manifest.columns))
    method.rearrange(microdata, KEY, manifest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    sizes = parser.parse_args().rows
    print(f"{'rows':>12} {'9 permutations s':>17} {'random()':>10} {'random(attributes=3)':>21}")
    for rows in sizes:
        microdata = Microdata.read(census_frame(rows), dict.fromkeys(DOMAINS, "quasi"))
        permuting = best(lambda n=rows: [np.random.permutation(n) for _ in DOMAINS])
        methods = (Random(), Random(attributes=3))
        for method in methods:
            work(method, microdata)  # compiled
        ratios = [best(lambda m=m, d=microdata: work(m, d)) / permuting for m in methods]
        print(f"{rows:12,} {permuting:17.3f} {ratios[0]:9.2f}× {ratios[1]:20.2f}×", flush=True)


if __name__ == "__main__":
    main()
