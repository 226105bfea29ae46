"""Who works on the pieces of a release: this process, one after the other, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from anonagram.engines.spark_session import explained, session_at
from anonagram.engines.spark_work import map_items

Each = Callable[[Sequence[Any], Callable[[Any], Any]], list[Any]]
"""Does something with each of some items, and hands back what was found for each."""


@contextmanager
def workers(engine: str | None) -> Iterator[Each]:
    """Apache Spark at an address, or this process."""
    if engine is None:
        yield lambda items, do: [do(item) for item in items]
        return
    with session_at(engine) as session, explained():
        yield partial(map_items, session)
