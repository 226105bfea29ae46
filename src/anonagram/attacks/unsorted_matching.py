"""The intruder who hopes that rows were published in the order in which they stood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.order import Order, compare_order, ordered_tables

SURE = 1e-4
"""The chance of a wrong alarm, whatever is compared."""
MAYBE = 0.01
"""Where the chance is smaller, it cannot be told that the order says nothing."""


@dataclass(frozen=True, repr=False)
class UnsortedMatching(
    Attack[tuple[Order, ...]], call="unsorted_matching", example="unsorted_matching()"
):
    """He takes the row at somebody's place for hers, or that at about her place (Sweeney 2002).

    He scores a person where a table has her own values at her place; the baseline is how often that
    happens in a random order.
    """

    knows = "the order in which people stood in the original"
    needs = ("release", "original")
    about = "order"

    def unfit(self, target: Target) -> str:
        """Tables with a row each person are what he can match."""
        if why := super().unfit(target):
            return why
        if not ordered_tables(given(target.release), given(target.original)):
            return (
                f"{self.call} matches rows by their places, and no table of the release has a row for "
                "each person with values of the original."
            )
        return ""

    def attempt(self, target: Target) -> AttackResult[tuple[Order, ...]]:
        """Compare the order of every table that has a row each person."""
        orders = compare_order(given(target.release), given(target.original))
        worst = min(orders, key=lambda each: each.p_value)
        chance = worst.p_value * len(orders)
        failed, verdict = chance < SURE, Verdict.WITHSTANDS
        if chance < MAYBE:
            verdict = Verdict.DOES_NOT_WITHSTAND if failed else Verdict.CANNOT_TELL
        means = {
            Verdict.WITHSTANDS: "That may well be chance",
            Verdict.CANNOT_TELL: "That may be chance among so few",
            Verdict.DOES_NOT_WITHSTAND: "Rows were left in an order that tells whose they are",
        }[verdict]
        told = (
            f"Table {worst.table} has somebody's own values at her place {worst.score:.2%} of the "
            f"time, {worst.baseline:.2%} by chance; the rank correlation of the two orders is "
            f"{worst.correlation:.3f} (p = {worst.p_value:.2g})."
        )
        return AttackResult(
            attack=self,
            verdict=verdict,
            sentence=f"{told} {means}.",
            records=np.arange(worst.agrees.size),
            scores=worst.agrees.astype(np.float64),
            baseline=worst.baseline,
            figures=orders,
            reason=f"the order of table {worst.table}" if failed else "",
        )
