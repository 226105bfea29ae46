"""The intruder who wants to know whether somebody is in the table at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.present import deltas, without_release
from anonagram.attacks.figures.told_entries import Floats, ways_told
from anonagram.attacks.group_attack import people
from anonagram.calls import Between
from anonagram.release import Told

MEASURED = ({Told.EXACT}, {Told.MOVED}, {Told.RANGE})
ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class Presence(Attack[Floats], call="presence", example="presence()"):
    """He looks for a row with her values; in a permuted group they may come from several people.

    For each person δ, what he believes of her being there. The baseline is what the columns' shares
    tell him: that somebody has all of her values by chance. Of many people a sample is looked for.
    """

    knows = "somebody's quasi-identifiers, but not whether she is in the table"
    needs = ("release", "original")
    about = "presence"

    sure: Annotated[float, Between(0, 1)] = 0.5
    """What he may believe at most, unless the columns' shares tell him as much."""

    def unfit(self, target: Target) -> str:
        """Groups whose quasi-identifiers are told in one way."""
        release = target.release
        if release is not None and release.grouped is None:
            return (
                f"{self.call} looks for rows with somebody's values; in the shape {release.shape} they "
                "need not be anybody's."
            )
        if release is not None and ways_told(given(release.grouped)) not in MEASURED:
            return f"{self.call} needs quasi-identifiers that are all told in the same way."
        return super().unfit(target)

    def attempt(self, target: Target) -> AttackResult[Floats]:
        """Look for everybody."""
        release, original = given(given(target.release).grouped), given(target.original)
        asked, delta = deltas(release, original)
        before = without_release(original, asked)
        is_exposed = (delta > self.sure + ROUNDING) & (delta > before + ROUNDING)
        exposed = int(is_exposed.sum())
        told = (
            f"Whoever knows somebody's quasi-identifiers believes {delta.mean():.1%} on average that she "
            f"is in the table, and {delta.max():.1%} at most; by the columns' shares alone he would "
            f"believe {before.mean():.1%}."
        )
        above = f"{people(exposed, delta.size)} are" if exposed else "By the release nobody is"
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if exposed else Verdict.WITHSTANDS,
            sentence=f"{told} {above} believed to be in it with more than {self.sure:.0%}.",
            records=asked,
            scores=np.asarray(delta),
            baseline=float(before.mean()),
            figures=delta,
            reason="rows with somebody's values" if exposed else "",
            exposed=asked[is_exposed],
        )
