"""Texts of which some characters are hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl

from anonagram.calls import Fits
from anonagram.columns.hierarchy import HierarchyRule, value_texts
from anonagram.errors import SchemaError

LONGEST = 256
"""Characters; a level for each, of all values, is more than anybody looks at."""


@dataclass(frozen=True, repr=False)
class Mask(HierarchyRule, call="mask", example="mask()"):
    """Characters are hidden one more a level, from the right or the left end."""

    side: Literal["left", "right"] = "right"
    symbol: Annotated[str, Fits(lambda text: len(text) == 1, "one character")] = "*"

    def labels(self, domain: pl.Series) -> list[Sequence[str]]:
        """The labels at each level."""
        texts = value_texts(domain)
        longest = max((len(text) for text in texts), default=0)
        if longest > LONGEST:
            raise SchemaError(
                f"mask() hides a character a level; a value has {longest:,} of them, "
                f"and {LONGEST} are the most.",
                "tree(), or a hierarchy file.",
            )
        return [
            [self._hide(text, hidden, longest) for text in texts] for hidden in range(1, longest)
        ]

    def _hide(self, text: str, hidden: int, longest: int) -> str:
        stars = self.symbol * hidden
        # shorter values are padded, so that one more hidden character never tells lengths apart
        if self.side == "right":
            return text.ljust(longest, self.symbol)[: longest - hidden] + stars
        return stars + text.rjust(longest, self.symbol)[hidden:]
