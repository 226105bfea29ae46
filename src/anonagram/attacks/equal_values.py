"""The intruder who looks for equal values: what stayed as it was gives a record away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import AttackResult, Target, Verdict, given
from anonagram.attacks.figures.asked import Looked
from anonagram.attacks.figures.equal_values import EqualValues, link_by_equal_values
from anonagram.attacks.maximum_knowledge import Tolerance
from anonagram.attacks.pair_attack import PairAttack, verdict_on
from anonagram.learning import Success
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False)
class EqualCells(
    PairAttack[EqualValues], call="equal_values", example="equal_values(records=1000)"
):
    """He links records to those that have most of their values, where some cells were not masked.

    >>> from anonagram.attacks import Aligned
    >>> pair = Aligned.read(dict.fromkeys("abc", range(9)), dict.fromkeys("abc", range(9)), in_order=True)
    >>> EqualCells().run(Target(pair=pair)).score
    1.0
    """

    knows = "the whole original and the whole release, and counts equal cells"

    records: Looked = 0
    """How many people to look for; 0 chooses by the size of the tables."""
    tolerance: Tolerance = 0.1
    """What share of people found is practically none."""

    def attempt(self, target: Target) -> AttackResult[EqualValues]:
        """Count the cells that a sample of originals shares with each masked record."""
        step("Looking for equal values")
        pair = given(target.pair)
        found = link_by_equal_values(pair, self.records)
        verdict = verdict_on(found.share, found.surest, self.tolerance + 1 / pair.masked_rows)
        failed = verdict is Verdict.DOES_NOT_WITHSTAND
        surest = found.surest
        are = "is" if surest.right == 1 else "are"
        sure = f"; of the {surest.claims:,} that share most {surest.right:,.0f} {are} right"
        return AttackResult(
            attack=self,
            verdict=verdict,
            sentence=(
                f"{found.share.text} of the people share several values with their own image and with "
                f"no other as many{sure if surest.claims else ''}.{' Mask every cell.' if failed else ''}"
            ),
            records=found.asked,
            scores=found.is_right.astype(np.float64),
            baseline=found.by_chance / found.records,
            figures=found,
            reason="equal values" if failed else "",
            surest=Success.of(found.is_right, found.scores).surest,
        )
