"""Li, He, Cao and Chen (2015), §4: query error over l, w, s, n and d; and what the partition does.

    python -m benchmarks.papers.2015_li_permutation.run [--queries 1000] [--rows 100000] [--charts FOLDER]

The paper's CENSUS is not public; a seeded table like it stands in (benchmarks/census.py). ACS and
Adult are read from the folder ANONAGRAM_DATA names (or ../shared/data) and left out where absent.
Queries whose true answer is 0 have no relative error and are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import polars as pl

from anonagram import Anatomy, Generalize, Key, Microdata, Permutation, Release
from anonagram.measures import Ncp, Workload, run_workload
from anonagram.methods.group_method import GroupMethod
from anonagram.release import describe
from benchmarks.census import census
from benchmarks.papers.figures import DATA, draw

# method, partition: the paper's two, each on the other's groups, and ours
SERIES: dict[str, tuple[type[GroupMethod], str]] = {
    "PA, ours": (Permutation, "neighbours"),
    "PA, Alg. 2": (Permutation, "ncp_split"),
    "Anatomy, own": (Anatomy, "buckets"),
    "Anatomy, ours": (Anatomy, "neighbours"),
    "Anatomy, Alg. 2": (Anatomy, "ncp_split"),
    "generalized, ours": (Generalize, "neighbours"),
    "generalized, Alg. 2": (Generalize, "ncp_split"),
}
PAPER = "the paper: PA below 14 %, Anatomy 14-25 % (CENSUS, 500k rows)"


def key(number: int) -> Key:
    return Key(number.to_bytes(32, "big"))


def on_same_groups(method: GroupMethod, microdata: Microdata, key: Key) -> Release:
    """A release for comparison: drawn from the key alone, one partition makes the same groups."""
    manifest = describe(repr(method), microdata, key, None)
    manifest = manifest.with_layout(method.shape.own_names(manifest.columns))
    return method.rearrange(microdata, key, manifest).release


def mean_errors(
    microdata: Microdata, l: int, w: int, s: float, queries: int, seed: int = 0
) -> dict[str, float]:
    workload = Workload.draw(microdata, "COUNT", w, s, queries, seed)
    errors = {}
    for name, (method, partition) in SERIES.items():
        release = on_same_groups(method(l, partition), microdata, key(seed))
        errors[name] = run_workload(release, microdata, workload).error.mean
    return errors


def sweep(title: str, settings: Iterable[tuple[object, dict[str, float]]]) -> pl.DataFrame:
    print(f"\n{title}\n{'':>8} " + " ".join(f"{name:>19}" for name in SERIES))
    found = []
    for setting, errors in settings:
        print(f"{setting!s:>8} " + " ".join(f"{errors[name]:19.2%}" for name in SERIES), flush=True)
        found += [{"setting": str(setting), "series": n, "error": e} for n, e in errors.items()]
    return pl.DataFrame(found)


def sweeps(
    name: str,
    table: Callable[[int, int], Microdata],
    sizes: list[int],
    levels: list[int],
    queries: int,
) -> dict[str, pl.DataFrame]:
    """The paper's five sweeps on a table of given rows and quasi-identifiers; the strongest l elsewhere."""
    whole = table(sizes[0], 7)
    base = {"l": levels[-1], "w": 5, "s": 0.1, "queries": queries}
    return {
        f"{name} by l": sweep(
            f"{name}, {whole.rows:,} rows: error by l ({PAPER})",
            ((l, mean_errors(whole, **base | {"l": l})) for l in levels),
        ),
        f"{name} by w": sweep(
            f"{name}: error by query dimensionality w",
            ((w, mean_errors(whole, **base | {"w": w})) for w in (4, 5, 6, 7, 8)),
        ),
        f"{name} by s": sweep(
            f"{name}: error by volume s",
            ((s, mean_errors(whole, **base | {"s": s})) for s in (0.1, 0.15, 0.2, 0.25, 0.3)),
        ),
        f"{name} by d": sweep(
            f"{name}: error by number of quasi-identifiers d (w = 4)",
            ((d, mean_errors(table(sizes[0], d), **base | {"w": 4})) for d in (3, 4, 5, 6, 7)),
        ),
        f"{name} by n": sweep(
            f"{name}: error by rows n", ((n, mean_errors(table(n, 7), **base)) for n in sizes)
        ),
    }


