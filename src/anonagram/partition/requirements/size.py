"""k-anonymity: groups of at least k rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from anonagram.calls import AtLeast
from anonagram.kernels.needs import Diverse, Many
from anonagram.microdata import Column, Microdata
from anonagram.partition.requirements.requirement import Counted, Requirement, require_rows


@dataclass(frozen=True, repr=False)
class Size(Requirement, call="size", example="size(k=3)"):
    """Every group has at least k rows.

    >>> Size(k=3)
    size(k=3)
    """

    k: Annotated[int, AtLeast(1)]
    makes = "k-anonymous"
    about_values = False

    @property
    def least(self) -> int:
        """A group has at least k rows."""
        return self.k

    def require_possible(self, microdata: Microdata) -> None:
        """Refuse a table of fewer than k rows."""
        require_rows(microdata, self.k, "k")

    def needs(self, columns: Sequence[Column]) -> Diverse | Many:
        """So many rows; where each has a value of its own, that is diversity."""
        return Many(self.k) if columns else Diverse(self.k)

    def is_met(self, needs: Any, rows: int, counted: Sequence[Counted]) -> bool:  # noqa: ARG002
        """By the number of rows alone."""
        return rows >= self.k
