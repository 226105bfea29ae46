"""Options as the door words them: flags on the command line, arguments in Python.

An error or a summary names an option once, with both words; which of them is read depends on who
asks. Python is spoken unless the command line says otherwise.

>>> option("--force", "force=True")
'force=True'
>>> with flags():
...     option("--force", "force=True")
'--force'
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_speaks_flags = False


def option(flag: str, argument: str) -> str:
    """An option in the words of whoever asks."""
    return flag if _speaks_flags else argument


@contextmanager
def flags() -> Iterator[None]:
    """Word options as flags, for as long as a command runs; also in its threads."""
    global _speaks_flags
    before, _speaks_flags = _speaks_flags, True
    try:
        yield
    finally:
        _speaks_flags = before
