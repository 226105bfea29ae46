"""Several requirements at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonagram.calls import require
from anonagram.microdata import Column, Microdata
from anonagram.partition.requirements.diversity import Diversity
from anonagram.partition.requirements.requirement import Counted, Requirement


class Conjunction(Requirement):
    """Every group fulfils all of these requirements.

    >>> from anonagram.partition import Closeness, Size
    >>> Conjunction(Size(k=3), Closeness(t=0.2))
    Conjunction(closeness(t=0.2, distance="equal"), size(k=3))
    """

    def __init__(self, *parts: Requirement) -> None:
        require(
            bool(parts) and all(isinstance(part, Requirement) for part in parts),
            f"A conjunction is made of requirements, not of {parts!r}.",
            "Conjunction(Diversity(l=3), Closeness(t=0.2)).",
        )
        # kernels mend cuts for the sake of diversity, and look for it in the first place; they are
        # compiled for each combination of kinds, so those have one order
        self.parts = tuple(
            sorted(parts, key=lambda part: (not isinstance(part, Diversity), part.call))
        )

    @property
    def least(self) -> int:
        """What the most demanding part needs."""
        return max(part.least for part in self.parts)

    def require_possible(self, microdata: Microdata) -> None:
        """Refuse what one of the parts refuses."""
        for part in self.parts:
            part.require_possible(microdata)

    def needs(self, columns: Sequence[Column]) -> tuple[Any, ...]:
        """What each of the parts needs."""
        return tuple(part.needs(columns) for part in self.parts)

    def is_met(self, needs: tuple[Any, ...], rows: int, counted: Sequence[Counted]) -> bool:
        """All of them must be."""
        return all(p.is_met(n, rows, counted) for p, n in zip(self.parts, needs, strict=True))

    def __repr__(self) -> str:
        return f"Conjunction({', '.join(map(repr, self.parts))})"
