"""Guesses of a sensitive column: how many are right, of everybody and of those he is surest of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from anonagram.microdata import Microdata
    from anonagram.release import WithGroups

SUREST = 0.01
"""The share of people of whom somebody is surest."""
POINTS = 0.03
"""So much better than the baseline is worth a warning, where it is more than chance."""
LEAST = 1e-12
"""What nobody believes at all costs no more bits than this."""
LARGEST = 1 << 62


@dataclass(frozen=True)
class Success:
    """How many are guessed right: of everybody, and of those somebody is surest of."""

    everybody: float
    surest: float

    @classmethod
    def of(
        cls, right: NDArray[np.bool_] | NDArray[np.float64], belief: NDArray[np.float64]
    ) -> Self:
        """Count guesses; of equal beliefs at the limit each counts in proportion.

        >>> Success.of(np.array([True, False, False, True]), np.array([0.9, 0.5, 0.5, 0.5]))
        Success(everybody=0.5, surest=1.0)
        """
        number = max(round(right.size * SUREST), 1)
        limit = np.partition(belief, -number)[-number]
        above, at = belief > limit, belief == limit
        rest = number - int(above.sum())
        surest = (right[above].sum() + rest * right[at].mean()) / number
        return cls(float(right.mean()), float(surest))

    @classmethod
    def best(cls, each: Iterable[Success]) -> Self:
        """The best of several, in both."""
        found = list(each)
        return cls(max(s.everybody for s in found), max(s.surest for s in found))


@dataclass(frozen=True)
class Guesses:
    """What one model guesses of everybody."""

    right: NDArray[np.bool_] | NDArray[np.float64]
    """Of several guesses that are as good, the share that is right."""
    belief: NDArray[np.float64]
    """In what is guessed."""
    in_truth: NDArray[np.float64]
    """What is believed of the true value."""

    @property
    def success(self) -> Success:
        """How many are right."""
        return Success.of(self.right, self.belief)

    @property
    def believed(self) -> float:
        """How many he thinks are right; as many as are right, where he is calibrated."""
        return float(self.belief.mean())

    @property
    def bits(self) -> float:
        """How many bits of everybody's value he lacks, on average: the logarithmic loss.

        >>> Guesses(np.array([True]), np.array([0.5]), np.array([0.25])).bits
        2.0
        """
        return float(-np.log2(np.maximum(self.in_truth, LEAST)).mean())

    def taken(self, people: NDArray[np.int64]) -> Guesses:
        """Those of some people."""
        return Guesses(self.right[people], self.belief[people], self.in_truth[people])

    @classmethod
    def of_beliefs(cls, beliefs: NDArray[np.float64], truth: NDArray[np.int32]) -> Self:
        """Guess the likeliest of beliefs up to a factor; who has none is guessed by nothing."""
        total = beliefs.sum(axis=1)
        some = np.where(total > 0, total, 1.0)
        guess = np.where(total > 0, beliefs.argmax(axis=1), -1)
        in_truth = beliefs[np.arange(truth.size), truth] / some
        return cls(guess == truth, beliefs.max(axis=1) / some, in_truth)

    @classmethod
    def same(cls, truth: NDArray[np.int32]) -> Self:
        """Guess the most frequent value of everybody."""
        shares = np.bincount(truth) / truth.size
        usual = shares.argmax()
        return cls(truth == usual, np.full(truth.size, shares[usual]), shares[truth])

    @classmethod
    def of_matched(
        cls,
        matched: Matched,
        kinds: tuple[NDArray[np.int64], NDArray[np.int64]],
        truth: NDArray[np.int32],
    ) -> Self:
        """Guess people from the chances of rows that look like them.

        Each of these rows is hers with the same chance; kinds say how rows and people look. Who
        looks like no row is guessed by nothing.
        """
        from anonagram.kernels.believe import believe_kinds

        rows_like, people = kinds
        number = int(max(rows_like.max(initial=-1), people.max(initial=-1))) + 1
        guess, belief, in_truth = (
            np.full(truth.size, -1, np.int32), np.zeros(truth.size), np.zeros(truth.size),
        )  # fmt: skip
        believe_kinds(
            *_by_kind(rows_like[matched.rows], number), *_by_kind(people, number),
            np.repeat(np.arange(matched.starts.size - 1), np.diff(matched.starts)),
            matched.starts, matched.value_starts, matched.codes, matched.blocks, matched.chances,
            truth, int(max(matched.codes.max(initial=0), truth.max(initial=0))) + 1,
            guess, belief, in_truth,
        )  # fmt: skip
        return cls(guess == truth, belief, in_truth)


Tried = tuple[Guesses, ...]
"""What several models guess of the same people."""


def excess(score: float, baseline: float, people: float, ways: int = 1) -> float:
    """By how much a score passes its baseline, three points and what is chance.

    Chance is two standard errors; so many more as the best of several ways passes as seldom.

    >>> excess(0.5, 0.25, 10_000), excess(0.5, 0.25, 10_000, ways=4)
    (0.211..., 0.209...)
    """
    error = sqrt(baseline * (1 - baseline) / max(people, 1))
    errors = 2.0
    if ways > 1:
        from statistics import NormalDist

        errors = -NormalDist().inv_cdf(NormalDist().cdf(-2.0) / ways)
    return score - baseline - POINTS - errors * error


class Matched(NamedTuple):
    """Published rows by group with the chance of each of their group's values."""

    rows: NDArray[np.int64]
    """Where each stands in the published table."""
    starts: NDArray[np.int64]
    """Where the rows of each group begin."""
    value_starts: NDArray[np.int64]
    """Where the values of each group begin."""
    codes: NDArray[np.int32]
    """The values of each group."""
    blocks: NDArray[np.int64]
    """Where the chances of each group begin: a chance for each row and each of its values."""
    chances: NDArray[np.float64]


def _by_kind(kinds: NDArray[np.int64], number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of those of each kind one behind the other, and where each kind begins."""
    sizes = np.bincount(kinds, minlength=number)
    return np.argsort(kinds, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])


def alike_kinds(
    release: WithGroups, microdata: Microdata
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each published row and for each person a number that equal quasi-identifiers share."""
    columns = [microdata.column(name) for name in release.manifest.named("quasi")]
    table = release.tables["quasi"]
    both = [np.concatenate([c.codes_of(table[c.name]), c.codes]) for c in columns]
    kinds = alike_codes(both)
    return kinds[: table.height], kinds[table.height :]


def alike_codes(columns: list[NDArray[np.int32]]) -> NDArray[np.int64]:
    """For each row a number that rows with the same codes share, from 0.

    >>> alike_codes([np.array([7, 3, 7]), np.array([1, 1, 1])]).tolist()
    [1, 0, 1]
    """
    found, different = np.zeros(columns[0].size, np.int64), 1
    for codes in columns:
        size = int(codes.max()) + 1
        if different * size >= LARGEST:  # numbers are made small again
            _, found = np.unique(found, return_inverse=True)
            different = int(found.max()) + 1
        found, different = found * size + codes, different * size
    return np.unique(found, return_inverse=True)[1]
