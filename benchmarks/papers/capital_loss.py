"""The table and the questions of Zhang (2007): AVG of capital losses over ranges of ages."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonagram import Microdata
from anonagram.measures import RowSets, Workload, run_workload
from anonagram.release import Release
from benchmarks.papers.figures import DATA


def adult(quasi: list[str]) -> Microdata | None:
    """The people with a capital loss, up to the age of 80."""
    path = DATA / "adult" / "adult_complete.csv"
    if not path.exists():
        print(f"{path} is absent: Adult is left out")
        return None
    table = pl.read_csv(path).filter(pl.col("capital-loss") > 0)
    loss = table["capital-loss"]
    print(
        f"Adult with a capital loss: {table.height:,} rows, {loss.n_unique()} values, "
        f"{loss.min()} to {loss.max()} (thesis: 1,427 rows, 89 values, 155 to 3,900)"
    )
    folder = DATA / "adult" / "hierarchies"
    schema: dict[str, object] = {
        name: {"role": "quasi", "hierarchy": str(folder / f"adult_hierarchy_{name}.csv")}
        for name in quasi
    }
    schema["capital-loss"] = "sensitive"
    # as in the thesis: six people above 80 would take all meaning from generalized ages
    return Microdata.read(table.filter(pl.col("age") <= 80).select(list(schema)), schema)


def age_ranges(microdata: Microdata, span: int, queries: int) -> Workload:
    """AVG over random intervals of ages of a given span."""
    age, loss = microdata.column("age"), microdata.column("capital-loss")
    years = age.domain.to_numpy()
    lows = np.random.default_rng(span).integers(
        years[0], max(years[0] + 1, years[-1] - span + 1), queries
    )
    firsts, stops = np.searchsorted(years, lows), np.searchsorted(years, lows + span, "right")
    return Workload(
        "AVG", (age,), np.zeros((queries, 1), np.int64), firsts[:, None], stops[:, None], loss
    )


def width(release: Release, microdata: Microdata, workload: Workload | RowSets) -> float:
    return run_workload(release, microdata, workload).width.mean
