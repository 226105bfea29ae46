"""What is counted of a column before its role is proposed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from anonagram.profile.personal import Personal, find_personal
from anonagram.profile.reading import AS_IT_IS, Reading
from anonagram.profile.vocabulary import AILMENTS, CODES, KNOWN, NUMBERS, PEOPLE, QUANTITIES
from anonagram.profile.words import private_about, speaks_of, words_of
from anonagram.schema import Kind

FEW_CODES = 12
"""Whole numbers with at most so many values are codes, unless their name says that they count."""
DENSE = 3
"""Running numbers leave few gaps: their span is at most so many times their number."""
LONG_NUMBER = 6
SAME_LENGTH = 0.9
MANY_PEOPLE = 20
"""Fewer values under the name of people are kinds of them."""
FEWEST_AILMENTS = 3
SICK = 0.3
"""So large a share of what a column says are ailments where it is about health."""
DIAGNOSIS = r"^[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?$"
"""A code of the International Classification of Diseases, its tenth revision."""
NEARLY_ALL = 0.9
LOOKED_AT = 300


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
        """The words of its name, and of the label that a file gives it."""
        return words_of(self.name) + words_of(self.reading.rule.label or "")

    @cached_property
    def personal(self) -> Personal | None:
        """What personal data its values show."""
        return find_personal(self.domain, self.rows)

    @cached_property
    def private(self) -> str | None:
        """Which private matter its name is about, or else its values."""
        told = private_about(self.words)
        return "health" if told is None and not self.is_known and self._shows_health() else told

    @cached_property
    def is_known(self) -> bool:
        """Whether its name says that it is what people are often known by."""
        return speaks_of(self.words, KNOWN)

    @property
    def is_whose_row(self) -> bool:
        """Whether it is called after people and has a value for each."""
        is_name = self.domain.dtype == pl.String or self.domain.dtype.is_integer()
        is_called_so = bool(self.words) and all(word in PEOPLE for word in self.words)
        return is_name and is_called_so and self.distinct >= MANY_PEOPLE

    def _shows_health(self) -> bool:
        if self.domain.dtype != pl.String or self.distinct < FEWEST_AILMENTS:
            return False
        if int(self.domain.str.contains(DIAGNOSIS).sum()) >= NEARLY_ALL * self.distinct:
            # seats and shelves are numbered like that too, but not with a point
            return bool(self.domain.str.contains(".", literal=True).any())
        sick = sum(speaks_of(words_of(text), AILMENTS) for text in self.domain.head(LOOKED_AT))
        return sick >= FEWEST_AILMENTS and sick >= SICK * min(self.distinct, LOOKED_AT)

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
        if speaks_of(self.words, QUANTITIES):
            return False
        return self.distinct <= FEW_CODES or speaks_of(self.words, CODES)

    @cached_property
    def tells_rows_apart(self) -> bool:
        """Whether nearly every value belongs to one row, and it is a name and not an amount."""
        present = max(self.rows - self.missing, 1)
        if self.kind == "date" or self.is_known:  # many a place has one person in a table
            return False
        if self.domain.dtype.is_numeric():
            is_different = self.domain.dtype.is_integer() and self.distinct == present
            return is_different and self._is_number_of_something()
        return self.distinct > 0.9 * present

    @property
    def may_name_rows(self) -> bool:
        """Whether all are different large numbers of which nothing says that they are amounts."""
        if not self.domain.dtype.is_integer() or self.private or self.is_known:
            return False
        if speaks_of(self.words, QUANTITIES) or self.distinct < self.rows - self.missing:
            return False
        return len(str(self.domain.max())) >= LONG_NUMBER

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
