"""Li, He, Cao and Chen (2015), §4: query error over l, w, s, n and d; and what the partition does.

    python -m benchmarks.papers.2015_li_permutation.run [--queries 1000] [--rows 100000] [--charts FOLDER]

The paper's CENSUS is not public; a seeded table like it stands in (benchmarks/census.py). ACS and
Adult are read from the folder ANONAGRAM_DATA names (or ../shared/data) and left out where absent.
Queries whose true answer is 0 have no relative error and are left out.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from anonagram import Key, Microdata
from anonagram.partition import Partition, Partitioner
from anonagram.release.grouped import measure_extents
from anonagram.release.manifest import PublishedColumn
from anonagram.utility import Ncp
from benchmarks.census import census

estimator = importlib.import_module("benchmarks.papers.2015_li_permutation.estimator")

DATA = Path(os.environ.get("ANONAGRAM_DATA", Path(__file__).parents[4] / "shared" / "data"))
# kind of release, partition: the paper's two, each on the other's groups, and ours
SERIES = {
    "PA, ours": ("permuted", "neighbours"),
    "PA, Alg. 2": ("permuted", "ncp_split"),
    "Anatomy, own": ("anatomy", "buckets"),
    "Anatomy, ours": ("anatomy", "neighbours"),
    "Anatomy, Alg. 2": ("anatomy", "ncp_split"),
    "generalized, ours": ("generalized", "neighbours"),
    "generalized, Alg. 2": ("generalized", "ncp_split"),
}
PAPER = "the paper: PA below 14 %, Anatomy 14-25 % (CENSUS, 500k rows)"


def key(number: int) -> Key:
    return Key(number.to_bytes(32, "big"))


def mean_errors(
    microdata: Microdata, l: int, w: int, s: float, queries: int, seed: int = 0
) -> dict[str, float]:
    workload = estimator.Workload.draw(microdata, w, s, queries, seed)
    partitions = {name: Partitioner.parse(name).divide(microdata, l, key(seed)) for name in
                  {partition for _, partition in SERIES.values()}}  # fmt: skip
    errors = {
        name: estimator.relative_errors(microdata, partition, workload)
        for name, partition in partitions.items()
    }
    return {name: float(errors[part][kind].mean()) for name, (kind, part) in SERIES.items()}


def sweep(title: str, settings: Iterable[tuple[object, dict[str, float]]]) -> pl.DataFrame:
    print(f"\n{title}\n{'':>8} " + " ".join(f"{name:>19}" for name in SERIES))
    found = []
    for setting, errors in settings:
        print(f"{setting!s:>8} " + " ".join(f"{errors[name]:19.2%}" for name in SERIES), flush=True)
        found += [{"setting": str(setting), "series": n, "error": e} for n, e in errors.items()]
    return pl.DataFrame(found)


def paper_sweeps(rows: int, queries: int) -> dict[str, pl.DataFrame]:
    frames = {}
    for name, sensitive in (("OCC", "Occupation"), ("SAL", "Salary")):
        table = census(rows, sensitive)
        base = {"l": 10, "w": 5, "s": 0.1, "queries": queries}
        frames[f"{name}-7 by l"] = sweep(
            f"{name}-7, {rows:,} rows: error by l ({PAPER})",
            ((l, mean_errors(table, **base | {"l": l})) for l in (2, 4, 6, 8, 10)),
        )
        frames[f"{name}-7 by w"] = sweep(
            f"{name}-7: error by query dimensionality w",
            ((w, mean_errors(table, **base | {"w": w})) for w in (4, 5, 6, 7, 8)),
        )
        frames[f"{name}-7 by s"] = sweep(
            f"{name}-7: error by volume s",
            ((s, mean_errors(table, **base | {"s": s})) for s in (0.1, 0.15, 0.2, 0.25, 0.3)),
        )
        frames[f"{name}-d by d"] = sweep(
            f"{name}-d: error by number of quasi-identifiers d (w = 4)",
            (
                (d, mean_errors(census(rows, sensitive, d), **base | {"w": 4}))
                for d in (3, 4, 5, 6, 7)
            ),
        )
        frames[f"{name}-7 by n"] = sweep(
            f"{name}-7: error by rows n",
            (
                (n, mean_errors(census(n, sensitive), **base))
                for n in range(rows, 5 * rows + 1, rows)
            ),
        )
    return frames


def ncp(microdata: Microdata, partition: Partition) -> float:
    """NCP per cell of the generalization that a partition implies."""
    columns = [PublishedColumn(c.name, c.role, c.kind) for c in microdata.with_role("quasi")]
    table = microdata.frame().with_columns(pl.Series("(group)", partition.group_of))
    return Ncp.of_extents(measure_extents(table, "(group)", columns)).per_cell


def real_tables() -> dict[str, Microdata]:
    tables = {}
    choices = {
        "Adult": ("adult/adult_complete.csv", "occupation",
                  "age workclass education marital-status race sex native-country"),
        "ACS": ("acs2019/acs2019.csv", "INDP_CAT", "PUMA AGEP SEX MSP HISP RAC1P EDU"),
    }  # fmt: skip
    for name, (path, sensitive, quasi) in choices.items():
        if not (DATA / path).exists():
            print(f"{name}: left out, {path} is not here")
            continue
        frame = pl.read_csv(DATA / path, infer_schema_length=None)
        nominal = {
            c: {"role": "quasi", "kind": "nominal"}
            for c in quasi.split()
            if c not in ("age", "AGEP", "EDU")
        }
        roles = (
            dict.fromkeys(frame.columns, "drop") | dict.fromkeys(quasi.split(), "quasi") | nominal
        )
        if (
            name == "ACS"
        ):  # people without an industry are a third of the table: no l above 2 without this
            frame = frame.filter(pl.col(sensitive).is_not_null())
        tables[name] = Microdata.read(
            frame, roles | {sensitive: {"role": "sensitive", "kind": "nominal"}}
        )
    return tables


def compare_partitions(tables: dict[str, Microdata], queries: int, keys: int) -> None:
    """Our partition against Algorithm 2 at every l: NCP per cell and PA's error, over keys."""
    print(
        f"\nPartitions: NCP per cell and PA's mean error, mean ± standard deviation over {keys} keys"
    )
    print(
        f"{'':>14} {'l':>3} {'NCP ours':>15} {'NCP Alg. 2':>15} {'error ours':>15} {'error Alg. 2':>15}"
    )
    for name, microdata in tables.items():
        (sensitive,) = microdata.with_role("sensitive")
        largest = microdata.rows // int(sensitive.counts.max())
        for l in (l for l in (2, 4, 6, 8, 10) if l <= largest):
            shown = []
            for way in ("neighbours", "ncp_split"):
                partitions = [
                    Partitioner.parse(way).divide(microdata, l, key(i)) for i in range(keys)
                ]
                workload = estimator.Workload.draw(microdata, 5, 0.1, queries, seed=1)
                penalties = [ncp(microdata, partition) for partition in partitions]
                errors = [
                    estimator.relative_errors(microdata, partition, workload)["permuted"].mean()
                    for partition in partitions
                ]
                shown.append((penalties, errors))
            cells = [f"{np.mean(p):.4f} ± {np.std(p):.4f}" for p, _ in shown]
            cells += [f"{np.mean(e):6.2%} ± {np.std(e):.2%}" for _, e in shown]
            print(f"{name:>14} {l:>3} " + " ".join(f"{cell:>15}" for cell in cells), flush=True)


