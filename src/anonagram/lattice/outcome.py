"""What a search for the best recoding ended with, whatever it was looked for among."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was found costs so much, and how far the search went."""

    cost: float
    """Infinite where it does not hold."""
    suppressed: int
    looked_at: int = 0
    """Nodes of a lattice, or subtrees of sets of cuts, that were looked at to find it."""
    least: float = 0.0
    """None costs less than the smaller of this and its cost."""

    @property
    def is_best(self) -> bool:
        """Whether it is proved that none is better."""
        return self.least >= self.cost
