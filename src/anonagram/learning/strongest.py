"""What the strongest of our learners guesses with a release, beside the strongest without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonagram.learning.guesses import SUREST, Guesses, Success, Tried, alike_kinds
from anonagram.learning.learned import FIRST_PASSES, LOGISTIC_ROUNDS, LOGISTIC_STEPS, learn_all
from anonagram.learning.nearest import guess_near
from anonagram.learning.predicted import PASSES, predict_others
from anonagram.learning.scored import MOST_VALUES

if TYPE_CHECKING:
    from anonagram.microdata import Microdata
    from anonagram.release import WithGroups


A_CHANCE = 4e-10
"""Seconds of a processor that a learner takes for a value of a person and a column, as measured."""


@dataclass(frozen=True)
class Strongest:
    """One sensitive column, guessed with the release and without."""

    column: str
    released: Success
    without: Success

    @property
    def gain(self) -> float:
        """How much better guesses are with the release, where they gain most; a share."""
        return max(
            self.released.everybody - self.without.everybody,
            self.released.surest - self.without.surest,
        )

    def __str__(self) -> str:
        return (
            f"{self.column}: {self.released.everybody:.1%} guessed right with the release and "
            f"{self.without.everybody:.1%} without; of the surest {SUREST:.0%} of people "
            f"{self.released.surest:.1%} and {self.without.surest:.1%}"
        )


def score_strongest(release: WithGroups, microdata: Microdata, column: str) -> Strongest:
    """Let every learner try, with the release and without; who is right is known to the original."""
    released = guess_released(release, microdata, column)
    without = guess_without(microdata, column)
    return Strongest(
        column, *(Success.best(g.success for g in each) for each in (released, without))
    )


def learning_seconds(rows: int, columns: int, values: int) -> float:
    """About how long that takes at most of a processor: learners look at columns and at pairs of them.

    >>> [round(learning_seconds(*size)) for size in ((71_518, 9, 697), (30_162, 8, 14))]
    [31, 0]
    """
    fewest = LOGISTIC_ROUNDS[0] + FIRST_PASSES - 1
    released = min(max(LOGISTIC_STEPS, fewest * rows), LOGISTIC_ROUNDS[-1] * rows)
    kinds = 2  # of logistic models with the release
    looked_at = kinds * released + PASSES[-1] * rows
    return looked_at * (1 + columns + columns * (columns - 1) // 2) * values * A_CHANCE


def guess_released(release: WithGroups, microdata: Microdata, column: str) -> Tried:
    """What each learner guesses of everybody.

    People are found in the release by their quasi-identifiers; rows that look like a person are hers
    with the same chance.
    """
    truth, kinds = microdata.column(column), alike_kinds(release, microdata)
    found = []
    for learned in learn_all(release, column):
        codes = truth.codes_of(learned.domain.extend_constant(None, 1))
        found.append(Guesses.of_matched(learned.matched(codes), kinds, truth.codes))
    return tuple(found)


def guess_without(microdata: Microdata, column: str) -> Tried:
    """What models of both kinds guess that learned on other people, and have no release.

    Of an amount also what those have who are nearest in a known one. Of very many values no model
    learns; where nobody is near either, the most frequent one is guessed.
    """
    truth = microdata.column(column)
    kinds = (False, True) if truth.cardinality <= MOST_VALUES else ()
    modelled = tuple(predict_others(microdata, column, logistic=each) for each in kinds)
    near = guess_near(microdata, truth, np.arange(microdata.rows))
    return modelled + near or (Guesses.same(truth.codes),)
