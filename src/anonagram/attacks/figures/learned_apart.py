"""What somebody guesses who learns from columns that were rearranged apart.

No row is anybody's, but all groups together say which values of each column go with which sensitive
values. With that he weighs the values of every group that can be hers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.figures.correlated import weigh
from anonagram.attacks.figures.guesses import ColumnGuesses, most_in_group
from anonagram.learning import Apart, guess_without
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease

Floats = NDArray[np.float64]


def guess_apart(release: GroupedRelease, original: Microdata, name: str) -> ColumnGuesses:
    """Guess the sensitive column of everybody, or of a sample of many."""
    truth = original.column(name)
    learned = Apart.of(release)
    tables = [
        (column.codes, learned.likely(release, column, truth))
        for column in original.with_role("quasi")
    ]

    def likelihoods(people: NDArray[np.int64]) -> Floats:
        likely = np.zeros((people.size, len(truth.domain) + 1))
        for codes, table in tables:
            likely += table[codes[people]]
        return np.asarray(np.exp(likely - likely.max(axis=1, keepdims=True)))

    guesses, asked = weigh(release, original, truth, likelihoods)
    without = tuple(each.taken(asked) for each in guess_without(original, name))
    return ColumnGuesses(name, (guesses,), without, most_in_group(release, name), asked)
