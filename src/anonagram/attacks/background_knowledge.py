"""The intruder who knows of a person some values that she does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.figures.group_values import Counts, Floats, GroupValues
from anonagram.attacks.group_attack import GroupAttack, Seen, people
from anonagram.calls import AtLeast, Between
from anonagram.release.manifest import PublishedColumn

ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class BackgroundKnowledge(
    GroupAttack, call="background_knowledge", example="background_knowledge(pieces=1)"
):
    """He rules values out (Martin et al. 2007): what is left of a group becomes likelier.

    The worst for everybody: the pieces are about the most frequent values of her group that are not
    hers. The baseline is the same intruder with the whole table in place of her group. What he
    might know of two people together ("if she has it, so does he") is not tried.
    """

    knows = "which group everybody is in, and of each person some values that she does not have"

    pieces: Annotated[int, AtLeast(0)] = 1
    """How many values he can rule out."""
    sure: Annotated[float, Between(0, 1)] = 0.5
    """What he may believe at most of anybody's value."""

    def look(self, values: GroupValues, about: PublishedColumn) -> Seen:  # noqa: ARG002
        """Beliefs after the update, and how many pieces it takes to be surer than allowed."""
        beliefs = after_pieces(values, self.pieces)
        is_worse = beliefs > np.maximum(self.sure, _without(values, self.pieces)) + ROUNDING
        groups = np.zeros(values.sizes.size, np.bool_)
        groups[values.group_of[is_worse]] = True
        exposed, most = int(values.counts[is_worse].sum()), float(beliefs.max())
        return Seen(
            column=values.column,
            scores=values.by_row(beliefs),
            baseline=float((_without(values, self.pieces) * values.counts).sum() / values.rows),
            exposed=exposed,
            most=most,
            sentence=self._sentence(values, exposed, most),
        )

    def _sentence(self, values: GroupValues, exposed: int, most: float) -> str:
        needed = pieces_needed(values, self.sure)
        least = int(needed.min())
        in_all = values.rows_in(needed == least)
        pieces = f"{self.pieces:,} value{'' if self.pieces == 1 else 's'}"
        above = f"{people(exposed, values.rows)} are" if exposed else "Nobody is"
        told = (
            f"Whoever can rule out {pieces} of {values.column} believes up to {most:.1%} of somebody's "
            f"own. {above} believed with more than {self.sure:.0%}."
        )
        if least > values.codes.size:
            return told
        return (
            f"{told} It takes at least {least:,} to be surer than that, for "
            f"{people(in_all, values.rows)}."
        )


def after_pieces(values: GroupValues, pieces: int) -> Floats:
    """For each entry: what is believed of its value once the most frequent others are ruled out.

    >>> import polars as pl
    >>> four = GroupValues.of("ill", pl.Series([1] * 3), pl.Series(["a", "b", "c"]), np.array([2, 1, 1]))
    >>> after_pieces(four, 1).tolist()  # without b, without a, without a
    [0.6666666666666666, 0.5, 0.5]
    """
    sums = np.concatenate([[0], np.cumsum(values.counts)])
    first, end = values.starts[:-1], values.starts[1:]
    top = sums[np.minimum(first + pieces, end)] - sums[first]
    more = sums[np.minimum(first + pieces + 1, end)] - sums[first]
    group, counts = values.group_of, values.counts
    ruled_out = np.where(values.places < pieces, more[group] - counts, top[group])
    return np.asarray(counts / (values.sizes[group] - ruled_out))


def _without(values: GroupValues, pieces: int) -> Floats:
    """The same by the whole table, for each entry's value."""
    order = np.sort(values.totals)[::-1]
    top, more = order[:pieces].sum(), order[: pieces + 1].sum()
    totals = values.totals
    place = np.searchsorted(-order, -totals)  # as many are more frequent
    left = values.rows - np.where(place < pieces, more - totals, top)
    return np.asarray((totals / np.maximum(left, 1))[values.codes])


def pieces_needed(values: GroupValues, sure: float) -> Counts:
    """For each group: how many values must be ruled out until another is believed more than that.

    In closed form: the likeliest is kept, and the most frequent others go one by one. A number
    beyond all groups' values where it never happens, as when one is always allowed to be sure.
    """
    sums = np.cumsum(values.counts)
    first = values.starts[:-1]
    before = sums[first] - values.counts[first]
    highest = values.counts[first][values.group_of]
    gone = sums - before[values.group_of] - highest
    is_reached: NDArray[np.bool_] = (
        highest / (values.sizes[values.group_of] - gone) > sure + ROUNDING
    )
    never = values.codes.size + 1
    return np.minimum.reduceat(np.where(is_reached, values.places, never), first)
