"""Rank swapping: values change places with others of nearly the same rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.hierarchy import value_texts
from anonagram.columns.ranks import Codes, middle_ranks, sorted_rows
from anonagram.errors import PromiseBroken
from anonagram.kernels.swap import swap_near
from anonagram.key import Key
from anonagram.methods.masking import Columns, MaskingMethod, by_rank, tells_alike
from anonagram.microdata import Column, Microdata
from anonagram.release import Masking
from anonagram.runtime.threads import in_threads

WHOLE = 100
ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class RankSwapping(MaskingMethod, call="rank_swapping", example="rank_swapping(p=5)"):
    """In each column by itself, exchange values whose ranks are at most p percent of the rows apart.

    Moore (1996). With p = 5 no value moves further than 5 % of the ranks; equal values share the
    middle of their ranks. Every column keeps all its values. Values without an order are ranked by
    their hierarchy, or by how frequent they are.

    >>> from anonagram import Key, Microdata
    >>> data = Microdata.read({"age": range(20, 30), "pay": [1, 2] * 5}, {"age": "quasi", "pay": "plain"})
    >>> sorted(RankSwapping(p=20).anonymize(data, Key(bytes(32))).rows["age"]) == list(range(20, 30))
    True
    """

    p: Annotated[float, Between(0, WHOLE)] = 5
    """In percent of the rows: how far apart in rank two values may be to change places."""
    columns: Columns = "quasi"
    """Which columns: quasi, sensitive, both, or a list of names."""
    strength = "p"
    strengths = (0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)

    def masking(self, column: Column) -> Masking:
        """How far values can have moved, and in which order where it is a hierarchy's."""
        order = None
        if column.kind == "nominal" and tells_alike(column):
            order = tuple(value_texts(column.domain))
        return Masking(self.how, self.p / WHOLE, order=order)

    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> list[pl.Series]:  # noqa: ARG002
        """Each column with values exchanged, and checked to have stayed near."""

        def swap(column: Column) -> pl.Series:
            codes, of_rank = by_rank(column)
            # ranks are those of the whole table, also where these rows are a block of it
            counts = column.counts_in_table[of_rank]
            # twice the ranks, as middles are counted
            furthest = int(np.floor(2 * self.p / WHOLE * int(counts.sum()) * (1 + ROUNDING)))
            swapped = _swap(codes, counts, furthest, key, f"{self!r}/{column.name!r}")
            _require_near(column.name, codes, swapped, counts, furthest)
            return column.decode(of_rank[swapped])

        return in_threads(swap, [(column,) for column in chosen])


def _swap(codes: Codes, counts: NDArray[np.int64], furthest: int, key: Key, purpose: str) -> Codes:
    """Rows exchange codes that are near in rank among as many as are counted."""
    rows = sorted_rows(codes, counts.size, key, f"{purpose}/ties")
    middles = middle_ranks(counts)
    if key.words(f"{purpose}/direction", 1)[0] & 1:  # who is left alone depends on where one begins
        rows, middles = rows[::-1], -middles
    ordered = codes[rows]
    middles = middles[ordered]
    partner = np.empty(rows.size, np.int32)
    spare = 64 + rows.size // 64
    while swap_near(middles, furthest, key.words(purpose, rows.size // 2 + spare), partner) < 0:
        spare *= 2
    swapped = np.empty_like(codes)
    swapped[rows] = ordered[partner]
    return swapped


def _require_near(
    name: str, codes: Codes, swapped: Codes, counts: NDArray[np.int64], furthest: int
) -> None:
    """Look at the result again, without what made it: at ranks in the whole table."""
    above = np.cumsum(counts[::-1])[::-1]  # how many rows have this value or a higher one
    twice = 2 * (counts.sum() - above) + counts + 1
    moved = np.abs(twice[swapped] - twice[codes])
    if moved.max() > furthest:
        raise PromiseBroken(
            f"A value of {name!r} moved {moved.max() / 2:g} ranks, further than "
            f"{furthest / 2:g}.", "report this.",
        )  # fmt: skip
