"""How often 95 % intervals of counts hold the truth, on tables they were not developed on.

    python -m benchmarks.learning.intervals [--tables adult_test …] [--cells 1000] [--keys 3] [--l 4]
        [--per-size 30]

Cells are those of benchmarks.learning.estimates, of any size; groups are drawn anew with every key.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
import polars as pl

from anonagram import Anatomy, Key, Microdata
from anonagram.learning import ByDesign
from anonagram.release import Release
from benchmarks.census import census
from benchmarks.learning.estimates import Cell, count_cells, draw_cells
from benchmarks.papers.figures import DATA

SIZES = (1, 5, 20, 100, 1_000, 1_000_000_000)
TRAINING_ROWS = 32_561
"""Of Adult: those behind them are its test part."""


GROWN = 25


class Real(NamedTuple):
    """A file, the columns to publish, the sensitive one, and the rows to leave out at the top."""

    file: str
    quasi: tuple[str, ...]
    sensitive: str
    skipped: int = 0

    def read(self, rows: int | None) -> tuple[Microdata, str]:
        """The table; a census-like one where the file is absent."""
        if not (DATA / self.file).exists():
            return census(rows or 30_000), "Occupation"
        frame = pl.read_csv(DATA / self.file, infer_schema=False)
        frame = frame[self.skipped :].select(*self.quasi, self.sensitive)
        frame = frame.filter(pl.col(self.sensitive).is_not_null())
        if "AGEP" in frame.columns:  # of children the age alone tells school and income
            frame = frame.filter(pl.col("AGEP").cast(pl.Int64) >= GROWN)
        roles = dict.fromkeys(self.quasi, "quasi") | {self.sensitive: "sensitive"}
        return Microdata.read(frame if rows is None else frame.head(rows), roles), self.sensitive


ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
ACS = ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT")
HOSPITAL = ("race", "gender", "age", "admission_source_id", "time_in_hospital", "payer_code")
TABLES = {
    "adult_test": Real("adult/adult.csv", ADULT, "occupation", TRAINING_ROWS),
    "adult_schooling": Real("adult/adult.csv", (*ADULT[:2], *ADULT[3:]), "education"),
    "acs_education": Real("acs2019/acs2019.csv", ACS, "EDU"),
    "acs_income": Real("acs2019/acs2019.csv", (*ACS, "EDU"), "PINCP_DECILE"),
    "hospital_medications": Real("hospital/first_encounters.csv", HOSPITAL, "num_medications"),
    "hospital_laboratory": Real("hospital/first_encounters.csv", HOSPITAL, "num_lab_procedures"),
}


def ends_of(
    release: Release, sensitive: str, cells: list[Cell]
) -> list[tuple[float, float] | None]:
    """The interval of every cell; none where the groups do not tell one."""
    design = ByDesign.of(release.grouped)
    assert design is not None
    group, counts = release.quasi["group"].to_numpy() - 1, release.sensitive_counts()[sensitive]
    groups, found = design.counts.shape[0], []
    for names, values, last in cells:
        meets = [pl.col(n).eq_missing(pl.lit(v)) for n, v in zip(names, values, strict=True)]
        people = release.quasi.select(pl.all_horizontal(meets)).to_series().to_numpy()
        there = counts.filter(pl.col("value").eq_missing(pl.lit(last)))
        of_values = np.bincount(there["group"].to_numpy() - 1, there["count"].to_numpy(), groups)
        hits = np.bincount(group[people], minlength=groups).astype(np.float64)
        found.append(design.interval(hits, of_values))
    return found


def measure(
    name: str, rows: int | None, number: int, keys: int, l: int, per_size: int | None
) -> None:
    microdata, sensitive = TABLES[name].read(rows)
    table = microdata.frame()
    cells = draw_cells(table, sensitive, number, least=1)
    truth = count_cells(table, sensitive, cells)
    if per_size is not None:
        sized = np.digitize(truth, SIZES)
        kept = np.concatenate([np.flatnonzero(sized == c)[:per_size] for c in np.unique(sized)])
        cells, truth = [cells[place] for place in kept], truth[kept]
    held, sizes, widths, made = [], [], [], []
    for key in range(keys):
        release = Anatomy(l=l, partition="buckets").anonymize(microdata, Key(bytes([key] * 32)))
        for ends, count in zip(ends_of(release, sensitive, cells), truth.tolist(), strict=True):
            if ends is not None:
                held.append(ends[0] <= count <= ends[1])
                made.append(key)
                sizes.append(count)
                widths.append((ends[1] - ends[0]) / 2 / count)
    classes = np.digitize(sizes, SIZES) - 1
    told = ", ".join(
        f"{SIZES[c]:,}+ people {held_in(np.array(held)[classes == c], np.array(made)[classes == c])}"
        for c in np.unique(classes)
    )
    print(
        f"{name}, l = {l}: {np.mean(held):.1%} of {len(held):,} held, reaching "
        f"{np.median(widths):.0%} to either side in the median ({told})",
        flush=True,
    )


def held_in(held: np.ndarray, made: np.ndarray) -> str:
    """How many hold the truth; cells of one release err together, so keys say how sure that is."""
    by_key = [held[made == key].mean() for key in np.unique(made)]
    error = np.std(by_key, ddof=1) / len(by_key) ** 0.5 if len(by_key) > 1 else np.nan
    return f"{held.mean():.1%} ± {error:.1%} of {held.size:,}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--keys", type=int, default=3)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--l", type=int, nargs="+", default=[4])
    parser.add_argument("--per-size", type=int, help="so many cells of each size, at most")
    words = parser.parse_args()
    for name in words.tables:
        for l in words.l:
            measure(name, words.rows, words.cells, words.keys, l, words.per_size)


if __name__ == "__main__":
    main()
