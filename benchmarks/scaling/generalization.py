"""Full-domain generalization against np.lexsort of the same columns.

    python -m benchmarks.scaling.generalization [--rows 30162 302000 1000000]

From encoded columns to the proved optimum, CPU seconds, best of several, in the same run as np.lexsort
of the seven int32 columns. Larger tables are rows of Adult drawn anew, their age moved by -2 to 2.
Adult is read from the folder ANONAGRAM_DATA names (or ../shared/data); where it is absent, a
census-like table stands in for it.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import polars as pl

from anonagram import Key, Method, Microdata, Optimal
from anonagram.methods.mondrian import Mondrian
from benchmarks.census import census_frame
from benchmarks.papers.figures import DATA

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
ADULT = DATA / "adult"
GOALS = {
    "k=5": ("k_anonymity(k=5)",),
    "k=5, distinct l=4": ("k_anonymity(k=5)", "distinct_l_diversity(l=4)"),
    "k=5, t=0.2": ("k_anonymity(k=5)", "t_closeness(t=0.2)"),
}


def best(work: Callable[[], object], times: int) -> float:
    seconds = []
    for _ in range(times):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def adult(rows: int) -> Microdata:
    """Adult, or rows of it drawn anew."""
    table = pl.read_csv(ADULT / "adult_complete.csv").select(*QUASI, "occupation")
    if rows > table.height:
        random = np.random.default_rng(0)
        drawn = table[random.integers(0, table.height, rows)]
        moved = np.clip(drawn["age"].to_numpy() + random.integers(-2, 3, rows), 17, 90)
        table = drawn.with_columns(age=pl.Series(moved))
    else:
        table = table.head(rows)
    files = {name: ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv" for name in QUASI}
    schema = {name: {"role": "quasi", "hierarchy": str(file)} for name, file in files.items()}
    return Microdata.read(table, {**schema, "occupation": "sensitive"})


def stand_in(rows: int) -> Microdata:
    """A census-like table with hierarchies of its own."""
    table = census_frame(rows).drop("Salary")
    schema = {name: "sensitive" if name == "Occupation" else "quasi" for name in table.columns}
    return Microdata.read(table, schema)


def nearly_all_different(rows: int) -> Microdata:
    """A 5-digit zip code, an age, a day: people who are nearly all alone, and 9,000 nodes."""
    random = np.random.default_rng(0)
    codes = random.integers(10_000, 99_999, rows)
    table = pl.DataFrame(
        {
            "zip": [str(code) for code in codes],
            "age": random.integers(0, 100, rows),
            "pay": random.integers(0, 5000, rows),
            "height": random.integers(140, 210, rows),
            "town": random.integers(0, 40, rows).astype(str),
            "ill": random.integers(0, 20, rows).astype(str),
        }
    )
    mask = {"role": "quasi", "kind": "nominal", "hierarchy": "mask()"}
    ages = {"role": "quasi", "hierarchy": "intervals(width=2, levels=6)"}
    wide = {"role": "quasi", "hierarchy": "intervals(width=5, levels=10)"}
    schema = {"zip": mask, "age": ages, "pay": wide, "height": ages, "town": "quasi"}
    return Microdata.read(table, {**schema, "ill": "sensitive"})


def row(name: str, method: Optimal, data: Microdata, sort: float, times: int) -> None:
    """One line: the search, as a ratio to sorting."""
    lattice, rule = method.lattice(data)
    node = lattice.best(rule)

    def search() -> None:
        made, limit = method.lattice(data)
        made.best(limit)

    ours = best(search, times)
    print(
        f"{data.rows:>9,}  {name:<28}{ours:>9.3f}{ours / sort:>8.2f}  {node.looked_at:>6,}"
        f" of {lattice.size:>6,}{node.cost:>10.4f}{node.suppressed:>9,}"
    )


def compare(data: Microdata, times: int) -> None:
    """All goals, with suppression and without; then Mondrian."""
    quasi = data.with_role("quasi")
    sort = best(lambda: np.lexsort([column.codes for column in quasi]), times)
    print(f"{data.rows:>9,}  {'lexsort':<28}{sort:>9.3f}{1:>8.2f}")
    for name, goal in GOALS.items():
        for suppress in (0.04, 0.0):
            method = Optimal(*goal, suppress=suppress, suppressed="left_out", cost="geometric_loss")
            row(f"{name}, {suppress:.0%} suppressed", method, data, sort, times)
    method = Mondrian("k_anonymity(k=5)")
    tests = method.tests(data)
    cut = best(lambda: method.cut(data, tests, [None] * len(quasi), Key(bytes(32))), times)
    print(f"{data.rows:>9,}  {'mondrian k=5':<28}{cut:>9.3f}{cut / sort:>8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[30_162, 302_000, 1_000_000])
    parser.add_argument("--different", type=int, default=63_000)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    Method.parse("mondrian(k_anonymity(k=2), l_diversity(l=2))").anonymize(
        stand_in(1000), Key(bytes(32))
    )  # compile
    print(f"{'rows':>9}  {'':<28}{'seconds':>9}{'ratio':>8}   looked at       cost  suppressed")
    for rows in given.rows:
        compare(adult(rows) if ADULT.exists() else stand_in(rows), given.times)
    data = nearly_all_different(given.different)
    sort = best(lambda: np.lexsort([c.codes for c in data.with_role("quasi")]), given.times)
    for suppress in (0.04, 0.0):
        method = Optimal(GOALS["k=5"][0], suppress=suppress, suppressed="left_out")
        row(f"all different, {suppress:.0%}", method, data, sort, 2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak {peak:.2f} GiB")


if __name__ == "__main__":
    main()
