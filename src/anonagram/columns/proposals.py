"""A hierarchy that suits a column's values, and why.

>>> proposed(pl.Series([17, 23, 42, 65, 90]), "numeric").reason
'round intervals of 5, 10, 20, 40'
>>> proposed(pl.Series(["91120", "91125", "10001", "10013", "60601"]), "nominal").rule
mask(side="right", symbol="*")
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import NamedTuple

import polars as pl

from anonagram.columns.hierarchies.dates import Dates, Period
from anonagram.columns.hierarchies.flat import Flat
from anonagram.columns.hierarchies.groups import Groups
from anonagram.columns.hierarchies.intervals import Intervals
from anonagram.columns.hierarchies.mask import Mask
from anonagram.columns.hierarchy import HierarchyRule, value_texts

FINEST = 20
"""Intervals of the first level, about."""
MOST_LEVELS = 6
FEW = 4
"""Values that are not worth a level between them and all."""
NARROWEST, WIDEST = 1e-290, 1e290
"""Intervals that are not so wide have no round numbers as ends: floats end there."""
CODES = range(3, 11)
"""Characters of codes of which the first say more than the last."""


class Proposal(NamedTuple):
    """How values may become coarser, and why so."""

    rule: HierarchyRule
    reason: str

    @property
    def text(self) -> str:
        """The call as a person would write it, without what goes without saying.

        >>> proposed(pl.Series(["91120", "91125", "10001", "10013", "60601"]), "nominal").text
        'mask()'
        """
        given = {f.name: getattr(self.rule, f.name) for f in fields(self.rule)}  # type: ignore[arg-type]
        usual = {f.name: f.default for f in fields(self.rule)}  # type: ignore[arg-type]
        told = [f"{name}={_written(v)}" for name, v in given.items() if v != usual[name]]
        return f"{self.rule.call}({', '.join(told)})"


def _written(value: object) -> str:
    return json.dumps(list(value)) if isinstance(value, list | tuple) else repr(value)


def proposed(domain: pl.Series, kind: str) -> Proposal:
    """A hierarchy for these values; one can always be built."""
    if len(domain) <= FEW:
        return Proposal(Flat(), "few values, each as it is or not at all")
    if kind == "numeric" and domain.dtype.is_numeric():
        return _intervals(domain)
    if kind == "date" and isinstance(domain.dtype, pl.Date | pl.Datetime):
        return _dates(domain)
    if kind == "ordinal":
        return _neighbours(domain)
    if kind == "nominal" and _are_steps(domain):
        return Proposal(_pairs(domain), "classes of numbers: neighbours become one")
    if kind == "nominal" and _is_code(domain):
        return Proposal(Mask(), "codes: the last characters are hidden first")
    return Proposal(
        Flat(), "as it is or not at all, since nothing says which values are alike; better a file"
    )


def _pairs(domain: pl.Series) -> Groups:
    """Two neighbours become one, and two of those again, as long as there are more than two."""
    return Groups(size=2, levels=max(1, math.ceil(math.log2(len(domain))) - 1))


def _are_steps(domain: pl.Series) -> bool:
    """Whether all texts begin with numbers, which grow in the domain's order: [0-10), [10-20), …"""
    texts = pl.Series(value_texts(domain))
    numbers = texts.str.extract(r"^[\[(<>=≤≥\s]*(\d+(?:\.\d+)?)").cast(pl.Float64)
    has_more = texts.str.contains(r"\D")
    return bool(
        has_more.any() and not numbers.has_nulls() and (numbers.diff().drop_nulls() > 0).all()
    )


def _intervals(domain: pl.Series) -> Proposal:
    low, high = float(domain.min()), float(domain.max())  # type: ignore[arg-type]
    if not NARROWEST < (high - low) / FINEST < WIDEST:
        return _neighbours(domain)
    width = _round((high - low) / FINEST, whole=domain.dtype.is_integer())
    levels = min(MOST_LEVELS, max(1, math.ceil(math.log2(max(2.0, (high - low) / width)))))
    widths = [f"{width * 2**level:g}" for level in range(levels)]
    return Proposal(
        Intervals(width=width, levels=levels), f"round intervals of {', '.join(widths)}"
    )


def _neighbours(domain: pl.Series) -> Proposal:
    return Proposal(_pairs(domain), "neighbours in the order become one")


def _round(width: float, *, whole: bool) -> float | int:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(width))
    found = next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))
    if whole or found >= 1:
        return max(2 if whole else 1, round(found))
    return float(f"{found:.0e}")


def _dates(domain: pl.Series) -> Proposal:
    names: tuple[Period, ...] = ("month", "quarter", "year", "decade")
    if isinstance(domain.dtype, pl.Datetime):
        return Proposal(Dates(["day", *names]), "day, month, quarter, year, decade of a moment")
    return Proposal(Dates(names), "month, quarter, year, decade of a date")


def _is_code(domain: pl.Series) -> bool:
    """Whether all texts are of one length and mostly digits."""
    texts = pl.Series(value_texts(domain))
    lengths = texts.str.len_chars()
    digits = texts.str.count_matches(r"\d")
    is_even = lengths.n_unique() == 1 and int(lengths[0]) in CODES
    return bool(is_even and (digits * 2 > lengths).all())
