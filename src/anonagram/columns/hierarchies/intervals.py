"""Numbers as intervals that contain them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import polars as pl

from anonagram.calls import Above, AtLeast, Between, NotEmpty, Words, require
from anonagram.columns.hierarchy import MOST_LEVELS, HierarchyRule
from anonagram.errors import SchemaError

NUMBER = r"-?[0-9.]+(?:e[+-]?[0-9]+)?"
INTERVAL = re.compile(rf"< ({NUMBER})|>= ({NUMBER})|\[({NUMBER}), ({NUMBER})\)")
"""How a label says which numbers it stands for."""
Cuts = Annotated[Sequence[float], NotEmpty(), Words("numbers")]
Nested = Annotated[
    Sequence[Cuts], NotEmpty(MOST_LEVELS), Words(f"up to {MOST_LEVELS} lists of them")
]


@dataclass(frozen=True, repr=False)
class Intervals(HierarchyRule, call="intervals", example="intervals(width=10, levels=2)"):
    """Numbers become intervals: of equal width that grows with the level, or between given cuts."""

    width: Annotated[float, Above(0)] | None = None
    levels: Annotated[int, Between(1, MOST_LEVELS)] = 3
    factor: Annotated[int, AtLeast(2)] = 2
    origin: float = 0
    cuts: Cuts | Nested | None = None
    """One list of cuts a level, each a subset of the one before; or a single list."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            (self.width is None) == (self.cuts is not None),
            "intervals: give width or cuts.",
            "intervals(width=10, levels=2) or intervals(cuts=[18, 30, 65])",
        )

    @property
    def _nested(self) -> Sequence[Any]:
        """A list of cuts for each level."""
        cuts: Any = self.cuts
        return cuts if isinstance(cuts[0], list | tuple) else [cuts]

    def labels(self, domain: pl.Series) -> list[Sequence[str]]:
        """The labels at each level."""
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


def interval_with(labels: Sequence[str], value: str) -> str | None:
    """The label of the interval that a number lies in, if it is one of these.

    >>> interval_with(["< 20", "[20, 30)", ">= 30"], "20"), interval_with(["[20, 30)"], "30")
    ('[20, 30)', None)
    """
    number = _exact(value)
    for label in labels:
        if match := INTERVAL.fullmatch(label):
            below, above, low, high = match.groups()
            if low is None:
                is_inside = number < _exact(below) if below else number >= _exact(above)
            else:
                is_inside = _exact(low) <= number < _exact(high)
            if is_inside:
                return label
    return None


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
