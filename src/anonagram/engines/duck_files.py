"""DuckDB over Parquet files that stay where they are: for tables that do not fit into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self

import duckdb

from anonagram.engines.duck import DuckDb
from anonagram.engines.engine import InFiles
from anonagram.errors import InputError


@dataclass(frozen=True, eq=False)
class DuckFiles(InFiles):
    """Reads what it is asked for, within some memory; what does not fit waits on disk.

    Everything is asked by statements: frames would have to fit into memory.
    """

    inner: DuckDb
    dialect: ClassVar[str] = DuckDb.dialect
    place: ClassVar[str] = "files"

    @classmethod
    def over(cls, files: Mapping[str, Sequence[Path]], memory: int, spill: Path) -> Self:
        """A database in which each list of files is a table, and that sees nothing else."""
        cls.require_told_apart(files)
        connection = duckdb.connect(
            config={
                "preserve_insertion_order": "false",
                "memory_limit": f"{memory}B",
                "temp_directory": str(spill),
            }
        )
        paths = [str(path) for each in files.values() for path in each]
        connection.execute(f"SET allowed_paths = {_listed(paths)}")
        connection.execute("SET enable_external_access = false")
        for name, each in files.items():
            listed = _listed([str(path) for path in each])
            quoted = name.replace('"', '""')
            connection.execute(f'CREATE VIEW "{quoted}" AS SELECT * FROM read_parquet({listed})')
        connection.execute("SET lock_configuration = true")
        return cls(DuckDb(connection))

    @classmethod
    def at(cls, *_given: Any, **_more: Any) -> NoReturn:
        """Refuse: it has no address."""
        raise InputError("Files are no database with an address.", "duckdb:")

    load = at

    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        return self.inner.run(statement, question)

    def close(self) -> None:
        """Let go of the files, and of what waits on disk."""
        self.inner.connection.close()


def _listed(texts: Sequence[str]) -> str:
    return "[" + ", ".join("'" + text.replace("'", "''") + "'" for text in texts) + "]"
