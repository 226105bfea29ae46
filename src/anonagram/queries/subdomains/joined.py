"""Answers about people of whom some must meet other conditions than the rest, put together.

Each is bounded for itself, as if the values of a group were all for them; so what is put together is
sound, and may be wider than it needs to be.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any

EXACT = Context(prec=100)
"""Digits enough for any two decimals of a database."""
Cell = tuple[Any, ...]
"""Estimate, lower, upper, variance and the number of sure values."""


def joined(function: str, one: Cell, two: Cell) -> Cell:
    """The answer about both; what nobody can be among says nothing.

    >>> joined("MIN", (3, 2, 5, None, 1), (4, 1, 9, None, 0))
    (3, 1, 5, None, 1)
    """
    if one[1] is None or two[1] is None:
        return two if one[1] is None else one
    if function in ("COUNT", "SUM"):
        # people of both have values of the same groups: only where neither varies it is known
        variance = 0.0 if one[3] == 0 and two[3] == 0 else None
        low, high = _added(one[1], two[1], down=True), _added(one[2], two[2], down=False)
        sure = one[4] if function == "COUNT" else (one[4] or 0) + (two[4] or 0)
        return _expected_sum(one[0], two[0]), low, high, variance, sure
    sure = (one[4] or 0) + (two[4] or 0)
    low, high = min(one[1], two[1]), max(one[2], two[2])
    if function == "AVG":
        return None, low, high, None, sure
    certain = [each for each in (one, two) if each[4]]
    estimates = [each[0] for each in certain or (one, two) if each[0] is not None]
    if function == "MIN":
        high = min((each[2] for each in certain), default=high)
        return min(estimates, default=low), low, high, None, sure
    low = max((each[1] for each in certain), default=low)
    return max(estimates, default=high), low, high, None, sure


def _added(one: Any, two: Any, *, down: bool) -> Any:
    """A bound of a sum, rounded outwards."""
    if isinstance(one, Decimal) and isinstance(two, Decimal):
        return EXACT.add(one, two)
    if isinstance(one, int) and isinstance(two, int):
        return one + two
    return math.nextafter(float(one) + float(two), -math.inf if down else math.inf)


def of_one_type(lower: list[Any], upper: list[Any]) -> tuple[list[Any], list[Any]]:
    """Bounds as they are, or as floats rounded outwards where some are floats and others decimals.

    A database would make floats of all of them, rounded to the nearest:

    >>> lower, upper = of_one_type([Decimal("0.3"), 0.5], [Decimal("0.3"), 0.5])
    >>> lower[0] < Decimal("0.3") <= upper[0], lower[1] == upper[1]
    (True, True)
    """
    kinds = {type(each) for each in (*lower, *upper)}
    if not {Decimal, float} <= kinds:
        return lower, upper
    return [_outwards(each, -math.inf) for each in lower], [
        _outwards(each, math.inf) for each in upper
    ]


def _outwards(bound: Any, towards: float) -> Any:
    """A decimal as the nearest float on its far side; anything else as it is."""
    if not isinstance(bound, Decimal):
        return bound
    near = float(bound)
    is_outside = near <= bound if towards < 0 else near >= bound
    return near if is_outside else math.nextafter(near, towards)


def _expected_sum(one: Any, two: Any) -> Any:
    return None if one is None or two is None else float(one) + float(two)
