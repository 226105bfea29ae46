"""Writing all or nothing.

A file or folder is made beside its place under a name of its own and moved there when complete. A
crash leaves the old one or none; what a killed process left behind is cleared by the next one.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from anonagram.errors import CannotWrite


def publish_folder(
    target: Path, fill: Callable[[Path], None], *, marker: str, force: bool = False
) -> None:
    """Let fill write into a new folder, then make it (or its .zip) appear at target.

    With force, what stands at target is replaced if it holds the marker file, that is, if it is an
    earlier bundle and not somebody's folder.
    """
    require_free(target, marker=marker, force=force)
    is_zip = target.suffix == ".zip"
    with _explained(target), _beside(target) as partial:
        partial.mkdir(mode=0o755)
        fill(partial)
        if is_zip:
            _replace(_pack(partial), target)
        else:
            for path in partial.iterdir():
                _sync(path)
            _replace(partial, target)


def publish_file(target: Path, fill: Callable[[Path], None], *, mode: int) -> None:
    """Let fill write a new file readable as mode says, then make it appear at target."""
    with _explained(target), _beside(target) as partial:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        fill(partial)
        partial.chmod(mode)
        _sync(partial)
        partial.replace(target)


def require_free(target: Path, *, marker: str | None = None, force: bool = False) -> None:
    """Refuse to write over something, before any work is done."""
    if not target.parent.is_dir():
        raise CannotWrite(f"There is no folder {target.parent}.", f"mkdir -p {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise CannotWrite(f"The folder {target.parent} cannot be written to.", "choose another.")
    if not target.exists() and not target.is_symlink():
        return
    if not force:
        raise CannotWrite(f"{target} exists already.", "choose another name, or add --force.")
    if marker is not None and not _holds(target, marker):
        raise CannotWrite(
            f"{target} is not a release, so --force does not replace it.", "choose another name."
        )


def _holds(target: Path, marker: str) -> bool:
    if target.is_dir():
        return (target / marker).is_file()
    if target.is_file() and zipfile.is_zipfile(target):
        with zipfile.ZipFile(target) as archive:
            return marker in archive.namelist()
    return False


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A hidden name beside target that is gone afterwards, whatever happens."""
    _clear_leftovers(target)
    partial = target.parent / f".{target.name}.partial-{os.getpid()}"
    try:
        yield partial
    finally:
        for path in (partial, _zip_of(partial)):
            _remove(path)


def _clear_leftovers(target: Path) -> None:
    """Remove what killed processes left half-written for the same target."""
    for path in target.parent.glob(f".{target.name}.partial-*"):
        match = re.search(r"partial-(\d+)(\.zip)?$", path.name)
        if match and not _is_running(int(match[1])):
            _remove(path)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _zip_of(partial: Path) -> Path:
    return partial.with_name(partial.name + ".zip")


def _pack(folder: Path) -> Path:
    """The folder's files as a .zip whose bytes depend on them alone, not on the clock."""
    path = _zip_of(folder)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            info = zipfile.ZipInfo(file.name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with file.open("rb") as source, archive.open(info, "w") as packed:
                shutil.copyfileobj(source, packed)
    _sync(path)
    return path


def _sync(path: Path) -> None:
    with path.open("rb+") as handle:
        os.fsync(handle.fileno())


def _replace(new: Path, target: Path) -> None:
    """Move new to target; a folder that stands there steps aside first and is removed after."""
    if not target.is_dir():
        new.replace(target)
        return
    aside = target.parent / f".{target.name}.replaced-{os.getpid()}"
    target.rename(aside)
    try:
        new.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn the system's refusals into ours; Polars wraps them in its own types or in text."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        number = getattr(error, "errno", None)
        full = number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "os error 28" in str(error)
        reason = "the disk is full" if full else str(error).splitlines()[0]
        raise CannotWrite(
            f"{target} was not written: {reason}.",
            "free some space or choose another disk; nothing was left behind."
            if full
            else "choose another place; nothing was left behind.",
        ) from error
