"""Zhang (2007), section 3.7 and chapter 5: how wide the bounds of AVG are, and what wishes cost.

    python -m benchmarks.papers.2007_zhang_distributional.run [--queries 100] [--rows 10000]
        [--groups 1000] [--charts FOLDER]

The error of an answer is (upper - lower) / truth, over random ranges of ages. Adult is read from the
folder ANONAGRAM_DATA names (or ../shared/data) and left out where absent; the thesis gives its
figures as charts only, so what its text says stands beside ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from anonagram import Distributional, Key, Method, Microdata, Personalized
from benchmarks.papers.capital_loss import adult, age_ranges, width
from benchmarks.papers.figures import draw, print_figure
from benchmarks.scaling.distributional import bits

from .heuristics import compare

KEY = Key(bytes(32))
SPANS = [5, 10, 20, 30, 40, 50]
LOSS = "capital-loss"
Methods = Mapping[str, Method]


def synthetic(rows: int, kind: str) -> Microdata:
    """Ages from 17 to 79, and losses around the middle, growing with age, even, or Zipf's."""
    random = np.random.default_rng(0)
    age = random.integers(17, 80, rows)
    if kind == "correlated":
        bucket = (3900 - 155) / 63
        loss = random.normal(155 + bucket * (age - 17 + 0.5), bucket, rows)
    elif kind == "normal":
        loss = random.normal(2027, 400, rows)
    elif kind == "zipf":
        weights = np.arange(1, 2050, dtype=float) ** 0.1
        loss = 1023 + random.choice(np.arange(1, 2050), rows, p=weights / weights.sum())
    else:
        loss = random.integers(1024, 3073, rows)
    table = {"age": age, LOSS: np.round(loss).astype(np.int64)}
    return Microdata.read(table, {"age": "quasi", LOSS: "sensitive"})


def errors(microdata: Microdata, methods: Methods, spans: list[int], queries: int):
    """For each span the error of every method; what it publishes does not depend on the span."""
    releases = {name: method.anonymize(microdata, KEY) for name, method in methods.items()}
    for span in spans:
        workload = age_ranges(microdata, span, queries)
        yield span, {name: width(each, microdata, workload) for name, each in releases.items()}


def both(target: str, **more: object) -> dict[str, Method]:
    return {
        "SA-only": Distributional(target, **more),
        "QI-SA": Distributional(target, exact=True, **more),
    }


def with_fakes(microdata: Microdata, label: str, said: str, queries: int) -> pl.DataFrame:
    """Figure 3.2: the data's own distribution as target, and fakes."""
    methods = both("source")
    for share in (0.05, 0.1, 0.2):
        methods[f"QI-SA +{share:.0%}"] = Distributional("source", exact=True, fakes=share)
    title = f"Figure 3.2: {label}, target source (thesis: {said})"
    return print_figure(title, "span", errors(microdata, methods, SPANS, queries))


def targets(rows: int, queries: int) -> dict[str, pl.DataFrame]:
    """Figure 3.4: targets further and further from even losses, and two trees."""
    even, skewed = synthetic(rows, "even"), synthetic(rows, "zipf")

    def at_fifty(microdata: Microdata, target: str) -> dict[str, float]:
        return next(errors(microdata, both(target), [50], queries))[1]

    trees = {
        f"{name} ({arity})": method
        for arity in (2, 3)
        for name, method in both("uniform", arity=arity).items()
    }
    return {
        "normal target by r": print_figure(
            "Figure 3.4 (a): even losses, target normal(r), spans of 50 (thesis: errors grow with r)",
            "r", ((r, at_fifty(even, f"normal(r={r})")) for r in (1, 2, 4, 8, 16)),
        ),
        "zipf target by s": print_figure(
            "Figure 3.4 (b): losses of zipf(0.1), target zipf(s) (thesis: best at 0.1, then growing)",
            "s", ((s, at_fifty(skewed, f"zipf(s={s})")) for s in (0.1, 0.5, 1, 2, 4)),
        ),
        "trees by span": print_figure(
            "Figure 3.4 (c): binary and ternary trees, target uniform (thesis: binary has lower errors)",
            "span", errors(even, trees, SPANS, queries),
        ),
    }  # fmt: skip


