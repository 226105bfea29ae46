"""The intruder who has the release, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks import AttackResult, Target
from anonagram.graphs.attack import (
    MOST,
    Chance,
    Connected,
    GraphAttack,
    density,
    graph_of,
    verdict_of,
)


@dataclass(frozen=True, repr=False)
class StaticLinks(GraphAttack[float], call="static_links", example="static_links()"):
    """He counts the edges between two groups: each pair of their entities may be one of them.

    In safe groups of k and l he is never surer than 1 in max(k, l).
    """

    knows = "which group everybody is in"
    most: Chance = MOST
    """How sure of a connection he may be at most."""

    def attempt(self, target: Target) -> AttackResult[float]:
        """The surest pair of groups counts."""
        release = graph_of(target)
        chances = Connected.by_group(release).chances
        surest = float(chances.max())
        left, right = release.names.tables
        return AttackResult(
            attack=self,
            verdict=verdict_of(surest, self.most),
            sentence=(
                f"By the groups alone he is sure of a connection between one of {left} and one of "
                f"{right} with at most {surest:.1%}, and with {chances.mean():.1%} of one that is there."
            ),
            records=np.arange(chances.size),
            scores=chances,
            baseline=density(release),
            figures=surest,
            reason="small groups" if surest > self.most else "",
        )
