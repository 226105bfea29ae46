"""What people wait for: the whole command from a CSV file to a checked bundle on disk.

    python -m benchmarks.scaling.whole_way [--rows 1000000] [--methods "anatomy(l=4)" …]

Adult's seven quasi-identifiers and a sensitive column, drawn with replacement (a made-up census
where Adult is absent); for `ke` hours of work a week are sensitive. Each command is a process of its
own, with its interpreter's start; the best seconds are compared with the best of np.lexsort of the
same codes, sorted before and after each command, and the steps are the command's own figures. "start"
is what is not in any step. Python may keep its bytecode, as it does for everybody who does not forbid
it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from anonagram import Microdata
from benchmarks.census import QUASI, census_frame
from benchmarks.papers.figures import DATA

METHODS = ("anatomy(l=4)", "permutation(l=4)", "generalize(l=4)", "ke(k=4, e=10)")
ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def table(rows: int) -> tuple[pl.DataFrame, list[str], str, str]:
    """The rows, their quasi-identifiers, and a nominal and a numeric sensitive column."""
    adult = DATA / "adult" / "adult_complete.csv"
    if not adult.exists():
        return census_frame(rows), list(QUASI), "Occupation", "Salary"
    drawn = np.random.default_rng(1).integers(0, 30_162, rows)
    frame = pl.read_csv(adult).select(*ADULT, "occupation", "hours-per-week")[drawn]
    return frame, list(ADULT), "occupation", "hours-per-week"


def write_schema(path: Path, columns: list[str], quasi: list[str], sensitive: str) -> None:
    roles = {name: "quasi" if name in quasi else "drop" for name in columns} | {
        sensitive: "sensitive"
    }
    lines = [f'"{name}" = "{role}"' for name, role in roles.items()]
    path.write_text("[columns]\n" + "\n".join(lines) + "\n", encoding="utf-8")


def run(folder: Path, method: str) -> tuple[float, float, dict[str, float]]:
    """Seconds by the clock, of all processors, and of each step."""
    command = [
        sys.executable,
        "-m",
        "anonagram",
        "anonymize",
        "table.csv",
        "--schema",
        "roles.toml",
    ]
    command += ["--method", method, "--output", "release", "--force", "--json"]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, env=kept)
    waited = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return waited, worked, json.loads(done.stdout)["seconds"]


def sorting(codes: list[np.ndarray]) -> tuple[float, float]:
    """Seconds of np.lexsort by the clock, and of the processor, which a busy machine hardly changes."""
    begun, worked = time.perf_counter(), time.process_time()
    np.lexsort(codes)
    return time.perf_counter() - begun, time.process_time() - worked


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    frame, quasi, nominal, numeric = table(options.rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame.write_csv(folder / "table.csv")
        roles = dict.fromkeys(frame.columns, "drop") | dict.fromkeys([*quasi, nominal], "quasi")
        codes = [column.codes for column in Microdata.read(frame, roles).columns]
        print(f"{options.rows:,} rows × {len(codes)} columns; best of {options.times}\n")
        print("method                    lexsort  command  ratio  CPU ratio | share of each step")
        for method in options.methods:
            sensitive = numeric if method.startswith("ke") else nominal
            write_schema(folder / "roles.toml", frame.columns, quasi, sensitive)
            run(folder, method)  # compile
            sorts, runs = [sorting(codes)], []
            for _ in range(options.times):  # in turn, so that both meet the same machine
                runs.append(run(folder, method))
                sorts.append(sorting(codes))
            (sort, sort_worked), (waited, worked, steps) = min(sorts), min(runs)
            steps = {"start": waited - sum(steps.values())} | steps
            shares = ", ".join(f"{step} {each / waited:.0%}" for step, each in steps.items())
            ratios = f"{waited / sort:6.2f} {worked / sort_worked:10.2f}"
            print(f"{method:25} {sort:7.3f} {waited:8.3f} {ratios} | {shares}", flush=True)


if __name__ == "__main__":
    main()
