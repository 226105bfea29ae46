"""What sorting finds, beside what is found by those who know less."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anonagram.attacks.figures.guesses import ColumnGuesses
from anonagram.attacks.figures.told_entries import sample_of
from anonagram.learning import MOST_VALUES, ByRank, guess_ranked, guess_without
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease

PEOPLE = 20_000
"""Of more people a sample says to two digits what models get without the release."""


@dataclass(frozen=True)
class RankGuesses(ColumnGuesses):
    """What is guessed of one amount by its order inside groups."""

    by_rank: ByRank = field(kw_only=True)

    @property
    def gain(self) -> float:
        """More than allowed, and more than the best of several ways is by chance."""
        return self.by_rank.told.gain


def guess_by_order(release: GroupedRelease, original: Microdata, name: str) -> RankGuesses:
    """Sort everybody, and let those guess too who have no release."""
    found = guess_ranked(release, original, name)
    if original.column(name).cardinality <= MOST_VALUES:
        sample = original.only(sample_of(original.rows, PEOPLE))
        modelled = guess_without(sample, name)
        found = replace(found, tried_without=(*found.tried_without, *modelled))
    guesses = tuple(each.guesses for each in found.tried)
    return RankGuesses(
        name, guesses, found.tried_without, found.by_group, found.people, by_rank=found
    )
