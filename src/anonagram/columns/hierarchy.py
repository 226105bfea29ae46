"""How values become coarser: hierarchies read from a file or built over a column's domain.

>>> import polars as pl
>>> ages = pl.Series([17, 23, 28, 41])
>>> hierarchy = HierarchyRule.parse("intervals(width=10, levels=2)").over("age", ages)
>>> [hierarchy.label("23", level) for level in range(hierarchy.height + 1)]
['23', '[20, 30)', '[20, 40)', '*']
"""

from __future__ import annotations

import csv
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import polars as pl

from anonagram.calls import Call
from anonagram.errors import CallError, SchemaError, suggest
from anonagram.shown.wording import how_many

ANYTHING = "*"
MOST_LEVELS = 64
"""More than enough: each level at least halves what is told apart."""
LARGEST_FILE = 1 << 28


@dataclass(frozen=True)
class Hierarchy:
    """The labels of every value at every level; level 0 is the value itself."""

    attribute: str
    levels: tuple[tuple[str, ...], ...]
    """`levels[i][j]` is the label of value j at level i."""
    file: str = field(default="", compare=False)
    """Where it was read from, for whoever must mend it."""

    def __post_init__(self) -> None:
        self._refuse_repeated_values()
        for number, (finer, coarser) in enumerate(pairwise(self.levels), 1):
            parents: dict[str, str] = {}
            for label, parent in zip(finer, coarser, strict=True):
                if parents.setdefault(label, parent) != parent:
                    raise SchemaError(
                        f"The hierarchy of {self.attribute!r}: at level {number}, {label!r} has two "
                        f"parents, {parents[label]!r} and {parent!r}.",
                        "give each label one parent at the next level.",
                    )

    def _refuse_repeated_values(self) -> None:
        seen: set[str] = set()
        for value in self.values:
            if value in seen:
                raise SchemaError(
                    f"The hierarchy of {self.attribute!r} has two rows for {value!r}.",
                    "remove one of them.",
                )
            seen.add(value)

    @property
    def values(self) -> tuple[str, ...]:
        """The values it covers, in the hierarchy's own order."""
        return self.levels[0]

    @property
    def height(self) -> int:
        """The number of the coarsest level."""
        return len(self.levels) - 1

    @property
    def tells_alike(self) -> bool:
        """Whether it says which values are alike: some level lies between them and all together."""
        return self.height > 1

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {value: row for row, value in enumerate(self.values)}

    def rows_of(self, values: Sequence[str]) -> list[int]:
        """The places of values in every level."""
        return list(map(self._row_of.__getitem__, values))

    def label(self, value: str, level: int) -> str:
        """What a value is called at a level."""
        return self.levels[level][self._row_of[value]]

    def above(self, labels: Sequence[str]) -> Self | None:
        """What is left of it above labels of one of its levels, now the finest; None where nothing is."""
        for number, level in enumerate(self.levels):
            row_of = {label: row for row, label in enumerate(level)}
            if all(label in row_of for label in labels):
                rows = [row_of[label] for label in labels]
                kept = tuple(tuple(above[row] for row in rows) for above in self.levels[number:])
                return type(self)(self.attribute, kept) if len(kept) > 1 else None
        return None

    def leaves(self, level: int) -> Mapping[str, int]:
        """How many values each label of a level has."""
        return self._leaves[level]

    @cached_property
    def _leaves(self) -> list[Counter[str]]:
        return [Counter(level) for level in self.levels]

    def require_cover(self, domain: pl.Series) -> None:
        """Check that every value of the column's domain is in the hierarchy."""
        for value in value_texts(domain):
            if value not in self._row_of:
                place = f" in {self.file}" if self.file else ""
                raise SchemaError(
                    f"The hierarchy of {self.attribute!r}{place} does not cover the value {value!r}.",
                    f"add a row for it at level 0; {suggest(value, list(self.values)[:8])}",
                )

    @classmethod
    def read(cls, path: str | Path, attribute: str = "") -> Self:
        """Read the CSV form: one row a value, then its coarser labels; ; or , between them."""
        path = Path(path)
        attribute = attribute or path.stem
        try:
            text = _text_of(path)
            rows = _rows_of(text)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise SchemaError(
                f"The hierarchy of {attribute!r} cannot be read from {path}: {error}.",
                "give a UTF-8 file with one row a value: value;level 1;level 2",
            ) from error
        rows = [row for row in rows if row]
        if not rows:
            raise SchemaError(f"The hierarchy file {path} is empty.", "one row a value.")
        for number, row in enumerate(rows, 1):
            if len(row) != len(rows[0]):
                raise SchemaError(
                    f"{path}, row {number} ({row[0]!r}) has {how_many(len(row) - 1, 'level')}, "
                    f"the first row has {len(rows[0]) - 1}.",
                    "give every value a label at every level.",
                )
        # a row that is repeated as it stands says nothing new
        different = dict.fromkeys(tuple(row) for row in rows)
        return cls(attribute, tuple(zip(*different, strict=True)), str(path))


