"""What Apache Spark is told to do in Python, and what comes back from it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from anonagram.errors import AnonagramError

DONE = "number long, done binary"


def map_partitions(
    frame: Any, read: Callable[[Any], Any], do: Callable[[Iterator[Any]], Any]
) -> list[Any]:
    """What is found in each partition that has rows; its batches are read one after the other."""
    return [
        found for _, found in collected(frame.mapInArrow(partial(_do_rows, do=do, read=read), DONE))
    ]


def map_items(session: Any, items: Sequence[Any], do: Callable[[Any], Any]) -> list[Any]:
    """What is found for each item, each in a task of its own."""
    found = collected(frame_of(session, items, partial(_do_item, do=do), DONE))
    return [each for _, each in found]


def frame_of(
    session: Any, items: Sequence[Any], rows: Callable[[Any, int, Any], Iterable[Any]], schema: str
) -> Any:
    """The rows that are found for each item, each in a task of its own.

    They come as batches of the kind that is given, beside the item and its number.
    """
    numbers = session.range(0, len(items), 1, max(len(items), 1))
    return numbers.mapInArrow(partial(_rows_of_items, rows=rows, items=list(items)), schema)


def told(kind: Any, number: int, do: Callable[[], Any]) -> Any:
    """A row with what was found, or with what we refuse: trying that again would not help."""
    try:
        found = do()
    except AnonagramError as error:
        found = error
    return kind.from_pydict({"number": [number], "done": [pickle.dumps(found)]})


def collected(frame: Any) -> list[tuple[int, Any]]:
    """What all tasks told, by its number."""
    found = [(int(row["number"]), pickle.loads(row["done"])) for row in frame.collect()]  # noqa: S301
    for _, each in found:
        if isinstance(each, AnonagramError):
            raise each
    return sorted(found, key=lambda pair: pair[0])


def _rows_of_items(
    batches: Iterable[Any], rows: Callable[[Any, int, Any], Iterable[Any]], items: Sequence[Any]
) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from rows(type(batch), number, items[number])


def _do_item(kind: Any, number: int, item: Any, do: Callable[[Any], Any]) -> Iterator[Any]:
    yield told(kind, number, lambda: do(item))


def _do_rows(
    batches: Iterable[Any], do: Callable[[Iterator[Any]], Any], read: Callable[[Any], Any]
) -> Iterator[Any]:
    rest = iter(batches)
    first = next(rest, None)
    if first is not None:
        yield told(type(first), 0, lambda: do(map(read, chain([first], rest))))
