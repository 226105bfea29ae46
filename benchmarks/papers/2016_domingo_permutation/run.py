"""Domingo-Ferrer and Muralidhar (2016): Tables 1 to 6, Figures 1 to 3, and the CASC sets.

    python -m benchmarks.papers.2016_domingo_permutation.run [--keys 20] [--charts FOLDER]

Tables 1 to 5 are recomputed from the printed X and Y. Table 6 and Figures 2 and 3 are over new
records and several keys, because the paper's own records are not printed. The CASC sets, where they
are there, show each masking method at the same places.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from tests.attacks.running_example import TABLE_1, TABLE_4, TABLE_5_A, TABLE_5_X

from anonagram import Key, Microdata, Noise
from anonagram.attacks import (
    Aligned,
    Linkage,
    MaximumKnowledge,
    Target,
    audit,
    permuted_privacy,
    tune,
)
from anonagram.attacks.audit import attack_pair
from anonagram.attacks.results import tried_by
from anonagram.columns.nearest import Records
from anonagram.methods import Method
from benchmarks.papers.figures import DATA

NAMES = ("X1", "X2", "X3")
CASC = ("census_1080x13.csv", "tarragona.csv", "eia.csv")
CALLS = (
    "noise(scale=0.1)", "noise(scale=0.5)", "correlated_noise(scale=0.5)", "rank_swapping(p=5)",
    "rank_swapping(p=15)", "data_swapping(share=0.5)", "data_swapping(share=1)", "shuffling()",
    "microaggregation(k=5)", "microaggregation(k=50)",
)  # fmt: skip


def running_example() -> Aligned:
    frames = [
        {name: [float(row[first + j]) for row in TABLE_1] for j, name in enumerate(NAMES)}
        for first in (0, 6)
    ]
    return Aligned.read(*frames)


def print_tables_1_to_3(pair: Aligned) -> None:
    print("Tables 1 and 2: reverse mapping of the printed X and Y")
    for j, found in enumerate(audit(pair).attributes):
        mapped = pair.attributes[j].original.places[pair.attributes[j].mapped]
        agree = sum(z == row[12 + j] for z, row in zip(mapped, TABLE_1, strict=True))
        print(
            f"  {found.name}: {agree} of 20 values of Z as printed; rank correlation "
            f"{found.rank_correlation:.3f}; mean |E'| {found.residual_noise.mean_absolute:.2f} "
            f"against mean |E| {found.noise.mean_absolute:.2f}"
        )
    print("Table 3: record 3 (paper: subject (4, 1, 4), protector (5, 1, 9))")
    for view in ("subject", "protector"):
        seen = permuted_privacy(pair, view)
        d = ", ".join(f"{x:.0f}" for x in seen.d[2])
        v = ", ".join(f"{x:.2f}" for x in seen.v[2])
        print(f"  {view}: f(x) is record {seen.image[2] + 1}, d = ({d}), v = ({v})")


def print_tables_4_and_5(pair: Aligned) -> Linkage:
    result = MaximumKnowledge().run(Target(pair=pair))
    found = result.figures
    records = Records(pair.mapped_ranks)
    print("\nTable 4: linkages, ours and the paper's")
    for number, (printed, _, d) in enumerate(TABLE_4):
        twice = int(found.nearest.distance[number])
        matches = [z + 1 for z in records.at(pair.original_ranks[number], twice)]
        print(f"  {number + 1:>2}: {matches!s:<9} d = {twice / 2:g}   {printed!s:<9} d = {d}")
    print(f"  {found.correct} correct, {found.multiple} multiple, {found.wrong} wrong")
    print("Table 5: shares at each distance, ours and the paper's")
    for d in range(9):
        x, a = (each.shares.get(d, 0.0) for each in (found.original, found.random))
        print(f"  {d}: X {x:.4f} ({TABLE_5_X[d]:.4f})   A {a:.4f} ({TABLE_5_A[d]:.4f})")
    print(f"  Hellinger {found.hellinger:.4f}; verdict: {result.verdict}")
    return found


def thousand_records(seed: int, rows: int) -> Microdata:
    random = np.random.default_rng(seed)
    drawn = random.normal([100, 1000, 5000], [10, 50, 200], (rows, 3))
    table = {name: drawn[:, j] for j, name in enumerate(NAMES)}
    return Microdata.read(table, dict.fromkeys(NAMES, "quasi"))


def masked_pair(microdata: Microdata, method: Method, key: Key) -> Aligned:
    publication = method.publish(microdata, key)
    rows = publication.release.tables["rows"][publication.mapping["row_in_rows"].to_numpy()]
    return Aligned.read(microdata.frame(), rows)


def print_table_6(keys: int, rows: int) -> dict[str, Linkage]:
    """Noise of 0.5 and 0.005 standard deviations, as in the paper, over several keys."""
    print(f"\nTable 6 and Figures 2 and 3: {rows:,} records, {keys} keys; means and worst")
    settings = {"Figure 2: sd 5, 25, 100": 0.5, "Table 6: sd 0.05, 0.25, 1": 0.005}
    last = {}
    for title, scale in settings.items():
        found, withstand = [], 0
        for seed in range(keys):
            pair = masked_pair(thousand_records(seed, rows), Noise(scale), Key(bytes([seed]) * 32))
            results = attack_pair(pair, MaximumKnowledge())
            found.append(tried_by(results, MaximumKnowledge).figures)
            withstand += results.worst.withstands
        near = [
            [float((each.twice <= 10).mean()) for each in (linkage.original, linkage.random)]
            for linkage in found
        ]
        x, a = np.mean(near, axis=0)
        advantage = [linkage.advantage for linkage in found]
        print(
            f"  {title}: within d = 5 {x:.2%} of X, {a:.2%} of A; Hellinger "
            f"{np.mean([linkage.hellinger for linkage in found]):.3f}; advantage "
            f"{np.mean(advantage):.3f} (most {max(advantage):.3f}, least {min(advantage):.3f}); "
            f"correct {np.mean([linkage.correct for linkage in found]) / rows:.1%}; withstands with "
            f"{withstand} of {keys} keys",
            flush=True,
        )
        last[title.split(":")[0]] = found[0]
    print("  (paper: Table 6 about 94 % of X and 0.1 % of A within 5; Figure 2 practically equal)")
    return last


def print_casc() -> None:
    for name in CASC:
        path = DATA / "casc" / name
        if not path.exists():
            print(f"\n{name} is not on this machine")
            continue
        table = pl.read_csv(path).select(pl.selectors.numeric())
        table = table.drop("UTILITYID", "YEAR", "MONTH", strict=False)
        varying = [column for column in table.columns if table[column].n_unique() > 1]
        microdata = Microdata.read(table.select(varying), dict.fromkeys(varying, "quasi"))
        print(f"\n{name}: {table.height:,} records, {len(varying)} attributes")
        head = f"{'rank corr.':>10} {'correct':>8} {'Hellinger':>9} {'advantage':>9}"
        print(f"{'':>28} {head}  withstands")
        for call in CALLS:
            found = audit(masked_pair(microdata, Method.parse(call), Key(bytes(32))))
            correlation = np.mean([a.rank_correlation for a in found.attributes])
            print(
                f"{call:>28} {correlation:10.3f} {found.linkage.correct / found.rows:8.2%} "
                f"{found.linkage.hellinger:9.3f} {found.linkage.advantage:9.3f}  {found.withstands}",
                flush=True,
            )
        for method in ("rank_swapping", "noise"):
            tuned = tune(microdata, method, keys=1)
            print(f"  the least {tuned.parameter} of {method} that withstands: {tuned.least}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1000, help="records of Table 6")
    parser.add_argument("--charts", type=Path)
    chosen = parser.parse_args()
    pair = running_example()
    print_tables_1_to_3(pair)
    figures = {"Figure 1": print_tables_4_and_5(pair)}
    figures |= print_table_6(chosen.keys, chosen.rows)
    print_casc()
    if chosen.charts is not None:
        from anonagram.present.charts import chart_distances, save_chart

        chosen.charts.mkdir(parents=True, exist_ok=True)
        for title, linkage in figures.items():
            place = chosen.charts / f"{title.replace(' ', '_')}.png"
            save_chart(chart_distances(linkage, title), place)
        print(f"\ncharts are in {chosen.charts}")


if __name__ == "__main__":
    main()
