"""A heap of numbers ordered by their bounds, in arrays that grow."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def rise(heap, bounds, at):
    """Put a number that was added at the end where it belongs."""
    while at > 0:
        above = (at - 1) // 2
        if not _comes_before(bounds, heap[at, 0], heap[above, 0]):
            return
        heap[at, 0], heap[above, 0] = heap[above, 0], heap[at, 0]
        at = above


@compiled
def sink(heap, bounds, count):
    """Put a number that was moved to the top where it belongs."""
    at = 0
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and _comes_before(bounds, heap[below + 1, 0], heap[below, 0]):
            below += 1
        if not _comes_before(bounds, heap[below, 0], heap[at, 0]):
            return
        heap[at, 0], heap[below, 0] = heap[below, 0], heap[at, 0]
        at = below


@compiled
def _comes_before(bounds, one, two):
    return bounds[one, 0] < bounds[two, 0] or (bounds[one, 0] == bounds[two, 0] and one < two)


@compiled
def longer(array):
    """The same with room for twice as many."""
    grown = np.empty((2 * array.shape[0], array.shape[1]), array.dtype)
    grown[: array.shape[0]] = array
    return grown
