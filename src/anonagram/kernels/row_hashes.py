"""xxHash64 of rows of codes, and the leaf of a tree of cuts in which each row ends.

Yann Collet's hash in the form that Apache Spark has as a function of SQL (`xxhash64`): each number is
hashed with the hash of those before it as its seed. So anybody can find it with other software than
ours. The first numbers are secret words of the key.
"""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled

SEED = 42
"""With which Spark begins."""
BY_HASH = -1
"""In place of an attribute: the cut is one of rows by their hashes."""
HASH_BITS = 31
"""Of a hash that cuts compare; the highest ones."""


AT_ONCE = 256
"""Rows whose hashes go on beside each other: each number waits for the one before it, rows do not."""


@compiled
def _go_on(h, word):
    """A hash with one more number behind it."""
    first, second = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
    third, fifth = np.uint64(0x165667B19E3779F9), np.uint64(0x27D4EB2F165667C5)
    h = h + fifth + np.uint64(4)
    h ^= (np.uint64(word) & np.uint64(0xFFFFFFFF)) * first
    h = ((h << np.uint64(23)) | (h >> np.uint64(41))) * second + third
    h = (h ^ (h >> np.uint64(33))) * second
    h = (h ^ (h >> np.uint64(29))) * third
    return h ^ (h >> np.uint64(32))


@compiled
def hash_rows(codes, secret):
    """The hash of every row of a matrix, behind the words of a secret."""
    rows, columns = codes.shape
    begun = np.uint64(SEED)
    for j in range(secret.size):
        begun = _go_on(begun, secret[j])
    result = np.full(rows, begun, np.uint64)
    for first in range(0, rows, AT_ONCE):
        for j in range(columns):
            for i in range(first, min(first + AT_ONCE, rows)):
                result[i] = _go_on(result[i], codes[i, j])
    return result


@compiled
def find_leaves(codes, hashes, attribute, border, sides):
    """For each row the leaf to which the cuts lead: from node 0 on, until there is ~leaf for a node.

    Codes up to a border go to the first side. Where a row comes to a cut by hashes and there are none,
    it ends there: what is told is below 0.
    """
    rows = codes.shape[0]
    result = np.zeros(rows, np.int32)
    if attribute.size == 0:
        return result
    for i in range(rows):
        node = 0
        while node >= 0:
            j = attribute[node]
            if j == BY_HASH:
                if hashes.size == 0:
                    break
                value = hashes[i]
            else:
                value = codes[i, j]
            node = sides[node, int(value > border[node])]
        result[i] = ~node
    return result
