"""The intruder who knows the whole original and the whole release, and lacks only who is who.

Domingo-Ferrer and Muralidhar (2016), Section 5: he maps the release back to original values, links
every original record to the nearest masked ones in ranks, and compares how near they are with how
near masked records come to records made up at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.distances import Distances
from anonagram.key import PUBLIC, Key
from anonagram.nearest import Nearest, Records, has_few_combinations, random_records
from anonagram.progress import step

SURE = 0.05
"""The usual chance of a wrong alarm."""
SURER = 0.001
"""For what decides by itself that nobody can be linked."""


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
        own = self.nearest.record == np.arange(self.plausible.size)
        return int((self.is_too_near & self.nearest.is_only & own).sum())

    @property
    def is_above_chance(self) -> bool:
        """Whether matches are correct more often than blind guesses would be."""
        return _poisson_tail(self.correct, self.by_chance) < SURER

    @property
    def looks_linked(self) -> bool:
        """Whether the intruder sees matches that are nearer than random ones."""
        return self.p_value < SURE and self.advantage > self.tolerance

    @property
    def withstands(self) -> bool:
        """Whether the release withstands the attack.

        It does where matches are practically as far as those of random records. Random records
        ignore how attributes go together, so a release that keeps correlations has nearer matches
        although nobody can be linked: then it also withstands where matches are right no more
        often than by chance.
        """
        return not (self.looks_linked and self.is_above_chance)


@dataclass(frozen=True)
class MaximumKnowledge:
    """The attack, with how closely it looks.

    >>> pair = Aligned.read({"a": range(9), "b": range(9)}, {"a": range(9), "b": range(9)})
    >>> found = MaximumKnowledge().run(pair)
    >>> found.correct, found.withstands
    (9, False)
    """

    random_records: int = 10_000
    """How many random records to compare with; all combinations where there are few."""
    tolerance: float = 0.1
    """What difference between the two distributions is practically none."""

    def run(self, pair: Aligned, key: Key = PUBLIC) -> Linkage:
        """Link every original record, and as many random ones."""
        originals, mapped = pair.original_ranks, pair.mapped_ranks
        step("Linking")
        records = Records(mapped)
        nearest = records.nearest(originals)
        step("Linking random records")
        made_up = random_records(originals, self.random_records, key)
        to_random = records.nearest(made_up)
        own = nearest.record == np.arange(pair.rows)
        unique = int(nearest.is_only.sum())
        correct = int((nearest.is_only & own).sum())
        random = Distances(to_random.distance)
        return Linkage(
            nearest=nearest,
            correct=correct,
            multiple=pair.rows - unique,
            wrong=unique - correct,
            by_chance=unique / pair.rows,
            original=Distances(nearest.distance),
            random=random,
            match_distance=_mean_distance(originals, mapped[nearest.record]),
            random_match_distance=_mean_distance(made_up, mapped[to_random.record]),
            plausible=random.share_within(
                nearest.distance, is_sample=not has_few_combinations(originals)
            ),
            tolerance=self.tolerance,
        )


def _mean_distance(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(one - two).mean(axis=0) / 2)


def _poisson_tail(least: int, mean: float) -> float:
    """The chance that a count with this mean is at least so large."""
    if least <= mean:
        return 1.0
    log_terms = least * math.log(mean) - mean - math.lgamma(least + 1) if mean > 0 else -math.inf
    # terms after the first fall at least as fast as a geometric series
    ratio = mean / (least + 1)
    return min(1.0, math.exp(log_terms) / (1 - ratio))
