"""k-map: every row fits at least k people of a population."""

from __future__ import annotations

from dataclasses import dataclass
from sys import maxsize
from typing import Annotated

import numpy as np

from anonagram.calls import AtLeast
from anonagram.microdata import Microdata
from anonagram.models.population import Classes, PopulationModel, Register
from anonagram.registers.fitting import fitting
from anonagram.release import GroupedRelease
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class KMap(PopulationModel, call="k_map", example='k_map(k=3, population="people.csv")'):
    """Whoever looks a published row up in a register finds at least k people (Sweeney 2002).

    Weaker than k-anonymity where the register has more people than the table: a row that is unique
    in the table need not be so among everybody. It says nothing to an intruder who knows that
    somebody is in the table.

    >>> KMap(k=3, population="people.csv")
    k_map(k=3, population="people.csv")
    """

    k: Annotated[int, AtLeast(1)]
    population: Register

    def classes(self, release: GroupedRelease, register: Microdata) -> Classes:
        """How many people fit the rows of each class."""
        found = fitting(release, register, work=maxsize)
        absent = int(found.rows[found.people == 0].sum())
        note = ""
        if absent:
            note = (
                f"{how_many(absent, 'row fits', 'rows fit')} nobody of the register: it does not have "
                "everybody."
            )
        level = found.people.astype(np.float64)
        return Classes(
            found.rows, level, found.people >= self.k, float(level.min(initial=np.inf)), note
        )
