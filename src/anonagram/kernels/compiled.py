"""Compiling kernels once and finding them again.

Compiled code is kept in the user's cache folder (``~/.cache/anonagram`` or what
``ANONAGRAM_CACHE_DIR`` names), never in the install folder, so a read-only install works. The
folder's name carries a hash of all kernel files: editing one kernel that another calls would
otherwise leave the caller's old machine code in use. Where no folder can be written, kernels are
compiled anew in each process and everything still works.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba


@cache
def cache_folder() -> Path:
    """Where this version's compiled kernels are kept."""
    chosen = os.environ.get("ANONAGRAM_CACHE_DIR")
    # expanduser leaves ~ as it is where there is no home, and then no folder can be made
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return Path(chosen or Path(home) / "anonagram") / f"kernels-{digest.hexdigest()[:16]}"


@cache
def _can_keep() -> bool:
    folder = cache_folder()
    if not folder.is_absolute():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def compiled(function: Callable[..., Any]) -> Any:
    """Compile to machine code on first call, without the interpreter lock, and cache it."""
    if not _can_keep():
        return numba.njit(nogil=True)(function)
    config: Any = numba.config
    saved = config.CACHE_DIR
    # numba looks at this setting when the decorator runs, so other packages' caches stay theirs
    config.CACHE_DIR = str(cache_folder())
    try:
        dispatcher: Any = numba.njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = saved
    # a full disk or a damaged cache file costs time, not the work
    for name in ("load_overload", "save_overload"):
        setattr(dispatcher._cache, name, _tolerant(getattr(dispatcher._cache, name)))
    return dispatcher


def _tolerant(work: Callable[..., Any]) -> Callable[..., Any]:
    def attempt(*arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Exception:
            return None

    return attempt
