"""What every level of a column's hierarchy would merge.

>>> climb = Climb.of({"age": [31, 33, 38, 45, 47, 52, 58]}, "age", "intervals(width=10, levels=2)")
>>> print(climb.to_csv().splitlines()[0])
31;[30, 40);[20, 40);*
>>> [(level.labels, level.fewest_rows) for level in climb.levels]
[(7, 1), (3, 2), (2, 3), (1, 7)]
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from anonagram.columns.hierarchy import Hierarchy, hierarchy_for, value_texts
from anonagram.columns.proposals import proposed
from anonagram.errors import SchemaError, suggest
from anonagram.profile.facts import Facts
from anonagram.profile.reading import propose_reading
from anonagram.schema import toml_key
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many
from anonagram.sources import load


@dataclass(frozen=True)
class Level:
    """One level: how many labels there are, and how much each of them covers."""

    number: int
    labels: int
    most_values: int
    fewest_rows: int
    median_rows: float
    most_rows: int
    largest: str
    """The label with most rows."""

    def __str__(self) -> str:
        if self.labels == 1:
            return f"Level {self.number}: everything is {self.largest!r}."
        return (
            f"Level {self.number}: {how_many(self.labels, 'label')} of up to "
            f"{how_many(self.most_values, 'value')}; rows a "
            f"label {self.fewest_rows:,} to {self.most_rows:,}, median {self.median_rows:,.0f}; most "
            f"rows have {self.largest!r}."
        )


@dataclass(frozen=True)
class Climb(Shown):
    """A column's hierarchy, and what its levels merge."""

    shown_by = "climb"

    column: str
    rule: str
    reason: str
    hierarchy: Hierarchy
    levels: tuple[Level, ...]
    missing: int
    """Rows without a value, which stay so at every level but the last."""

    @classmethod
    def of(cls, source: Any, column: str, rule: str | None = None) -> Self:
        """The hierarchy that a call builds over a column's values, or one that suits them."""
        table = load(source)
        if column not in table.frame.columns:
            raise SchemaError(
                f"{table.label} has no column {column!r}.", suggest(column, table.frame.columns)
            )
        read, reading = propose_reading(table, column)
        counts = np.bincount(read.codes, minlength=len(read.domain) + 1)
        missing = int(counts[len(read.domain)])
        most = int(counts.max())
        facts = Facts(column, read.kind, read.domain, table.frame.height, missing, most, reading)
        if not len(read.domain):
            raise SchemaError(f"{table.label}: {column!r} has no value.", "name another column.")
        proposal = proposed(read.domain, "nominal" if facts.is_code else read.kind)
        call, reason = (proposal.text, proposal.reason) if rule is None else (rule, "")
        built = hierarchy_for(column, call, read.domain, Path())
        levels = _levels(built, value_texts(read.domain), counts)
        return cls(column, call, reason, built, levels, missing)

    def to_csv(self) -> str:
        """One row a value, then its coarser labels, as schemas read it."""
        text = io.StringIO()
        rows = csv.writer(text, delimiter=";", lineterminator="\n")
        rows.writerows(zip(*self.hierarchy.levels, strict=True))
        return text.getvalue()

    def in_schema(self, path: Path) -> str:
        """The line of a schema that uses the file."""
        return f'{toml_key(self.column)} = {{ role = "quasi", hierarchy = "{path.name}" }}'

    def to_dict(self) -> dict[str, Any]:
        """All but the labels in rows, which the CSV has."""
        return {
            "column": self.column,
            "rule": self.rule,
            "reason": self.reason,
            "missing": self.missing,
            "levels": [{**vars(level), "said": str(level)} for level in self.levels],
            "hierarchy": [list(row) for row in zip(*self.hierarchy.levels, strict=True)],
        }


def _levels(hierarchy: Hierarchy, texts: list[str], counts: np.ndarray) -> tuple[Level, ...]:
    found = []
    for number in range(hierarchy.height + 1):
        rows: dict[str, int] = {}
        values: dict[str, int] = {}
        for text, count in zip(texts, counts.tolist(), strict=False):
            label = hierarchy.label(text, number)
            rows[label] = rows.get(label, 0) + count
            values[label] = values.get(label, 0) + 1
        sizes = list(rows.values())
        largest = max(rows, key=lambda label: rows[label])
        found.append(
            Level(
                number,
                len(rows),
                max(values.values()),
                min(sizes),
                float(np.median(sizes)),
                max(sizes),
                largest,
            )
        )
    return tuple(found)
