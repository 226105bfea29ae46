"""The intruder who weighs every row by how likely it came from a person's, and reads its value."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.attacks.attack import Attack, AttackResult, Target, given
from anonagram.attacks.figures.guesses import ColumnGuesses
from anonagram.attacks.figures.weighed import guess_replaced
from anonagram.attacks.guessing import Columns, guessed
from anonagram.learning import SUREST


@dataclass(frozen=True, repr=False)
class WeighedRows(Attack[Columns], call="weighed_rows", example="weighed_rows()"):
    """Where values were replaced with chances that are told, sensitive ones stand beside them.

    He weighs all rows by Bayes' rule and guesses the likeliest value. The baseline is the better of
    two: the most frequent value, and a model of other people without the release. Of many people a
    sample is guessed.
    """

    knows = "everybody's quasi-identifiers, and how likely each was to be replaced"
    needs = ("release", "original")

    def unfit(self, target: Target) -> str:
        """Chances must be told."""
        release = target.release
        if release is not None and release.replaced is None:
            return f"{self.call} weighs replacements, and the shape {release.shape} has none."
        if why := super().unfit(target):
            return why
        if not given(target.original).with_role("sensitive"):
            return f"{self.call} guesses sensitive values, and no column is sensitive."
        return ""

    def attempt(self, target: Target) -> AttackResult[Columns]:
        """Weigh, and guess."""
        release, original = given(given(target.release).replaced), given(target.original)
        columns = [
            guess_replaced(release, original, c.name) for c in original.with_role("sensitive")
        ]
        return guessed(self, columns, _sentence, "by the most frequent value")


def _sentence(column: ColumnGuesses) -> str:
    learned, without = column.learned, column.without
    return (
        f"Somebody who weighs all rows by how likely they came from a person's guesses "
        f"{learned.everybody:.1%} of {column.column} right, and {learned.surest:.1%} of the {SUREST:.0%} he "
        f"is surest of; the most frequent value is right for {column.in_group:.1%}, and without the "
        f"release, learning on other people, he would get {without.everybody:.1%} and {without.surest:.1%}."
    )
