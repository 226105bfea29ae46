"""Which of two estimates is taken: the published rows as they stand, or corrected."""

from __future__ import annotations

from typing import Any

from anonagram.queries.answers import Estimate
from anonagram.queries.replaced.inversion import Figure

NAIVE, CORRECTED = "naive", "corrected"


def estimated(figure: Figure, low: Any, high: Any) -> Estimate:
    """The estimate with the smaller expected error, within bounds that surely hold."""
    taken = NAIVE if figure.is_naive_better else CORRECTED
    value = figure.naive if taken == NAIVE else figure.corrected
    return Estimate(
        within(value, low, high), low, high, figure.error, False, figure.naive, figure.corrected,
        taken,
    )  # fmt: skip


def within(value: Any, low: Any, high: Any) -> Any:
    """The value, or the end that it lies beyond: the truth never does."""
    return value if value is None or low is None else min(max(value, low), high)
