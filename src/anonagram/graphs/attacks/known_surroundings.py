"""The intruder who knows the graph around everybody, or only how many edges everybody has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.attacks import AttackResult, Target
from anonagram.calls import AtLeast
from anonagram.graphs.attack import (
    MOST,
    Chance,
    Connected,
    GraphAttack,
    found_shares,
    graph_of,
    verdict_of,
)
from anonagram.release import GroupedGraphRelease
from anonagram.release.signatures import ROUNDS


@dataclass(frozen=True)
class Surroundings:
    """What is found out by the graph around everybody."""

    found: dict[str, float]
    """For each table the share of nodes that nobody else of their group looks like."""
    certain: float
    """The share of edges of which there is no doubt."""


@dataclass(frozen=True, repr=False)
class KnownSurroundings(
    GraphAttack[Surroundings], call="known_surroundings", example="known_surroundings()"
):
    """He finds nodes by the graph around them, which groups do not hide.

    With one round he knows how many edges everybody has; with more also how many the neighbours
    have, and theirs. The baseline is what the groups alone tell.
    """

    knows = "which group everybody is in, and how many edges she, her neighbours and theirs have"
    rounds: Annotated[int, AtLeast(1)] = ROUNDS
    """How far around everybody he knows the graph."""
    most: Chance = MOST
    """How sure of a connection he may be at most."""

    def attempt(self, target: Target) -> AttackResult[Surroundings]:
        """Nodes that look alike in a group are all that he cannot tell apart."""
        release = graph_of(target)
        connected = Connected.by_look(release, release.signatures(self.rounds))
        chances, found = connected.chances, surroundings(release, connected)
        surest = float(chances.max())
        return AttackResult(
            attack=self,
            verdict=verdict_of(surest, self.most),
            sentence=f"{_told(found, self.rounds)} Of one that is there he is sure with "
            f"{chances.mean():.1%} on average, of the surest with {surest:.0%}.",
            records=np.arange(chances.size),
            scores=chances,
            baseline=float(Connected.by_group(release).chances.mean()),
            figures=found,
            details=() if self.rounds == 1 else (_by_degree(release),),
            reason="nodes that stand out" if surest > self.most else "",
        )


def surroundings(release: GroupedGraphRelease, connected: Connected) -> Surroundings:
    """Who is found, and which edges."""
    shares = found_shares(release, connected)
    named = dict(zip(release.names.tables, shares.values(), strict=True))
    return Surroundings(named, float((connected.chances == 1).mean()))


def _by_degree(release: GroupedGraphRelease) -> str:
    connected = Connected.by_look(release, release.signatures(1))
    return _told(surroundings(release, connected), 1)


def _told(found: Surroundings, rounds: int) -> str:
    known = "only how many edges everybody has" if rounds == 1 else "the graph around everybody"
    shares = " and of ".join(f"{share:.1%} of {name}" for name, share in found.found.items())
    return (
        f"Whoever knows {known} finds the node of {shares}, and is certain of {found.certain:.1%} of "
        "all connections."
    )
