"""SipHash-2-4 of rows of codes: a keyed hash that nobody computes or foresees without the key.

Aumasson and Bernstein (2012). A row's codes are hashed as their bytes, four each, the lowest first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled


class State(NamedTuple):
    """The four 64-bit words of the hash."""

    a: int
    b: int
    c: int
    d: int


@compiled
def _turned(word, bits):
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@compiled
def _round(state):
    a, b, c, d = state
    a += b
    c += d
    b = _turned(b, 13) ^ a
    d = _turned(d, 16) ^ c
    a = _turned(a, 32)
    c += b
    a += d
    b = _turned(b, 17) ^ c
    d = _turned(d, 21) ^ a
    return State(a, b, _turned(c, 32), d)


@compiled
def _absorbed(state, word):
    mixed = _round(_round(State(state.a, state.b, state.c, state.d ^ word)))
    return State(mixed.a ^ word, mixed.b, mixed.c, mixed.d)


@compiled
def hash_rows(codes, secret):
    """The hash of every row of a matrix of codes; the secret is two 64-bit words."""
    rows, columns = codes.shape
    result = np.empty(rows, np.uint64)
    for i in range(rows):
        state = State(
            secret[0] ^ np.uint64(0x736F6D6570736575),
            secret[1] ^ np.uint64(0x646F72616E646F6D),
            secret[0] ^ np.uint64(0x6C7967656E657261),
            secret[1] ^ np.uint64(0x7465646279746573),
        )
        for j in range(0, columns - 1, 2):
            low, high = np.uint64(codes[i, j]), np.uint64(codes[i, j + 1])
            state = _absorbed(state, low | (high << np.uint64(32)))
        last = np.uint64(4 * columns & 0xFF) << np.uint64(56)
        if columns % 2:
            last |= np.uint64(codes[i, columns - 1])
        a, b, c, d = _absorbed(state, last)
        state = State(a, b, c ^ np.uint64(0xFF), d)
        for _ in range(4):
            state = _round(state)
        result[i] = state.a ^ state.b ^ state.c ^ state.d
    return result
