"""Opening a bundle. It comes from outside, so nothing in it is believed.

Its descriptor tells of an edited, truncated or half-copied bundle: it is noticed and named, never
half-read. Who forges a bundle can compute hashes again: shapes check everything that is done with
their tables later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import polars as pl

from anonagram.errors import AnonagramError, ReleaseDamaged
from anonagram.release.bundle import PAGE
from anonagram.release.decoding import decode
from anonagram.release.descriptor import (
    DESCRIPTOR,
    Descriptor,
    ListedFile,
    hash_of,
    read_descriptor,
    strangers_in,
)
from anonagram.release.doors import DoorsOnDisk
from anonagram.release.files import BundleFiles, files_of
from anonagram.release.manifest import Manifest
from anonagram.release.release import Release
from anonagram.release.stored import StoredTable, refuse_private, require_size

Given = ParamSpec("Given")
Found = TypeVar("Found")
MOST_NAMED = 5
MOST_REPLACED = 3
"""How often a bundle that is replaced while it is read is read again."""


@dataclass(frozen=True)
class OpenedRelease(DoorsOnDisk):
    """A bundle whose descriptor and files were looked at, and whose tables are still on disk."""

    path: Path
    shape: type[Release]
    manifest: Manifest
    tables: Mapping[str, StoredTable]
    stood: tuple[int, int] | None = field(default=None, compare=False)
    """Which file or folder had the name when it was opened."""

    @property
    def is_replaced(self) -> bool:
        """Whether another one has taken its place since."""
        return _what_stands_at(self.path) != self.stood

    @property
    def is_in_parts(self) -> bool:
        """Whether tables are folders of parts: it may be too large to be loaded."""
        return any(table.told.parts for table in self.tables.values())

    @property
    def has_groups(self) -> bool:
        """Whether its rows fall into groups."""
        return "group" in self.manifest.layout

    def load(self) -> Release:
        """The release, with every table in memory and everything checked."""
        with explained(self.path):
            tables = {name: table.load() for name, table in self.tables.items()}
            return self.shape.from_tables(self.manifest, tables)


def open_bundle(path: Path) -> OpenedRelease:
    """Look at a bundle without loading its tables."""
    stood = _what_stands_at(path)
    with explained(path):
        files = files_of(path)
        descriptor = read_descriptor(files)
        about, where = descriptor.about, path / DESCRIPTOR
        if about.get("shape") not in Release.known():
            raise ReleaseDamaged(f"{where}: unknown shape {about.get('shape')!r}.")
        shape = Release.known()[about["shape"]]
        _refuse_strangers(files, descriptor)
        if descriptor.page is not None:
            _require_page(files, descriptor.page)
        manifest = _read_manifest(about, shape, where)
        tables = {each.name: StoredTable(files, each) for each in descriptor.resources}
        if len(tables) < len(descriptor.resources):
            raise ReleaseDamaged(f"{where} names a table twice.")
        for table in tables.values():
            table.require_listed()
        _require_tables(path, shape, manifest, tables)
    return OpenedRelease(path, shape, manifest, tables, stood)


def read_bundle(path: Path) -> Release:
    """Load a bundle; once more where another one took its place while it was read."""
    for _ in range(MOST_REPLACED):
        began = _what_stands_at(path)
        try:
            return open_bundle(path).load()
        except ReleaseDamaged:
            if _what_stands_at(path) == began:
                raise
    return open_bundle(path).load()


def again_if_replaced(
    read: Callable[Concatenate[OpenedRelease, Given], Found],
) -> Callable[Concatenate[OpenedRelease, Given], Found]:
    """Reading the files of a release one after the other: once more where another took its place."""

    @wraps(read)
    def reading(opened: OpenedRelease, /, *given: Given.args, **named: Given.kwargs) -> Found:
        for _ in range(MOST_REPLACED):
            try:
                found = read(opened, *given, **named)
            except AnonagramError:
                if not opened.is_replaced:
                    raise
            else:
                if not opened.is_replaced:  # else some files may be those of the other
                    return found
            opened = open_bundle(opened.path)
        return read(opened, *given, **named)

    return reading


def _what_stands_at(path: Path) -> tuple[int, int] | None:
    """Which file or folder has the name now."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Whatever its reader stumbles over is the bundle's fault, since it comes from outside."""
    try:
        yield
    except AnonagramError as error:
        if str(path) in error.what:
            raise
        raise ReleaseDamaged(f"{path}: {error.what}", error.remedy) from error
    except MemoryError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        raise ReleaseDamaged(
            f"{path} is not understood ({type(error).__name__}: {str(error)[:200]})."
        ) from error


def _read_manifest(about: dict[str, Any], shape: type[Release], where: Path) -> Manifest:
    """What the release says about itself: what its shape needs, and nothing of another's."""
    if others := [name for name in Release.known() if name in about and name != shape.shape]:
        raise ReleaseDamaged(f"{where}: a {shape.shape} release has no section {others[0]!r}.")
    section: object = None
    if shape.section is not None:
        what = f"{where}: the manifest's section {shape.shape!r}"
        section = decode(about.get(shape.shape), shape.section, what)
    manifest = decode({**about, "section": section}, Manifest, f"{where}: the manifest")
    if [table.name for table in manifest.tables] != list(shape.originals):
        raise ReleaseDamaged(f"{where}: a {shape.shape} release tells of {shape.originals}.")
    if shape.has_every_row and any(t.rows.suppressed or t.rows.added for t in manifest.tables):
        raise ReleaseDamaged(f"{where}: a {shape.shape} release has every row of its original.")
    manifest.require_layout(shape.own_names(manifest.columns))
    return manifest


def _require_tables(
    path: Path, shape: type[Release], manifest: Manifest, tables: Mapping[str, StoredTable]
) -> None:
    """Check that there are the tables of the shape, and no other."""
    needed, more = shape.own_tables(manifest), shape.optional_tables(manifest)
    if missing := [name for name in needed if name not in tables]:
        raise ReleaseDamaged(f"{path} has no table {missing[0]!r}.")
    if unknown := [name for name in tables if name not in (*needed, *more)]:
        raise ReleaseDamaged(
            f"{path} has a table {unknown[0]!r}, which no {shape.shape} release has.",
            "take it out, and make a new release if it was handed over.",
        )


def _refuse_strangers(files: BundleFiles, descriptor: Descriptor) -> None:
    """Whatever lies beside the tables is handed over with them: a key, the original, notes."""
    strangers = strangers_in(files, descriptor)
    for name in strangers:
        if not name.endswith("/"):
            refuse_private(files, name)
    if strangers:
        more = f" and {len(strangers) - MOST_NAMED:,} more" if len(strangers) > MOST_NAMED else ""
        raise ReleaseDamaged(
            f"{files.path} holds {', '.join(strangers[:MOST_NAMED])}{more}, "
            "not listed in its descriptor: it is no part of the release, "
            "but would be handed over with it.",
            "take it out, and make a new release with a new key if a key or the original was "
            "handed over.",
        )


def _require_page(files: BundleFiles, page: ListedFile) -> None:
    """Under the name of the page nothing else may be handed over."""
    refuse_private(files, page.path)
    require_size(files, page)
    content = files.read(page.path)
    if hash_of(content) != page.hash:
        raise ReleaseDamaged(f"{files.path / page.path} was changed after the release was made.")
    if page.path != PAGE or not content.lower().startswith(b"<!doctype html>"):
        raise ReleaseDamaged(f"{files.path / page.path} is no part of a release.", "take it out.")
