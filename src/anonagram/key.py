"""The secret randomness behind a release.

A key is 32 bytes. A release draws from a key of its own, derived for its table and call, so that a
key used twice gives draws that have nothing in common. There every use of randomness names its
purpose and gets its own ChaCha20 stream, so adding a step to a method never shifts the draws of
another, and columns can be permuted on any number of threads with the same result.

>>> key = Key(bytes(32))
>>> key.permutation("rows", 5).tolist()
[3, 0, 1, 2, 4]
>>> key.derived(b"January").permutation("rows", 5).tolist()
[2, 1, 4, 3, 0]
>>> key
Key(commitment='e708b40b8e502c8e…')
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from numpy.typing import NDArray

from anonagram.digests import digest_of
from anonagram.errors import InputError

KEY_BYTES = 32


@dataclass(frozen=True, repr=False)
class Key:
    """The 32 secret bytes from which every draw of a release comes."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_BYTES:
            raise InputError(
                f"A key has {KEY_BYTES} bytes, not {len(self.secret)}.",
                "let Anonagram draw one, or give 64 hexadecimal digits.",
            )

    @classmethod
    def generate(cls) -> Self:
        """A new key from the operating system's entropy."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A key from a text file of 64 hexadecimal digits."""
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"The key file {path} cannot be read: {error}.",
                "give a text file of 64 hexadecimal digits, or the private file of a release.",
            ) from error
        if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
            raise InputError(
                f"The key file {path} does not hold a key.",
                "64 hexadecimal digits, as printed by: openssl rand -hex 32",
            )
        return cls(bytes.fromhex(text))

    def derived(self, *context: bytes) -> Self:
        """The key of one context, such as a table and a call; it tells nothing of any other."""
        return type(self)(self._keyed(b"release", digest_of(*context)))

    def at(self, *path: str | int) -> Self:
        """The key of one part of the work, such as ``key.at("block", 3)``.

        >>> key = Key(bytes(32))
        >>> key.at("block", 3).words("rows", 1) == key.at("block", "3").words("rows", 1)
        array([False])
        """
        parts = (f"{type(part).__name__} {part}".encode() for part in path)
        return type(self)(self._keyed(b"part", digest_of(*parts)))

    def salt(self, *context: bytes) -> str:
        """What makes the commitment of one context unlike those of all others."""
        return self._keyed(b"salt", digest_of(*context)).hex()

    def commitment(self, salt: str = "") -> str:
        """A hash that binds a release to this key without telling anything about it.

        The salt is published beside it: whoever is shown the key can compute it, nobody else.
        """
        content = b"anonagram key commitment" + bytes.fromhex(salt) + self.secret
        return hashlib.sha256(content).hexdigest()

    def _keyed(self, use: bytes, content: bytes) -> bytes:
        """A hash that only the key's owner can compute; no use of it meets another's."""
        return hashlib.blake2b(content, key=self.secret, digest_size=KEY_BYTES, person=use).digest()

    def words(self, purpose: str, count: int) -> NDArray[np.uint32]:
        """The first count random 32-bit words of the stream for this purpose."""
        subkey = self._keyed(b"", purpose.encode())
        stream = Cipher(ChaCha20(subkey, bytes(16)), mode=None).encryptor()
        return np.frombuffer(stream.update(bytes(4 * count)), dtype="<u4").astype(
            np.uint32, copy=False
        )

    def permutation(self, purpose: str, size: int) -> NDArray[np.int32]:
        """A uniformly random order of the numbers below size."""
        return self.shuffle(purpose, np.arange(size, dtype=np.int32), np.array([0, size]))

    def shuffle(
        self, purpose: str, items: NDArray[np.int32], starts: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """The items, each block from one start to the next in a uniformly random order."""
        from anonagram.kernels.permute import shuffle_groups

        largest = int(np.diff(starts).max(initial=0))
        # a draw below b rejects a word with probability under b / 2^32
        spare = 64 + int(2 * items.size * largest / 2**32)
        while True:
            result = items.copy()
            if shuffle_groups(result, starts, self.words(purpose, items.size + spare)) >= 0:
                return result
            spare *= 2

    def __repr__(self) -> str:
        return f"Key(commitment='{self.commitment()[:16]}…')"


PUBLIC = Key(bytes(KEY_BYTES))
"""For draws that hide nothing, as those of an audit: the same in every run."""
