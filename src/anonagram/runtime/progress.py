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
_current: ContextVar[str | None] = ContextVar("current", default=None)


def step(name: str) -> None:
    """Announce that the step called name begins."""
    listener = _listener.get()
    if listener is not None:
        _current.set(name)
        listener(name)


@contextmanager
def aside(name: str) -> Iterator[None]:
    """Announce something that comes between, and afterwards the step that goes on.

    >>> with listening(print):
    ...     step("Grouping")
    ...     with aside("Compiling"):
    ...         pass
    Grouping
    Compiling
    Grouping
    """
    before = _current.get()
    step(name)
    try:
        yield
    finally:
        if before is not None:
            step(before)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Hear every step begun inside the with block."""
    token, before = _listener.set(listener), _current.set(None)
    try:
        yield
    finally:
        _listener.reset(token)
        _current.reset(before)
