"""Small tables that tests share, some of them printed in the papers."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import polars as pl

from anonagram.release import AnatomizedRelease, DescribedTable, Manifest, PublishedColumn, Rows

# Li et al. 2015, Table 1; group 1 is Bob to Andy, group 2 Mary to Sarah (Table 2)
PATIENTS = pl.DataFrame(
    {
        "name": ["Bob", "Alex", "Jane", "Lily", "Andy", "Mary", "Linda", "Lucy", "Sarah"],
        "age": [65, 50, 70, 55, 90, 45, 50, 40, 10],
        "sex": ["M", "M", "F", "F", "F", "M", "F", "F", "M"],
        "disease": [
            "Emphysema", "Cancer", "Flu", "Gastritic", "Dyspepsia",
            "Flu", "Pneumonia", "Gastritic", "Bronchitis",
        ],
    }
)  # fmt: skip
PATIENT_GROUPS = [1, 1, 1, 1, 1, 2, 2, 2, 2]
PATIENT_SCHEMA = {"name": "identifier", "age": "quasi", "sex": "quasi", "disease": "sensitive"}


def awkward_table(rows: int = 60) -> pl.DataFrame:
    """Everything that trips naive code: missing values, quotes, dates, names like our own."""
    texts = ["O'Neil", 'say "hi"', "a,b", "", None, "новый", "line\nbreak", " padded "]
    return pl.DataFrame(
        {
            "secret_id": [f"person-{i:05}" for i in range(rows)],
            "group": [texts[i % len(texts)] for i in range(rows)],
            "Count": [None if i % 7 == 0 else i % 5 - 2 for i in range(rows)],
            "weight": [None if i % 11 == 0 else (i % 6) / 3 for i in range(rows)],
            "born": [date(1950 + i % 40, 1 + i % 12, 1 + i % 28) for i in range(rows)],
            "seen": [datetime(2024, 1, 1 + i % 9, i % 24, 30) for i in range(rows)],
            'say "x", now': [i % 9 for i in range(rows)],
            "smokes": [i % 3 == 0 if i % 5 else None for i in range(rows)],
            "value": [["flu", "cut", None, "burn", "ulcer", "cough"][i % 6] for i in range(rows)],
        }
    )


AWKWARD_SCHEMA = {
    "secret_id": "identifier",
    "group": "quasi",
    "Count": "quasi",
    "weight": "quasi",
    "born": "quasi",
    "seen": "quasi",
    'say "x", now': "plain",
    "smokes": "plain",
    "value": "sensitive",
}


def header(path: Path) -> list[str]:
    """The column names of a CSV file."""
    with path.open(encoding="utf-8") as handle:
        return handle.readline().strip().split(",")


def anatomized(groups: list[int], values: list[object]) -> AnatomizedRelease:
    """An anatomized release with these sensitive values in these groups, whose people look alike."""
    columns = (
        PublishedColumn("q", "quasi", "numeric"),
        PublishedColumn("s", "sensitive", "nominal"),
    )
    manifest = Manifest(
        method="by hand",
        tables=(DescribedTable("data", Rows.all_of(len(groups)), columns),),
        layout={"group": "group", "count": "count"},
        key_commitment="",
    )
    dtype = pl.Int64 if all(value is None for value in values) else None
    column = pl.Series(values, dtype=dtype, strict=False)
    rows = pl.DataFrame({"group": groups, "s": column}).cast({"group": pl.Int32}).sort("group")
    return AnatomizedRelease(
        manifest,
        rows.select("group", q=pl.col("group").cast(pl.Int64)),
        {"s": rows.group_by("group", "s").agg(pl.len().alias("count"))},
    )
