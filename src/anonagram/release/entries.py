"""Entries of a manifest as JSON brings them: each must be of the kind that its readers expect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

LARGEST = 2**63 - 1


def require_texts(*values: Any) -> None:
    """Raise TypeError where something is not a text."""
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not a text")


def require_whole(*values: Any) -> None:
    """Raise TypeError where something is not a whole number of at least 0."""
    for value in values:
        if type(value) is not int or not 0 <= value <= LARGEST:
            raise TypeError(f"{value!r} is not a whole number")


def require_numbers(*values: Any) -> None:
    """Raise TypeError where something is not a number."""
    for value in values:
        if type(value) not in (int, float) or abs(value) > LARGEST or not math.isfinite(value):
            raise TypeError(f"{value!r} is not a number")


def require_different(names: Sequence[Any]) -> None:
    """Raise ValueError where a name stands twice."""
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice")


def order_of(content: Any) -> tuple[str, ...] | None:
    """The values of a column from lowest to highest."""
    if content is None:
        return None
    if not isinstance(content, list):
        raise TypeError(f"{content!r} is not a list")
    require_texts(*content)
    require_different(content)
    return tuple(content)
