"""Two names change places in one step, so that at no moment either stands for nothing."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

THIS_FOLDER = -100
"""AT_FDCWD of Linux: relative paths start where the process is."""
RENAME_EXCHANGE = 2
# EPERM: a sandbox that does not know the call; if it is about the files, moving them says so again
UNKNOWN_HERE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def exchange(one: Path, two: Path) -> bool:
    """Let what stands at two paths change places; False where system or disk cannot do it."""
    if sys.platform != "linux":
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    names = os.fsencode(one), os.fsencode(two)
    if call(THIS_FOLDER, names[0], THIS_FOLDER, names[1], RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in UNKNOWN_HERE:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(two))
