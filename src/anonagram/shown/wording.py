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

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_speaks_flags = False


def option(flag: str, argument: str) -> str:
    """An option in the words of whoever asks."""
    return flag if _speaks_flags else argument


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names of columns in a sentence; of very many only the first.

    >>> listed(["age", "zip"]), listed(list("abcdefgh"))
    ('age, zip', 'a, b, c, d, e and 3 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def how_many(number: int, one: str, many: str = "") -> str:
    """A number of things, in words that fit one as well as many.

    >>> how_many(1, "row"), how_many(2499, "row"), how_many(1, "row was", "rows were")
    ('1 row', '2,499 rows', '1 row was')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


@contextmanager
def flags() -> Iterator[None]:
    """Word options as flags, for as long as a command runs; also in its threads."""
    global _speaks_flags
    before, _speaks_flags = _speaks_flags, True
    try:
        yield
    finally:
        _speaks_flags = before