def _text_of(path: Path) -> str:
    """The text of a plain file: a pipe or a device might never end."""
    if path.exists() and not path.is_file():
        raise OSError("it is not a plain file")
    if path.exists() and path.stat().st_size > LARGEST_FILE:
        raise OSError(f"it has more than {LARGEST_FILE:,} bytes")
    return path.read_text(encoding="utf-8-sig")


def _rows_of(text: str) -> list[list[str]]:
    """The rows of a CSV file; a ; inside quotes is part of a value and parts nothing."""
    by_semicolon = csv.reader(StringIO(text, newline=""), delimiter=";")
    first = next((row for row in by_semicolon if row), [])
    if len(first) > 1:
        return [first, *by_semicolon]
    return list(csv.reader(StringIO(text, newline="")))


def value_texts(domain: pl.Series) -> list[str]:
    """The values of a domain as a hierarchy file writes them."""
    if domain.dtype.is_float():
        return [str(int(v)) if v.is_integer() else str(v) for v in domain.to_list()]
    if isinstance(domain.dtype, pl.Duration):
        return _span_texts(domain)
    if domain.dtype == pl.Time:  # a cast would leave out what is less than a second
        return domain.dt.to_string("%H:%M:%S%.f").to_list()
    texts: list[str] = domain.cast(pl.String).to_list()
    return texts


def _span_texts(domain: pl.Series) -> list[str]:
    """Lengths of time, with nanoseconds where there are some."""
    if domain.dtype != pl.Duration("ns"):
        return [str(value) for value in domain.to_list()]
    return [_span_text(ticks) for ticks in domain.to_physical().to_list()]


def _span_text(ticks: int | None) -> str:
    if ticks is None:
        return str(None)
    whole, rest = divmod(ticks, 1000)
    text = str(timedelta(microseconds=whole))
    if not rest:
        return text
    return f"{text if '.' in text else f'{text}.000000'}{rest:03}"


class HierarchyRule(Call, home="anonagram.columns.hierarchies"):
    """How to build a hierarchy once the column's values are known."""

    noun = "hierarchy"

    def over(self, attribute: str, domain: pl.Series) -> Hierarchy:
        """The hierarchy of a column over its domain."""
        levels = [tuple(value_texts(domain)), *(tuple(level) for level in self.labels(domain))]
        if len(set(levels[-1])) > 1:
            levels.append((ANYTHING,) * len(domain))
        hierarchy = Hierarchy(attribute, tuple(levels))
        hierarchy.require_cover(domain)
        return hierarchy

    @abstractmethod
    def labels(self, domain: pl.Series) -> Sequence[Sequence[str]]:
        """The labels of the domain's values at level 1, 2, …"""


def hierarchy_for(attribute: str, given: Any, domain: pl.Series, folder: Path) -> Hierarchy:
    """The hierarchy a schema names: a CSV file, a call to build it, or (in Python) the object."""
    if isinstance(given, str) and "(" in given:
        try:
            given = HierarchyRule.parse(given)
        except CallError as error:
            raise SchemaError(f"Column {attribute!r}: {error.what}", error.remedy) from error
    if isinstance(given, HierarchyRule):
        return _build(attribute, given, domain)
    hierarchy = given if isinstance(given, Hierarchy) else Hierarchy.read(folder / given, attribute)
    hierarchy.require_cover(domain)
    return hierarchy


def _build(attribute: str, rule: HierarchyRule, domain: pl.Series) -> Hierarchy:
    try:
        return rule.over(attribute, domain)
    except (CallError, SchemaError) as error:
        raise SchemaError(f"Column {attribute!r}: {error.what}", error.remedy) from error
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise SchemaError(
            f"Column {attribute!r}: {rule!r} does not fit its values.",
            f"for example {rule.example}.",
        ) from error
