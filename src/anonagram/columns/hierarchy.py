"""How values become coarser: hierarchies read from a file or built over a column's domain.

>>> import polars as pl
>>> ages = pl.Series([17, 23, 28, 41])
>>> hierarchy = HierarchyRule.parse("intervals(width=10, levels=2)").over("age", ages)
>>> [hierarchy.label("23", level) for level in range(hierarchy.height + 1)]
['23', '[20, 30)', '[20, 40)', '*']
"""

from __future__ import annotations

import csv
import sys
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import polars as pl

from anonagram.calls import Call, is_number, require, require_whole
from anonagram.errors import CallError, SchemaError, suggest

ANYTHING = "*"
MOST_LEVELS = 64
"""More than enough: each level at least halves what is told apart."""
LONGEST_MASKED = 256
"""Characters; a level for each, of all values, is more than anybody looks at."""
LARGEST_NUMBER = sys.float_info.max
LARGEST_FILE = 1 << 28


@dataclass(frozen=True)
class Hierarchy:
    """The labels of every value at every level; level 0 is the value itself."""

    attribute: str
    levels: tuple[tuple[str, ...], ...]
    """levels[i][j] is the label of value j at level i."""

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

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {value: row for row, value in enumerate(self.values)}

    def label(self, value: str, level: int) -> str:
        """What a value is called at a level."""
        return self.levels[level][self._row_of[value]]

    def require_cover(self, domain: pl.Series) -> None:
        """Check that every value of the column's domain is in the hierarchy."""
        for value in value_texts(domain):
            if value not in self._row_of:
                raise SchemaError(
                    f"The hierarchy of {self.attribute!r} does not cover the value {value!r}.",
                    f"add a row for it at level 0; {suggest(value, list(self.values)[:8])}",
                )

    @classmethod
    def read(cls, path: str | Path, attribute: str = "") -> Self:
        """Read the CSV form: one row a value, then its coarser labels; ; or , between them."""
        path = Path(path)
        attribute = attribute or path.stem
        try:
            text = _text_of(path)
            first = text.split("\n", 1)[0]
            rows = list(csv.reader(text.splitlines(), delimiter=";" if ";" in first else ","))
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
                    f"{path}, row {number} ({row[0]!r}) has {len(row) - 1} levels, "
                    f"the first row has {len(rows[0]) - 1}.",
                    "give every value a label at every level.",
                )
        # a row that is repeated as it stands says nothing new
        different = dict.fromkeys(tuple(row) for row in rows)
        return cls(attribute, tuple(zip(*different, strict=True)))


def _text_of(path: Path) -> str:
    """The text of a plain file: a pipe or a device might never end."""
    if path.exists() and not path.is_file():
        raise OSError("it is not a plain file")
    if path.exists() and path.stat().st_size > LARGEST_FILE:
        raise OSError(f"it has more than {LARGEST_FILE:,} bytes")
    return path.read_text(encoding="utf-8-sig")


def value_texts(domain: pl.Series) -> list[str]:
    """The values of a domain as a hierarchy file writes them."""
    if domain.dtype.is_float():
        return [str(int(v)) if v.is_integer() else str(v) for v in domain.to_list()]
    if isinstance(domain.dtype, pl.Duration):
        return [str(value) for value in domain.to_list()]
    texts: list[str] = domain.cast(pl.String).to_list()
    return texts


class HierarchyRule(Call):
    """How to build a hierarchy once the column's values are known."""

    noun = "hierarchy"

    def over(self, attribute: str, domain: pl.Series) -> Hierarchy:
        """The hierarchy of a column over its domain."""
        levels = [tuple(value_texts(domain)), *(tuple(level) for level in self._labels(domain))]
        if len(set(levels[-1])) > 1:
            levels.append((ANYTHING,) * len(domain))
        hierarchy = Hierarchy(attribute, tuple(levels))
        hierarchy.require_cover(domain)
        return hierarchy

    @abstractmethod
    def _labels(self, domain: pl.Series) -> list[Sequence[str]]:
        """The labels of the domain's values at level 1, 2, …"""


