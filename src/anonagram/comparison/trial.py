"""What is measured of one method on a table, and what all of them are measured against."""

from __future__ import annotations

from typing import Literal

import msgspec

from anonagram.shown.wording import listed

Purpose = Literal["counting", "averages", "learning", "open_data"]
PURPOSES: dict[str, str] = {
    "counting": "counts of people",
    "averages": "sums and averages of amounts",
    "learning": "models that are trained on it",
    "open_data": "anything, by anybody",
}
"""What a release may be for, in words."""


class Trial(msgspec.Struct, frozen=True):
    """One method, tried: figures are shares, or None where a release of its shape has none."""

    call: str
    brief: str
    """The call without parameters that are as usual."""
    promises: tuple[str, ...]
    attack: str
    """The strongest intruder who finds out sensitive values; empty where nobody gains anything."""
    success: float
    """How many he guesses right with this release; never fewer than without it."""
    surest_attack: str
    """Who gets most right of the 1 % of people he is surest of; empty where nobody can tell them."""
    surest: float
    """How many of them he gets right; never fewer than without the release."""
    surest_people: int
    """How many people they are: of few, some are right by chance."""
    finder: str
    """The strongest who finds out whose a row is, or who is in the table; empty where none tried."""
    found: float
    found_by_chance: float
    error: float | None
    """By how much half of the counts are off at most, relative to the truth."""
    width: float | None
    """How wide half of the bounds are at most."""
    sum_error: float | None
    ncp: float | None
    learned: float | None
    """How many of the people held out a model guesses right that was trained on the release."""
    seconds: float
    """Of processor time."""
    guessed: str = ""
    """The sensitive column of which the strongest gains most; empty for the first."""
    surest_guessed: str = ""
    """And that of which whoever is surest does."""

    @property
    def finding(self) -> float:
        """How many more people are found than by chance."""
        return max(0.0, self.found - self.found_by_chance)


class Skipped(msgspec.Struct, frozen=True):
    """A method that was not measured, and why."""

    call: str
    why: str
    is_final: bool = True
    """Whether trying again would end the same."""


class Known(msgspec.Struct, frozen=True):
    """What an intruder knows of a sensitive column who has no release, and learned on other people."""

    column: str
    baseline: float
    """How many values he guesses right."""
    surest: float
    """And how many of the 1 % of people he is surest of."""


class Bench(msgspec.Struct, frozen=True):
    """What every method is measured against."""

    table: str
    """The digest of what is released in the trials, by which kept results are known."""
    people: int
    """How many people the table has."""
    released: int
    """Of how many of them the trials make releases."""
    held_out: int
    """How many are kept apart for models to be tested on."""
    sensitive: str
    """The column that is guessed and learned; empty where there is none of not too many values."""
    baseline: float
    """How many an intruder guesses right without any release, who learned on other people."""
    surest: float
    """And how many of the 1 % of people he is surest of."""
    learned: float | None
    """How many of those held out a model guesses right that was trained on the original."""
    usual: float | None
    """How many of those held out have the most frequent value."""
    is_amount: bool = False
    """Whether what is guessed is an amount or a date, of which a near one tells nearly as much."""
    others: tuple[Known, ...] = ()
    """What is known of the other sensitive columns: each is set beside what is known of itself."""

    @property
    def known(self) -> tuple[Known, ...]:
        """What is known of every sensitive column; of none, where there is none."""
        first = Known(self.sensitive, self.baseline, self.surest)
        return self.others if self.others and not self.sensitive else (first, *self.others)

    def known_of(self, column: str) -> Known:
        """What is known of one; of the first where none is named."""
        return next((each for each in self.known if each.column == column), self.known[0])

    @property
    def has_secret(self) -> bool:
        """Whether there is a sensitive column; without one, risk is to be found."""
        return bool(self.sensitive or self.others)

    @property
    def guessed(self) -> str:
        """What intruders guess, in words."""
        names = [each.column for each in self.known if each.column]
        return listed(names) or "values"
