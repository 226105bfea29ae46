"""Writing all or nothing.

What is written is made beside its place under a hidden name and moved there when complete. A crash
leaves the old file or folder, or none; what a killed process left behind is cleared by the next one
that writes into the same folder.
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

from anonagram.errors import CannotWrite
from anonagram.runtime.exchange import exchange
from anonagram.runtime.workspace import NEW, OLD, clear_leftovers, workspace
from anonagram.shown.wording import option


@contextmanager
def replacing(
    target: Path, *, is_ours: Callable[[Path], bool], force: bool = False
) -> Iterator[Path]:
    """A hidden path to make a file or folder at; without an error it then appears at target.

    Nothing that exists is replaced without force, and with it only what is_ours recognizes as
    made by an earlier run: never somebody's own file or folder. Several can be nested, so that all
    are complete before the first appears.
    """
    target = target.resolve() if target.is_symlink() else target
    require_free(target, is_ours=is_ours, force=force)
    with _explained(target), workspace(target.parent) as folder:
        partial = folder / NEW / target.name
        yield partial
        _sync_all(partial)
        if force:
            require_free(target, is_ours=is_ours, force=True)
            _replace(partial, target, folder / OLD / target.name)
        else:
            _appear(partial, target)
        _sync(target.parent)


def require_free(target: Path, *, is_ours: Callable[[Path], bool], force: bool = False) -> None:
    """Refuse to write over something, before any work is done."""
    if not target.parent.is_dir():
        raise CannotWrite(f"There is no folder {target.parent}.", f"mkdir -p {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise CannotWrite(f"The folder {target.parent} cannot be written to.", "choose another.")
    clear_leftovers(target.parent)
    if not target.exists() and not target.is_symlink():
        return
    if not force:
        added = option("--force", "force=True")
        raise CannotWrite(f"{target} exists already.", f"choose another name, or add {added}.")
    if not is_ours(target):
        raise CannotWrite(
            f"{target} was not written by Anonagram for this use, so "
            f"{option('--force', 'force=True')} does not replace it.",
            "choose another name.",
        )


def pack(folder: Path, path: Path) -> None:
    """The folder's files as a .zip whose bytes depend on them alone, not on the clock."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            info = zipfile.ZipInfo(file.name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with file.open("rb") as source, archive.open(info, "w") as packed:
                shutil.copyfileobj(source, packed)


def _appear(partial: Path, target: Path) -> None:
    """Move to a place that must still be free: both calls refuse to replace anything."""
    try:
        if partial.is_dir():
            partial.rename(target)
        else:
            _link(partial, target)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            raise CannotWrite(f"{target} appeared meanwhile.", "choose another name.") from error
        raise


def _link(partial: Path, target: Path) -> None:
    try:
        os.link(partial, target)
    except OSError as error:
        # some file systems have no second names; there the moment between the two calls is left
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS) or target.exists():
            raise
        partial.rename(target)


def _replace(partial: Path, target: Path, aside: Path) -> None:
    """Move to a place where an earlier one may stand, which leaves it in the same step."""
    if not (target.is_dir() or (partial.is_dir() and target.exists())):
        partial.replace(target)
    elif not exchange(partial, target):
        # a kill between the two moves leaves no name for either; the next writer puts it back
        target.rename(aside)
        partial.rename(target)


def _sync_all(path: Path) -> None:
    for each in (*path.rglob("*"), path) if path.is_dir() else (path,):
        _sync(each)


def _sync(path: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn the system's refusals into ours; Polars may wrap them in errors of its own."""
    try:
        yield
    except Exception as error:
        told = re.search(r"os error (\d+)", str(error))
        number = int(told[1]) if told else getattr(error, "errno", None)
        if number is None:
            raise
        full = number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        reason = "the disk is full" if full else os.strerror(number)
        raise CannotWrite(
            f"{target} was not written: {reason}.",
            f"free some space or choose another {'disk' if full else 'place'}; "
            "nothing was left behind.",
        ) from error