@dataclass(frozen=True, repr=False)
class Intervals(HierarchyRule, call="intervals", example="intervals(width=10, levels=2)"):
    """Numbers become intervals: of equal width that grows with the level, or between given cuts."""

    width: float | None = None
    levels: int = 3
    factor: int = 2
    origin: float = 0
    cuts: list[float] | list[list[float]] | None = None
    """One list of cuts a level, each a subset of the one before; or a single list."""

    def __post_init__(self) -> None:
        require(
            (self.width is None) == (self.cuts is not None),
            "intervals: give width or cuts.",
            "intervals(width=10, levels=2) or intervals(cuts=[18, 30, 65])",
        )
        for number in (self.width, self.origin):
            require(number is None or _is_finite(number), f"intervals: {number!r} is not a number.")
        require(self.width is None or self.width > 0, "intervals: width must be above 0.")
        self._require_cuts()
        require_whole(self, "levels", 1, MOST_LEVELS)
        require_whole(self, "factor", 2)

    def _require_cuts(self) -> None:
        if self.cuts is None:
            return
        require(
            isinstance(self.cuts, list | tuple) and bool(self.cuts),
            "intervals: give at least one cut.",
        )
        require(len(self._nested) <= MOST_LEVELS, f"intervals: {MOST_LEVELS} levels are the most.")
        for cuts in self._nested:
            require(
                isinstance(cuts, list | tuple) and bool(cuts) and all(map(_is_finite, cuts)),
                f"intervals: cuts are numbers, not {cuts!r}.",
                "intervals(cuts=[18, 30, 65])",
            )

    @property
    def _nested(self) -> Sequence[Any]:
        """A list of cuts for each level."""
        cuts: Any = self.cuts
        return cuts if isinstance(cuts[0], list | tuple) else [cuts]

    def _labels(self, domain: pl.Series) -> list[Sequence[str]]:
        if not domain.dtype.is_numeric():
            raise SchemaError(
                f"intervals(…) needs numbers, not {domain.dtype}.", "mask() or tree()."
            )
        values = [_exact(value) for value in domain.to_list()]
        if self.cuts is None:
            widths = [_exact(self.width) * self.factor**i for i in range(self.levels)]
            return [[self._interval(value, width) for value in values] for width in widths]
        levels = [sorted(_exact(cut) for cut in cuts) for cuts in self._nested]
        return [[_between(value, cuts) for value in values] for cuts in levels]

    def _interval(self, value: Fraction, width: Fraction) -> str:
        low = _exact(self.origin) + (value - _exact(self.origin)) // width * width
        return f"[{_number(low)}, {_number(low + width)})"


def _is_finite(value: Any) -> bool:
    return is_number(value) and -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def _exact(value: Any) -> Fraction:
    """A number as it is written: 0.3 is three tenths, not the nearest binary fraction."""
    return Fraction(str(value))


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))


def _between(value: Fraction, cuts: list[Fraction]) -> str:
    place = bisect_right(cuts, value)
    if place == 0:
        return f"< {_number(cuts[0])}"
    if place == len(cuts):
        return f">= {_number(cuts[-1])}"
    return f"[{_number(cuts[place - 1])}, {_number(cuts[place])})"


@dataclass(frozen=True, repr=False)
class Mask(HierarchyRule, call="mask", example="mask()"):
    """Characters are hidden one more a level, from the right or the left end."""

    side: str = "right"
    symbol: str = "*"

    def __post_init__(self) -> None:
        require(self.side in ("left", "right"), f"mask: side is left or right, not {self.side!r}.")
        require(len(self.symbol) == 1, "mask: symbol is one character.")

    def _labels(self, domain: pl.Series) -> list[Sequence[str]]:
        texts = value_texts(domain)
        longest = max((len(text) for text in texts), default=0)
        if longest > LONGEST_MASKED:
            raise SchemaError(
                f"mask() hides a character a level; a value has {longest:,} of them, "
                f"and {LONGEST_MASKED} are the most.",
                "tree(), or a hierarchy file.",
            )
        return [
            [self._hide(text, hidden, longest) for text in texts] for hidden in range(1, longest)
        ]

    def _hide(self, text: str, hidden: int, longest: int) -> str:
        stars = self.symbol * hidden
        # shorter values are padded, so that one more hidden character never tells lengths apart
        if self.side == "right":
            return text.ljust(longest, self.symbol)[: longest - hidden] + stars
        return stars + text.rjust(longest, self.symbol)[hidden:]