def draw(frames: dict[str, pl.DataFrame], folder: Path) -> None:
    import altair as alt

    from anonagram.charts import save_chart

    folder.mkdir(parents=True, exist_ok=True)
    for title, frame in frames.items():
        chart = (
            alt.Chart(alt.Data(values=frame.to_dicts()), title=title)
            .mark_line(point=True)
            .encode(
                x=alt.X("setting:O", sort=None, title=title.split(" by ")[1]),
                y=alt.Y("error:Q", axis=alt.Axis(format="%"), title="mean relative error"),
                color=alt.Color("series:N", title=None, sort=list(SERIES)),
            )
            .properties(width=360, height=240)
        )
        save_chart(chart, folder / f"{title.replace(' ', '_')}.png")
    print(f"\ncharts are in {folder}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--keys", type=int, default=5)
    parser.add_argument("--charts", type=Path)
    options = parser.parse_args()
    tables = {"CENSUS-like": census(options.rows), **real_tables()}
    compare_partitions(tables, options.queries, options.keys)
    frames = paper_sweeps(options.rows, options.queries)
    if "ACS" in tables:
        frames["ACS by l"] = sweep(
            "ACS 2019: error by l",
            ((l, mean_errors(tables["ACS"], l, 5, 0.1, options.queries)) for l in (2, 4)),
        )
    if options.charts:
        draw(frames, options.charts)


if __name__ == "__main__":
    main()
