"""The intruder who compares a group with the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.attacks.figures.group_values import GroupValues
from anonagram.attacks.figures.shares import percent
from anonagram.attacks.group_attack import GroupAttack, Seen, people
from anonagram.calls import Between
from anonagram.release.manifest import PublishedColumn

ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class Skewness(GroupAttack, call="skewness", example="skewness()"):
    """A value that is rare in the table and frequent in her group is learned of her (Li et al. 2007).

    He scores what he believes of everybody's own value; the baseline is its share of the table.
    """

    points: Annotated[float, Between(0, 100)] = 30
    """By how many points a value's chance may rise at most."""

    def look(self, values: GroupValues, about: PublishedColumn) -> Seen:  # noqa: ARG002
        """The largest rise, as a difference and as a ratio."""
        rise = values.shares - values.priors
        is_worse = rise > self.points / 100 + ROUNDING
        groups = np.zeros(values.sizes.size, np.bool_)
        groups[values.group_of[is_worse]] = True
        return Seen(
            column=values.column,
            scores=values.by_row(values.shares),
            baseline=float(((values.totals / values.rows) ** 2).sum()),
            exposed=values.rows_in(groups),
            most=float(rise.max()),
            sentence=self._sentence(values, values.rows_in(groups)),
        )

    def _sentence(self, values: GroupValues, exposed: int) -> str:
        rise, times = values.shares - values.priors, values.shares / values.priors
        highest, most = int(rise.argmax()), int(times.argmax())
        before, after = percent(values.priors[highest]), percent(values.shares[highest])
        told = (
            f"For somebody the chance of {values.text(int(values.codes[highest]))} as {values.column} "
            f"rises from {before} in the table to {after} in her group; "
            f"the largest ratio is {times[most]:,.1f}, of {values.text(int(values.codes[most]))}."
        )
        if not exposed:
            return f"{told} No value's chance rises by more than {self.points:g} points."
        return (
            f"{told} In the groups of {people(exposed, values.rows)} one rises by more than "
            f"{self.points:g} points."
        )
