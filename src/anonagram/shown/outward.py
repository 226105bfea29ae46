"""Bounds in few digits: what is left away may widen them, and never narrows them."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

WHOLE_FROM = 1e15
"""Larger floats have hardly a digit behind the point."""


def lower_end(value: Any, digits: int = 6) -> Any:
    """A lower bound in as many digits as are shown, not above what it is.

    >>> lower_end(74.19999999999992), lower_end(2979.0476), lower_end(74.2), lower_end(-3)
    (74.1999, 2979.04, 74.2, -3)
    """
    return _rounded(value, digits, ROUND_FLOOR)


def upper_end(value: Any, digits: int = 6) -> Any:
    """An upper bound in as many digits as are shown, not below what it is.

    >>> upper_end(0.30000000000000004), upper_end(3088.5212), upper_end(74.7)
    (0.300001, 3088.53, 74.7)
    """
    return _rounded(value, digits, ROUND_CEILING)


def _rounded(value: Any, digits: int, rounding: str) -> Any:
    """A float to so many digits, of large ones to hundredths; anything else as it is."""
    if not isinstance(value, float) or not math.isfinite(value) or abs(value) >= WHOLE_FROM:
        return value
    written = Decimal(repr(value))  # as people write it, which reads as the same float
    last = -2 if abs(value) >= 1000 else written.adjusted() - digits + 1
    exponent = written.as_tuple().exponent
    if value == 0 or not isinstance(exponent, int) or exponent >= last:
        return value
    return float(written.quantize(Decimal(1).scaleb(last), rounding=rounding))
