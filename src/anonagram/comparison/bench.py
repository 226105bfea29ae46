"""The table of a comparison, cut once: people who are released in every trial, and people held out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from anonagram.columns.places import is_measured
from anonagram.comparison.trained import guessed_right
from anonagram.comparison.trial import Bench, Known
from anonagram.errors import CallError
from anonagram.key import PUBLIC
from anonagram.learning import MOST_VALUES, Success, guess_without
from anonagram.measures import Workload
from anonagram.microdata import Column, Microdata
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many, listed

HELD_OUT = 5
"""One of so many people is kept apart."""
MOST_PEOPLE = 100_000
"""Of a larger table so many are drawn."""
FEWEST_PEOPLE = 20
QUERIES = 300
CONDITIONS = 3


@dataclass(frozen=True)
class Secrets:
    """Which sensitive columns a comparison is about."""

    guessed: tuple[str, ...]
    many: tuple[str, ...]
    """Those of so many values that no model guesses them."""

    @property
    def sentence(self) -> str:
        """What is taken for the secret, in words."""
        left = _of_many(self.many)
        if not self.guessed and not self.many:
            return "No column is sensitive: only who finds people is compared."
        names = self.guessed or self.many
        if len(names) == 1:
            return f"The secret that intruders guess is {names[0]}.{left}"
        trained = f"; models are trained for {names[0]}, which stands first" if self.guessed else ""
        return (
            f"The secrets that intruders guess are {listed(names)}, each beside what is known of "
            f"itself{trained}. To compare for one of them, give the others another role.{left}"
        )


def _of_many(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    return (
        f" {listed(names)} {has} more than {MOST_VALUES:,} values, and no model guesses {them}; whoever "
        "sorts amounts inside groups does, and whoever weighs rows of which values were replaced."
    )


def secrets_of(microdata: Microdata) -> Secrets:
    """The sensitive columns, and of which no model guesses the values."""
    columns = microdata.with_role("sensitive")
    return Secrets(
        tuple(c.name for c in columns if c.cardinality <= MOST_VALUES),
        tuple(c.name for c in columns if c.cardinality > MOST_VALUES),
    )


@dataclass(frozen=True)
class Cut:
    """The two parts of a table."""

    people: int
    released: Microdata
    held_out: Microdata

    @classmethod
    def of(cls, microdata: Microdata, most: int = MOST_PEOPLE) -> Self:
        """The same cut for the same table, whoever makes it; of more people than said so many are drawn."""
        if microdata.rows < FEWEST_PEOPLE:
            raise CallError(
                f"{microdata.label} has {how_many(microdata.rows, 'row')}: too few to hold any out and "
                "compare.",
                f"a table of at least {FEWEST_PEOPLE}.",
            )
        drawn = PUBLIC.permutation("people compared", microdata.rows)[:most].astype(np.int64)
        apart = drawn.size // HELD_OUT
        held_out, released = np.sort(drawn[:apart]), np.sort(drawn[apart:])
        return cls(microdata.rows, microdata.only(released), microdata.only(held_out))

    @property
    def sensitive(self) -> str:
        """The column for which models are trained: the first of those that are guessed."""
        return next((column.name for column in self._guessed), "")

    @property
    def _guessed(self) -> list[Column]:
        """The sensitive columns that intruders guess."""
        names = secrets_of(self.released).guessed
        return [self.released.column(name) for name in names]

    @cached_property
    def counts(self) -> Workload:
        """Questions for counts, the same for all."""
        columns = len(self.released.with_role("quasi")) + bool(self.released.with_role("sensitive"))
        return Workload.draw(self.released, conditions=min(CONDITIONS, columns), queries=QUERIES)

    @cached_property
    def sums(self) -> Workload | None:
        """Questions for sums; None where no sensitive column has amounts."""
        quasi = len(self.released.with_role("quasi"))
        try:
            return Workload.draw(self.released, "SUM", min(CONDITIONS, quasi), queries=QUERIES)
        except CallError:
            return None

    def measured(self) -> Bench:
        """What needs no release."""
        step("Guessing without a release")
        name, learned, usual, known = self.sensitive, None, None, Known("", 0.0, 0.0)
        if name:
            known = self._known_of(self.released.column(name))
            learned = guessed_right(self.released.frame(), self.held_out, name)
            usual = float(self.held_out.column(name).counts.max() / self.held_out.rows)
        return Bench(
            self.released.digest.hex(), self.people, self.released.rows, self.held_out.rows, name,
            known.baseline, known.surest, learned, usual,
            bool(name) and is_measured(self.released.column(name).kind),
            tuple(self._known_of(c) for c in self.released.with_role("sensitive") if c.name != name),
        )  # fmt: skip

    def _known_of(self, column: Column) -> Known:
        """What is guessed of a column without a release; an amount also from people who are nearest."""
        usual = float(column.counts.max() / self.released.rows)
        guesses = guess_without(self.released, column.name)
        best = Success.best([Success(usual, usual), *(each.success for each in guesses)])
        return Known(column.name, best.everybody, best.surest)
