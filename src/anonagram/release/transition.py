"""How likely it is that an attribute of a row was replaced: published, so that it can be undone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import polars as pl

from anonagram.release.decoding import Share, Whole

if TYPE_CHECKING:
    from anonagram.release.manifest import Manifest


@dataclass(frozen=True)
class Transition:
    """In every row some attributes were replaced by draws from their own distributions.

    What only a perturbed release tells.

    >>> one = Transition({"age": 0.5, "sex": 0.25, "zip": 0.25}, 1)
    >>> one.share_untouched(["age", "sex"])
    0.25
    >>> two = Transition({"age": 2 / 3, "sex": 2 / 3, "zip": 2 / 3}, 2)
    >>> round(two.share_untouched(["age"]), 4), two.share_untouched(["age", "sex"])
    (0.3333, 0.0)
    """

    replaced: Mapping[str, Share]
    """For each quasi-identifier the probability that it was replaced."""
    attributes: Whole
    """How many were replaced in each row; if more than one, all sets are equally likely."""

    @property
    def is_valid(self) -> bool:
        """Whether these can be chances at all."""
        total, chances = len(self.replaced), list(self.replaced.values())
        if isinstance(self.attributes, bool) or not 1 <= self.attributes <= total:
            return False
        if not all(0 <= chance <= 1 for chance in chances):
            return False
        if self.attributes > 1:
            return all(math.isclose(p, self.attributes / total) for p in chances)
        return math.isclose(sum(chances), 1)

    def share_untouched(self, names: Iterable[str]) -> float:
        """The probability that none of these attributes was replaced in a row."""
        asked = list(names)
        if self.attributes == 1:
            # shares are multiples of 2^-32, so that this is exact
            return 1.0 - sum(self.replaced[name] for name in asked)
        total = len(self.replaced)
        sets = math.comb(total - len(asked), self.attributes)
        return sets / math.comb(total, self.attributes)


class Replaced(Protocol):
    """Rows in which values were replaced, and how often each value really occurs."""

    @property
    def manifest(self) -> Manifest:
        """What the release says about itself."""

    @property
    def rows(self) -> pl.DataFrame:
        """Every row; columns that the transition does not name are as they were."""

    @property
    def marginals(self) -> Mapping[str, pl.DataFrame]:
        """For each column that may have been replaced: value, count."""

    @property
    def transition(self) -> Transition:
        """How likely it is that an attribute was replaced."""

    def table_of(self, attribute: str) -> str:
        """The name of the table with an attribute's counts."""
