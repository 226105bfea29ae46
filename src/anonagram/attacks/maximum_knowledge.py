"""The intruder who knows the whole original and the whole release, and lacks only who is who.

Domingo-Ferrer and Muralidhar (2016), Section 5: he maps the release back to original values, links
every original record to the nearest masked ones in ranks, and compares how near they are with how
near masked records come to records made up at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.attack import AttackResult, Target, Verdict, given
from anonagram.attacks.figures.asked import (
    LINKED,
    Looked,
    asked_records,
    linked_within,
    made_up_beside,
)
from anonagram.attacks.figures.linkage import Linkage, link
from anonagram.attacks.figures.unmasked import find_unmasked
from anonagram.attacks.pair_attack import PairAttack
from anonagram.calls import Between
from anonagram.shown.wording import how_many, listed

RandomRecords = Annotated[int, Between(1, 10**7)]
Tolerance = Annotated[float, Between(0, 1)]


@dataclass(frozen=True, repr=False)
class MaximumKnowledge(
    PairAttack[Linkage], call="maximum_knowledge", example="maximum_knowledge(random_records=1000)"
):
    """He links every record on all attributes.

    >>> from anonagram.attacks import Aligned
    >>> rows = {"a": range(9), "b": range(9)}
    >>> pair = Aligned.read(rows, rows, in_order=True)
    >>> found = MaximumKnowledge().run(Target(pair=pair))
    >>> found.score, found.baseline == 1 / 9, str(found.verdict)
    (1.0, True, 'does not withstand')
    """

    knows = "the whole original and the whole release, but not whose row is whose"

    random_records: RandomRecords = 10_000
    """How many random records to compare with; all combinations where there are few."""
    tolerance: Tolerance = 0.1
    """What difference between the two distributions is practically none."""
    records: Looked = 0
    """How many people to link; 0 chooses by the size of the tables."""

    def attempt(self, target: Target) -> AttackResult[Linkage]:
        """Link every original record, and random ones."""
        pair = given(target.pair)
        found = self.link(pair)
        why = _why_not_linked(found)
        if found.is_linked:
            why = f"{_why_linked(found)}{_advice(find_unmasked(pair).columns)}"
        return AttackResult(
            attack=self,
            verdict=linkage_verdict(found, is_linked=found.is_linked),
            sentence=why,
            records=found.asked,
            scores=found.is_right.astype(np.float64),
            baseline=found.by_chance / found.asked.size,
            figures=found,
            details=_details(found),
            reason=_reason(found),
            surest=found.surest,
        )

    def link(self, pair: Aligned) -> Linkage:
        """Link people on all attributes, whether or not it is known who is who."""
        size = linked_within(LINKED, pair, len(pair.attributes))
        asked = asked_records(pair, self.records, size)
        beside = made_up_beside(self.random_records, asked.size, pair.paired or pair.rows)
        return link(
            pair.original_ranks, pair.mapped_ranks, asked, beside, self.tolerance, pair.paired
        )


def linkage_verdict(found: Linkage, *, is_linked: bool) -> Verdict:
    """Fails where people are linked, cannot tell where records are too few to say."""
    if is_linked:
        return Verdict.DOES_NOT_WITHSTAND
    open_ = found.may_be_chance or found.may_look_linked
    return Verdict.CANNOT_TELL if open_ else Verdict.WITHSTANDS


def points(advantage: float) -> str:
    """How many more originals than random records have a near match."""
    return (
        f"share of records with a near match is {100 * advantage:.0f} points higher than among "
        "random ones"
    )


def _reason(found: Linkage) -> str:
    if not found.is_linked:
        return ""
    return "near matches" if found.looks_linked else "right matches"


def _why_linked(found: Linkage) -> str:
    if found.looks_linked:
        return f"The {points(found.advantage)}, and matches are right more often than by chance."
    if found.is_mostly_right:
        return (
            f"{found.share.text} of the records are linked to their own image, "
            "most of all that have a single match."
        )
    return (
        f"The matches of {how_many(found.too_near, 'record')} are too near to be random, and "
        f"{found.too_near_correct:,} of them are right."
    )


def _advice(still: tuple[str, ...]) -> str:
    return f" Mask {listed(still)} too." if still else " Rearrange more."


def _why_not_linked(found: Linkage) -> str:
    rows = found.asked.size
    if found.looks_linked:
        return (
            f"The {points(found.advantage)}, as happens where columns go together, but matches are "
            "right no more often than by chance."
        )
    if found.may_look_linked:
        return (
            f"Among the {how_many(rows, 'record')} that were drawn, the difference from records made up "
            f"at random is {found.advantage:.1%}; among all it may be more than the "
            f"{found.tolerance:.0%} tolerated."
        )
    if found.may_be_chance:
        return (
            f"Among {how_many(rows, 'record')} a difference of {found.advantage:.0%} from records "
            "made up at random may be chance."
        )
    return (
        "Records are practically no nearer to their matches than records made up at random "
        f"(difference {found.advantage:.1%}), so he cannot tell his right matches "
        f"({found.share.text} of the records) from the others."
    )


def _details(found: Linkage) -> tuple[str, ...]:
    rows = found.asked.size
    told = [
        f"Who knows the whole original links {found.correct:,} of {how_many(rows, 'record')} to their "
        f"own image ({found.share.text}), {found.wrong:,} to somebody else's, and has "
        f"several candidates for {found.multiple:,}. Blind guesses would get about "
        f"{found.by_chance:.1f} right.",
        f"Within {found.original.quantile(0.5):,.9g} ranks half of the records find a match; half "
        f"of the records made up at random within {found.random.quantile(0.5):,.9g}.",
    ]
    if found.too_near:
        told.append(
            f"The matches of {how_many(found.too_near, 'record')} are nearer than those of records made up "
            f"at random would be; of these {found.too_near_correct:,} are right."
        )
    return tuple(told)
