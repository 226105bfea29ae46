"""The intruder who looks for groups in which everybody has the same value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.attacks.figures.group_values import GroupValues
from anonagram.attacks.group_attack import GroupAttack, Seen, people
from anonagram.calls import Between
from anonagram.release.manifest import PublishedColumn
from anonagram.shown.wording import how_many

ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class Homogeneity(GroupAttack, call="homogeneity", example="homogeneity()"):
    """Where a group has one value, whoever knows her group knows hers (Machanavajjhala et al. 2007).

    He scores a person whose group tells her own value. The baseline is 0 unless the whole table
    tells it: with shares alone he is sure of nobody.
    """

    pins = True

    share: Annotated[float, Between(0.5, 1)] = 1.0
    """What share of a group a value must fill to be told; 1 means every row."""

    def look(self, values: GroupValues, about: PublishedColumn) -> Seen:  # noqa: ARG002
        """Groups filled by one value."""
        told = values.shares >= self.share - ROUNDING
        groups = np.unique(values.group_of[told])
        exposed = int(values.sizes[groups].sum())
        without = (values.totals / values.rows) >= self.share - ROUNDING
        most = float(values.shares.max())
        return Seen(
            column=values.column,
            scores=values.by_row(told),
            baseline=float(values.totals[without].sum() / values.rows),
            exposed=exposed if not without.any() else 0,
            most=most,
            sentence=self._sentence(values, groups.size, exposed, most),
        )

    def _sentence(self, values: GroupValues, groups: int, exposed: int, most: float) -> str:
        column, filled = values.column, "every row" if self.share == 1 else f"{self.share:.0%}"
        if exposed:
            return (
                f"{people(exposed, values.rows)} are in {how_many(groups, 'group')} in which one value of "
                f"{column} fills {filled}: whoever knows their group knows it of them."
            )
        return (
            f"No group of {values.sizes.size:,} has one value of {column} in {filled}; the fullest "
            f"has one in {most:.1%} of its rows."
        )
