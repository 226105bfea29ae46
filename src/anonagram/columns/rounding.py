"""How far floating-point numbers can be off, by adding and dividing."""

from __future__ import annotations

ROUNDING = 2.0**-52
"""Sums of floating-point numbers differ by the order of adding, for each term by so much of all."""
MARGIN = 4
"""Roundings beside those of the sum: of quotients and of this very figure."""
MEAN_ROUNDING = 2 * MARGIN * ROUNDING
"""By which share a mean can be off whose sum is exact, but not as a double."""
EXACT_IN_DOUBLE = 2**52
"""Whole numbers below this have a double of their own."""
