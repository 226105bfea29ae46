"""The intruder who knows the whole original and the whole release, and lacks only who is who.

Domingo-Ferrer and Muralidhar (2016), Section 5: he maps the release back to original values, links
every original record to the nearest masked ones in ranks, and compares how near they are with how
near masked records come to records made up at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.distances import Distances
from anonagram.attacks.equal_values import EqualValues, link_by_equal_values
from anonagram.columns.nearest import Nearest, Records, has_few_combinations, random_records
from anonagram.key import PUBLIC, Key
from anonagram.runtime.progress import step

SURE = 0.05
"""The usual chance of a wrong alarm."""
SURER = 0.001
"""For what decides by itself that nobody can be linked."""
SUBSET_RECORDS = 20_000
"""How many originals are linked on fewer attributes."""
LEFT_AS_IT_IS = 0.95
"""An attribute counts as unmasked where more than this share of its values did not move."""
FEW_PEOPLE = 0.01
"""What share of people may be given away before the whole release is said to fail."""
LEAST_PEOPLE = 3


@dataclass(frozen=True)
class Subset:
    """The attack on some of the attributes, those that moved least (the paper's Note 1)."""

    columns: tuple[str, ...]
    records: int
    """How many originals were linked; a sample of many."""
    correct: int
    advantage: float
    withstands: bool


@dataclass(frozen=True)
class Unmasked:
    """What columns that were not masked tell by themselves."""

    columns: tuple[str, ...]
    identified: float
    """The share of people who are alone with their values in these columns, before and after."""


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
    subsets: tuple[Subset, ...] = ()
    unmasked: Unmasked = field(default_factory=lambda: Unmasked((), 0.0))
    equal_values: EqualValues = field(default_factory=lambda: EqualValues(0, 0, 0, 0))

    def table(self) -> pl.DataFrame:
        """The linkage table: for each original record its match, and whether that may be random.

        Records are numbered from 1, as they stand in the tables.
        """
        return pl.DataFrame(
            {
                "record": self.asked + 1,
                "match": self.nearest.record + 1,
                "is_only_match": self.nearest.is_only,
                "is_own": self.nearest.record == self.asked,
                "distance": self.nearest.distance / 2,
                "plausible_as_random": self.plausible,
            }
        )

    @property
    def hellinger(self) -> float:
        """Hellinger's distance of both distributions: 0 for equal ones, 1 for ones apart."""
        return self.original.hellinger(self.random)

    @property
    def advantage(self) -> float:
        """How many more originals than random records are matched within the best distance."""
        return self.original.advantage(self.random)

    @property
    def largest_advantage(self) -> float:
        """The advantage on all attributes or on fewer, whichever is larger."""
        return max([self.advantage, *(subset.advantage for subset in self.subsets)])

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
        own = self.nearest.record == self.asked
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
    def is_mostly_right(self) -> bool:
        """Whether an intruder who just believes his unique matches is right more often than not."""
        return self.is_above_chance and self.correct > self.wrong

    @property
    def some_are_exposed(self) -> bool:
        """Whether more than a few matches are too near to be random, and most of those right."""
        right = self.too_near_correct
        return right > max(FEW_PEOPLE * self.asked.size, LEAST_PEOPLE) and 2 * right > self.too_near

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

    @property
    def linked_on(self) -> Subset | None:
        """The subset of attributes on which most records are linked, where one fails."""
        failing = [subset for subset in self.subsets if not subset.withstands]
        return max(failing, key=lambda subset: subset.correct / subset.records, default=None)

    @property
    def is_identified(self) -> bool:
        """Whether columns that were not masked identify more than a few people."""
        return self.unmasked.identified > FEW_PEOPLE

    @property
    def has_equal_values(self) -> bool:
        """Whether more than a few people are found by the values they share with their image."""
        found = self.equal_values
        return found.correct > max(FEW_PEOPLE * found.records, LEAST_PEOPLE, found.wrong)

    @property
    def reason(self) -> str:
        """What gives people away, in a few words; empty where nothing does."""
        if self.is_identified:
            return f"unmasked {', '.join(self.unmasked.columns)}"
        if self.has_equal_values:
            return "equal values"
        if self.is_linked:
            return "near matches" if self.looks_linked else "right matches"
        return f"near matches on {', '.join(self.linked_on.columns)}" if self.linked_on else ""

    @property
    def withstands(self) -> bool:
        """Whether the release withstands the attack, on all attributes and on fewer.

        It does where matches are practically as far as those of random records, or right no more
        often than by chance, and where neither unmasked columns nor equal values give people away.
        """
        return not self.reason


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
        """Link every original record and as many random ones; then on the attributes moved least."""
        originals, mapped = pair.original_ranks, pair.mapped_ranks
        whole = self._link(originals, mapped, np.arange(pair.rows), key)
        moved = np.abs(originals - mapped).mean(axis=0)
        order = np.argsort(moved, kind="stable")
        asked = np.sort(key.permutation("subsets", pair.rows)[:SUBSET_RECORDS].astype(np.int64))
        names = [each.name for each in pair.attributes]
        subsets = []
        for size in range(2, len(names)):
            chosen = np.sort(order[:size])
            found = self._link(originals[:, chosen], mapped[:, chosen], asked, key)
            columns = tuple(names[j] for j in chosen)
            is_linked = found.is_above_chance and (found.looks_linked or found.some_are_exposed)
            subsets.append(
                Subset(columns, asked.size, found.correct, found.advantage, not is_linked)
            )
        step("Looking for equal values")
        return replace(
            whole,
            subsets=tuple(subsets),
            unmasked=_unmasked(pair, originals, mapped),
            equal_values=link_by_equal_values(pair),
        )

    def _link(
        self,
        originals: NDArray[np.int64],
        mapped: NDArray[np.int64],
        asked: NDArray[np.int64],
        key: Key,
    ) -> Linkage:
        step(f"Linking on {originals.shape[1]} attributes")
        records = Records(mapped)
        nearest = records.nearest(originals[asked])
        made_up = random_records(originals, self.random_records, key)
        to_random = records.nearest(made_up)
        unique = int(nearest.is_only.sum())
        correct = int((nearest.is_only & (nearest.record == asked)).sum())
        random = Distances(to_random.distance)
        return Linkage(
            nearest=nearest,
            correct=correct,
            multiple=asked.size - unique,
            wrong=unique - correct,
            by_chance=unique / len(originals),
            original=Distances(nearest.distance),
            random=random,
            match_distance=_mean_distance(originals[asked], mapped[nearest.record]),
            random_match_distance=_mean_distance(made_up, mapped[to_random.record]),
            plausible=random.share_within(
                nearest.distance, is_sample=not has_few_combinations(originals)
            ),
            tolerance=self.tolerance,
            asked=asked,
        )


def _unmasked(pair: Aligned, originals: NDArray[np.int64], mapped: NDArray[np.int64]) -> Unmasked:
    """Columns whose values mostly did not move, and who is alone with them."""
    still = np.flatnonzero((originals == mapped).mean(axis=0) > LEFT_AS_IT_IS)
    if not still.size:
        return Unmasked((), 0.0)
    names = [str(j) for j in still]
    before, after = (pl.DataFrame(each[:, still], schema=names) for each in (originals, mapped))
    same = (originals[:, still] == mapped[:, still]).all(axis=1)
    alone = [each.is_unique().to_numpy() for each in (before, after)]
    share = float((same & alone[0] & alone[1]).mean())
    return Unmasked(tuple(pair.attributes[j].name for j in still), share)


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
