"""Zhang (2007), section 2.7: how wide the bounds of AVG are, by partition, correlation, k and e.

    python -m benchmarks.papers.2007_zhang_ke.run [--queries 100] [--rows 2000] [--charts FOLDER]

The error of an answer is (upper - lower) / truth. Arbitrary queries pick people at random, range
queries those of an interval of ages. Adult is read from the folder ANONAGRAM_DATA names (or
../shared/data) and left out where absent; the thesis gives its figures as charts only, so what its
text says stands beside ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb
import numpy as np
import polars as pl

from anonagram import Generalize, Ke, Key, Microdata
from anonagram.measures import RowSets, Workload
from anonagram.methods.anatomy import anatomize
from anonagram.partition import Partition
from anonagram.release import AnatomizedRelease, GeneralizedRelease, Release, describe
from benchmarks.papers.capital_loss import adult, age_ranges, width
from benchmarks.papers.figures import draw, print_figure
from benchmarks.scaling.anatomy import best

from .baselines import RankSwapped, full_domain

KEY = Key(bytes(32))
QUASI = [
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
]  # fmt: skip
OURS = {"close_rows(2)": "close_rows(factor=2)", "close_rows(10)": "close_rows(factor=10)"}
PARTITIONS = {
    "min_sum": "min_sum", "min_max": "min_max", "max_groups": "max_groups", "random": "random",
    **OURS,
}  # fmt: skip
SPANS = [5, 10, 20, 30, 40, 50]
SHARES = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95]


def synthetic(rows: int, spread: float | None, seed: int = 0) -> Microdata:
    """Ages, and losses that grow with them but for a spread in years; None: not at all."""
    random = np.random.default_rng(seed)
    age = random.integers(17, 80, rows)
    if spread is None:
        loss = random.integers(155, 3901, rows)
    else:
        loss = 155 + 40 * np.round(age - 17 + random.normal(0, spread, rows)).astype(np.int64)
        loss = np.maximum(loss, 1)
    ages = {"role": "quasi", "hierarchy": "intervals(width=5, levels=5)"}
    return Microdata.read(
        {"age": age, "capital-loss": loss}, {"age": ages, "capital-loss": "sensitive"}
    )


def with_groups(microdata: Microdata, partition: Partition) -> AnatomizedRelease:
    """A permuted release with these groups, whatever they promise."""
    manifest = describe("groups of a generalization", microdata, KEY, None)
    manifest = manifest.with_layout(AnatomizedRelease.own_names(manifest.columns))
    return anatomize(microdata, partition.arrange(KEY, "benchmark"), manifest).release


def generalized(microdata: Microdata, partition: Partition) -> GeneralizedRelease:
    """The generalized release with these groups; ranges are those of the rows, not of labels."""

    class Given(Generalize):
        def arrange(self, *_: object) -> object:
            return partition.arrange(KEY, "benchmark")

    manifest = describe("a generalization", microdata, KEY, None)
    manifest = manifest.with_layout(GeneralizedRelease.own_names(manifest.columns))
    return Given(2).rearrange(microdata, KEY, manifest).release


def width_generalized(
    release: GeneralizedRelease, microdata: Microdata, workload: Workload
) -> float:
    """AVG of generalized tables one by one: how many people are meant is not certain."""
    loss, age = (microdata.frame()[name].to_numpy() for name in ("capital-loss", "age"))
    widths = []
    for number in range(len(workload)):
        ((column, first, stop),) = workload.ask(number)
        low, high = column.domain[first], column.domain[stop - 1]
        truth = loss[(age >= low) & (age <= high)].mean()
        answer = release.query(workload.sql(number))[0]['AVG("capital-loss")']
        assert answer.lower <= truth <= answer.upper
        widths.append((answer.upper - answer.lower) / truth)
    return float(np.mean(widths))


def width_swapped(swapped: RankSwapped, microdata: Microdata, masks: Iterable[np.ndarray]) -> float:
    loss = microdata.frame()["capital-loss"].to_numpy()
    widths = []
    for mask in masks:
        low, high = swapped.average(mask)
        truth = loss[mask].mean()
        assert low <= truth <= high
        widths.append((high - low) / truth)
    return float(np.mean(widths))


def masks_of(microdata: Microdata, workload: Workload) -> list[np.ndarray]:
    codes = microdata.column("age").codes
    asked = (workload.ask(number)[0] for number in range(len(workload)))
    found = [(codes >= first) & (codes < stop) for _, first, stop in asked]
    return [mask for mask in found if mask.any()]


def random_masks(microdata: Microdata, share: float, queries: int) -> list[np.ndarray]:
    random = np.random.default_rng(int(share * 1000))
    return [random.random(microdata.rows) < share for _ in range(queries)]


def compare_publications(microdata: Microdata, label: str, queries: int) -> None:
    """Figures 2.2-2.5: one partition, generalized and permuted."""
    partition = full_domain(microdata, 4)
    print(
        f"\n{label}: a full-domain generalization with 4 values a group has {partition.count} groups"
    )
    permuted, coarse = with_groups(microdata, partition), generalized(microdata, partition)
    loss = microdata.frame()["capital-loss"].to_numpy()

    def arbitrary(share: float) -> dict[str, float]:
        sets = RowSets.draw(microdata, "AVG", share, queries, 0)
        # of a generalized table nobody knows who is picked: the mean can be any value
        anything = (loss.max() - loss.min()) / loss.mean()
        return {"generalized": anything, "permuted": width(permuted, microdata, sets)}

    def ranges(span: int) -> dict[str, float]:
        workload = age_ranges(microdata, span, queries)
        return {
            "generalized": width_generalized(coarse, microdata, workload),
            "permuted": width(permuted, microdata, workload),
        }

    print_figure(
        "Figures 2.2, 2.4: arbitrary queries (thesis: generalized over 200 %, permuted drops "
        "with the rows)", "share of rows", ((share, arbitrary(share)) for share in SHARES),
    )  # fmt: skip
    print_figure(
        "Figures 2.3, 2.5: ranges of ages (thesis: permuted below 20 % from a span of 5 on)",
        "span", ((span, ranges(span)) for span in SPANS),
    )  # fmt: skip


def all_releases(microdata: Microdata, k: int, e: float) -> dict[str, Release]:
    return {name: Ke(k, e, call).anonymize(microdata, KEY) for name, call in PARTITIONS.items()}


def range_widths(
    microdata: Microdata, k: int, e: float, span: int, queries: int, *, with_full_domain: bool
) -> dict[str, float]:
    """All partitions on ranges of ages."""
    workload = age_ranges(microdata, span, queries)
    releases = all_releases(microdata, k, e)
    if with_full_domain:
        releases = {"full-domain": with_groups(microdata, full_domain(microdata, k))} | releases
    widths = {name: width(release, microdata, workload) for name, release in releases.items()}
    values = microdata.frame()["capital-loss"].cast(pl.Float64).to_numpy()
    swapped = RankSwapped.of(values, k, e, 0)
    return widths | {
        "rank swapping": width_swapped(swapped, microdata, masks_of(microdata, workload))
    }


def compare_partitions(microdata: Microdata, queries: int) -> dict[str, pl.DataFrame]:
    """Figures 2.6 and 2.7: six algorithms, and ours."""
    k, e = 4, 100
    releases = {"full-domain": with_groups(microdata, full_domain(microdata, k))}
    releases |= all_releases(microdata, k, e)
    values = microdata.frame()["capital-loss"].cast(pl.Float64).to_numpy()
    swapped = RankSwapped.of(values, k, e, 0)
    for name, release in releases.items():
        ranges = (
            release.sensitive["capital-loss"]
            .group_by("group")
            .agg(range=pl.col("capital-loss").max() - pl.col("capital-loss").min())["range"]
        )
        print(
            f"{name:>14}: {len(ranges):4} groups, sum of ranges {ranges.sum():9,}, widest {ranges.max():6,}"
        )

    def arbitrary(share: float) -> dict[str, float]:
        sets = RowSets.draw(microdata, "AVG", share, queries, 0)
        widths = {name: width(release, microdata, sets) for name, release in releases.items()}
        masks = random_masks(microdata, share, queries)
        return widths | {"rank swapping": width_swapped(swapped, microdata, masks)}

    return {
        "arbitrary queries by share of rows": print_figure(
            f"Figure 2.6: arbitrary queries, (k,e) = ({k}, {e}) (thesis: the three optimal ones far "
            "below the others; full-domain worse than random)",
            "share of rows", ((share, arbitrary(share)) for share in SHARES),
        ),
        "range queries by span": print_figure(
            f"Figure 2.7: ranges of ages, (k,e) = ({k}, {e})", "span",
            ((span, range_widths(microdata, k, e, span, queries, with_full_domain=True)) for span in SPANS),
        ),
    }  # fmt: skip


def sweeps(rows: int, queries: int) -> dict[str, pl.DataFrame]:
    """Figures 2.8 to 2.10 on synthetic people."""
    plain = synthetic(rows, None)
    return {
        "range queries by spread": print_figure(
            "Figure 2.8: ranges of 30 years by the spread of losses around ages (thesis: close to the "
            "optimal ones for full-domain but where the spread is least; random and swapping poor)",
            "spread",
            ((spread, range_widths(synthetic(rows, spread), 4, 100, 30, queries, with_full_domain=True))
             for spread in (1, 5, 10, 20, 30, 50)),
        ),
        "range queries by k": print_figure(
            "Figure 2.9: ranges of 30 years by k, e = 50 (thesis: the optimal ones hardly change)", "k",
            ((k, range_widths(plain, k, 50, 30, queries, with_full_domain=False))
             for k in (4, 10, 20, 30, 40)),
        ),
        "range queries by e": print_figure(
            "Figure 2.10: ranges of 30 years by e, k = 10 (thesis: the optimal ones hardly change)", "e",
            ((e, range_widths(plain, 10, e, 30, queries, with_full_domain=False))
             for e in (40, 80, 120, 160, 200)),
        ),
    }  # fmt: skip


BY_HAND = """WITH hits AS (SELECT "group", COUNT(*) AS hits FROM quasi WHERE {} GROUP BY "group")
SELECT SUM(sum_low) / SUM(hits), SUM(sum_high) / SUM(hits) FROM hits JOIN help USING ("group", hits)"""


def overhead(rows: int) -> None:
    """Figures 2.11 and 2.12: the rewritten query beside the plain one."""
    microdata = synthetic(rows, None)
    release = Ke(20, 0).anonymize(microdata, KEY).with_help_tables()
    print(
        f"\nFigures 2.11, 2.12: cost of AVG with bounds over the plain AVG, {rows:,} rows, "
        f"{release.group_sizes().height} groups (thesis: 10,000 rows, 38 groups, about 4 times)"
    )
    connection = duckdb.connect()
    tables = release.tables | {"data": microdata.frame()}
    for name, each in tables.items():
        connection.register("incoming", each.to_arrow())
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
        connection.unregister("incoming")
    print(f"{'span':>12} {'help table':>14} {'release.query':>14}")
    for span in SPANS:
        condition = f"age BETWEEN 25 AND {25 + span}"
        plain = f'SELECT AVG("capital-loss") FROM data WHERE {condition}'
        asked: dict[str, Callable[[], object]] = {
            "plain": lambda plain=plain: connection.execute(plain).fetchall(),
            "help": lambda c=condition: connection.execute(BY_HAND.format(c)).fetchall(),
            "query": lambda plain=plain: release.query(plain),
        }
        seconds = {name: best(work, 30) for name, work in asked.items()}
        ratios = [seconds[name] / seconds["plain"] for name in ("help", "query")]
        print(f"{span:12} {ratios[0]:13.1f}× {ratios[1]:13.1f}×", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--charts", type=Path, default=None)
    given = parser.parse_args()
    figures = {}
    people = adult(QUASI)
    if people is not None:
        compare_publications(people, "Adult, 8 quasi-identifiers", given.queries)
        compare_publications(adult(["age"]), "Adult, age alone", given.queries)
        figures = compare_partitions(people, given.queries)
    figures |= sweeps(given.rows, given.queries)
    overhead(5 * given.rows)
    if given.charts is not None:
        draw(figures, given.charts, "width of the bounds over the truth")


if __name__ == "__main__":
    main()
