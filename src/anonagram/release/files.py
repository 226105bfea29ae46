"""The files of a bundle, in a folder or in a .zip, as somebody from outside may have made them.

Nothing is read that is not a plain file, and never more of it than was said before.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.runtime.workspace import set_aside
from anonagram.shown.wording import how_many, option

SMALL = 1 << 26
"""What a .zip may unpack to, however small it is."""
MOST_TIMES = 100
"""How many times its own size it may unpack to beyond that; tables hardly reach a tenth of it."""


CHUNK = 1 << 16
REPACK = "look at what it is, and pack the files of the bundle anew."


@dataclass(frozen=True)
class BundleFiles(ABC):
    """The files of a bundle by name."""

    path: Path

    @abstractmethod
    def names(self) -> list[str]:
        """Everything that is there, folders with a / behind their names."""

    @abstractmethod
    def names_in(self, folder: str) -> list[str]:
        """Everything in one of its folders; each stands behind the folder's name."""

    @abstractmethod
    def size(self, name: str) -> int:
        """The bytes of a file, which is a plain one."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """A plain file, to be read from any place."""

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """The same, for a while; what goes wrong in it is the file's fault."""
        with self._explained(name), self.open(name) as handle:
            yield handle

    def read(self, name: str) -> bytes:
        """A file as a whole: as many bytes as its size was."""
        size = self.size(name)
        with self.opened(name) as handle:
            return handle.read(size)

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        try:
            yield
        except ReleaseDamaged:
            raise
        except (FileNotFoundError, KeyError) as error:
            raise ReleaseDamaged(f"{self.path} has no file {name}.") from error
        # zipfile raises half a dozen kinds for damaged archives, and Polars panics
        except (Exception, pl.exceptions.PanicException) as error:
            raise ReleaseDamaged(f"{self.path / name} cannot be read: {error}.") from error