@dataclass(frozen=True, repr=False)
class Dates(HierarchyRule, call="dates", example="dates()"):
    """Days become months, quarters, years, decades (or those of them that are named)."""

    levels: tuple[str, ...] | list[str] = ("month", "quarter", "year", "decade")

    def __post_init__(self) -> None:
        known = ("day", "month", "quarter", "year", "decade")
        for level in self.levels:
            require(level in known, f"dates: there is no level {level!r}.", suggest(level, known))

    def _labels(self, domain: pl.Series) -> list[Sequence[str]]:
        if not isinstance(domain.dtype, pl.Date | pl.Datetime):
            raise SchemaError(f"dates() needs dates, not {domain.dtype}.", 'add kind = "date".')
        year = domain.dt.year().cast(pl.String)
        labels = {
            "day": domain.dt.strftime("%Y-%m-%d"),
            "month": domain.dt.strftime("%Y-%m"),
            "quarter": year + "-Q" + domain.dt.quarter().cast(pl.String),
            "year": year,
            "decade": (domain.dt.year() // 10 * 10).cast(pl.String) + "s",
        }
        return [labels[level].to_list() for level in self.levels]


@dataclass(frozen=True, repr=False)
class Groups(HierarchyRule, call="groups", example="groups(size=4, levels=2)"):
    """Neighbours in the domain's order are merged: size values at level 1, size² at level 2, …"""

    size: int = 4
    levels: int = 2

    def __post_init__(self) -> None:
        require_whole(self, "size", 2)
        require_whole(self, "levels", 1, MOST_LEVELS)

    def _labels(self, domain: pl.Series) -> list[Sequence[str]]:
        texts = value_texts(domain)
        return [_merged(texts, self.size**level) for level in range(1, self.levels + 1)]


def _merged(texts: list[str], size: int) -> list[str]:
    runs = [texts[start : start + size] for start in range(0, len(texts), size)]
    return [f"{run[0]}..{run[-1]}" if len(run) > 1 else run[0] for run in runs for _ in run]


@dataclass(frozen=True, repr=False)
class Tree(
    HierarchyRule, call="tree", example='tree({"Europe": ["France", "Spain"], "Asia": ["India"]})'
):
    """An explicit tree: ``tree({"Europe": ["France", "Spain"], "Asia": ["India"]})``."""

    branches: Mapping[str, Any]

    def __post_init__(self) -> None:
        require(
            isinstance(self.branches, Mapping) and bool(self.branches),
            "tree: give a dictionary of branches.",
            'tree({"Europe": ["France"]})',
        )

    def _labels(self, domain: pl.Series) -> list[Sequence[str]]:
        paths: dict[str, list[str]] = {}
        _walk(self.branches, [], paths)
        depth = max(len(path) for path in paths.values())
        labels = []
        for text in value_texts(domain):
            if text not in paths:
                raise SchemaError(
                    f"The tree does not hold the value {text!r}.",
                    f"put it under a branch; {suggest(text, paths)}",
                )
            path = paths[text]
            # a shallow leaf repeats itself upwards so that all leaves reach the same level
            labels.append([text] * (depth - len(path)) + path[::-1])
        return list(zip(*labels, strict=True))


def _walk(node: Any, above: list[str], paths: dict[str, list[str]]) -> None:
    if isinstance(node, Mapping):
        for label, child in node.items():
            _walk(child, [*above, str(label)], paths)
        return
    for leaf in node if isinstance(node, list | tuple) else [node]:
        if isinstance(leaf, Mapping):
            _walk(leaf, above, paths)
        elif paths.setdefault(str(leaf), above) is not above:
            raise CallError(f"tree: {leaf!r} stands under two branches.", "keep one of them.")


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
