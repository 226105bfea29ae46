"""The real tables of the benchmarks, with the roles that suit them.

They are read from the folder ANONAGRAM_DATA names (or ../shared/data); where it is absent a census-like
table stands in for each.
"""

from __future__ import annotations

import polars as pl

from anonagram import Microdata
from benchmarks.census import census
from benchmarks.papers.figures import DATA

TABLES = {
    "adult": (
        "adult/adult_complete.csv",
        ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"],
        "occupation",
    ),
    "acs": (
        "acs2019/acs2019.csv", ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"], "INDP_CAT",
    ),
    "hospital": (
        "hospital/first_encounters.csv",
        ["race", "gender", "age", "admission_type_id", "time_in_hospital", "medical_specialty"],
        "diag_1",
    ),
}  # fmt: skip
NOT_IN_WORK = "N"
"""What ACS says of people without an industry, two fifths of them; they are left out."""


def read_table(name: str, rows: int | None = None) -> tuple[Microdata, str]:
    """A table, or its first rows, and its sensitive column."""
    file, quasi, sensitive = TABLES[name]
    if not (DATA / file).exists():
        return census(rows or 30_000), "Occupation"
    frame = pl.read_csv(DATA / file, infer_schema=False).select(*quasi, sensitive)
    frame = frame.filter(pl.col(sensitive) != NOT_IN_WORK)
    roles = dict.fromkeys(quasi, "quasi") | {sensitive: "sensitive"}
    return Microdata.read(frame if rows is None else frame.head(rows), roles), sensitive
