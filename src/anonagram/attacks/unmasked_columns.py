"""The intruder who looks at columns that were not masked: whoever is alone with them is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.linkage import FEW_PEOPLE
from anonagram.attacks.figures.unmasked import Unmasked, find_unmasked


@dataclass(frozen=True, repr=False)
class UnmaskedColumns(Attack[Unmasked], call="unmasked_columns", example="unmasked_columns()"):
    """He compares columns that are as they were.

    >>> from anonagram.attacks import Aligned
    >>> pair = Aligned.read({"a": [1, 2, 3], "b": [1, 2, 3]}, {"a": [1, 2, 3], "b": [3, 1, 2]})
    >>> UnmaskedColumns().run(Target(pair=pair)).reason
    'unmasked a'
    """

    knows = "the columns that were published as they are"
    needs = ("pair",)

    def attempt(self, target: Target) -> AttackResult[Unmasked]:
        """Find columns that mostly did not move, and who is alone with their values."""
        pair = given(target.pair)
        found = find_unmasked(pair)
        failed = found.identified > FEW_PEOPLE
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if failed else Verdict.WITHSTANDS,
            sentence=_sentence(found, failed=failed),
            records=np.arange(pair.rows),
            scores=found.is_alone.astype(np.float64),
            baseline=1 / pair.rows,
            figures=found,
            reason=f"unmasked {', '.join(found.columns)}" if failed else "",
        )


def _sentence(found: Unmasked, *, failed: bool) -> str:
    if not found.columns:
        return "No column is as it was."
    return (
        f"{found.identified:.1%} of the people are alone with their values in columns that are as "
        f"they were ({', '.join(found.columns)}).{' Mask those too.' if failed else ''}"
    )
