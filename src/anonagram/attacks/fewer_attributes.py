"""The intruder who knows everything, and leaves aside the attributes that moved most.

The largest difference of ranks is ruled by the attribute that moved furthest, and would hide one
that did not move at all (Domingo-Ferrer and Muralidhar 2016, Note 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import AttackResult, Target, Verdict, given
from anonagram.attacks.figures.asked import Looked
from anonagram.attacks.figures.subsets import Subset, link_subsets
from anonagram.attacks.maximum_knowledge import RandomRecords, Tolerance, linkage_verdict, points
from anonagram.attacks.pair_attack import PairAttack
from anonagram.shown.wording import how_many, listed

FEWEST = 3
"""With fewer attributes there is no part of at least two."""


@dataclass(frozen=True, repr=False)
class FewerAttributes(
    PairAttack[tuple[Subset, ...]],
    call="fewer_attributes",
    example="fewer_attributes(random_records=1000)",
):
    """He links records on the attributes that moved least: two, three, up to all but one.

    >>> from anonagram.attacks import Aligned
    >>> moved = [7, 2, 5, 0, 8, 3, 6, 1, 4]
    >>> masked = {"a": range(9), "b": range(9), "c": moved}
    >>> pair = Aligned.read(dict.fromkeys("abc", range(9)), masked, in_order=True)
    >>> found = FewerAttributes().run(Target(pair=pair))
    >>> found.figures[0].columns, found.score
    (('a', 'b'), 1.0)
    """

    knows = "the whole original and the whole release, and looks at what moved least"

    random_records: RandomRecords = 10_000
    """How many random records to compare with; all combinations where there are few."""
    tolerance: Tolerance = 0.1
    """What difference between the two distributions is practically none."""
    records: Looked = 0
    """How many people to link; 0 chooses by the size of the tables."""

    def unfit(self, target: Target) -> str:
        """Why he cannot try: there are too few attributes to leave one aside."""
        why = super().unfit(target)
        if not why and len(given(target.pair).attributes) < FEWEST:
            return f"{self.call} needs at least {FEWEST} attributes."
        return why

    def attempt(self, target: Target) -> AttackResult[tuple[Subset, ...]]:
        """Link a sample on each part of the attributes; the worst part is told."""
        pair = given(target.pair)
        subsets = link_subsets(pair, self.random_records, self.tolerance, self.records)
        verdicts = [linkage_verdict(each.linkage, is_linked=each.is_linked) for each in subsets]
        worst, verdict = max(zip(subsets, verdicts, strict=True), key=_by_harm)
        failed = verdict is Verdict.DOES_NOT_WITHSTAND
        return AttackResult(
            attack=self,
            verdict=verdict,
            sentence=_sentence(worst, verdict),
            records=worst.linkage.asked,
            scores=worst.linkage.is_right.astype(np.float64),
            baseline=worst.linkage.by_chance / worst.records,
            figures=subsets,
            reason=f"near matches on {listed(worst.columns)}" if failed else "",
            surest=worst.linkage.surest,
        )


def _by_harm(tried: tuple[Subset, Verdict]) -> tuple[int, float]:
    subset, verdict = tried
    return list(Verdict).index(verdict), subset.correct / subset.records


def _sentence(worst: Subset, verdict: Verdict) -> str:
    names, share = listed(worst.columns), worst.correct / worst.records
    if verdict is Verdict.DOES_NOT_WITHSTAND:
        return (
            f"On {names} alone the {points(worst.advantage)}, and {share:.1%} of the records are linked "
            "to their own image. Rearrange those more."
        )
    if verdict is Verdict.CANNOT_TELL:
        return (
            f"On {names} alone, among {how_many(worst.records, 'record')} a difference of "
            f"{worst.advantage:.0%} from records made up at random may be chance."
        )
    return (
        f"On no part of the attributes can he tell whom he found; on {names} alone {share:.1%} of the "
        "records are linked to their own image."
    )
