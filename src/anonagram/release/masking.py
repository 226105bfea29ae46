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
    kept: float = 0.0
    """The share of values that took no part and are still where they were."""
    noise: float | None = None
    """The standard deviation of the noise that was added, in the column's unit."""
    order: tuple[str, ...] | None = None
    """By what the values of a column without a natural order are ranked, where not by frequency."""

    @property
    def is_valid(self) -> bool:
        """Whether it can have been so."""
        shares = [self.kept, *([] if self.within is None else [self.within])]
        known = self.how in (MOVED, CHANGED) and (
            self.noise is None or (type(self.noise) in (int, float) and self.noise >= 0)
        )
        return known and all(type(s) in (int, float) and 0 <= s <= 1 for s in shares)
