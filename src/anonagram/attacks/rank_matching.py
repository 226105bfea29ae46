"""The intruder who sorts: people of a group by one amount, and its values of another by size."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anonagram.attacks.attack import Attack, AttackResult, Target, given
from anonagram.attacks.figures.ranked import RankGuesses, guess_by_order
from anonagram.attacks.group_attack import groups_of, why_no_groups
from anonagram.attacks.guessing import Columns, guessed
from anonagram.learning import ranked_columns, sortable


@dataclass(frozen=True, repr=False)
class RankMatching(Attack[Columns], call="rank_matching", example="rank_matching()"):
    """Where two amounts go together, he joins people and values of each group by their rank.

    By which amount to sort, and whether the most goes with the most or with the least, groups say:
    those with more of one have more, or less, of the other. Where they do not, or say it of several
    amounts, the best that he might choose is counted. He is surest of people who are far
    from the others of their group in both amounts. The baseline is the better of three: the group
    alone; without the release the people who are nearest in a known amount; and models of other
    people, of values that are not too many. Where columns were permuted apart, he sorts the amounts of
    each group that has all of a person's values.

    >>> import numpy as np
    >>> from anonagram import Anatomy, Key, Microdata
    >>> table = {"income": np.arange(100) * 10, "tax": np.arange(100) * 3}
    >>> data = Microdata.read(table, {"income": "quasi", "tax": "sensitive"})
    >>> release = Anatomy(l=4).anonymize(data, Key(bytes(32)))
    >>> found = RankMatching().run(Target(release, data))
    >>> found.score, round(found.baseline, 2), str(found.verdict)
    (1.0, 0.24, 'does not withstand')
    """

    knows = "everybody's quasi-identifiers, and that amounts may go together"
    needs = ("release", "original")

    def unfit(self, target: Target) -> str:
        """Both must be amounts, and exact ones in groups."""
        if why := super().unfit(target) or why_no_groups(self, target):
            return why
        release, original = groups_of(target), given(target.original)
        if not ranked_columns(original):
            return f"{self.call} sorts amounts, and no sensitive column has any."
        if not sortable(release, original):
            return (
                f"{self.call} sorts people by an exact amount, and no quasi-identifier of this "
                f"{release.shape} release is told as one; who has everybody's from elsewhere did not try."
            )
        return ""

    def attempt(self, target: Target) -> AttackResult[Columns]:
        """Sort, and join."""
        release, original = groups_of(target), given(target.original)
        columns = [guess_by_order(release, original, c.name) for c in ranked_columns(original)]
        found = guessed(self, columns, _sentence)
        if found.withstands:
            return found
        worst = max(columns, key=lambda each: each.gain).by_rank.told
        return replace(
            found,
            reason=f"{worst.column} goes with {worst.by}" if found.reason else "",
            details=(worst.remedy, *found.details),
        )


def _sentence(column: RankGuesses) -> str:
    without = column.without
    return (
        f"{column.by_rank.told} Without the release, by what other people have, he would get "
        f"{without.everybody:.1%} and {without.surest:.1%}."
    )
