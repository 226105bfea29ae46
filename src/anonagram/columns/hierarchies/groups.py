"""Neighbouring values as runs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast, Between
from anonagram.columns.hierarchy import MOST_LEVELS, HierarchyRule, value_texts


@dataclass(frozen=True, repr=False)
class Groups(HierarchyRule, call="groups", example="groups(size=4, levels=2)"):
    """Neighbours in the domain's order are merged: size values at level 1, size² at level 2, …"""

    size: Annotated[int, AtLeast(2)] = 4
    levels: Annotated[int, Between(1, MOST_LEVELS)] = 2

    def labels(self, domain: pl.Series) -> list[Sequence[str]]:
        """The labels at each level."""
        texts = value_texts(domain)
        return [_merged(texts, self.size**level) for level in range(1, self.levels + 1)]


def _merged(texts: list[str], size: int) -> list[str]:
    runs = [texts[start : start + size] for start in range(0, len(texts), size)]
    return [f"{run[0]}..{run[-1]}" if len(run) > 1 else run[0] for run in runs for _ in run]
