"""The files that a page is about, by their hashes: so that it cannot be taken for another's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anonagram.release.descriptor import DESCRIPTOR, hash_stream
from anonagram.shown.passwords import without_passwords


@dataclass(frozen=True)
class Hashed:
    """What a page is about, and the hash of its file; a database has none."""

    name: str
    hash: str = ""


def hashed(source: str | Path) -> Hashed:
    """A file with its hash; of a folder the hash of its descriptor, which has those of its files."""
    path = Path(source)
    if path.is_dir():
        path = path / DESCRIPTOR
    if not path.is_file():
        return Hashed(without_passwords(str(source)))
    with path.open("rb") as handle:
        found = hash_stream(handle, path.stat().st_size)
    return Hashed(
        path.name if path.name != DESCRIPTOR else f"{path.parent.name}/{DESCRIPTOR}", found
    )
