"""A hidden folder beside its place for what is being made, and what becomes of it after a kill.

A writer holds a lock on a file beside its folder. The system lets go of it when the writer ends,
however it ends and wherever it ran, so whoever gets the lock knows that nobody writes there: a
number of a process would say nothing about another container or another machine on the same disk.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = re.compile(r"\.anonagram-[0-9a-f]{16}\.lock")
SECRET, SECRET_FOLDER = 0o600, 0o700
"""Half of a private file is as secret as all of it."""
NEW, OLD = "new", "old"
"""Below the folder: what is being made, and what stood at its place before."""
_own_locks: set[Path] = set()
"""On network disks a process can take a lock twice, so that it must know its own."""


@contextmanager
def workspace(parent: Path) -> Iterator[Path]:
    """A folder for one writer, gone when it ends; a kill leaves it to `clear_leftovers`."""
    lock, handle = _take_new_lock(parent.resolve())
    _own_locks.add(lock)
    folder = lock.with_suffix("")
    try:
        for path in (folder, folder / NEW, folder / OLD):
            path.mkdir(mode=SECRET_FOLDER)
        yield folder
    finally:
        _clear(lock)
        os.close(handle)
        _own_locks.discard(lock)


def clear_leftovers(parent: Path) -> None:
    """Remove what killed writers left in a folder, and put back what they had set aside."""
    for lock in _locks_in(parent):
        if lock in _own_locks:
            continue
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
        except OSError:  # gone meanwhile, or somebody else's
            continue
        try:
            if _locked(handle, wait=False) and _is_at(lock, handle):
                _clear(lock)
        finally:
            os.close(handle)


def set_aside(target: Path) -> Path | None:
    """Where a killed writer left what stood at a place that is empty now."""
    places = [lock.with_suffix("") / OLD / target.name for lock in _locks_in(target.parent)]
    found = [place for place in places if os.path.lexists(place)]
    return found[0] if found and not os.path.lexists(target) else None


def _locks_in(parent: Path) -> list[Path]:
    try:
        return [p for p in sorted(parent.resolve().iterdir()) if LOCK.fullmatch(p.name)]
    except OSError:
        return []


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _clear(lock: Path) -> None:
    folder = lock.with_suffix("")
    if _put_back(folder):
        remove(folder)
    # the lock goes last: a folder without one would be nobody's for ever
    if not os.path.lexists(folder):
        lock.unlink(missing_ok=True)


def _put_back(folder: Path) -> bool:
    """Whether no only copy is left in the folder.

    What was set aside is one as long as its successor has not left the folder.
    """
    aside = folder / OLD
    if folder.is_symlink() or aside.is_symlink() or not aside.is_dir():
        return True
    for old in sorted(aside.iterdir()):
        place = folder.parent / old.name
        if not os.path.lexists(place):
            old.rename(place)
        elif os.path.lexists(folder / NEW / old.name):
            return False
    return True


def _take_new_lock(parent: Path) -> tuple[Path, int]:
    while True:
        path = parent / f".anonagram-{secrets.token_hex(8)}.lock"
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, SECRET)
        _locked(handle, wait=True)
        # somebody who clears may have been faster than the lock
        if _is_at(path, handle):
            return path, handle
        os.close(handle)


def _locked(handle: int, *, wait: bool) -> bool:
    """Whether the lock was got; never where there are no locks, so that nothing is cleared there."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


def _is_at(path: Path, handle: int) -> bool:
    """Whether the open file is still the one at the path."""
    try:
        here, opened = os.lstat(path), os.fstat(handle)
    except OSError:
        return False
    return os.path.samestat(here, opened)
