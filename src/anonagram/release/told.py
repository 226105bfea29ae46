"""What became of the values of a column."""

from __future__ import annotations

from enum import StrEnum

from anonagram.release.masking import CHANGED, MOVED


class Told(StrEnum):
    """How a release tells of a column."""

    EXACT = "exact"
    """Values as they were; beside others of the same part they are one person's."""
    MOVED = MOVED
    """The original's values, at other people."""
    CHANGED = CHANGED
    """Values that need not occur in the original."""
    REPLACED = "replaced"
    """Some of them replaced, with chances that are told."""
    RANGE = "range"
    """Between which values, or among which, those of a group are."""

    @property
    def is_true(self) -> bool:
        """Whether what is told of a person's value can be believed."""
        return self is not Told.CHANGED

    @property
    def keeps_values(self) -> bool:
        """Whether a value that a person has must occur among the published ones."""
        return self not in (Told.CHANGED, Told.RANGE)

    @property
    def is_apart(self) -> bool:
        """Whether values stand beside those of other people, so that rows are nobody."""
        return self in (Told.MOVED, Told.CHANGED)
