"""A model trained on worlds beside one trained on the original, both scored on people held out.

    python -m benchmarks.learning.training [--tables adult acs hospital]

Half of a table is released; the other half is guessed by a logistic model of attributes and pairs.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl

from anonagram import Key, Method, Microdata
from anonagram.prediction.features import Features
from anonagram.prediction.logistic import Logistic
from benchmarks.learning.tables import TABLES, read_table

KEY = Key(bytes(32))
WORLDS = 3
PASSES = 6
PARTITIONS = ("buckets", "neighbours", "alike")


def score(train: pl.DataFrame, held_out: pl.DataFrame, sensitive: str) -> float:
    """How many of those held out are guessed right."""
    both = pl.concat([train, held_out.cast(train.schema)])
    domain = both[sensitive].unique().sort()
    codes = domain.search_sorted(both[sensitive]).to_numpy().astype(np.int32)
    quasi = [both[name] for name in both.columns if name != sensitive]
    features = Features.of(quasi, len(domain)).with_pairs(len(domain))
    here, there = np.arange(train.height), np.arange(train.height, both.height)
    model = Logistic.of(features.taken(here), len(domain))
    model.fit_known(codes[here], PASSES)
    guess, _, _ = model.predict(features.taken(there), codes[there])
    return float((guess == codes[there]).mean())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--rows", type=int)
    words = parser.parse_args()
    for name in words.tables:
        microdata, sensitive = read_table(name, words.rows)
        order = np.random.default_rng(0).permutation(microdata.rows).astype(np.int32)
        half, rest = np.array_split(order, 2)
        released = Microdata.read(microdata.take(half).frame(), roles_of(microdata))
        original, held_out = released.frame(), microdata.take(rest).frame()
        print(f"{name}: trained on the original {score(original, held_out, sensitive):.2%}")
        for partition in PARTITIONS:
            method = Method.parse(f'anatomy(l=4, partition="{partition}")')
            release = method.anonymize(released, KEY)
            for learned in (False, True):
                worlds = release.worlds(WORLDS, seed=1, learned=learned)
                found = [score(world, held_out, sensitive) for world in worlds]
                kind = "learned" if learned else "even"
                print(f"{name} {partition}, {kind}: {np.mean(found):.2%}, {max(found):.2%} at best")


def roles_of(microdata: Microdata) -> dict[str, object]:
    return {c.name: {"role": c.role, "kind": c.kind} for c in microdata.columns}


if __name__ == "__main__":
    main()
