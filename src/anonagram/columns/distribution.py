"""How probable each value of a column shall appear: the target of distributional privacy.

>>> from anonagram.columns.distribution import Distribution, Values
>>> values = Values("pay", "numeric", pl.Series([30, 40, 60]), np.array([5, 1, 2]))
>>> Distribution.parse("source").masses(values).tolist()
[5.0, 1.0, 2.0]
>>> Distribution.parse("zipf(s=1)").masses(values).tolist()
[1.0, 2.0, 3.0]
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.columns.hierarchy import value_texts


@dataclass(frozen=True)
class Values:
    """The domain of a column in order, and how often each value occurs."""

    name: str
    kind: str
    domain: pl.Series
    """A missing value is the last."""
    counts: NDArray[np.int64]

    @property
    def present(self) -> int:
        """How many values there are beside the missing one."""
        return len(self.domain) - self.domain.null_count()

    @property
    def texts(self) -> list[str]:
        """The values as they are written, without the missing one."""
        return value_texts(self.domain.head(self.present))

    def with_missing(self, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Masses of the values that are there, and beside them the missing one as often as it is."""
        if self.present == len(self.domain):
            return masses
        share = self.counts[-1] / max(1, self.counts.sum())
        rest = masses.sum() * share / (1 - share) if share < 1 else 1.0
        return np.append(masses, rest)


class Distribution(Call, home="anonagram.columns.distributions"):
    """A target: what each value weighs."""

    noun = "target distribution"

    def further(self, values: Values) -> pl.Series | None:  # noqa: ARG002
        """Values that the target knows, of the column's type, be they in the data or not."""
        return None

    @abstractmethod
    def masses(self, values: Values) -> NDArray[np.float64]:
        """What each value of the domain weighs, the missing one last."""


@dataclass(frozen=True)
class IsTarget:
    """A rule for parameters that are calls of distributions."""

    def fits(self, value: Any) -> bool:
        """Whether it can be read; what is wrong with it is said by the family."""
        Distribution.parse(value)
        return True

    def words(self, kind: str) -> str:  # noqa: ARG002
        """As messages say it."""
        return "the text of a target such as uniform, source, normal(r=4) or zipf(s=1)"