class FolderFiles(BundleFiles):
    """A bundle in a folder."""

    def names(self) -> list[str]:
        """Files, folders and whatever else is there."""
        return _names_at(self.path)

    def names_in(self, folder: str) -> list[str]:
        """Its files and folders."""
        return [folder + name for name in _names_at(self.path / folder)]

    def size(self, name: str) -> int:
        """Asked before it is opened: opening a pipe or a device could wait for ever."""
        with self._explained(name):
            about = os.lstat(self.path / name)
        if not stat.S_ISREG(about.st_mode):
            raise ReleaseDamaged(
                f"{self.path / name} is not a plain file, but a link, a pipe or a device.",
                "put the file itself in its place.",
            )
        return about.st_size

    def open(self, name: str) -> BinaryIO:
        """The file itself, wherever it may lead to meanwhile."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        return open(os.open(self.path / name, flags | getattr(os, "O_BINARY", 0)), "rb")


def _names_at(path: Path) -> list[str]:
    return sorted(
        entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "")
        for entry in os.scandir(path)
    )


LOCAL_HEADER = struct.Struct("<4s5H3I2H")
"""Before every file of a .zip; at the end of it the lengths of name and further fields."""
DESCRIPTORS = (0, 12, 16, 20, 24)
"""Bytes that may follow a file: its sizes and check sum, where they were not known before."""
MOST_FURTHER = 72
"""Bytes of further fields: long sizes, and the times and owners that other programs note."""
END = 22
END_64 = 76
"""Bytes at the end of a .zip, and further ones before them in large ones."""


def _refuse_hidden(path: Path, archive: zipfile.ZipFile) -> None:
    """Whatever lies in an archive is handed over: there may be nothing beside its files."""
    if archive.comment or any(each.comment for each in archive.infolist()):
        raise ReleaseDamaged(f"{path} has comments that are no part of the release.", REPACK)
    with path.open("rb") as handle:
        end = 0
        for entry in sorted(archive.infolist(), key=lambda each: each.header_offset):
            gap = entry.header_offset - end
            handle.seek(entry.header_offset)
            *_, name, extra = LOCAL_HEADER.unpack(handle.read(LOCAL_HEADER.size))
            is_long = max(extra, len(entry.extra)) > MOST_FURTHER
            if is_long or gap not in (DESCRIPTORS if end else (0,)):
                raise ReleaseDamaged(f"{path} has bytes that are no part of its files.", REPACK)
            end = entry.header_offset + LOCAL_HEADER.size + name + extra + entry.compress_size
    listed = sum(
        46 + len(each.orig_filename.encode()) + len(each.extra) for each in archive.infolist()
    )
    rest = path.stat().st_size - archive.start_dir - listed
    if archive.start_dir - end not in DESCRIPTORS or rest not in (END, END + END_64):
        raise ReleaseDamaged(f"{path} has bytes that are no part of its files.", REPACK)


@dataclass(frozen=True)
class ZipFiles(BundleFiles):
    """A bundle in a .zip."""

    entries: dict[str, zipfile.ZipInfo]

    @classmethod
    def of(cls, path: Path) -> Self:
        """Look at the list of files, and refuse what would unpack to far more than it seems."""
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
            _refuse_hidden(path, archive)
        unpacked, packed = sum(each.file_size for each in listed), path.stat().st_size
        if unpacked > max(SMALL, MOST_TIMES * packed):
            raise ReleaseDamaged(
                f"{path} would unpack to {how_many(unpacked, 'byte')}, {unpacked // packed:,} times its "
                "size.",
                "if you trust who made it, unpack it yourself and name the folder.",
            )
        entries = {each.filename: each for each in listed}
        if len(entries) < len(listed):
            raise ReleaseDamaged(f"{path} has two files of one name.")
        return cls(path, entries)

    def names(self) -> list[str]:
        """The names in the list at its end."""
        return sorted(self.entries)

    def names_in(self, folder: str) -> list[str]:  # noqa: ARG002
        """Nothing more: the list has the files of folders too."""
        return []

    def size(self, name: str) -> int:
        """As the list says; no more is ever unpacked."""
        with self._explained(name):
            return self.entries[name].file_size

    def open(self, name: str) -> BinaryIO:
        """Unpacked in memory."""
        entry = self.entries[name]
        with zipfile.ZipFile(self.path) as archive:
            content = archive.read(entry)
        if self._packed_size(entry) != entry.compress_size:
            raise ReleaseDamaged(f"{self.path} has bytes that are no part of its files.", REPACK)
        return io.BytesIO(content)

    def _packed_size(self, entry: zipfile.ZipInfo) -> int:
        """Bytes that are needed to unpack a file; what stands behind them nobody would see."""
        if entry.compress_type == zipfile.ZIP_STORED:
            return entry.file_size
        if entry.compress_type != zipfile.ZIP_DEFLATED:
            raise ReleaseDamaged(f"{self.path} is packed in a way that is not known.", REPACK)
        stream, used = zlib.decompressobj(-zlib.MAX_WBITS), 0
        with self.path.open("rb") as handle:
            handle.seek(entry.header_offset)
            *_, name, extra = LOCAL_HEADER.unpack(handle.read(LOCAL_HEADER.size))
            handle.seek(name + extra, os.SEEK_CUR)
            while used < entry.compress_size and not stream.eof:
                piece = handle.read(min(CHUNK, entry.compress_size - used))
                stream.decompress(piece)
                used += len(piece) - len(stream.unused_data)
        return used


def files_of(path: Path) -> BundleFiles:
    """The files of a bundle, in a folder or a .zip."""
    if path.is_dir():
        return FolderFiles(path)
    if path.is_file() and zipfile.is_zipfile(path):
        try:
            return ZipFiles.of(path)
        except ReleaseDamaged:
            raise
        except Exception as error:
            raise ReleaseDamaged(f"{path} cannot be read: {error}.") from error
    if path.exists():
        raise ReleaseDamaged(
            f"{path} is neither a folder nor a .zip file, so it is no release.",
            f"name the folder of a release; a table that was masked elsewhere is tried by "
            f"{option(f'anonagram audit ORIGINAL {path}', 'attacks.audit')}.",
        )
    if (aside := set_aside(path)) is not None:
        raise ReleaseDamaged(
            f"There is no release at {path}: whoever replaced it was killed.",
            f"mv {aside} {path}, or write it again.",
        )
    raise ReleaseDamaged(
        f"There is no release at {path}.", "make one: anonagram anonymize DATA … -o FOLDER"
    )
