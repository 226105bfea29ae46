"""Values that are told as they are or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from anonagram.columns.hierarchy import HierarchyRule


@dataclass(frozen=True, repr=False)
class Flat(HierarchyRule, call="flat", example="flat()"):
    """Nothing between a value and ``*``."""

    def labels(self, domain: pl.Series) -> list[Sequence[str]]:  # noqa: ARG002
        """None: above the values is only what all have."""
        return []
