"""How originals link to the nearest masked records in ranks, beside records made up at random.

Domingo-Ferrer and Muralidhar (2016), Section 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.distances import Distances
from anonagram.attacks.figures.shares import Share
from anonagram.columns.nearest import Nearest, Records, has_few_combinations, random_records
from anonagram.key import PUBLIC
from anonagram.learning import Success
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many

SURE = 0.05
"""The usual chance of a wrong alarm."""
SURER = 0.001
"""For what decides by itself that nobody can be linked."""
LEAST_PEOPLE = 3
"""So many may be found by chance."""


@dataclass(frozen=True)
class Linkage:
    """What the intruder finds; correct, multiple and wrong only the protector can tell."""

    nearest: Nearest
    """For each original record its match, at twice the distance in ranks."""
    correct: int
    """Records whose only nearest masked record is their own."""
    multiple: int
    """Records with several masked records at the least distance."""
    wrong: int
    """Records whose only nearest masked record is somebody else's."""
    by_chance: float
    """How many correct ones blind guesses would give."""
    original: Distances
    random: Distances
    match_distance: NDArray[np.float64]
    """For each attribute, how far matches are from their records in ranks, on average."""
    random_match_distance: NDArray[np.float64]
    """The same for random records."""
    plausible: NDArray[np.float64]
    """For each record the chance that a random one is matched as near: the test of "it is random"."""
    tolerance: float
    asked: NDArray[np.int64]
    """The numbers of the records that were linked."""
    people: int
    """How many records have an image; 0 where that is not known."""
    is_own: NDArray[np.bool_]
    """Which matches are the record's own image."""

    def table(
        self, stood: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    ) -> pl.DataFrame:
        """The linkage table: for each original record its match, and whether that may be random.

        Records are numbered from 1, as they stand in the tables; `stood` tells where they did before
        they were brought into one order.
        """
        record, match = self.asked, self.nearest.record
        if stood is not None:
            record, match = stood[0][record], stood[1][match]
        return pl.DataFrame(
            {
                "record": record + 1,
                "match": match + 1,
                "is_only_match": self.nearest.is_only,
                "is_own": self.is_own
                if self.people
                else pl.Series([None] * record.size, dtype=pl.Boolean),
                "distance": self.nearest.distance / 2,
                "next_distance": self.nearest.following / 2,
                "plausible_as_random": self.plausible,
            }
        )

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """Which records have a single match, and it is their own image."""
        return np.asarray(self.nearest.is_only & self.is_own)

    @cached_property
    def surest(self) -> float:
        """How many are right of the 1 % of records that he names first, in the better of two orders.

        Those nearest to their match, of equals the one with the most room up to the next; or those
        with the most room, of equals the nearest. Where a few cells were left as they were the first
        names more of them, where all were moved the second.
        """
        nearest = self.nearest
        near, room = -nearest.distance, nearest.following - nearest.distance
        orders = (near, room), (room, near)
        return max(Success.of(self.is_right, _places(*order)).surest for order in orders)

    @property
    def share(self) -> Share:
        """The share of people who are linked to their own image."""
        return Share(self.correct, self.asked.size, self.people or self.asked.size)

    @property
    def hellinger(self) -> float:
        """Hellinger's distance of both distributions: 0 for equal ones, 1 for ones apart."""
        return self.original.hellinger(self.random)

    @property
    def advantage(self) -> float:
        """How many more originals than random records are matched within the best distance."""
        return self.original.advantage(self.random)

    @property
    def p_value(self) -> float:
        """The chance of such an advantage where records are no nearer than random ones."""
        return self.original.p_value(self.random)

    @cached_property
    def is_too_near(self) -> NDArray[np.bool_]:
        """Which matches are nearer than random ones would be; 5 % of them may be wrong alarms.

        Benjamini and Hochberg (1995). Random records ignore how attributes go together, so where
        they do, a match can be too near and still be somebody else's.
        """
        ordered = np.sort(self.plausible)
        limits = SURE * np.arange(1, ordered.size + 1) / ordered.size
        below = np.flatnonzero(ordered <= limits)
        limit = ordered[below[-1]] if below.size else -1.0
        return self.plausible <= limit

    @property
    def too_near(self) -> int:
        """How many matches are too near to be random."""
        return int(self.is_too_near.sum())

    @property
    def too_near_correct(self) -> int:
        """How many of them are unique and right."""
        return int((self.is_too_near & self.is_right).sum())

    @property
    def is_above_chance(self) -> bool:
        """Whether matches are correct more often than blind guesses would be."""
        return poisson_tail(self.correct, self.by_chance) < SURER

    @property
    def looks_linked(self) -> bool:
        """Whether the intruder sees matches that are nearer than random ones."""
        return self.p_value < SURE and self.advantage > self.tolerance

    @property
    def may_be_chance(self) -> bool:
        """Whether matches are nearer than random ones, but too few to say that they really are."""
        return self.p_value >= SURE and self.advantage > self.tolerance

    @property
    def may_look_linked(self) -> bool:
        """Whether among all people, not only those sampled, matches may be nearer than random ones.

        A distribution among so many drawn people is nowhere further off, 95 times in a hundred
        (Dvoretzky, Kiefer and Wolfowitz).
        """
        error = (
            math.sqrt(math.log(2 / SURE) / (2 * self.asked.size)) if self.share.is_sample else 0.0
        )
        return self.is_above_chance and self.advantage <= self.tolerance < self.advantage + error

    @property
    def is_mostly_right(self) -> bool:
        """Whether an intruder who just believes his unique matches is right more often than not."""
        return self.is_above_chance and self.correct > self.wrong

    @property
    def some_are_exposed(self) -> bool:
        """Whether some matches are too near to be random, and most of those right.

        However small a share of all they are: whoever sees them finds these people.
        """
        right = self.too_near_correct
        return right > LEAST_PEOPLE and 2 * right > self.too_near

    @property
    def is_linked(self) -> bool:
        """Whether people can be linked: matches are right more often than by chance, and known to be.

        They are nearer than random ones, or mostly right, or for some people too near to be random.
        Random records ignore how attributes go together, so a release that keeps correlations has
        nearer matches although nobody can be linked; hence the first condition.
        """
        return self.is_above_chance and (
            self.looks_linked or self.is_mostly_right or self.some_are_exposed
        )


