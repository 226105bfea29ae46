"""What a search for the best recoding ended with, whatever it was looked for among."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.kernels.lattice import Rule
from anonagram.shown.wording import how_many


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


def costs_told(found: Outcome, cost: str, rule: Rule, rows: int) -> str:
    """What it costs, and of how many people nothing is told."""
    costs = f"It costs {found.cost:.4g} ({cost.replace('_', ' ')})"
    if not found.suppressed:
        return f"{costs}; no row is suppressed."
    share = f"{found.suppressed:,} of {how_many(rows, 'row')} ({found.suppressed / rows:.1%})"
    gone = "have * in every quasi-identifier" if rule.is_kept else "were left out"
    return f"{costs}; {share} {gone}."
