"""The intruder who learns from the release itself (Kifer 2009).

A group alone says no more than its shares. All groups together say how values go with attributes, and
that tells the people of a group apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anonagram.attacks.attack import Attack, AttackResult, Target, given
from anonagram.attacks.figures.guesses import ColumnGuesses, bits_in_group, guess_column
from anonagram.attacks.figures.learned_apart import guess_apart
from anonagram.attacks.guessing import Columns, guessable, guessed, why_not_guessed
from anonagram.learning import SUREST, stands_apart
from anonagram.microdata import Microdata
from anonagram.release import Release, WithGroups


@dataclass(frozen=True, repr=False)
class DeFinetti(Attack[Columns], call="definetti", example="definetti()"):
    """He fits models to the release alone, and guesses everybody's likeliest value.

    Naive Bayes, and logistic models of attributes and pairs of them; the best of them counts, of
    everybody and of those it is surest of, as in `withstands_learning`. Where every column was
    rearranged by itself he fits naive Bayes, a column at a time. The baseline is the better of
    two: somebody who looks at a person's group alone, and somebody who learned models of the same
    kinds on other people and has no release.
    """

    knows = "everybody's quasi-identifiers, and the release"
    needs = ("release", "original")

    def unfit(self, target: Target) -> str:
        """Rows that are nobody's cannot be told apart by a model."""
        release = target.release
        if release is not None and not release.has_whole_rows and not _is_apart(release):
            return (
                f"{self.call} learns from exact rows, or from columns beside one sensitive column, and "
                f"this {release.shape} release has neither."
            )
        if release is not None and release.subdomains is not None:
            return (
                f"{self.call} learns from counted values, and the shape {release.shape} has none."
            )
        return super().unfit(target) or why_not_guessed(self, given(target.original))

    def attempt(self, target: Target) -> AttackResult[Columns]:
        """Learn, and guess."""
        release, original = given(given(target.release).with_groups), given(target.original)
        columns = [_guess(release, original, name) for name in guessable(original)]
        found = guessed(self, columns, learned_sentence)
        return replace(found, details=(*found.details, *(_calibrated(release, c) for c in columns)))


def _is_apart(release: Release) -> bool:
    """Whether no row is anybody's, but columns stand in groups beside one sensitive column."""
    return release.grouped is not None and stands_apart(release.grouped)


def _guess(release: WithGroups, original: Microdata, name: str) -> ColumnGuesses:
    if release.has_whole_rows:
        return guess_column(release, original, name)
    return guess_apart(given(release.grouped), original, name)


def learned_sentence(column: ColumnGuesses) -> str:
    """The worst that is true of one column."""
    learned, without = column.learned, column.without
    return (
        f"Somebody who learns from the whole release guesses {learned.everybody:.1%} of {column.column} "
        f"right, and {learned.surest:.1%} of the {SUREST:.0%} he is surest of; a group alone says "
        f"{column.in_group:.1%}, and without the release, learning on other people, he would get "
        f"{without.everybody:.1%} and {without.surest:.1%}."
    )


def _calibrated(release: WithGroups, column: ColumnGuesses) -> str:
    """Whether he is as sure as he may be, by the model whose beliefs say most of the truth."""
    model = min(column.tried, key=lambda each: each.bits)
    without = min(each.bits for each in column.tried_without)
    return (
        f"Of {column.column} the model that believes most of the truth takes {model.believed:.1%} of its "
        f"guesses for right, and {model.success.everybody:.1%} are; it lacks {model.bits:.2f} bits of "
        f"a person's value, where a group alone lacks {bits_in_group(release, column.column):.2f} and "
        f"a model without the release {without:.2f}."
    )