def link(
    originals: NDArray[np.int64],
    mapped: NDArray[np.int64],
    asked: NDArray[np.int64],
    made_up: int,
    tolerance: float,
    people: int,
) -> Linkage:
    """Link originals to masked records after reverse mapping, and as many random ones as said.

    All are twice their ranks, a column each attribute; asked are the originals' numbers, of whom the
    first so many people have the image of the same number.
    """
    step(f"Linking on {how_many(originals.shape[1], 'attribute')}")
    records = Records(mapped)
    nearest = records.nearest(originals[asked])
    drawn = random_records(originals, made_up, PUBLIC)
    to_random = records.nearest(drawn)
    unique = int(nearest.is_only.sum())
    is_own = np.asarray((nearest.record == asked) & (asked < people))
    correct = int((nearest.is_only & is_own).sum())
    random = Distances(to_random.distance)
    return Linkage(
        nearest=nearest,
        correct=correct,
        multiple=asked.size - unique,
        wrong=unique - correct,
        by_chance=unique / len(mapped),
        original=Distances(nearest.distance),
        random=random,
        match_distance=_mean_distance(originals[asked], mapped[nearest.record]),
        random_match_distance=_mean_distance(drawn, mapped[to_random.record]),
        plausible=random.share_within(
            nearest.distance, is_sample=not has_few_combinations(originals)
        ),
        tolerance=tolerance,
        asked=asked,
        people=people,
        is_own=is_own,
    )


def _places(first: NDArray[np.int64], then: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers that order records by one thing, and where that is equal by another.

    >>> _places(np.array([7, 2, 7, 2]), np.array([1, 1, 5, 1])).tolist()
    [1.0, 0.0, 2.0, 0.0]
    """
    pairs = np.column_stack([first, then])
    return np.unique(pairs, axis=0, return_inverse=True)[1].ravel().astype(np.float64)


def _mean_distance(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(one - two).mean(axis=0) / 2)


def poisson_tail(least: int, mean: float) -> float:
    """The chance that a count with this mean is at least so large."""
    if least <= mean:
        return 1.0
    log_terms = least * math.log(mean) - mean - math.lgamma(least + 1) if mean > 0 else -math.inf
    # terms after the first fall at least as fast as a geometric series
    ratio = mean / (least + 1)
    return min(1.0, math.exp(log_terms) / (1 - ratio))
