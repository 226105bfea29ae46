"""What promises about a population have in common: a register of everybody who might be in the table."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Fits
from anonagram.errors import CallError
from anonagram.microdata import Microdata
from anonagram.models.model import WORST_SHOWN, Finding, PrivacyModel, refuse_shape
from anonagram.registers.register import read_register
from anonagram.release import GroupedRelease, Release
from anonagram.shown.wording import how_many

Register = Annotated[
    str,
    Fits(
        lambda text: bool(Path(text).suffix) and "://" not in text,
        'the name of a file, such as "people.csv"',
    ),
]


@dataclass(frozen=True)
class Classes:
    """Rows that look alike, a class each."""

    rows: NDArray[np.int64]
    level: NDArray[np.float64]
    holds: NDArray[np.bool_]
    achieved: float
    note: str
    others_hold: bool = True
    """Whether it holds for people whom no class is about."""


class PopulationModel(PrivacyModel):
    """A promise that depends on how many other people there are.

    They are given as a table with the release's quasi-identifiers, and should include everybody who
    is in the release. It can be checked, but no method looks for groups that keep it.
    """

    population: Register
    less_is_stronger = False

    def check(self, release: Release) -> Finding:
        """Compare the release with the people of the file."""
        return self.check_with(release, self.population)

    def check_with(self, release: Release, population: Any) -> Finding:
        """Compare the release with the people of any table."""
        groups = release.grouped
        if groups is None:
            refuse_shape(self, release, "looks at the groups of a release")
        if not groups.manifest.named("quasi"):
            raise CallError(
                f"{self.call} is about quasi-identifiers, and the release has none.",
                "l_diversity is about sensitive columns alone.",
            )
        register = read_register(population, groups)
        found = self.classes(groups, register)
        broken = ~found.holds
        return Finding(
            model=self,
            holds=not broken.any() and found.others_hold,
            achieved=found.achieved,
            worst=self._worst(found),
            violating_groups=int(broken.sum()),
            violating_rows=int(found.rows[broken].sum()),
            note=found.note,
            needed=f"{how_many(register.rows, 'person', 'people')} of {register.label}",
        )

    def _worst(self, found: Classes) -> tuple[dict[str, Any], ...]:
        frame = pl.DataFrame({"rows": found.rows, "level": found.level, "holds": found.holds})
        order = frame.sort("holds", "level", descending=[False, self.less_is_stronger])
        return tuple(order.head(WORST_SHOWN).drop("holds").to_dicts())

    @abstractmethod
    def classes(self, release: GroupedRelease, register: Microdata) -> Classes:
        """The rows that look alike, beside the people who fit them."""
