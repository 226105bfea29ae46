"""What all intruders have in common who compare an original with what became of it."""

from __future__ import annotations

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.attack import Attack, F, Target, Verdict, given
from anonagram.attacks.figures.shares import Share, Surest


class PairAttack(Attack[F]):
    """An intruder whose matches can be checked, because it is known which rows belong together."""

    needs = ("pair",)
    pins = True

    def unfit(self, target: Target) -> str:
        """Why he cannot try: nobody could say whether he is right."""
        why = super().unfit(target)
        if not why and not given(target.pair).order.is_known:
            return f"{self.call} needs to know which rows belong together."
        return why


def nothing_found(pair: Aligned) -> Verdict:
    """What it means that he found nobody who needs no order: where none is known, nothing is shown."""
    return Verdict.WITHSTANDS if pair.order.is_known else Verdict.CANNOT_TELL


def verdict_on(share: Share, surest: Surest, limit: float) -> Verdict:
    """What a share of people found means, where up to a limit is taken for none.

    In a sample both ways need the whole range of what the share may be.
    """
    low, high = share.range
    if low > limit or surest.is_mostly_right:
        return Verdict.DOES_NOT_WITHSTAND
    return Verdict.CANNOT_TELL if high > limit else Verdict.WITHSTANDS
