"""How the attack of an intruder who knows everything grows with the number of records.

    python -m benchmarks.scaling.linkage [--rows 10000 100000 1000000] [--attributes 5]

Every original record is linked to its nearest masked ones, ties counted, and 10,000 random records
beside them; then some on fewer attributes, and all by equal values. Once with noise that hides nobody,
once with noise under which matches are random: those are further away and take longer. Times are also
given as a multiple of sorting every column once.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from anonagram.attacks import (
    EVERYBODY,
    Aligned,
    AttackResults,
    EqualCells,
    FewerAttributes,
    MaximumKnowledge,
    Target,
)
from anonagram.attacks.results import tried_by

GIB = 2**20
"""getrusage counts kilobytes."""
INTRUDERS = (
    MaximumKnowledge(records=EVERYBODY),
    FewerAttributes(),
    EqualCells(records=EVERYBODY),
)
"""An audit draws people at random; here all are looked for, on fewer attributes some."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--attributes", type=int, default=5)
    chosen = parser.parse_args()
    for noise in (0.02, 0.5):
        print(f"\nnoise of {noise} standard deviations, {chosen.attributes} attributes")
        print(
            f"{'records':>10} {'rank s':>8} {'link s':>8} {'µs a record':>11} {'sorts':>7} "
            f"{'correct':>8} {'peak GiB':>8}"
        )
        for rows in chosen.rows:
            random = np.random.default_rng(0)
            values = random.normal(size=(rows, chosen.attributes))
            values[:, 1:] += values[:, :1]
            masked = values + noise * values.std(axis=0) * random.normal(size=values.shape)
            names = [f"x{j}" for j in range(chosen.attributes)]
            begun = time.perf_counter()
            for j in range(chosen.attributes):
                np.argsort(values[:, j])
            sorting = time.perf_counter() - begun
            begun = time.perf_counter()
            pair = Aligned.read(
                {name: values[:, j] for j, name in enumerate(names)},
                {name: masked[:, j] for j, name in enumerate(names)},
            )
            ranked = time.perf_counter()
            tried = AttackResults.of(INTRUDERS, Target(pair=pair))
            found = tried_by(tried, MaximumKnowledge).figures
            linking = time.perf_counter() - ranked
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / GIB
            print(
                f"{rows:10,} {ranked - begun:8.2f} {linking:8.2f} {1e6 * linking / rows:11.2f} "
                f"{linking / sorting:6.0f}× {found.correct / rows:8.1%} {peak:8.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
