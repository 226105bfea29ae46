"""Whether masked records come nearer to people than other people do.

This needs no order of rows. In a table that is about other people of the same kind, the nearest
record is as far from a person as the nearest other person of the original; one that was made from
her own record may be far nearer. Both ways are counted alike, so without her record none wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.figures.asked import LINKED, asked_records, linked_within
from anonagram.attacks.figures.equal_values import equal_cells
from anonagram.attacks.figures.shares import Share
from anonagram.columns.nearest import Records

MUCH_NEARER = 0.25
EXCESS = 0.1
"""Being nearer at all counts where it is so much more frequent than the other way round."""
MORE_CELLS = 2
ENOUGH_CELLS = 3
"""Two rare values meet in a permuted table now and then, three do not."""
SURER = 0.001


@dataclass(frozen=True)
class Copies:
    """People to whom a masked record is much nearer than any other person, and the other way round."""

    asked: NDArray[np.int64]
    is_near: NDArray[np.bool_]
    """A masked record is much nearer than any other person."""
    is_far: NDArray[np.bool_]
    """Another person is much nearer than any masked record: what chance does as often."""
    rows: int
    how: str
    """In words, what is counted: how much nearer, or "equal" in every column."""

    @property
    def excess(self) -> float:
        """By how much more often a masked record is nearer than another person is."""
        return float(self.is_near.mean() - self.is_far.mean())

    @property
    def share(self) -> Share:
        """The share of people to whom a masked record is much nearer."""
        return Share(int(self.is_near.sum()), self.asked.size, self.rows)

    @property
    def are_there(self) -> bool:
        """Whether there are more such people than chance explains (a test of signs)."""
        from scipy.special import bdtrc

        near, far = int(self.is_near.sum()), int(self.is_far.sum())
        return near > far and float(bdtrc(near - 1, near + far, 0.5)) < SURER


def find_copies(pair: Aligned, records: int = 0) -> Copies:
    """Compare people with the masked records and with each other, in ranks and in equal cells.

    >>> rows = {"a": [i * 7 % 101 for i in range(101)], "b": [i * 13 % 101 for i in range(101)]}
    >>> found = find_copies(Aligned.read(rows, {name: values[::-1] for name, values in rows.items()}))
    >>> found.share.value, found.are_there
    (1.0, True)
    """
    asked = asked_records(pair, records, linked_within(LINKED, pair, len(pair.attributes)))
    originals = pair.original_ranks
    to_masked = Records(pair.mapped_ranks).distances(originals[asked])
    to_others = Records(originals).to_others(asked)
    cells, others = equal_cells(pair, asked), equal_cells(pair, asked, among_originals=True)
    enough = min(ENOUGH_CELLS, len(pair.attributes))
    near = (cells >= others + MORE_CELLS) & (cells >= enough)
    far = (others >= cells + MORE_CELLS) & (others >= enough)
    whole = len(pair.attributes)
    if whole >= ENOUGH_CELLS:  # a few people left as they were drown in what chance does to others
        kept = Copies(asked, near & (cells == whole), far & (others == whole), pair.rows, "equal")
        if kept.are_there:
            return kept
    if len(pair.attributes) < 2:  # on a single column a permutation has everybody's value
        return Copies(asked, near & ~far, far & ~near, pair.rows, "far nearer")
    near |= to_masked < MUCH_NEARER * to_others
    far |= to_others < MUCH_NEARER * to_masked
    much = Copies(asked, near & ~far, far & ~near, pair.rows, "far nearer")
    nearer, further = to_masked < to_others, to_masked > to_others
    at_all = Copies(asked, nearer, further, pair.rows, "nearer")
    is_plain = at_all.are_there and at_all.excess > max(EXCESS, much.excess)
    return at_all if is_plain else much
