"""Cells of counts from groups alone, from learned worlds and from the draw of groups.

    python -m benchmarks.learning.estimates [--tables adult acs hospital] [--cells 1000]

A cell has one value of each of two quasi-identifiers and one sensitive value, or for (k,e) an amount of
at least the median, and at least ten people. Error of the mean over worlds, how often 1.96 deviations
between worlds hold the truth, and, where groups were drawn given the value, how often the interval does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram import Key, Method, Microdata
from anonagram.learning import ByDesign
from anonagram.release import Release
from benchmarks.attacks.run import TABLES as AMOUNTS
from benchmarks.learning.tables import TABLES, read_table
from benchmarks.papers.figures import DATA

KEY = Key(bytes(32))
LEAST = 10
WORLDS = 20
NORMAL_95 = 1.96
METHODS = (
    'anatomy(l=4, partition="buckets")', 'anatomy(l=4, partition="neighbours")',
    'anatomy(l=4, partition="alike")', "permutation(l=4)",
)  # fmt: skip
Cell = tuple[tuple[str, str], tuple[object, object], object]
"""Two quasi-identifiers, their values, and the sensitive value."""


def draw_cells(frame: pl.DataFrame, sensitive: str, number: int, least: int = LEAST) -> list[Cell]:
    """Cells around random people."""
    random = np.random.default_rng(1)
    quasi = [name for name in frame.columns if name != sensitive]
    cells: list[Cell] = []
    for _ in range(50):
        people = frame[random.integers(frame.height, size=number)].rows(named=True)
        drawn = []
        for person in people:
            one, other = sorted(random.choice(quasi, 2, replace=False).tolist())
            drawn.append(((one, other), (person[one], person[other]), person[sensitive]))
        some = count_cells(frame, sensitive, drawn) >= least
        cells += [cell for cell, is_some in zip(drawn, some, strict=True) if is_some]
        if len(cells) >= number:
            break
    return cells[:number]


def count_cells(frame: pl.DataFrame, sensitive: str, cells: list[Cell]) -> NDArray[np.int64]:
    """How many people of a table are in each cell."""
    pairs = {names for names, _, _ in cells}
    counts = {
        names: {row[:3]: row[3] for row in frame.group_by(*names, sensitive).len().iter_rows()}
        for names in pairs
    }
    return np.array([counts[names].get((*values, last), 0) for names, values, last in cells])


def in_classes(frame: pl.DataFrame, sensitive: str, middle: float | None) -> pl.DataFrame:
    """The table with amounts as below or above the middle."""
    return frame if middle is None else frame.with_columns(pl.col(sensitive) >= middle)


def report(
    name: str, truth: NDArray[np.int64], worlds: Iterable[NDArray[np.int64]], more: str = ""
) -> None:
    found = np.stack(list(worlds))
    mean, spread = found.mean(axis=0), found.std(axis=0, ddof=1)
    off = np.abs(mean - truth) / truth
    reach = NORMAL_95 * spread * np.sqrt(1 + 1 / len(found))
    held = (np.abs(mean - truth) <= reach + 0.5).mean()
    print(
        f"{name}: mean {off.mean():.1%}, median {np.median(off):.1%}, ± holds {held:.0%}{more}",
        flush=True,
    )


def by_design(release: Release, sensitive: str, cells: list[Cell], truth: NDArray[np.int64]) -> str:
    """How often the interval holds the truth, and how wide it is."""
    design = ByDesign.of(release.grouped)
    if design is None:
        return ""
    group, counts = release.quasi["group"].to_numpy() - 1, release.sensitive_counts()[sensitive]
    groups, held, widths = design.counts.shape[0], [], []
    for (names, values, last), count in zip(cells, truth, strict=True):
        meets = [pl.col(n).eq_missing(pl.lit(v)) for n, v in zip(names, values, strict=True)]
        people = release.quasi.select(pl.all_horizontal(meets)).to_series().to_numpy()
        there = counts.filter(pl.col("value").eq_missing(pl.lit(last)))
        of_values = np.bincount(there["group"].to_numpy() - 1, there["count"].to_numpy(), groups)
        hits = np.bincount(group[people], minlength=groups).astype(np.float64)
        ends = design.interval(hits, of_values)
        if ends is not None:
            held.append(ends[0] <= count <= ends[1])
            widths.append((ends[1] - ends[0]) / 2 / count)
    return (
        f"; by the draw: interval holds {np.mean(held):.1%} of {len(held):,}, "
        f"reaching {np.median(widths):.0%} to either side in the median"
    )


def measure(
    name: str, microdata: Microdata, sensitive: str, calls: Iterable[str], number: int, middle=None
) -> None:
    table = in_classes(microdata.frame(), sensitive, middle)
    cells = draw_cells(table, sensitive, number)
    truth = count_cells(table, sensitive, cells)
    for call in calls:
        release = Method.parse(call).anonymize(microdata, KEY)
        for learned in (False, True):
            worlds = release.worlds(WORLDS, seed=1, learned=learned)
            counted = (
                count_cells(in_classes(world, sensitive, middle), sensitive, cells)
                for world in worlds
            )
            more = by_design(release, sensitive, cells, truth) if learned and not middle else ""
            report(f"{name} {call}, {'learned' if learned else 'even'}", truth, counted, more)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--rows", type=int)
    words = parser.parse_args()
    for name in words.tables:
        microdata, sensitive = read_table(name, words.rows)
        measure(name, microdata, sensitive, METHODS, words.cells)
        real = AMOUNTS[name]
        if real.amount and (DATA / real.file).exists():
            amounts = real.read(words.rows, amount=True)
            middle = float(amounts.frame()[real.amount].median())
            call = f"ke(k=4, e={real.e:g})"
            measure(f"{name} {real.amount}", amounts, real.amount, [call], words.cells, middle)


if __name__ == "__main__":
    main()
