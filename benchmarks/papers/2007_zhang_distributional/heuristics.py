"""How far the heuristics of chapter 5 are from the least sum of ranges, on random groups."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from anonagram.columns.trees import balanced
from anonagram.kernels.personal import BOTTOM_UP, ONE_GROUP, TOP_DOWN, Kinds, Scale, divide
from anonagram.methods.least_ranges import divide_best

WAYS = {"one_group": ONE_GROUP, "top_down": TOP_DOWN, "bottom_up": BOTTOM_UP}


def scale_of(values: int) -> Scale:
    tree = balanced(pl.Series(range(values)), 2)
    codes = (tree.nodes.high - tree.nodes.low).astype(np.int64)
    return Scale(tree.nodes, tree.weights, tree.ranges("numeric"), codes)


def random_kinds(scale: Scale, rows: int, random: np.random.Generator) -> Kinds:
    """People with any value, each of whom asks for any node above it."""
    nodes = scale.nodes
    leaf = {int(nodes.low[n]): int(n) for n in np.flatnonzero(nodes.children == 0)}
    people = []
    for value in random.integers(0, len(leaf), rows).tolist():
        way = [leaf[value]]
        while nodes.parent[way[-1]] >= 0:
            way.append(int(nodes.parent[way[-1]]))
        people.append((value, way[random.integers(0, len(way))]))
    counted = sorted(Counter(people).items())
    return Kinds(
        *(np.array(each, np.int64) for each in zip(*((*p, n) for p, n in counted), strict=True))
    )


def sums_of(kinds: Kinds, scale: Scale) -> list[float]:
    """The sum of ranges by each heuristic, and the least."""
    starts = np.array([0, kinds.code.size])
    made = [
        divide(kinds._replace(left=kinds.left.copy()), starts, scale, way) for way in WAYS.values()
    ]
    made.append(divide_best(kinds, starts, scale))
    return [float((scale.wide[slots.node] * slots.count).sum()) for _, slots in made]


def compare(groups: int) -> None:
    """Mean and worst ratio to the least sum, where that is not 0."""
    print(f"\nChapter 5: sum of ranges over the least one, {groups:,} random groups (thesis: open)")
    print(
        f"{'people, values':>14} " + " ".join(f"{name + ' mean, worst, best':>30}" for name in WAYS)
    )
    random = np.random.default_rng(0)
    for rows, values in ((5, 8), (10, 8), (10, 16), (20, 16)):
        scale = scale_of(values)
        sums = np.array(
            [sums_of(random_kinds(scale, rows, random), scale) for _ in range(-(-groups // 4))]
        )
        some = sums[sums[:, -1] > 0]
        ratios = some[:, :-1] / some[:, -1:]
        best = (sums[:, :-1] <= sums[:, -1:] + 1e-9).mean(axis=0)
        cells = zip(ratios.mean(axis=0), ratios.max(axis=0), best, strict=True)
        told = " ".join(f"{m:14.2f} {w:7.2f} {b:7.0%}" for m, w, b in cells)
        print(f"{f'{rows}, {values}':>14} {told}", flush=True)
