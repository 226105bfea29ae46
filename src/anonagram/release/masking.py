"""What was done to a column of a masked table: published, so that it can be reckoned with."""

from __future__ import annotations

from dataclasses import dataclass

MOVED = "moved"
CHANGED = "changed"


@dataclass(frozen=True)
class Masking:
    """Whether a column's values moved to other people or changed, and how far they can have moved."""

    how: str
    within: float | None = None
    """The furthest that a value can have moved, in ranks as a share of the rows; None: anywhere."""

    @property
    def is_valid(self) -> bool:
        """Whether it can have been so."""
        known = self.how in (MOVED, CHANGED)
        within = self.within
        return known and (within is None or (type(within) in (int, float) and 0 <= within <= 1))
