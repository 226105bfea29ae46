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


@compiled
def hash_rows(codes, secret):
    """The hash of every row of a matrix, behind the words of a secret."""
    first, second = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
    third, fifth = np.uint64(0x165667B19E3779F9), np.uint64(0x27D4EB2F165667C5)
    rows, columns = codes.shape
    result = np.empty(rows, np.uint64)
    for i in range(rows):
        h = np.uint64(SEED)
        for j in range(secret.size + columns):
            word = secret[j] if j < secret.size else codes[i, j - secret.size]
            h = h + fifth + np.uint64(4)
            h ^= (np.uint64(word) & np.uint64(0xFFFFFFFF)) * first
            h = ((h << np.uint64(23)) | (h >> np.uint64(41))) * second + third
            h = (h ^ (h >> np.uint64(33))) * second
            h = (h ^ (h >> np.uint64(29))) * third
            h ^= h >> np.uint64(32)
        result[i] = h
    return result


@compiled
def find_leaves(codes, hashes, attribute, border, left, right):
    """For each row the leaf to which the cuts lead: from node 0 on, until there is ~leaf for a node.

    Codes up to a border go left. `hashes` may be empty where no cut looks at them.
    """
    rows = codes.shape[0]
    result = np.zeros(rows, np.int32)
    if attribute.size == 0:
        return result
    for i in range(rows):
        node = 0
        while node >= 0:
            j = attribute[node]
            value = np.int64(hashes[i]) if j == BY_HASH else np.int64(codes[i, j])
            node = left[node] if value <= border[node] else right[node]
        result[i] = ~node
    return result
