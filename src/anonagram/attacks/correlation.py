"""The intruder who learned elsewhere how values go with quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.attacks.attack import Attack, AttackResult, Target, given
from anonagram.attacks.figures.correlated import guess_correlated
from anonagram.attacks.figures.guesses import ColumnGuesses
from anonagram.attacks.figures.told_entries import ways_told
from anonagram.attacks.group_attack import groups_of, why_no_groups
from anonagram.attacks.guessing import Columns, guessable, guessed, why_not_guessed
from anonagram.learning import SUREST
from anonagram.release import Told


@dataclass(frozen=True, repr=False)
class Correlation(Attack[Columns], call="correlation", example="correlation()"):
    """He knows P(value | quasi-identifiers) from other people, and uses it inside her group.

    The model is naive Bayes, learned on the original: of each half of its people on the other half,
    as good a model as anybody could bring. Where rows stand as they are he sums over all matchings
    of a group; else over all groups that can be hers, the more of a sample where they are many. The
    baseline is the better of two: her group alone, and the model alone.
    """

    knows = "everybody's quasi-identifiers, and from elsewhere how values go with them"
    needs = ("release", "original")

    def unfit(self, target: Target) -> str:
        """Groups with values that can be guessed, whose quasi-identifiers are told in one way."""
        if why := super().unfit(target) or why_no_groups(self, target):
            return why
        release = groups_of(target)
        if not release.has_whole_rows and ways_told(release) not in ({Told.MOVED}, {Told.RANGE}):
            return f"{self.call} needs quasi-identifiers that are all told in the same way."
        return why_not_guessed(self, given(target.original))

    def attempt(self, target: Target) -> AttackResult[Columns]:
        """Guess with the model."""
        release, original = groups_of(target), given(target.original)
        columns = [guess_correlated(release, original, name) for name in guessable(original)]
        return guessed(self, columns, _sentence)


def _sentence(column: ColumnGuesses) -> str:
    learned, without = column.learned, column.without
    return (
        f"Somebody who knows from elsewhere how values go with quasi-identifiers guesses "
        f"{learned.everybody:.1%} of {column.column} right, and {learned.surest:.1%} of the {SUREST:.0%} he "
        f"is surest of; a group alone says {column.in_group:.1%}, and without the release he gets "
        f"{without.everybody:.1%} and {without.surest:.1%}."
    )
