"""The intruder who wants to find anybody at all, and has a register of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonagram.attacks.attack import AttackResult, Target, given
from anonagram.attacks.figures.group_values import Counts
from anonagram.attacks.group_attack import groups_of, people
from anonagram.attacks.reidentification import MOST, ROUNDING, Chance, Reidentification, found
from anonagram.registers.fitting import fitting
from anonagram.registers.register import read_register
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class Journalist(Reidentification, call="journalist", example="journalist()"):
    """He takes the row that stands out most, and looks in the register who can be meant.

    Unless there is a larger register, it has the people of the table and nobody else: the worst
    that can be. Of many groups a sample is looked at.
    """

    knows = "a register with everybody's quasi-identifiers"
    needs: ClassVar[tuple[str, ...]] = ("release", "original")

    population: str = ""
    """A file with the quasi-identifiers of everybody who might be in the table."""
    most: Chance = MOST
    """What chance anybody may have at most to be the one who is meant."""

    def attempt(self, target: Target) -> AttackResult[Counts]:
        """The row that fits the fewest people counts."""
        release, table = groups_of(target), given(target.original)
        register = read_register(self.population, release) if self.population else table
        fits = fitting(release, register)
        risks = np.repeat(1 / np.maximum(fits.people, 1) * (fits.people > 0), fits.rows)
        exposed = int(np.count_nonzero(risks > self.most + ROUNDING))

        def words() -> str:
            sample = (
                "" if fits.is_all else f"; {how_many(risks.size, 'row was', 'rows were')} looked at"
            )
            above = f"{people(exposed, risks.size)} are" if exposed else "Nobody is"
            return (
                f"Of {how_many(register.rows, 'person', 'people')} in the register the row that stands "
                f"out most fits {fits.people[fits.people > 0].min(initial=register.rows):,}, and "
                f"{risks.mean():.1%} of "
                f"rows are told whose they are on average{sample}. {above} found with a chance above "
                f"{self.most:.0%}."
            )

        return found(self, target, risks, fits.people, exposed > 0, words)
