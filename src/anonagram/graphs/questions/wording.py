"""Refusals about the joined table, told about the question as its author wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from anonagram.errors import UnsupportedQuery

COLUMN = re.compile(r'"(?:left|right):((?:[^"]|"")*)"(?: AS "(?:[^"]|"")*")?')


@contextmanager
def as_written(sql: str) -> Iterator[None]:
    """Within it, what is refused about the joined table is refused about this question."""
    try:
        yield
    except UnsupportedQuery as error:
        why, line, pointer = error.what.rsplit("\n", 2)
        # the joined table's question is one line, as its parser writes it
        start, end = _find(sql, line[pointer.index("^") : pointer.rindex("^") + 1])
        remedy = _plain(error.remedy).replace("FROM data", "FROM …")
        raise UnsupportedQuery(_plain(why), remedy, sql, start, end) from None


def _plain(text: str) -> str:
    return COLUMN.sub(lambda found: found[1].replace('""', '"'), text)


def _find(sql: str, pointed: str) -> tuple[int, int]:
    """Where the words stand in the question; all of it where they do not."""
    found = re.search(rf"(?<!\w){re.escape(_plain(pointed))}(?!\w)", sql, re.IGNORECASE)
    return found.span() if found else (0, len(sql))
