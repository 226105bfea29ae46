"""Tables and releases that the tests of rows elsewhere share."""

from __future__ import annotations

import hashlib
import os
import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.demo import hospital_table
from anonagram.divided import on_disk
from anonagram.engines import row_files
from anonagram.methods.masking import MaskingMethod

KEY = Key(bytes(range(32)))
DAY = date(2020, 1, 2)
BLOCK = 150
ROLES = {
    "age": "quasi", "sex": "quasi", "zip": "quasi", "admitted": "quasi", "disease": "sensitive",
    "name": "drop", "patient": "drop",
}  # fmt: skip
CALLS = [
    "anatomy(l=3)", "permutation(l=3)", "random()", "ke(k=3, e=60)", "generalize(l=3)",
    "rank_swapping(p=8)", 'data_swapping(share=0.5, within=["sex"])', "noise(scale=0.5)",
    "microaggregation(k=3)",
]  # fmt: skip
"""Every method that can be divided."""
ASKED = CALLS[:5]
"""Those whose releases can be asked."""


QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compiles its code once and little: a test is over before more of it pays off."""


def require_spark() -> None:
    """Skip where Spark cannot run; its processes are those of a short test."""
    pytest.importorskip(
        "pyspark", reason="pyspark is not installed: pip install 'anonagram[spark]'"
    )
    if shutil.which("java") is None:
        pytest.skip("no Java is installed (scripts/test installs it as root)")
    os.environ.setdefault("JAVA_TOOL_OPTIONS", QUICK_JAVA)


def crowded_table(rows: int = 600) -> pl.DataFrame:
    """More people than two blocks have who are alike in all quasi-identifiers, and others."""
    table = hospital_table(rows).select(*ROLES)
    alike = pl.int_range(pl.len()) % 5 < 3
    one = table.row(0, named=True)
    quasi = [name for name, role in ROLES.items() if role == "quasi"]
    return table.with_columns(
        pl.when(~alike).then(name).otherwise(pl.lit(one[name])).alias(name) for name in quasi
    )


def table_for(method: Method, rows: int = 600) -> pl.DataFrame:
    """With missing values; with numbers of many values where a method needs numbers."""
    table = hospital_table(rows).select(*ROLES)
    table = table.with_columns(age=pl.when(pl.col("age") % 17 > 0).then("age"))
    if isinstance(method, MaskingMethod) and method.needs_numbers:
        return table.with_columns(pl.col("sex", "zip").rank("dense").cast(pl.Int64))
    if method.call != "ke":
        return table
    pay = pl.col("disease").rank("dense") * 2000 + pl.col("age").fill_null(40) * 21
    return table.with_columns(disease=pl.when(~pl.col("zip").str.ends_with("7")).then(pay))


def in_memory(method: Method, source: object) -> dict[str, pl.DataFrame]:
    """The tables that the same blocks give in memory."""
    made = method.publish(Microdata.read(source, ROLES), KEY, DAY, block=BLOCK)
    return made.release.tables


def hashes_in(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read_few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that tables of hundreds of rows come in several batches."""
    for each in (on_disk, row_files):
        monkeypatch.setattr(each, "BATCH", 130)
