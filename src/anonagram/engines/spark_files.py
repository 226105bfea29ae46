"""Apache Spark over Parquet files that stay where they are: for releases that a cluster reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self

from anonagram.engines.engine import InFiles
from anonagram.engines.spark_session import explained
from anonagram.errors import InputError

SETTINGS = {
    # a number that is too large, or a text that is no number, is an error and not a missing value
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
}


@dataclass(frozen=True, eq=False)
class SparkFiles(InFiles):
    """Reads what it is asked for, wherever its executors are; they must reach the files by their paths."""

    session: Any
    dialect: ClassVar[str] = "spark"
    place: ClassVar[str] = "files that Spark reads"

    @classmethod
    def over(cls, session: Any, files: Mapping[str, Sequence[Path]]) -> Self:
        """A session of its own beside the given one, in which each list of files is a table."""
        cls.require_told_apart(files)
        own = session.newSession()
        for name, value in SETTINGS.items():
            own.conf.set(name, value)
        with explained():
            for name, each in files.items():
                read = own.read.parquet(*(str(path) for path in each))
                read.createOrReplaceTempView(f"`{name}`")
        return cls(own)

    @classmethod
    def at(cls, *_given: Any, **_more: Any) -> NoReturn:
        """Refuse: a release in files is asked there, and is not loaded into it."""
        raise InputError(
            "Spark answers from the files of a release in parts.", "make the release in parts."
        )

    load = at

    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:  # noqa: ARG002
        """The rows of a statement."""
        with explained():
            return [tuple(row) for row in self.session.sql(statement).collect()]
