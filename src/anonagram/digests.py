"""What a table is, in 32 bytes: the same on any machine, another one for any other table.

Every part stands behind its length, so no two lists of parts look alike when joined:

>>> digest_of(b"ab", b"c") == digest_of(b"a", b"bc")
False
"""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
from numpy.typing import NDArray


def digest_of(*parts: bytes) -> bytes:
    """A hash of parts, each behind its length."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.digest()


def code_bytes(codes: NDArray[np.int32], cardinality: int) -> bytes:
    """Codes in as few bytes each as their number needs, the lowest byte first."""
    width = "<u1" if cardinality <= 2**8 else "<u2" if cardinality <= 2**16 else "<u4"
    return codes.astype(width).tobytes()


def value_bytes(values: pl.Series) -> bytes:
    """The values of a domain: numbers and times as they are stored, others as texts with lengths.

    >>> value_bytes(pl.Series(["a", "b"])) == value_bytes(pl.Series(["ab", ""]))
    False
    """
    physical = values.to_physical()
    if physical.dtype.is_numeric() and physical.dtype not in (pl.Int128, pl.UInt128):
        array = physical.to_numpy()
        return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    texts = values.cast(pl.String)
    lengths = texts.str.len_bytes().to_numpy().astype("<u4").tobytes()
    joined: str = texts.str.join("").item()
    return lengths + joined.encode()
