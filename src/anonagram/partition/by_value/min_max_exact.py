"""The least widest range when groups may overlap (Zhang 2007, section 2.6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CannotAnonymize
from anonagram.kernels.sweep import find_least_limit
from anonagram.key import Key
from anonagram.partition.by_value.min_max import MinMax
from anonagram.partition.by_value.partitioner import (
    SensitiveNumbers,
    Sweep,
    ValuePartitioner,
)
from anonagram.partition.partition import Partition
from anonagram.shown.wording import how_many

MOST_ROWS = 200
MOST_STATES = 400_000
"""The work grows with k and with the square of the values in a group's range (the thesis: n^6)."""

INSTEAD = 'partition="min_max", whose widest group is at most twice as wide.'

Open = tuple[tuple[int, int], ...]
"""Groups that have begun and not ended, oldest first: code of the lowest value, values so far."""
Trail = tuple["Trail", tuple[int, ...], bool] | None
"""How a state came about: the one before, who took this value (0 the oldest), did the oldest end."""


@dataclass(frozen=True, repr=False)
class MinMaxExact(ValuePartitioner, call="min_max_exact", example="min_max_exact()"):
    """The widest group is as narrow as it can be at all: groups may overlap. For small tables.

    In some best partition no value lies in the ranges of three groups (Lemma 2.6.2) and no range in
    another's. So values are gone through from the lowest, with at most two groups open; at each
    value one may begin, each takes one of its rows if there are enough, and the older may end.
    """

    def group(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """Find the best way through the values, then give out the rows."""
        if len(numbers.columns) > 1:
            raise CannotAnonymize(
                f"min_max_exact looks at one sensitive column; there are {len(numbers.columns)}.",
                'partition="min_max".',
            )
        sweep = numbers.sweep(key)
        if sweep.rows.size > MOST_ROWS:
            raise CannotAnonymize(
                f"min_max_exact takes at most {MOST_ROWS} rows, because it follows every way in "
                f"which groups can overlap; there are {sweep.rows.size:,}.",
                INSTEAD,
            )
        counts = numbers.columns[0].counts[: numbers.reach[0].size]
        limit = find_least_limit(sweep.x, sweep.latest)
        widest, trail = _best_trail(sweep, counts, limit)
        if widest == limit:  # overlapping gains nothing, and groups that do not may be smaller
            return sweep.partition(MinMax().cut(sweep), key)
        return _give_out(sweep, counts, trail, key)


def _best_trail(sweep: Sweep, counts: NDArray[np.int64], limit: Any) -> tuple[Any, Trail]:
    """The least widest range, not above the limit, and the way through the values that has it."""
    x: list[Any] = np.unique(sweep.x).tolist()
    reach, k = sweep.numbers.reach[0].tolist(), sweep.numbers.k
    reached = 0
    states: dict[Open, tuple[Any, Trail]] = {(): (0, None)}
    for code, value in enumerate(x):
        following: dict[Open, tuple[Any, Trail]] = {}
        for groups, (widest, trail) in states.items():
            for present, takers in _ways(groups, code, int(counts[code])):
                taken = tuple(
                    (low, min(k, size + (place in takers)))
                    for place, (low, size) in enumerate(present)
                )
                low, size = taken[0]
                if value - x[low] > limit:
                    continue
                _keep(following, taken, widest, (trail, takers, False))
                if 0 in takers and size >= k and reach[low] <= code:
                    wider = max(widest, value - x[low])
                    _keep(following, taken[1:], wider, (trail, takers, True))
        states = following
        reached += len(states)
        if reached > MOST_STATES:
            raise CannotAnonymize(
                f"min_max_exact gives up after {MOST_STATES:,} ways through the first {code + 1:,} of "
                f"{how_many(len(x), 'value')}: their number grows with k and with the values within a range.",
                INSTEAD,
            )
    return states[()]


def _ways(groups: Open, code: int, copies: int) -> list[tuple[Open, tuple[int, ...]]]:
    """The groups that can be there at a value, and which of them take one of its rows."""
    ways: list[tuple[Open, tuple[int, ...]]] = []
    if groups:
        everybody = tuple(range(len(groups)))
        if copies >= len(groups):
            ways.append((groups, everybody))
        else:
            ways += [(groups, (place,)) for place in everybody]
    if len(groups) < 2:
        begun = (*groups, (code, 0))
        newest = len(groups)
        ways.append((begun, tuple(range(newest + 1)) if copies > newest else (newest,)))
    return ways


def _keep(states: dict[Open, tuple[Any, Trail]], groups: Open, widest: Any, trail: Trail) -> None:
    if groups not in states or widest < states[groups][0]:
        states[groups] = (widest, trail)


def _give_out(sweep: Sweep, counts: NDArray[np.int64], trail: Trail, key: Key) -> Partition:
    """A row to every taker of its value; what remains goes to the last of them."""
    steps = []
    while trail is not None:
        trail, takers, ends = trail
        steps.append((takers, ends))
    in_order = np.empty(sweep.rows.size, np.int32)
    oldest = next_row = 0
    for count, (takers, ends) in zip(counts, reversed(steps), strict=True):
        for copy in range(int(count)):
            in_order[next_row] = oldest + takers[min(copy, len(takers) - 1)]
            next_row += 1
        oldest += ends
    order = np.argsort(in_order, kind="stable")
    starts = np.searchsorted(in_order[order], np.arange(oldest))
    return sweep.partition(starts, key, sweep.rows[order])
