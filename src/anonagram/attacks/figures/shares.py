"""Shares of people: counted in all of them, or in a sample with what that leaves open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

OFTEN = 0.95
"""How often the range of a sampled share holds the true one."""
FEWEST_SURE = 5
"""The fewest whose matches can be called surer than others'."""
SUREST = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)


@dataclass(frozen=True)
class Share:
    """How many of those looked at, who are all people or drawn from them at random."""

    count: float
    """May have a fraction: who has two likeliest matches is found by half."""
    looked_at: int
    people: int

    @property
    def value(self) -> float:
        """The share among those looked at."""
        return self.count / self.looked_at if self.looked_at else 0.0

    @property
    def is_sample(self) -> bool:
        """Whether not everybody was looked at."""
        return self.looked_at < self.people

    @cached_property
    def range(self) -> tuple[float, float]:
        """Where the share among all people lies, 95 times in a hundred (Clopper and Pearson).

        >>> tuple(round(end, 3) for end in Share(0, 100, 5000).range)
        (0.0, 0.036)
        >>> Share(3, 100, 100).range
        (0.03, 0.03)
        """
        if not self.is_sample:
            return self.value, self.value
        return _clopper_pearson(self.count, self.looked_at, (1 - OFTEN) / 2)

    @property
    def text(self) -> str:
        """As a percentage, and how far off a sample's may be.

        >>> Share(30, 100, 5000).text, Share(1, 3, 3).text
        ('30.0 % (21.2 to 40.0 %)', '33.3 %')
        """
        told = percent(self.value)
        if not self.is_sample:
            return told
        low, high = self.range
        return f"{told} ({percent(low)[:-2]} to {percent(high)})"


def percent(share: float) -> str:
    """A share in percent, with as many digits as it needs to be told from nothing.

    >>> percent(0.4251), percent(0.00031), percent(1.4e-7), percent(0), percent(1)
    ('42.5 %', '0.031 %', '0.000014 %', '0 %', '100 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share >= 0.01:
        return f"{100 * share:.1f} %"
    digits = 1 - math.floor(math.log10(100 * share))
    return f"{round(100 * share, digits):.{digits}f}".rstrip("0").rstrip(".") + " %"


@dataclass(frozen=True)
class Surest:
    """Those matches that the intruder is surest of."""

    claims: int
    right: float

    @property
    def is_mostly_right(self) -> bool:
        """Whether more than half of such matches are right, beyond what luck explains."""
        if self.claims < FEWEST_SURE or 2 * self.right <= self.claims:
            return False
        return _clopper_pearson(self.right, self.claims, 1 - OFTEN)[0] > 0.5


def surest_of(sureness: NDArray[np.float64], right: NDArray[np.float64]) -> Surest:
    """Of the surest 5, 10, 20 … matches the most that are mostly right; else the surest per cent.

    Matches he is equally sure of stay together: nothing tells him which of them to believe.
    """
    if not sureness.size:
        return Surest(0, 0.0)
    order = np.argsort(-sureness, kind="stable")
    ordered, running = sureness[order], np.cumsum(right[order])
    sizes = {
        _with_equals(ordered, size) for size in (*SUREST, sureness.size) if size <= sureness.size
    }
    found = [Surest(size, float(running[size - 1])) for size in sorted(sizes)]
    exposed = [each for each in found if each.is_mostly_right]
    if exposed:
        return max(exposed, key=lambda each: each.right)
    size = _with_equals(ordered, max(1, sureness.size // 100))
    return Surest(size, float(running[size - 1]))


def _with_equals(ordered: NDArray[np.float64], size: int) -> int:
    """The least size that is at least this and parts no equals."""
    last = ordered[size - 1]
    return int(np.searchsorted(-ordered, -last * (1 - 1e-12), side="right"))


def _clopper_pearson(count: float, of: int, tail: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    low = 0.0 if count <= 0 else float(betaincinv(count, of - count + 1, tail))
    high = 1.0 if count >= of else float(betaincinv(count + 1, of - count, 1 - tail))
    return low, high
