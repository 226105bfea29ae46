"""The intruder who knows that a certain person is in the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import AttackResult, Target
from anonagram.attacks.figures.group_values import Counts
from anonagram.attacks.group_attack import people
from anonagram.attacks.reidentification import (
    MOST,
    ROUNDING,
    Chance,
    Reidentification,
    found,
    look_alike_risks,
)


@dataclass(frozen=True, repr=False)
class Prosecutor(Reidentification, call="prosecutor", example="prosecutor()"):
    """He knows her quasi-identifiers, and picks one of the rows that look like hers.

    >>> from anonagram import Microdata, Permutation
    >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    >>> Prosecutor().run(Target(Permutation(l=4).anonymize(data))).score
    0.25
    """

    knows = "a person's quasi-identifiers, and that she is in the table"
    most: Chance = MOST
    """What chance to be found anybody may have at most."""

    def attempt(self, target: Target) -> AttackResult[Counts]:
        """The worst chance of anybody counts."""
        alike, risks = look_alike_risks(target)
        exposed = int(np.count_nonzero(risks > self.most + ROUNDING))

        def words() -> str:
            alone = int((alike == 1).sum())
            told = (
                f"Whoever knows somebody's quasi-identifiers picks her row with a chance of up to "
                f"{risks.max():.1%}, of {risks.mean():.1%} on average; {people(alone, risks.size)} "
                f"are alone with theirs."
            )
            above = f"{people(exposed, risks.size)} have" if exposed else "Nobody has"
            return f"{told} {above} a chance above {self.most:.0%}."

        return found(self, target, risks, alike, exposed > 0, words)