def in_parts(microdata: Microdata, number: int) -> Microdata:
    """The table with a column that says in which of so many ranges an age lies."""
    frame = microdata.frame()
    age = frame["age"].to_numpy()
    part = np.minimum((age - 17) * number // 63, number - 1)
    table = frame.with_columns(pl.Series("part", part).cast(pl.String))
    return Microdata.read(table, {"age": "quasi", LOSS: "sensitive", "part": "quasi"})


def parts(microdata: Microdata, label: str, target: str, said: str, queries: int) -> pl.DataFrame:
    """Figure 3.5: the table in 1, 2 and 10 parts by age, each with the target of its own."""

    def lines():
        for span in SPANS:
            found: dict[str, float] = {}
            for number, data in divided.items():
                workload = age_ranges(data, span, queries)
                for name, release in releases[number].items():
                    found[f"{name} -{number}"] = width(release, data, workload)
            yield span, found

    divided = {
        number: in_parts(microdata, number) if number > 1 else microdata for number in (1, 2, 10)
    }
    releases = {}
    for number, data in divided.items():
        each: dict[str, object] = {}
        if number > 1:
            texts = data.column("part").domain.to_list()
            each = {"target": dict.fromkeys(texts, target), "parts": "part"}
        methods = {
            "SA-only": Distributional(**({"target": target} | each)),
            "QI-SA": Distributional(**({"target": target} | each), exact=True),
        }
        releases[number] = {n: m.anonymize(data, KEY) for n, m in methods.items()}
    return print_figure(
        f"Figure 3.5: {label} in parts by age, target {target} (thesis: {said})", "span", lines()
    )


def shifts(microdata: Microdata) -> None:
    """Figure 3.6: how much a group may keep of its own shares."""
    wished = ("uniform", "normal(r=4)", "normal(r=20)", "zipf(s=1)")
    print(
        "\nFigure 3.6: Adult, sum of ranges by shift, in thousands (thesis: normal(20) least; both "
        "normal ones near their least at 0.3, uniform at 0.5, zipf the most)"
    )
    print(f"{'shift':>14} " + " ".join(f"{target:>14}" for target in wished))
    for shift in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0):
        sums = [
            Distributional(target, shift=shift, cap=100)
            .anonymize(microdata, KEY)
            .sum_of_ranges(LOSS)
            for target in wished
        ]
        print(f"{shift:14} " + " ".join(f"{each / 1000:14,.1f}" for each in sums), flush=True)


def wishes(microdata: Microdata, label: str, queries: int) -> pl.DataFrame:
    """Chapter 5: the fewer people ask to be hidden among all values, the narrower the bounds."""
    frame, random = microdata.frame(), np.random.default_rng(0)
    order = random.permutation(frame.height)

    def lines():
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            asked = np.where(order < share * frame.height, "all", "200")
            table = frame.with_columns(pl.Series("wish", asked))
            data = Microdata.read(table, {"age": "quasi", LOSS: "sensitive", "wish": "guard"})
            workload = age_ranges(data, 30, queries)
            methods: Methods = {
                "distributional": Distributional("uniform"),
                **{n: Personalized("wish", n) for n in ("one_group", "top_down", "bottom_up")},
                "bottom_up, by age": Personalized("wish", "bottom_up", exact=True),
            }
            yield (
                f"{share:.0%}",
                {
                    name: width(method.anonymize(data, KEY), data, workload)
                    for name, method in methods.items()
                },
            )

    return print_figure(
        f"Chapter 5: {label}, target uniform, spans of 30, by the share of people who ask for all values "
        "(the others for a width of 200; thesis: we can expect more accurate answers)",
        "ask for all", lines(),
    )  # fmt: skip


def protection(microdata: Microdata) -> None:
    """What an intruder whose prior is the target learns: of ours, and of the same groups if counted."""
    made = Distributional("source", "neighbours", size=100).publish(microdata, KEY)
    release = made.release
    target = release.tree(LOSS).probabilities
    told = [
        bits(release.belief(LOSS, group), target) for group in range(release.group_sizes().height)
    ]
    column = microdata.column(LOSS)
    counts = np.zeros((len(told), column.cardinality))
    np.add.at(counts, (made.mapping["group"].to_numpy() - 1, column.codes), 1)
    sizes = counts.sum(axis=1)
    shares = counts / sizes[:, None]
    counted = [bits(share, target) for share in shares]
    print(
        f"\nBits told beyond the target, a person and in the worst of {len(told)} groups: distributional "
        f"{np.average(told, weights=sizes):.1e}, {max(told):.1e}; the same groups counted, as Anatomy "
        f"publishes them at l = {1 / shares.max():.1f}: {np.average(counted, weights=sizes):.3f}, "
        f"{max(counted):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--groups", type=int, default=1000, help="random groups for the heuristics")
    parser.add_argument("--charts", type=Path, default=None)
    given = parser.parse_args()
    figures = {}
    people, queries = adult(["age"]), given.queries
    if people is not None:
        figures["Adult by span"] = with_fakes(
            people, "Adult",
            "SA-only drops dramatically with the span, QI-SA hardly changes; a few fakes help, 20 % do not",
            queries,
        )  # fmt: skip
    plain, correlated = (synthetic(given.rows, kind) for kind in ("normal", "correlated"))
    figures["uncorrelated by span"] = with_fakes(
        plain, "uncorrelated",
        "QI-SA consistently accurate, SA-only better where most rows are selected; 5 % fakes help, more do "
        "not", queries,
    )  # fmt: skip
    figures["correlated by span"] = with_fakes(
        correlated, "correlated", "SA-only consistently better; fakes keep helping", queries
    )
    figures |= targets(given.rows, queries)
    said = "the more parts, the more accurate; SA-only better where correlated"
    if people is not None:
        figures["Adult in parts by span"] = parts(people, "Adult", "source", said, queries)
    figures["correlated in parts by span"] = parts(
        correlated, "correlated", "uniform", said, queries
    )
    if people is not None:
        shifts(people)
        figures["Adult with wishes by share"] = wishes(people, "Adult", queries)
    figures["uncorrelated with wishes by share"] = wishes(plain, "uncorrelated", queries)
    protection(plain if people is None else people)
    compare(given.groups)
    if given.charts is not None:
        draw(figures, given.charts, "width of the bounds over the truth")


if __name__ == "__main__":
    main()
