"""Makes a case that misses as small as it can be while it still misses in the same way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from tests.hunt.case import Case
from tests.hunt.hunter import Hunter, Miss
from tests.hunt.tables import Column

SECONDS = 60.0


def shrink(miss: Miss, hunter: Hunter, seconds: float = SECONDS) -> Miss:
    """The smallest case found that has a miss of the same kind."""
    smallest, until = miss, time.monotonic() + seconds
    found: Miss | None = miss
    while found is not None and time.monotonic() < until:
        smallest = found
        found = _next(smallest, hunter, until)
    return smallest


def _next(miss: Miss, hunter: Hunter, until: float) -> Miss | None:
    for case in _smaller(miss.case):
        if time.monotonic() > until:
            return None
        for other in hunter.run(case).misses:
            if other.sign == miss.sign:
                return other
    return None


def _smaller(case: Case) -> Iterator[Case]:
    """Simpler cases, those with the most left out first."""
    if len(case.questions) > 1:
        yield replace(case, questions=())
        yield from (replace(case, questions=(question,)) for question in case.questions)
    if case.bundle is not None:
        yield replace(case, bundle=None)
    yield from _fewer_rows(case)
    for place, column in enumerate(case.table.columns):
        if len(case.table.columns) > 1:
            yield _with_columns(case, case.table.columns[:place] + case.table.columns[place + 1 :])
        plain = replace(column, kind=None, order=None, hierarchy=None, publish=())
        if plain != column and not case.table.by_csv:
            yield _replaced(case, place, plain)
    if case.table.by_csv:
        yield replace(case, table=replace(case.table, by_csv=False))
    for question in case.questions[:1]:
        yield from (replace(case, questions=(less,)) for less in question.smaller())
    yield from _fewer_values(case)


def _fewer_rows(case: Case) -> Iterator[Case]:
    rows, size = case.table.rows, case.table.rows // 2
    while size:
        for start in range(0, rows, size):
            kept = [row for row in range(rows) if not start <= row < start + size]
            if kept:
                yield replace(case, table=case.table.keep_rows(kept))
        size //= 2


def _fewer_values(case: Case) -> Iterator[Case]:
    """Rows that have the value of the row before them."""
    for place, column in enumerate(case.table.columns):
        for row in range(1, case.table.rows):
            if repr(column.values[row]) != repr(column.values[row - 1]):
                values = (*column.values[:row], column.values[row - 1], *column.values[row + 1 :])
                if len(set(map(repr, values))) < len(set(map(repr, column.values))):
                    yield _replaced(case, place, replace(column, values=values))


def _with_columns(case: Case, columns: tuple[Column, ...]) -> Case:
    return replace(case, table=replace(case.table, columns=columns))


def _replaced(case: Case, place: int, column: Column) -> Case:
    columns = case.table.columns
    return _with_columns(case, (*columns[:place], column, *columns[place + 1 :]))
