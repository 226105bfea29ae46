"""The intruder who learns from the release itself (Kifer 2009).

A group alone says no more than its shares. All groups together say how values go with attributes, and
that tells the people of a group apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import cast

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.guesses import SUREST, ColumnGuesses, guess_column
from anonagram.release import WithGroups

POINTS = 0.03
"""So much better than the baseline is worth a warning, where it is more than chance."""


@dataclass(frozen=True, repr=False)
class DeFinetti(Attack[tuple[ColumnGuesses, ...]], call="definetti", example="definetti()"):
    """He fits a naive Bayes model to the release alone, and guesses everybody's likeliest value.

    The baseline is the better of two: somebody who looks at a person's group alone, and somebody
    who learned a model of the same kind on other people and has no release.
    """

    knows = "everybody's quasi-identifiers, and the release"
    needs = ("release", "original")

    def unfit(self, target: Target) -> str:
        """Rows that are nobody's cannot be told apart by a model."""
        release = target.release
        if release is not None and not release.has_exact_rows:
            return f"{self.call} learns from exact rows, and a {release.shape} release has none."
        return super().unfit(target)

    def attempt(self, target: Target) -> AttackResult[tuple[ColumnGuesses, ...]]:
        """Learn, and guess."""
        release, original = cast("WithGroups", target.release), given(target.original)
        names = release.manifest.named("sensitive")
        columns = sorted(
            (guess_column(release, original, name) for name in names), key=gain, reverse=True
        )
        worst, *others = columns
        failed = gain(worst) > 0
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if failed else Verdict.WITHSTANDS,
            sentence=learned_sentence(worst),
            records=np.arange(original.rows),
            scores=worst.learned.right.astype(np.float64),
            baseline=max(worst.without.share, worst.in_group),
            figures=tuple(columns),
            details=tuple(learned_sentence(each) for each in others),
            reason=f"what can be learned about {worst.column}" if failed else "",
        )


def gain(column: ColumnGuesses) -> float:
    """How much more than allowed he guesses right, of everybody or of those he is surest of."""
    people = column.learned.right.size
    return max(
        _excess(column.learned.share, max(column.without.share, column.in_group), people),
        _excess(
            column.learned.surest, max(column.without.surest, column.in_group), people * SUREST
        ),
    )


def _excess(score: float, baseline: float, people: float) -> float:
    """By how much a score passes its baseline, three points and two standard errors."""
    error = sqrt(baseline * (1 - baseline) / max(people, 1))
    return score - baseline - POINTS - 2 * error


def learned_sentence(column: ColumnGuesses) -> str:
    """The worst that is true of one column."""
    learned, without = column.learned, column.without
    return (
        f"Somebody who learns from the whole release guesses {learned.share:.1%} of {column.column} "
        f"right, and {learned.surest:.1%} of the {SUREST:.0%} he is surest of; a group alone says "
        f"{column.in_group:.1%}, and without the release, learning on other people, he would get "
        f"{without.share:.1%} and {without.surest:.1%}."
    )
