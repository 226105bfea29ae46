"""Telling whoever watches what is going on, without passing a callback everywhere.

Long work names its steps; a door (the command line, a notebook) may listen.
Nobody listening costs nothing.

>>> with listening(print):
...     step("Reading")
Reading
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def step(name: str) -> None:
    """Announce that the step called name begins."""
    listener = _listener.get()
    if listener is not None:
        listener(name)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Hear every step begun inside the with block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
