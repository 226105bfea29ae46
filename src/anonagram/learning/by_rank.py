"""What somebody finds who sorts the people and the amounts of a group, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.learning.guesses import SUREST, Guesses, Success, Tried, excess
from anonagram.shown.wording import how_many

TOGETHER = 2
"""Two neighbours are right or change places: chance is that of half as many people."""


@dataclass(frozen=True)
class Sorted:
    """What one way of sorting finds of everybody."""

    by: str
    """The amount by which people are sorted."""
    is_rising: bool
    """Whether the most goes with the most; else with the least."""
    guesses: Guesses


@dataclass(frozen=True)
class Ranked:
    """How much of a sensitive amount is found by its order inside groups."""

    column: str
    by: str
    """The amount by which people are sorted best."""
    is_rising: bool
    found: Success
    by_group: float
    """What the most frequent value of a group would get."""
    without: Success
    """Without the release."""
    ways: int
    """Ways of sorting of which the best is counted, as the release does not decide between them."""
    is_told: bool
    """Whether it says by what to sort, and in which direction."""
    tried: int
    """The people who were guessed."""
    rows: int
    """All that were published."""

    @property
    def gain(self) -> float:
        """How much more than allowed is found, of everybody or of the surest."""
        everybody, surest = (max(self.by_group, each) for each in vars(self.without).values())
        # everybody and the surest are two chances of every way
        apart, ways = self.tried / TOGETHER, 2 * self.ways
        return max(
            excess(self.found.everybody, everybody, apart, ways),
            excess(self.found.surest, surest, apart * SUREST, ways),
        )

    @property
    def remedy(self) -> str:
        """What a protector can do."""
        return (
            f"What helps: {self.by} in wider intervals (publish = in the schema), dropped, or sensitive "
            "too; or generalize, with ranges: only who has the others' amounts can sort them."
        )

    def __str__(self) -> str:
        return (
            f"Somebody who sorts amounts within groups, people by {self.by}, finds the exact "
            f"{self.column} of {self.found.everybody:.1%} of people, and of {self.found.surest:.1%} of "
            f"the {SUREST:.0%} he is surest of; a group alone says {self.by_group:.1%}."
            f"{self._chosen()}{self._sampled()}"
        )

    def _chosen(self) -> str:
        """What he had to choose himself; empty where the release says how to sort."""
        if self.ways == 1:
            return ""
        if self.is_told:
            return f" Of {self.ways} amounts that go with it the best is counted."
        return (
            " The release does not say by what to sort, or in which direction: "
            f"of {self.ways} ways the best is counted."
        )

    def _sampled(self) -> str:
        if self.tried >= self.rows:
            return ""
        return f" That is from {self.tried:,} of {how_many(self.rows, 'row')}."


@dataclass(frozen=True)
class ByRank:
    """A sensitive amount, guessed by order inside groups, and by those who know less."""

    column: str
    tried: tuple[Sorted, ...]
    """The ways of sorting between which the release does not decide."""
    is_told: bool
    by_group: float
    tried_without: Tried
    """Without the release: of other people those nearest in each known amount."""
    people: NDArray[np.int64]
    """Who was guessed, by their place in the original."""
    rows: int

    @property
    def told(self) -> Ranked:
        """How much of it is right."""
        best = max(self.tried, key=lambda each: each.guesses.success.everybody)
        return Ranked(
            self.column, best.by, best.is_rising,
            Success.best(each.guesses.success for each in self.tried), self.by_group,
            Success.best(each.success for each in self.tried_without),
            len(self.tried), self.is_told, self.people.size, self.rows,
        )  # fmt: skip
