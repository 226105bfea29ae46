"""The intruder who wants to find as many people as possible, whoever they are."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.attacks.attack import AttackResult, Target
from anonagram.attacks.figures.group_values import Counts
from anonagram.attacks.reidentification import (
    MOST,
    ROUNDING,
    Chance,
    Reidentification,
    found,
    look_alike_risks,
)


@dataclass(frozen=True, repr=False)
class Marketer(Reidentification, call="marketer", example="marketer()"):
    """He matches a list of everybody with the rows that look like them; a wrong match costs him little."""

    knows = "everybody's quasi-identifiers"
    most: Chance = MOST
    """What share of people he may match rightly at most."""

    def attempt(self, target: Target) -> AttackResult[Counts]:
        """What counts is how many are right on average."""
        alike, risks = look_alike_risks(target)
        failed = bool(risks.mean() > self.most + ROUNDING)

        def words() -> str:
            return (
                f"Whoever matches a list of everybody with the rows gets {risks.mean():.1%} right: "
                f"{alike.size:,} of {risks.size:,}, one in each class of people who look alike."
            )

        return found(self, target, risks, alike, failed, words)
