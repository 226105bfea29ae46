"""δ-presence: nobody of a population is known to be in the table, or known not to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.calls import Between, require
from anonagram.errors import InputError
from anonagram.microdata import Microdata
from anonagram.models.compared import ROUNDING
from anonagram.models.population import Classes, PopulationModel, Register
from anonagram.registers.fitting import presence
from anonagram.release import GroupedRelease
from anonagram.shown.wording import how_many

OVERLAPPING = (
    "Groups overlap, so somebody may fit several: what is told is the expected number of rows that are "
    "hers, each row being as likely anybody's who fits."
)


@dataclass(frozen=True, repr=False)
class DeltaPresence(
    PopulationModel,
    call="delta_presence",
    example='delta_presence(low=0, high=0.5, population="people.csv")',
):
    """The belief that somebody of a population is in the table stays between two numbers.

    Nergiz, Atzori and Clifton (2007): of the people who fit a class of rows, as large a share is in
    the table as the class has rows. Somebody who fits no class is known not to be in it, which only
    low=0 allows. Rows that were left out can be anybody's.

    >>> DeltaPresence(low=0, high=0.5, population="people.csv")
    delta_presence(low=0, high=0.5, population="people.csv")
    """

    low: Annotated[float, Between(0, 1)]
    high: Annotated[float, Between(0, 1)]
    population: Register
    less_is_stronger = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.low <= self.high,
            f"delta_presence: low={self.low} is above high={self.high}.",
            f"for example {self.example}.",
        )

    def classes(self, release: GroupedRelease, register: Microdata) -> Classes:
        """The lowest and highest belief in the people who fit each class."""
        found = presence(release, register)
        rows, people = found.classes.rows, found.classes.people
        if (people < rows).any():
            _refuse_register(register, int(rows[people < rows][0]), int(people[people < rows][0]))
        anywhere = release.manifest.rows.suppressed / register.rows
        lowest, highest = (np.minimum(1, e + anywhere) for e in (found.lowest, found.highest))
        holds = (lowest >= self.low - ROUNDING) & (highest <= self.high + ROUNDING)
        delta = np.minimum(1, found.delta + anywhere)
        least, most = float(delta.min()), float(delta.max())
        told = f"From {least:.3g} to {most:.3g} over {how_many(register.rows, 'person', 'people')}."
        is_apart = np.array_equal(found.lowest, found.highest)
        return Classes(
            rows, highest, holds, most, told if is_apart else f"{told} {OVERLAPPING}",
            others_hold=self.low - ROUNDING <= least and most <= self.high + ROUNDING,
        )  # fmt: skip


def _refuse_register(register: Microdata, rows: int, people: int) -> None:
    raise InputError(
        f"{register.label} does not have everybody who is in the release: {how_many(rows, 'row')} that "
        f"look alike fit {how_many(people, 'person', 'people')}.",
        "a register with all people who might be in the table, those of the table among them.",
    )
