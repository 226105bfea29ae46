"""How distributional privacy grows: grouping and generalizing against np.argsort of the same values.

    python -m benchmarks.scaling.distributional [--rows 100000 1000000 10000000] [--groups 1000]
        [--fakes 10000]

Five columns, a uniform target, groups by one of the columns: rows are put into random order inside
their groups and the values of each generalized, best of three, in one run with np.argsort of the
sensitive column. Then what groups tell beyond the target, as Kullback-Leibler divergence in bits:
of this release, and of the same groups' values counted, as Anatomy publishes them.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl

from anonagram import Distributional, Key, Microdata
from anonagram.columns.trees import balanced, node_masses
from anonagram.kernels.fakes import place_fakes
from anonagram.methods.subdomains import Told
from benchmarks.scaling.anatomy import best

KEY = Key(bytes(32))
VALUES = 5_000
SHOWN = 20_000
"""Rows of the table whose groups are looked at one by one."""


def people(rows: int, groups: int) -> Microdata:
    random = np.random.default_rng(0)
    area = random.integers(0, groups, rows)
    pay = random.normal(VALUES / 2 + area % 50, VALUES / 8, rows).clip(0, VALUES - 1).astype(int)
    table = pl.DataFrame(
        {
            "area": area,
            "age": random.integers(17, 80, rows),
            "sex": random.integers(0, 2, rows),
            "job": random.integers(0, 40, rows),
            "pay": pay,
        }
    )
    quasi = dict.fromkeys(["area", "age", "sex", "job"], "quasi")
    return Microdata.read(table, quasi | {"pay": "sensitive"})


def work(method: Distributional, microdata: Microdata, told: dict[str, list[Told]]) -> int:
    arrangement = method._grouped(microdata, KEY).arrange(KEY, "benchmark")
    return method._generalize(microdata.column("pay"), told["pay"], arrangement).node.size


def leaks() -> tuple[float, float]:
    """Bits that a group tells beyond the target, weighted by rows: ours, and if it is counted.

    Groups are far from 16 values being equally likely, but no value fills a quarter of any: what
    Anatomy publishes of them, at l = 4.
    """
    random = np.random.default_rng(1)
    area = random.integers(0, 20, SHOWN)
    pay = (random.integers(0, 16, SHOWN) * random.integers(8, 17, SHOWN) // 16 + area % 4) % 16
    table = pl.DataFrame({"area": area, "pay": pay})
    most = (
        table.group_by("area", "pay")
        .len()
        .group_by("area")
        .agg(pl.col("len").max() / pl.col("len").sum())
    )
    assert most["len"].max() <= 1 / 4  # type: ignore[operator]
    data = Microdata.read(table, {"area": "quasi", "pay": "sensitive"})
    release = Distributional("uniform", ["area"]).anonymize(data, KEY)
    target = release.tree("pay").probabilities
    sizes = release.group_sizes().sort("group")["rows"].to_numpy()
    told = [bits(release.belief("pay", group), target) for group in range(sizes.size)]
    counted, rows = [], []
    for group in table.partition_by("area"):
        shares = np.bincount(group["pay"].to_numpy(), minlength=target.size) / group.height
        counted.append(bits(shares, target))
        rows.append(group.height)
    return float(np.average(told, weights=sizes)), float(np.average(counted, weights=rows))


def fakes(rows: int) -> None:
    """The best fakes of one group: at most a fifth of its rows."""
    random = np.random.default_rng(2)
    tried = {
        "uniform": random.integers(0, 2048, rows),
        "bell": random.normal(1024, 300, rows).clip(0, 2047).astype(int),
        "low values": random.exponential(300, rows).clip(0, 2047).astype(int),
    }
    tree, most = balanced(pl.Series(range(2048)), 2), rows // 5
    print(f"\n{most:,} fakes at most for {rows:,} values, uniform target over 2,048 values")
    for name, values in tried.items():
        counts = node_masses(tree, np.bincount(values, minlength=2048).astype(float)).astype(int)
        given = counts, tree.nodes, tree.weights, tree.ranges("numeric")
        plain, plan = place_fakes(*given, 0), place_fakes(*given, most)
        seconds = best(lambda given=given: place_fakes(*given, most), 1)
        sums = f"sum of ranges {plain.cost:,.0f} -> {plan.cost:,.0f}"
        print(f"{name:>12}: {plan.fakes:,} fakes, {sums}, {seconds:.1f} s")


def bits(belief: np.ndarray, target: np.ndarray) -> float:
    there = belief > 0
    return float((belief[there] * np.log2(belief[there] / target[there])).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--groups", type=int, default=1000)
    parser.add_argument("--fakes", type=int, default=10_000, help="rows of a group with fakes")
    given = parser.parse_args()
    method = Distributional("uniform", ["area"])
    print(f"{'rows':>12} {'argsort s':>10} {'times of it':>12} {'subdomains':>12}")
    for rows in given.rows:
        microdata = people(rows, given.groups)
        told = method._told(microdata)
        number = work(method, microdata, told)  # compiled
        values = microdata.column("pay").decode(microdata.column("pay").codes).to_numpy()
        sort = best(lambda values=values: np.argsort(values))
        ratio = best(lambda m=microdata, t=told: work(method, m, t)) / sort
        print(f"{rows:12,} {sort:10.4f} {ratio:11.2f}× {number:12,}", flush=True)
    fakes(given.fakes)
    ours, theirs = leaks()
    print(f"\nbits told beyond the target, a person: {ours:.2e}; Anatomy at l = 4: {theirs:.3f}")


if __name__ == "__main__":
    main()
