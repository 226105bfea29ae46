"""Which people are looked for: all, or a sample that keeps the work short."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.calls import Between
from anonagram.columns.nearest import MANY_ATTRIBUTES
from anonagram.key import PUBLIC
from anonagram.runtime.threads import thread_count

Looked = Annotated[int, Between(0, 10**9)]
"""How many people to look for; 0 chooses by the size of the tables."""
EVERYBODY = 10**9
FEWEST_ASKED = 500
FEWEST_SCORED = 250
"""None found of so many leaves at most 1.5 % of all people open."""
BY_TREE = 10_000
SCORED = 3 * 10**8
"""Comparisons of cells that take a few seconds."""
LINKED = 4 * 10**8
"""Comparisons of records that do."""
START, A_CELL, A_RANK, A_SCORE, A_PAIR, A_STEP = 1.0, 2.2e-6, 8e-7, 3e-9, 2.3e-10, 2e-6
"""Seconds of a processor, as measured: to start, to read a cell and measure it, to rank it and look
for equal ones, to score a cell, to compare one, to link a record by a step down a tree."""
PARTS = 3.5
"""Linking on parts of many attributes, and on all, compares so many times what all have."""
FEWEST_MADE_UP = 1_000


def asked_records(pair: Aligned, records: int, most: int) -> NDArray[np.int64]:
    """The numbers of the people to look for, of those who have an image where that is known.

    As many as said; where nothing is said, everybody up to a number.
    """
    people = pair.paired or pair.rows
    size = min(people, records or most)
    if size == people:
        return np.arange(people)
    return np.sort(PUBLIC.permutation("records", people)[:size]).astype(np.int64)


def affordable(work: int, each: int) -> int:
    """How many people can be looked for with so much work, when one costs so much."""
    return max(FEWEST_SCORED, work // max(each, 1))


def linked_within(work: int, pair: Aligned, attributes: int) -> int:
    """How many people can be linked in ranks with so much work, and as many made up at random."""
    if attributes <= MANY_ATTRIBUTES:  # a tree finds neighbours without comparing all
        return BY_TREE
    return min(BY_TREE, _compared_within(work, pair.masked_rows, attributes))


def _compared_within(work: int, rows: int, attributes: int) -> int:
    """How many people can be compared with all rows: more attributes take longer to compare."""
    each = 2 * max(rows, 1) * attributes / (MANY_ATTRIBUTES + 1)
    return max(FEWEST_ASKED, int(work / each))


def made_up_beside(made_up: int, asked: int, people: int) -> int:
    """How many random records stand beside people: as many as said, and not more than a sample."""
    return made_up if asked == people else min(made_up, max(asked, FEWEST_MADE_UP))


def seconds_to_read(rows: int, attributes: int) -> float:
    """About how long it takes until attacks can begin."""
    return START + rows * attributes * A_CELL


def work_seconds(rows: int, attributes: int, records: int) -> float:
    """About how long all attacks on a release take, whose columns are ranked first."""
    people = min(rows, records) if records else None
    cells = rows * attributes
    scored = min(rows, people or affordable(SCORED, cells))
    linked = min(rows, people or BY_TREE)
    if attributes > MANY_ATTRIBUTES:
        linked = min(rows, people or min(BY_TREE, _compared_within(LINKED, rows, attributes)))
        made_up = max(linked, FEWEST_MADE_UP)
        links = PARTS * (linked + made_up) * cells * A_PAIR
    else:
        links = 2 * linked * (attributes**3) * A_STEP
    return cells * A_RANK + (scored * cells * A_SCORE + links) / thread_count()


def people_within(seconds: float, rows: int, attributes: int) -> int:
    """How many people can be looked for in so much time, at least a few hundred.

    >>> people_within(1e9, 3000, 2), people_within(2.0, 20_000, 76)
    (3000, 250)
    """
    people = rows
    while people > FEWEST_SCORED and work_seconds(rows, attributes, people) > seconds:
        people = max(FEWEST_SCORED, people // 2)
    return people
