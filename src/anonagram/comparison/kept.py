"""Results that are kept as they come, so that a comparison which was stopped goes on.

A line of JSON each: what everything is measured against first, then one trial after the other. What
a kill cut off in the middle of a line is tried again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from anonagram.comparison.trial import Bench, Skipped, Trial
from anonagram.errors import CannotWrite

FORMAT = 6
BEGINNING = b'{"format":'


class Line(msgspec.Struct, omit_defaults=True):
    """One line: to which table and yardsticks it belongs, and one of three things."""

    format: int
    table: str
    bench: Bench | None = None
    trial: Trial | None = None
    skipped: Skipped | None = None


@dataclass(frozen=True)
class Kept:
    """A file of results; without a path nothing is kept."""

    path: Path | None = None

    def read(self, table: str) -> tuple[Bench | None, dict[str, Trial | Skipped]]:
        """What is known of a table already."""
        bench, found = None, {}
        for line in self._lines():
            if line.format == FORMAT and line.table == table:
                bench = line.bench or bench
                result = line.trial or line.skipped
                if result is not None:
                    found[result.call] = result
        return bench, found

    def _lines(self) -> list[Line]:
        if self.path is None or not self.path.exists():
            return []
        lines = []
        for text in self.path.read_bytes().splitlines():
            try:
                lines.append(msgspec.json.decode(text, type=Line))
            except msgspec.DecodeError:
                continue  # the end of a run that was killed
        return lines

    def add(self, table: str, **what: Any) -> None:
        """Keep one result, on the disk before the next is begun."""
        if self.path is None:
            return
        content = msgspec.json.encode(Line(FORMAT, table, **what))
        try:
            with self.path.open("ab") as file:
                # a line that was cut off must not swallow this one
                file.write(b"\n" + content + b"\n" if _is_cut(self.path) else content + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise CannotWrite(f"{self.path} was not written: {error}.", "another place.") from error


def _is_cut(path: Path) -> bool:
    content = path.read_bytes()
    return bool(content) and not content.endswith(b"\n")


def is_kept(path: Path) -> bool:
    """Whether a file holds results of comparisons, perhaps of an earlier version."""
    if not path.is_file():
        return False
    content = path.read_bytes()
    # the first line may be all there is of it, and cut off
    return content[: len(BEGINNING)] == BEGINNING[: len(content)]
