"""The intruder who looks for equal values: what stayed as it was gives a record away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.equal_values import EqualValues, link_by_equal_values
from anonagram.attacks.figures.linkage import FEW_PEOPLE, LEAST_PEOPLE
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False)
class EqualCells(Attack[EqualValues], call="equal_values", example="equal_values()"):
    """He links records to those that have most of their values, where some cells were not masked.

    >>> from anonagram.attacks import Aligned
    >>> pair = Aligned.read(dict.fromkeys("abc", range(9)), dict.fromkeys("abc", range(9)))
    >>> EqualCells().run(Target(pair=pair)).score
    1.0
    """

    knows = "the whole original and the whole release, and counts equal cells"
    needs = ("pair",)

    def attempt(self, target: Target) -> AttackResult[EqualValues]:
        """Count the cells that a sample of originals shares with each masked record."""
        step("Looking for equal values")
        found = link_by_equal_values(given(target.pair))
        failed = found.correct > max(FEW_PEOPLE * found.records, LEAST_PEOPLE, found.wrong)
        advice = " Mask every cell." if failed else ""
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if failed else Verdict.WITHSTANDS,
            sentence=(
                f"{found.correct / found.records:.1%} of the records share several values "
                f"with their own image and with no other as many.{advice}"
            ),
            records=found.asked,
            scores=found.is_right.astype(np.float64),
            baseline=found.by_chance / found.records,
            figures=found,
            reason="equal values" if failed else "",
        )