def beside_the_paper(frames: dict[str, pl.DataFrame]) -> None:
    """What the paper says of its CENSUS, and what was measured here, in one table."""
    rows, fair_gains = [], []
    for name in ("OCC", "SAL"):
        strongest = frames[f"{name} by l"].filter(pl.col("setting") == "10")
        found = dict(strongest.select("series", "error").rows())
        own, theirs, best = (found[s] for s in ("Anatomy, own", "PA, Alg. 2", "PA, ours"))
        fair = found["Anatomy, Alg. 2"]
        fair_gains.append(1 - theirs / fair)
        cut = {"OCC": "about 30 %", "SAL": "about 25 %"}[name]
        rows += [
            (f"{name}: PA's error at l = 10", "below 14 %", f"{theirs:.1%} (ours {best:.1%})"),
            (f"{name}: Anatomy's error at l = 10", "14-25 %", f"{own:.1%}"),
            (
                f"{name}: PA cuts Anatomy's error by",
                cut,
                f"{1 - theirs / own:.0%} (ours {1 - best / own:.0%})",
            ),
            (f"{name}: … on the same groups", "not told", f"{1 - theirs / fair:.0%}"),
        ]
    print("\nBeside the paper\n" + "\n".join(f"{a:>36} | {b:>12} | {c}" for a, b, c in rows))
    if all(gain < 0 for gain in fair_gains):
        print("So any gain comes from the groups; on the same groups exact rows do better.")


ADULT = "age workclass education marital-status race sex native-country"
ACS = "PUMA AGEP SEX MSP HISP RAC1P EDU"
ORDERED = ("age", "AGEP", "EDU")


def real_table(frame: pl.DataFrame, quasi: list[str], sensitive: str) -> Microdata:
    roles: dict[str, object] = dict.fromkeys(frame.columns, "drop")
    for name in (*quasi, sensitive):
        role = "sensitive" if name == sensitive else "quasi"
        roles[name] = {"role": role, "kind": "numeric" if name in ORDERED else "nominal"}
    return Microdata.read(frame, roles)


def acs(rows: int, quasi: int) -> Microdata:
    """The first rows of ACS, people with an industry: without one are 39 %, too many for l > 2."""
    frame = pl.read_csv(DATA / "acs2019/acs2019.csv", infer_schema_length=None)
    frame = frame.filter(pl.col("INDP_CAT").is_not_null()).sample(fraction=1, shuffle=True, seed=1)
    return real_table(frame.head(rows), ACS.split()[:quasi], "INDP_CAT")


def real_tables() -> dict[str, Microdata]:
    if not DATA.exists():
        print(f"Adult and ACS are left out: there is no {DATA.name} folder with them")
        return {}
    adult = pl.read_csv(DATA / "adult/adult_complete.csv", infer_schema_length=None)
    return {"Adult": real_table(adult, ADULT.split(), "occupation"), "ACS": acs(10**9, 7)}


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
                workload = Workload.draw(microdata, "COUNT", 5, 0.1, queries, seed=1)
                releases = [Permutation(l, way).anonymize(microdata, key(i)) for i in range(keys)]
                penalties = [Ncp.of(release).per_cell for release in releases]
                errors = [
                    run_workload(release, microdata, workload).error.mean for release in releases
                ]
                shown.append((penalties, errors))
            cells = [f"{np.mean(p):.4f} ± {np.std(p):.4f}" for p, _ in shown]
            cells += [f"{np.mean(e):6.2%} ± {np.std(e):.2%}" for _, e in shown]
            print(f"{name:>14} {l:>3} " + " ".join(f"{cell:>15}" for cell in cells), flush=True)


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
    frames = {}
    sizes = [options.rows * i for i in range(1, 6)]
    for name, sensitive in (("OCC", "Occupation"), ("SAL", "Salary")):
        frames |= sweeps(
            name,
            lambda n, d, s=sensitive: census(n, s, d),
            sizes,
            [2, 4, 6, 8, 10],
            options.queries,
        )
    beside_the_paper(frames)
    if "ACS" in tables:
        rows = tables["ACS"].rows
        frames |= sweeps("ACS", acs, [rows, rows // 2, rows // 4], [2, 4, 6], options.queries)
    if options.charts:
        draw(frames, options.charts, "mean relative error")


if __name__ == "__main__":
    main()
