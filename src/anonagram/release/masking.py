"""What was done to the columns of a masked table: published, so that it can be reckoned with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from anonagram.release.decoding import Amount, Share, require_different

MOVED: Literal["moved"] = "moved"
CHANGED: Literal["changed"] = "changed"


@dataclass(frozen=True)
class Masking:
    """Whether a column's values moved to other people or changed, and how far they can have moved."""

    how: Literal["moved", "changed"]
    within: Share | None = None
    """The furthest that a value can have moved, in ranks as a share of the rows; None: anywhere."""
    kept: Share = 0.0
    """The share of values that took no part and are still where they were."""
    noise: Amount | None = None
    """The standard deviation of the noise that was added, in the column's unit."""
    order: tuple[str, ...] | None = None
    """By what the values of a column without a natural order are ranked, where not by frequency."""

    def __post_init__(self) -> None:
        """Refuse a ranking in which a value stands twice."""
        require_different(self.order or ())


@dataclass(frozen=True)
class MaskedColumns:
    """What only a masked release tells: how each masked column was masked."""

    columns: Mapping[str, Masking]
