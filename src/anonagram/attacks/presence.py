"""The intruder who wants to know whether somebody is in the table at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.present import Looked, outsiders_of, without_release
from anonagram.attacks.figures.shares import percent
from anonagram.attacks.figures.told_entries import Floats, ways_told
from anonagram.attacks.group_attack import people
from anonagram.calls import Between
from anonagram.registers.outsiders import Outsiders
from anonagram.registers.register import read_register
from anonagram.release import Told
from anonagram.shown.wording import how_many

MEASURED = ({Told.EXACT}, {Told.MOVED}, {Told.RANGE})
ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class Presence(Attack[Floats], call="presence", example="presence()"):
    """He looks for groups that fit somebody, and for rows with her values.

    Everybody in the table fits a group: how much that says depends on how many others do. And rows
    with all of her values may stand there, or have stood there before columns were permuted. For each
    person the surer of both conclusions counts. Of many people a sample is looked for.
    """

    knows = "somebody's quasi-identifiers, but not whether she is in the table"
    needs = ("release", "original")
    about = "presence"

    sure: Annotated[float, Between(0, 1)] = 0.5
    """What he may believe at most, unless the columns' shares tell him as much."""
    prior: Annotated[float, Between(0, 1)] = 0.1
    """What he believes of somebody before he looks whether she fits a group."""
    outsiders: str = ""
    """A file of people who are not in the table, to see how many of them fit; else they are found
    among those who are, each as if she were not."""

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
        others = read_register(self.outsiders, release) if self.outsiders else None
        looked = Looked.of(release, original)
        outsiders = outsiders_of(release, original, looked, others)
        by_fit = (
            np.zeros(looked.people.size)
            if outsiders is None
            else outsiders.beliefs(looked.fitting, self.prior)
        )
        by_rows, before = looked.delta, without_release(original, looked.people)
        is_exposed = self._exposed(by_rows, before) | self._exposed(by_fit, self.prior)
        belief = np.maximum(by_fit, by_rows)
        known = np.where(by_fit > by_rows, self.prior, before)
        told = [self._rows_told(by_rows, before)]
        told.insert(int(by_rows.mean() - before.mean() > by_fit.mean() - self.prior),
                    self._fit_told(looked, by_fit, outsiders))  # fmt: skip
        believed = (
            f"Whoever knows somebody's quasi-identifiers believes {percent(belief.mean())} on average that "
            f"she is in the table, where she is; without the release {percent(known.mean())}."
        )
        exposed = int(is_exposed.sum())
        above = f"{people(exposed, belief.size)} are" if exposed else "By the release nobody is"
        return AttackResult(
            attack=self,
            verdict=_verdict(exposed, outsiders),
            sentence=f"{believed} {above} believed to be in it with more than {self.sure:.0%}.",
            records=looked.people,
            scores=belief,
            baseline=float(known.mean()),
            figures=belief,
            details=tuple(told),
            reason="who fits a group, and rows with somebody's values" if exposed else "",
            exposed=looked.people[is_exposed],
        )

    def _exposed(self, belief: Floats, before: Floats | float) -> NDArray[np.bool_]:
        return np.asarray((belief > self.sure + ROUNDING) & (belief > before + ROUNDING))

    def _rows_told(self, delta: Floats, before: Floats) -> str:
        return (
            f"By rows: he believes {percent(delta.mean())} on average that one with her values is there, and "
            f"{percent(delta.max())} at most; by the columns' shares alone {percent(before.mean())}."
        )

    def _fit_told(self, looked: Looked, by_fit: Floats, outsiders: Outsiders | None) -> str:
        fit = float((looked.fitting > 0).mean())
        inside = "everybody" if fit == 1 else f"{percent(fit)} of those"
        inside = f"By groups: {inside} in the table fit{'s' * (fit == 1)} a group with all quasi-identifiers"
        if outsiders is None:
            return (
                f"{inside}; how many others do is not known, since the release could not be made again "
                f"without some of them: give a file of people who are not in it, "
                f"\"{self.call}(outsiders='FILE')\"."
            )
        looked_for = how_many(outsiders.people, "person", "people")
        others = f"{percent(outsiders.fit)} of {looked_for} {outsiders.who}"
        return (
            f"{inside}, and so do {others}: whoever believed {percent(self.prior)} beforehand believes "
            f"{percent(by_fit.mean())} on average that she is in the table, and {percent(by_fit.max())} at "
            "most."
        )


def _verdict(exposed: int, outsiders: Outsiders | None) -> Verdict:
    if exposed:
        return Verdict.DOES_NOT_WITHSTAND
    return Verdict.CANNOT_TELL if outsiders is None else Verdict.WITHSTANDS
