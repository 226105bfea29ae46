"""A case: one table, one method, one key and some questions, all from one seed."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

from anonagram import Key, Method, Microdata, Release
from tests.hunt.earlier import earlier_table, with_persons
from tests.hunt.methods import CONTINUES, random_method, shape_of
from tests.hunt.question import Question
from tests.hunt.questions import random_question
from tests.hunt.tables import Table, random_table

QUESTIONS = 24
"""Asked of each release: making one and its worlds costs about as much as asking as many."""
LARGE = 3
"""Every third case has a large table: cells there cost a tenth, and sums have more to add up."""


@dataclass(frozen=True)
class Case:
    """What is tried."""

    seed: int
    table: Table
    method: str
    key: bytes
    questions: tuple[Question, ...]
    bundle: str | None = None
    """The format in which the release is written and read back before it is asked."""

    @property
    def shape(self) -> str:
        """What is published."""
        return shape_of(self.method)

    def release(self) -> Release:
        """The release, made as a protector makes it and perhaps read as an analyst reads it."""
        with tempfile.TemporaryDirectory(prefix="anonagram-hunt-") as folder:
            method, key = Method.parse(self.method), Key(self.key)
            series = None
            if self.method.startswith(CONTINUES):
                before = earlier_table(self.table, Random(self.key))
                series = method.publish(_read(before, Path(folder)), key).series
            data = _read(self.table, Path(folder))
            release = method.publish(data, key, earlier=series).release
            if self.bundle is None:
                return release
            release.write(Path(folder) / "bundle", self.bundle, page=False)  # type: ignore[arg-type]
            return Release.read(Path(folder) / "bundle")


def _read(table: Table, folder: Path) -> Microdata:
    source = table.frame() if not table.by_csv else folder / "table.csv"
    if isinstance(source, Path):
        table.frame().write_csv(source)
    return Microdata.read(source, table.schema())


def random_case(seed: int) -> Case:
    """The case of a seed: always the same one."""
    rng = Random(seed)
    table = random_table(rng, is_large=seed % LARGE == 0)
    method = random_method(rng, table)
    table = with_persons(table) if method.startswith(CONTINUES) else table
    questions = tuple(random_question(rng, table) for _ in range(QUESTIONS))
    bundle = rng.choices((None, "parquet", "csv"), (20, 1, 1))[0]
    return Case(seed, table, method, rng.randbytes(32), questions, bundle)
