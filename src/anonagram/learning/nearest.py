"""What somebody guesses of an amount who has no release: what those have who are nearest in another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.cells import count_cells
from anonagram.columns.places import is_measured, line_places
from anonagram.columns.ranks import Ranked
from anonagram.learning.guesses import Guesses, Tried
from anonagram.learning.predicted import FOLDS
from anonagram.microdata import Column, Microdata


def guess_near(microdata: Microdata, truth: Column, people: NDArray[np.int64]) -> Tried:
    """What is guessed of an amount by each that is known; nothing of what is no amount."""
    known = [column for column in microdata.with_role("quasi") if is_measured(column.kind)]
    if not is_measured(truth.kind):
        return ()
    return tuple(guess_nearest(column, truth, people) for column in known)


def guess_nearest(known: Column, truth: Column, people: NDArray[np.int64]) -> Guesses:
    """For some people the most frequent value of those of them nearest to each in a known amount.

    Each half of the people is guessed from the other half: nobody is near herself.

    >>> from anonagram import Microdata
    >>> table = {"pay": [i // 4 for i in range(400)], "tax": [i // 80 for i in range(400)]}
    >>> data = Microdata.read(table, {"pay": "quasi", "tax": "sensitive"})
    >>> found = guess_nearest(data.column("pay"), data.column("tax"), np.arange(400))
    >>> found.success.everybody > 0.95
    True
    """
    amounts, values = known.codes[people], truth.codes[people]
    fold = np.random.default_rng(0).permutation(people.size) % FOLDS
    guess, belief = np.full(fold.size, -1, np.int64), np.zeros(fold.size)
    for each in range(FOLDS):
        there, asked = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        if there.size and asked.size:
            usual, share = _usual(amounts[there], values[there], len(known.domain) + 1)
            places = line_places(known.domain, known.kind)
            like = Ranked(amounts[there], places).closest(places)[amounts[asked]]
            guess[asked], belief[asked] = usual[like], share[like]
    right = guess == values
    return Guesses(right, belief, right.astype(np.float64))


def _usual(
    known: NDArray[np.int32], values: NDArray[np.int32], size: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each code of a known amount the most frequent value, and how surely it is one's own."""
    many = int(values.max()) + 1
    cells, counts = count_cells(known.astype(np.int64) * many + values)
    code, value = np.divmod(cells, many)
    rising = np.lexsort((counts, code))  # of each code the most frequent comes last
    usual, most = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    usual[code[rising]], most[code[rising]] = value[rising], counts[rising]
    # somebody more might have another value: of few people little is believed
    return usual, most / (np.bincount(known, minlength=size) + 1)
