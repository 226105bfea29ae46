"""Random anonymization: which attributes of a row are replaced, and by what (Yang and Qiao 2010)."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.permute import draw


@compiled
def choose_by_share(words, ends, chosen):
    """For each row one attribute: that between whose ends, in shares of 2^32, its word falls."""
    for i in range(chosen.size):
        attribute = 0
        while words[i] >= ends[attribute]:
            attribute += 1
        chosen[i] = np.uint64(1) << np.uint64(attribute)


@compiled
def choose_several(words, attributes, several, chosen):
    """For each row several different attributes, all sets equally likely; -1 if words run out."""
    places = np.arange(attributes)
    cursor = 0
    for i in range(chosen.size):
        mask = np.uint64(0)
        for k in range(several):
            offset, cursor = draw(words, cursor, attributes - k)
            if cursor < 0:
                return -1
            # whatever order earlier rows left, the first k places are a random choice
            places[k], places[k + offset] = places[k + offset], places[k]
            mask |= np.uint64(1) << np.uint64(places[k])
        chosen[i] = mask
    return cursor


@compiled
def replace_codes(codes, pool, chosen, attribute, words, result):
    """Where an attribute is chosen, its code becomes a random one of a pool; -1 if words run out."""
    bit = np.uint64(1) << np.uint64(attribute)
    cursor = 0
    for i in range(codes.size):
        result[i] = codes[i]
        if chosen[i] & bit:
            row, cursor = draw(words, cursor, pool.size)
            if cursor < 0:
                return -1
            result[i] = pool[row]
    return cursor
