"""What all intruders have in common who guess everybody's likeliest value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, OfColumn, Verdict
from anonagram.attacks.figures.guesses import ColumnGuesses
from anonagram.learning import MOST_VALUES
from anonagram.microdata import Microdata

Columns = tuple[ColumnGuesses, ...]
C = TypeVar("C", bound=ColumnGuesses)


def guessed(
    attack: Attack[Columns],
    columns: Sequence[C],
    words: Callable[[C], str],
    alone: str = "by the group alone",
) -> AttackResult[Columns]:
    """The result of guessing columns: the one that is guessed best counts.

    `alone` says what is looked at by whoever has no model.
    """
    worst, *others = sorted(columns, key=lambda each: each.gain, reverse=True)
    failed, verdict = worst.gain > 0, Verdict.WITHSTANDS
    if failed or any(each.may_gain for each in columns):
        verdict = Verdict.DOES_NOT_WITHSTAND if failed else Verdict.CANNOT_TELL
    return AttackResult(
        attack=attack,
        verdict=verdict,
        sentence=words(worst),
        records=worst.places,
        scores=worst.best.right.astype(np.float64),
        baseline=worst.baseline,
        compared=_compared(worst, alone),
        figures=(worst, *others),
        details=tuple(words(each) for each in others),
        reason=f"what can be learned about {worst.column}" if failed else "",
        exposed=worst.exposed if failed else np.empty(0, np.int64),
        surest=worst.learned.surest,
        by_column=tuple(_of_column(each) for each in columns),
    )


def _of_column(guesses: ColumnGuesses) -> OfColumn:
    right = guesses.best.right
    return OfColumn(
        guesses.column, float(right.mean()), guesses.baseline, guesses.learned.surest, right.size
    )


def guessable(original: Microdata) -> list[str]:
    """The sensitive columns whose values can be guessed exactly; amounts of very many cannot."""
    sensitive = original.with_role("sensitive")
    return [column.name for column in sensitive if column.cardinality <= MOST_VALUES]


def _compared(column: ColumnGuesses, alone: str) -> str:
    """Whose the baseline is; a group is told by the release, so beside it stands who has none."""
    without = column.without.everybody
    if column.in_group <= without:
        return "without the release"
    return f"{alone} ({without:.1%} without the release)"


def why_not_guessed(attack: Attack[Columns], original: Microdata) -> str:
    """Why nothing can be guessed; empty where something can."""
    if guessable(original):
        return ""
    if not original.with_role("sensitive"):
        return f"{attack.call} guesses sensitive values, and no column is sensitive."
    return (
        f"{attack.call} guesses exact values, and sensitive columns have more than {MOST_VALUES:,}."
    )
