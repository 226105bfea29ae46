"""The intruder who has several releases of the same people, and keeps what is possible in all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.intersection import Intersection, Narrowed, intersect
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class SeveralReleases(Attack[Intersection], call="several_releases", example="several_releases()"):
    """He finds everybody in each release that can hold her, and rules values out.

    The baseline is what he knows from the new release alone.
    """

    knows = "everybody's quasi-identifiers, and several releases that are about them"
    needs = ("release", "original", "others")

    def attempt(self, target: Target) -> AttackResult[Intersection]:
        """Intersect what the releases leave open for each person."""
        found = intersect(
            given(target.original), given(target.release), target.others, target.present
        )
        columns = sorted(found.columns.values(), key=_harm, reverse=True)
        worst, *others = columns
        verdict = narrowed_verdict(worst)
        failed = verdict is Verdict.DOES_NOT_WITHSTAND
        return AttackResult(
            attack=self,
            verdict=verdict,
            sentence=narrowed_sentence(worst),
            records=np.arange(found.people),
            scores=np.any([left.is_pinned_rightly for left in columns], axis=0).astype(np.float64),
            baseline=float(np.any([left.alone == 1 for left in columns], axis=0).mean()),
            compared="by this release alone",
            figures=found,
            details=tuple(narrowed_sentence(left) for left in others),
            reason=f"several releases with {worst.column}" if failed else "",
        )


def narrowed_verdict(left: Narrowed) -> Verdict:
    """Cannot tell where releases contradict: whose rows were compared is then not known."""
    if left.is_worse:
        return Verdict.DOES_NOT_WITHSTAND
    return Verdict.CANNOT_TELL if left.contradicted else Verdict.WITHSTANDS


def _harm(left: Narrowed) -> tuple[int, int, int]:
    return list(Verdict).index(narrowed_verdict(left)), left.pinned, left.below(left.least)


def narrowed_sentence(left: Narrowed) -> str:
    """The worst that is true of one column."""
    if left.pinned > left.pinned_alone:
        fewer = left.below(left.least)
        return (
            f"{left.pinned:,} of {how_many(left.people, 'person', 'people')} "
            f"({left.pinned / left.people:.1%}) have one value of {left.column} left "
            f"({left.pinned_rightly:,} of them their own), by "
            f"this release alone {left.pinned_alone:,}; {fewer:,} ({fewer / left.people:.1%}) "
            f"have fewer than the {left.least} that it leaves everybody."
        )
    if fewer := left.below(left.least):
        fewest = int(left.together[left.together > 0].min())
        return (
            f"{fewer:,} of {how_many(left.people, 'person', 'people')} ({fewer / left.people:.1%}) have "
            f"fewer than {how_many(left.least, 'value')} of {left.column} left, some only {fewest}."
        )
    return f"Nobody has fewer than {how_many(left.least, 'value')} of {left.column} left."
