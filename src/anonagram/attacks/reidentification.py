"""What all intruders have in common who want to find somebody's row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict
from anonagram.attacks.figures.group_values import Counts, Floats
from anonagram.attacks.group_attack import groups_of
from anonagram.calls import Between

ROUNDING = 1e-12
Chance = Annotated[float, Between(0, 1)]
MOST = 0.34
"""Groups of three are the least that is recommended; two people alike are a coin's toss."""


class Reidentification(Attack[Counts]):
    """An intruder who picks one of the rows that look like a person's.

    The baseline is a row picked blindly. In a shape whose rows are nobody's he finds at most her
    group, and its people count.
    """

    needs: ClassVar[tuple[str, ...]] = ("release",)
    about = "row"

    def unfit(self, target: Target) -> str:
        """Where rows were changed, which of them look like hers does not say which is hers."""
        release = target.release
        if release is not None and release.grouped is None:
            return (
                f"{self.call} counts rows that look alike; in the shape {release.shape} they need not "
                "look like anybody."
            )
        return super().unfit(target)


def look_alike_risks(target: Target) -> tuple[Counts, Floats]:
    """How many people each class of look-alikes has, and for each row the chance to pick it rightly."""
    alike = groups_of(target).look_alikes()["rows"].to_numpy().astype(np.int64)
    return alike, np.repeat(1 / alike, alike)


def found(
    attack: Reidentification,
    target: Target,
    risks: Floats,
    measured: Counts,
    is_exposed: bool,
    words: Callable[[], str],
) -> AttackResult[Counts]:
    """The result of picking rows with these chances."""
    release = groups_of(target)
    details = (f"{release.who_looks_alike}.",) if release.who_looks_alike else ()
    return AttackResult(
        attack=attack,
        verdict=Verdict.DOES_NOT_WITHSTAND if is_exposed else Verdict.WITHSTANDS,
        sentence=words(),
        records=np.arange(risks.size),
        scores=risks,
        baseline=1 / max(risks.size, 1),
        figures=measured,
        details=details,
        reason="rows that stand out" if is_exposed else "",
    )
