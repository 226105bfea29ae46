"""The intruder who weighs everything he sees of a record against how values were changed."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.attacks.attack import AttackResult, Target, Verdict, given
from anonagram.attacks.figures.asked import Looked
from anonagram.attacks.figures.likeliest import Likeliest, find_images
from anonagram.attacks.figures.shares import percent
from anonagram.attacks.maximum_knowledge import Tolerance
from anonagram.attacks.pair_attack import PairAttack, verdict_on
from anonagram.learning import Success
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many

FEWEST = 100
"""Among fewer records it cannot be learned how values were changed."""


@dataclass(frozen=True, repr=False)
class LikeliestMatch(
    PairAttack[Likeliest], call="likeliest_match", example="likeliest_match(records=1000)"
):
    """He takes for each person the masked record that is most likely hers.

    >>> from anonagram.attacks import Aligned
    >>> rows = {name: [i * k % 199 for i in range(400)] for name, k in (("a", 7), ("b", 11))}
    >>> found = LikeliestMatch().run(Target(pair=Aligned.read(rows, rows, in_order=True)))
    >>> str(found.verdict), found.reason
    ('does not withstand', 'likely matches')
    """

    knows = "the whole original, the whole release, and how often values were changed how far"

    records: Looked = 0
    """How many people to look for; 0 chooses by the size of the tables."""
    tolerance: Tolerance = 0.1
    """What share of people found is practically none."""

    def unfit(self, target: Target) -> str:
        """Why he cannot try: there are too few people to learn from."""
        why = super().unfit(target)
        if not why and given(target.pair).paired < FEWEST:
            return f"{self.call} needs at least {FEWEST} records."
        return why

    def attempt(self, target: Target) -> AttackResult[Likeliest]:
        """Score all masked records for each person he looks for."""
        pair = given(target.pair)
        step("Looking for the likeliest matches")
        found = find_images(pair, self.records)
        chance = 1 / pair.masked_rows
        verdict = verdict_on(found.share, found.surest, self.tolerance + chance)
        return AttackResult(
            attack=self,
            verdict=verdict,
            sentence=_sentence(found, verdict, self.tolerance),
            records=found.asked,
            scores=found.right,
            baseline=chance,
            figures=found,
            reason="likely matches" if verdict is Verdict.DOES_NOT_WITHSTAND else "",
            surest=Success.of(found.right, found.sure).surest,
        )


def _sentence(found: Likeliest, verdict: Verdict, tolerance: float) -> str:
    surest = found.surest
    told = f"For {found.share.text} of the people the likeliest record is their own"
    sure = (
        f"of the {how_many(surest.claims, 'match', 'matches')} that look surest {surest.right:,.0f} are "
        "right"
    )
    if verdict is Verdict.WITHSTANDS:
        return f"{told}, at most the {percent(tolerance)} that are tolerated; {sure}."
    if verdict is Verdict.CANNOT_TELL:
        return (
            f"{told}, and among all of them it may be more than the {percent(tolerance)} tolerated."
        )
    return f"{told}; {sure}. Rearrange more."
