"""The rows that cuts are chosen from: as many of a table, whichever machine looks for them.

Whether a row is looked at follows from a keyed hash of its content, so rows that are equal in everything
come or stay away together. Of a table with many such rows a sample would show few of its people, each of
them many times, and blocks cut by it would be uneven. There more rows are drawn, of which a share is kept:
of equal rows as many as their share of the table says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.row_hashes import hash_rows
from anonagram.partition.equal_rows import Contents

SAMPLE = 1 << 18
"""Rows that are looked at to choose cuts; smaller tables are looked at as a whole."""
ONE_OF = 64
"""Of the rows of a block that are looked at, equal ones are to be at most one of so many."""
MOST_CONTENTS = 1 << 22
"""At most about so many different rows are drawn for that."""
ALL = 1 << 32
"""The limit that draws all."""
WHOLE = 1 << 31
"""The share that keeps all."""


@dataclass(frozen=True)
class Draw:
    """Which rows are drawn, and what share of equal ones is kept."""

    secret: NDArray[np.int32]
    limit: int
    """The upper half of the hash of a row that is drawn is below this."""
    share: int = WHOLE

    @classmethod
    def of(cls, secret: NDArray[np.int32], rows: int) -> Self:
        """About as many of so many rows as are looked at."""
        return cls(secret, ALL if rows <= SAMPLE else ALL * SAMPLE // rows)

    def wider(self, times: int) -> Draw:
        """So many times the rows, of which as many are kept as before."""
        limit = min(self.limit * times, ALL)
        return replace(self, limit=limit, share=WHOLE * self.limit // limit)

    def among(self, codes: NDArray[np.int32]) -> Contents:
        """Those of some rows that are drawn."""
        chosen = hash_rows(codes, self.secret) >> np.uint64(32) < np.uint64(self.limit)
        return Contents.of(codes[chosen])

    def kept(self, drawn: Contents) -> Contents:
        """What is kept of all that are drawn; about parts of a row the rest of its hash decides."""
        rest = (hash_rows(drawn.codes, self.secret) % np.uint64(WHOLE)).astype(np.int64)
        times = (drawn.times * self.share + rest) // WHOLE
        return Contents(drawn.codes[times > 0], times[times > 0])


def looked_at(
    secret: NDArray[np.int32], rows: int, most: int, draw: Callable[[Draw], Contents]
) -> NDArray[np.int32]:
    """The rows from which blocks of about `most` rows are cut, as `draw` finds them among so many."""
    narrow = Draw.of(secret, rows)
    found = draw(narrow)
    if narrow.limit < ALL and (times := _times_wider(found, rows, most)) > 1:
        found = draw(narrow.wider(times))
    return found.repeated()


def _times_wider(found: Contents, rows: int, most: int) -> int:
    """How many times the rows must be drawn so that few of a block are equal."""
    if not found.times.size:  # few different ones in all
        return ALL
    alike = int(found.times.max())
    if alike == 1:
        return 1
    return min(-(-alike * ONE_OF * rows // (most * SAMPLE)), MOST_CONTENTS // found.times.size)
