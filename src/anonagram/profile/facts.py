"""What is counted of a column before its role is proposed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from anonagram.profile.personal import Personal, find_personal
from anonagram.profile.reading import AS_IT_IS, Reading
from anonagram.profile.words import CODES, NUMBERS, QUANTITIES, private_about, words_of
from anonagram.schema import Kind

FEW_CODES = 12
"""Whole numbers with at most so many values are codes, unless their name says that they count."""
DENSE = 3
"""Running numbers leave few gaps: their span is at most so many times their number."""
LONG_NUMBER = 6
SAME_LENGTH = 0.9


@dataclass(frozen=True)
class Facts:
    """One column, counted."""

    name: str
    kind: Kind
    domain: pl.Series
    rows: int
    missing: int
    most: int
    """Rows of the most frequent value."""
    reading: Reading = AS_IT_IS
    """How it is read."""

    @cached_property
    def words(self) -> list[str]:
        """The words of its name."""
        return words_of(self.name)

    @cached_property
    def personal(self) -> Personal | None:
        """What personal data its values show."""
        return find_personal(self.domain, self.rows)

    @cached_property
    def private(self) -> str | None:
        """Which private matter its name is about."""
        return private_about(self.words)

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.domain)

    @property
    def largest_l(self) -> int:
        """The largest l for which its values can be hidden."""
        return self.rows // self.most

    @property
    def is_code(self) -> bool:
        """Whether numbers are names of things, such as zip codes: their order says nothing."""
        if self.kind != "numeric":
            return False
        if not self.domain.dtype.is_integer():
            return False
        if self.reading.rule.labels and len(self.reading.rule.labels) >= self.distinct:
            return True
        if any(word in QUANTITIES for word in self.words):
            return False
        return self.distinct <= FEW_CODES or any(word in CODES for word in self.words)

    @cached_property
    def tells_rows_apart(self) -> bool:
        """Whether nearly every value belongs to one row, and it is a name and not an amount."""
        present = max(self.rows - self.missing, 1)
        if self.kind == "date":
            return False
        if self.domain.dtype.is_numeric():
            is_different = self.domain.dtype.is_integer() and self.distinct == present
            return is_different and self._is_number_of_something()
        return self.distinct > 0.9 * present

    def _is_number_of_something(self) -> bool:
        """Running or long numbers of one length are names; amounts have all sizes."""
        if self.private == "money":
            return False
        if any(word in NUMBERS or word.endswith("id") for word in self.words):
            return True
        low, high = int(self.domain.min()), int(self.domain.max())  # type: ignore[arg-type]
        if high - low + 1 <= DENSE * self.distinct:
            return True
        lengths = self.domain.cast(pl.String).str.len_chars()
        usual = lengths.mode()[0]
        return low > 0 and usual >= LONG_NUMBER and float((lengths == usual).mean()) > SAME_LENGTH

    @property
    def mean_length(self) -> float:
        """Letters of a text on average; 0 for anything else."""
        if self.domain.dtype != pl.String:
            return 0.0
        mean = self.domain.str.len_chars().mean()
        return mean if isinstance(mean, float) else 0.0
