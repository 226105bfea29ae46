"""Yang and Qiao (2010), section 7: query errors and rules found again; and what the inverse adds.

    python -m benchmarks.papers.2010_yang_random.run [--queries 1000] [--keys 2000] [--charts FOLDER]

Adult is read from the folder ANONAGRAM_DATA names (or ../shared/data); where it is absent, a
census-like table stands in. The paper's groups are l-diverse by entropy, ours by frequency, so that
l = 7 is the largest here. Queries ask for an interval of random length of each attribute's values.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

from anonagram import Anatomy, Generalize, Key, Microdata, Random
from anonagram.measures import Workload, knowledge_kept, measure_perturbed, run_workload
from anonagram.methods import Method
from anonagram.queries.replaced.many import ManyRows
from anonagram.release import PerturbedRelease, describe
from benchmarks.census import DOMAINS, census_frame
from benchmarks.papers.figures import DATA, draw, print_figure

NINE = [
    "education", "race", "sex", "workclass", "marital-status", "age", "relationship",
    "native-country", "income",
]  # fmt: skip
LEVELS = [7, 5, 3]
SUPPORT, CONFIDENCE = 0.08, 0.15


def table(rows: int) -> Microdata:
    """Adult, every attribute a set of categories; or people like those of a census."""
    path = DATA / "adult" / "adult_complete.csv"
    if path.exists():
        frame = pl.read_csv(path).select(*NINE, "occupation").head(rows)
        roles: dict[str, object] = {name: {"role": "quasi", "kind": "nominal"} for name in NINE}
        return Microdata.read(
            frame.with_columns(pl.col("age").cast(pl.String)), roles | {"occupation": "sensitive"}
        )
    print(f"{path} is absent: census-like people stand in")
    frame = census_frame(rows).with_columns(pl.all().cast(pl.String))
    roles = {name: "drop" if name == "Salary" else "quasi" for name in DOMAINS}
    return Microdata.read(frame, roles | {"Occupation": "sensitive"})


def queries(microdata: Microdata, attributes: int, number: int, seed: int = 0) -> Workload:
    """COUNT with conditions on so many quasi-identifiers and on the sensitive attribute."""
    quasi = microdata.with_role("quasi")
    columns = (*quasi, *microdata.with_role("sensitive"))
    random = np.random.default_rng(seed)
    chosen = np.stack([random.permutation(len(quasi))[:attributes] for _ in range(number)])
    chosen = np.concatenate([chosen, np.full((number, 1), len(quasi))], axis=1)
    sizes = np.array([len(column.domain) for column in columns])[chosen]
    lengths = random.integers(1, sizes + 1)
    firsts = random.integers(0, sizes - lengths + 1)
    return Workload("COUNT", columns, chosen, firsts, firsts + lengths)


def errors(
    microdata: Microdata, methods: dict[str, Method], workload: Workload
) -> dict[str, float]:
    """Mean relative errors; for replaced values corrected, as they stand, and the better expected."""
    found = {}
    for name, method in methods.items():
        result = run_workload(method.anonymize(microdata, Key(bytes(32))), microdata, workload)
        found[name] = (result.corrected_error or result.error).mean
        if result.naive_error is not None:
            found[f"{name}, the better expected"] = result.error.mean
            found[f"{name}, as it stands"] = result.naive_error.mean
    return found


def figure_6(microdata: Microdata, number: int) -> dict[str, pl.DataFrame]:
    strongest: dict[str, Method] = {
        "random": Random("uniform"), "anatomy": Anatomy(LEVELS[0]), "generalize": Generalize(LEVELS[0]),
    }  # fmt: skip
    attributes = range(1, len(microdata.with_role("quasi")))
    return {
        "query error by attributes": print_figure(
            f"Figure 6a: query error by quasi-identifiers asked about (l = {LEVELS[0]}; the paper: "
            "random least, permuted data flattest)", "attributes",
            ((j, errors(microdata, strongest, queries(microdata, j, number))) for j in attributes),
        ),
        "query error by l": print_figure(
            "Figure 6b: 5 quasi-identifiers, by l (the paper: random least throughout)", "l",
            (
                (l, errors(microdata, {"random": Random("uniform"), "anatomy": Anatomy(l),
                                       "generalize": Generalize(l)}, queries(microdata, 5, number)))
                for l in LEVELS
            ),
        ),
    }  # fmt: skip


def kept(microdata: Microdata, method: Method) -> dict[str, float]:
    release = method.anonymize(microdata, Key(bytes(32)))
    knowledge = knowledge_kept(release, microdata, SUPPORT, CONFIDENCE)
    artificial = sum(each.artificial for each in knowledge.lengths)
    original = sum(each.original for each in knowledge.lengths)
    return {"found again": knowledge.share or 0.0, "artificial": artificial / max(original, 1)}


def figures_7_and_8(microdata: Microdata) -> dict[str, pl.DataFrame]:
    most = len(microdata.with_role("quasi"))
    print_figure(
        f"Figure 7: rules found again, support {SUPPORT:.0%}, confidence {CONFIDENCE:.0%} (the paper: "
        "more from random than from permuted data)", "method",
        ((repr(method)[:12], kept(microdata, method))
         for method in (Random("uniform"), *(Anatomy(l) for l in LEVELS))),
    )  # fmt: skip
    several = [n for n in (1, 3, 5, 7, 9) if n <= most]
    found = {
        "rules by replaced attributes": print_figure(
            "Figure 8a: by the attributes replaced in each row (the paper: fewer with more)", "λ",
            ((n, kept(microdata, Random(attributes=n) if n > 1 else Random("uniform"))) for n in several),
        )
    }  # fmt: skip
    release = Random(attributes=min(5, most)).anonymize(microdata, Key(bytes(32)))
    knowledge = knowledge_kept(release, microdata, SUPPORT, CONFIDENCE)
    found["rules by length"] = print_figure(
        "Figure 8b: λ = 5, by quasi-identifiers in a rule (the paper: most of 1, 2 or 3)", "length",
        ((each.length, {"found again": each.recovered / each.original})
         for each in knowledge.lengths if each.original),
    )  # fmt: skip
    return found


def privacy(microdata: Microdata) -> None:
    print("\nPrivacy (the paper: Pa = 34)")
    for method in (Random("uniform"), Random("optimal"), Random(), Random(attributes=3)):
        measures = measure_perturbed(method.anonymize(microdata, Key(bytes(32))), microdata)
        guess = "" if measures.guess is None else (
            f", an informed intruder's best guess: mean {measures.guess.mean:.3f}, "
            f"worst {measures.worst_guess:.3f}"
        )  # fmt: skip
        print(f"{method!r:>36}: Pa = {measures.probabilistic_anonymity:,.2f}{guess}")


def coverage(microdata: Microdata, keys: int) -> None:
    """Over many keys: bias in standard errors of the mean, and how often 95 % intervals cover."""
    print(
        f"\nThe inverse over {keys:,} keys, one query with each number of quasi-identifiers and the "
        "sensitive attribute\n"
        f"{'λ':>4} {'conditions':>11} {'truth':>8} {'mean estimate':>14} {'bias / its s.e.':>16} "
        f"{'covered':>8} {'error':>8} {'naive error':>12}"
    )
    for several in (1, 3):
        method = Random(attributes=several)
        manifest = describe(repr(method), microdata, Key(bytes(32)), None)
        manifest = manifest.with_layout(PerturbedRelease.own_names(manifest.columns))
        asked = [_some_query(microdata, j) for j in range(1, 6)]
        readings = np.empty((keys, len(asked), 3))
        for number in range(keys):
            release = method.rearrange(microdata, Key(number.to_bytes(32, "big")), manifest).release
            rows = ManyRows(release, microdata)
            for place, workload in enumerate(asked):
                answer = rows.answer("COUNT", workload.ask(0), None)
                readings[number, place] = answer.corrected, answer.naive, answer.std_error
        for place, workload in enumerate(asked):
            truth = _truth(microdata, workload)
            estimate, naive, error = readings[:, place].T
            off = estimate - truth
            print(
                f"{several:4} {place + 1:11} {truth:8,} {estimate.mean():14,.2f} "
                f"{off.mean() / (off.std() / np.sqrt(keys)):16.2f} "
                f"{(np.abs(off) <= 1.959964 * error).mean():8.2%} "
                f"{np.abs(off).mean() / truth:8.2%} {np.abs(naive - truth).mean() / truth:12.2%}",
                flush=True,
            )  # fmt: skip


def _some_query(microdata: Microdata, attributes: int) -> Workload:
    """The first random query that is about at least 2 % of the people."""
    for seed in range(10_000):
        workload = queries(microdata, attributes, 1, seed)
        if _truth(microdata, workload) >= 0.02 * microdata.rows:
            return workload
    raise SystemExit("no query is about enough people")


def _truth(microdata: Microdata, workload: Workload) -> int:
    met = np.ones(microdata.rows, np.bool_)
    for column, first, stop in workload.ask(0):
        met &= (column.codes >= first) & (column.codes < stop)
    return int(met.sum())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--keys", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=30_162)
    parser.add_argument("--charts", type=Path)
    given = parser.parse_args()
    microdata = table(given.rows)
    privacy(microdata)
    frames = figure_6(microdata, given.queries)
    frames |= figures_7_and_8(microdata)
    coverage(microdata, given.keys)
    if given.charts:
        draw(frames, given.charts, "share")


if __name__ == "__main__":
    main()
