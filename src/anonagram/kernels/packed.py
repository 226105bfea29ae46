"""Codes that are packed into words of 64 bits, several to a word."""

from __future__ import annotations

from anonagram.kernels.compiled import compiled


@compiled
def unpack_codes(word, columns, firsts, masks, codes):
    """Fill columns of a matrix with what a word has of each: from a bit on, as many as a mask has."""
    for i in range(word.size):
        for j in range(columns.size):
            codes[i, columns[j]] = word[i] >> firsts[j] & masks[j]
