"""The descriptor of a bundle: which files are in it, and what the release says about itself.

It holds the size and hash of every file and a digest of itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, NoReturn

from anonagram.errors import ReleaseDamaged
from anonagram.release.decoding import Whole, decode
from anonagram.release.files import BundleFiles
from anonagram.release.migrations import migrate
from anonagram.shown.wording import how_many

DESCRIPTOR = "datapackage.json"
LONGEST_DESCRIPTOR = 1 << 25
CHUNK = 1 << 20


@dataclass(frozen=True)
class ListedFile:
    """A file of the bundle, as it was when it was written."""

    path: str
    bytes: Whole
    hash: str


@dataclass(frozen=True)
class Field:
    """A column of a published table."""

    name: str
    dtype: str


@dataclass(frozen=True)
class Fields:
    """The columns of a published table."""

    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Part(ListedFile):
    """A file with some rows of a table, or with all of them."""

    rows: Whole


@dataclass(frozen=True)
class Resource:
    """A published table and its file, or the folder of its parts."""

    name: str
    path: str | tuple[str, ...]
    bytes: Whole
    hash: str
    format: Literal["parquet", "csv"]
    rows: Whole
    schema: Fields
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what parts do not add up to."""
        if isinstance(self.path, str):
            if self.parts:
                raise ValueError(f"the table {self.name!r}, which is a file and has parts")
            return
        told = (self.path, self.bytes, self.hash, self.rows)
        sums = (sum(part.bytes for part in self.parts), sum(part.rows for part in self.parts))
        paths = tuple(part.path for part in self.parts)
        if not paths or told != (paths, sums[0], hash_of_parts(self.parts), sums[1]):
            raise ValueError(f"the parts of {self.name!r}, which do not add up")
        if self.format != "parquet" or any(each.count("/") != 1 for each in paths):
            raise ValueError(f"the parts of {self.name!r}, which are not in a folder")
        if any(each.split("/")[0] != self.name for each in paths) or len(set(paths)) < len(paths):
            raise ValueError(f"the parts of {self.name!r}, which are not in its folder once each")

    @property
    def files(self) -> tuple[Part, ...]:
        """Every file of it."""
        if isinstance(self.path, str):
            return (Part(self.path, self.bytes, self.hash, self.rows),)
        return self.parts


@dataclass(frozen=True)
class Descriptor:
    """What is listed, and the manifest as JSON holds it."""

    resources: tuple[Resource, ...]
    page: ListedFile | None
    about: dict[str, Any]

    @property
    def files(self) -> list[ListedFile]:
        """Everything that is listed."""
        tables = [file for table in self.resources for file in table.files]
        return [*tables, *([] if self.page is None else [self.page])]


def read_descriptor(files: BundleFiles) -> Descriptor:
    """The descriptor, if it is one and nobody changed it."""
    where = files.path / DESCRIPTOR
    if files.size(DESCRIPTOR) > LONGEST_DESCRIPTOR:
        raise ReleaseDamaged(
            f"{where} has {how_many(files.size(DESCRIPTOR), 'byte')}; {LONGEST_DESCRIPTOR:,} are the most."
        )
    content = _as_json(files.read(DESCRIPTOR), where)
    about = content.get("anonagram") if isinstance(content, dict) else None
    if not isinstance(about, dict) or not isinstance(content.get("resources"), list):
        raise ReleaseDamaged(f"{where} does not describe a release of Anonagram.")
    present = migrate(content, where)
    if about.get("digest") != digest_of(content):
        raise ReleaseDamaged(f"{where} was changed after the release was made.")
    about = present["anonagram"]
    listed = {"resources": present["resources"], "page": about.get("page"), "about": about}
    descriptor = decode(listed, Descriptor, str(where))
    # where a table has parts, each is in the folder of that name
    for file in descriptor.files:
        if any(each in ("", ".", "..") or Path(each).name != each for each in file.path.split("/")):
            raise ReleaseDamaged(f"{files.path}: {file.path!r} is not a file of the bundle.")
    return descriptor


def _as_json(text: bytes, where: Path) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ReleaseDamaged(f"{where} is not JSON: {str(error)[:200]}.") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("an entry stands twice")
    return content


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def strangers_in(files: BundleFiles, descriptor: Descriptor) -> list[str]:
    """What lies in a bundle though its descriptor does not list it."""
    listed = {DESCRIPTOR, *(file.path for file in descriptor.files)}
    folders = {path.split("/")[0] + "/" for path in listed if "/" in path}
    found = []
    for name in files.names():
        found += files.names_in(name) if name in folders else [name]
    return [name for name in found if name not in listed]


def hash_of(content: bytes) -> str:
    """The hash of a file, as the descriptor writes it."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def hash_of_parts(parts: Sequence[Part]) -> str:
    """The hash of a table in several files: of all of theirs, one after the other."""
    return hash_of("\n".join(part.hash for part in parts).encode())


def hash_stream(handle: BinaryIO, size: int) -> str:
    """The hash of a file of so many bytes, of which only a few are in memory at a time."""
    digest = hashlib.sha256()
    left = size + 1  # so that a longer file has another hash, and an endless one an end
    while left > 0 and (chunk := handle.read(min(CHUNK, left))):
        digest.update(chunk)
        left -= len(chunk)
    return "sha256:" + digest.hexdigest()


def digest_of(content: dict[str, Any]) -> str:
    """A hash of the descriptor without its own digest."""
    inner = {k: v for k, v in content["anonagram"].items() if k != "digest"}
    text = json.dumps({**content, "anonagram": inner}, sort_keys=True, ensure_ascii=False)
    return hash_of(text.encode())
