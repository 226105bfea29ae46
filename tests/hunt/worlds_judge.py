"""The bounds against every other world, and how tight they are where all worlds are known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from anonagram.queries import Answer
from tests.hunt.judge import Read, Wrong, beyond
from tests.hunt.places import Key, kind, place, places
from tests.hunt.question import Item, Question
from tests.hunt.truth import Found
from tests.hunt.worlds import Worlds

NEAR = Fraction(1, 10**9)
"""Bounds of floating-point sums are widened by a little more than rounding can do."""


@dataclass
class Tightness:
    """Of cells whose worlds were all tried, how many bounds are attained."""

    cells: int = 0
    attained: int = 0
    """Cells with both bounds attained."""


def judge_worlds(
    question: Question, read: Read, found: dict[int, Found], worlds: Worlds, tightness: Tightness
) -> tuple[int, list[Wrong]]:
    """Compare each cell with the values it has in the worlds."""
    cells, wrong = 0, []
    values = _by_cell(question, found)
    for (key, number), (seen, present) in values.items():
        if key in read.twins:
            continue
        if key not in read.rows:
            if read.tells_all and number == 0:
                wrong.append(Wrong("group missing in a world", str(key)))
            continue
        item, answer = question.aggregates[number], read.rows[key][number]
        if present < worlds.number and item.counts_nobody and answer.lower is not None:
            seen.add(0)
        cells += worlds.number
        wrong += _judge(item, answer, seen, key)
        if worlds.is_all:
            _weigh(answer, seen, tightness)
    return cells, wrong


def _by_cell(
    question: Question, found: dict[int, Found]
) -> dict[tuple[Key, int], tuple[set[Any], int]]:
    """For each cell its different values, and in how many worlds it is there."""
    values: dict[tuple[Key, int], tuple[set[Any], int]] = {}
    for one in found.values():
        for key, row in one.rows.items():
            for number, value in enumerate(row):
                seen, present = values.get((key, number), (set(), 0))
                seen.add(value)
                values[key, number] = seen, present + 1
    twins = {key for one in found.values() for key in one.twins}
    return {cell: value for cell, value in values.items() if cell[0] not in twins}


def _judge(item: Item, answer: Answer, seen: set[Any], key: Key) -> list[Wrong]:
    told = f"{item.sql()} at {key}: {answer}"
    if answer.exact and answer.estimate is not None and None in seen and not item.sums:
        return [Wrong("exact, but nobody is there in a world", told)]
    for value in seen - {None}:
        if answer.lower is None:
            return [Wrong("no bounds, but a value in a world", f"{value!r}; {told}")]
        how = beyond(answer, value)
        if how:
            return [Wrong(f"{how} in a world", f"{value!r}; {told}")]
        if answer.exact and place(answer.estimate) != place(value):
            return [Wrong("exact, but another value in a world", f"{value!r}; {told}")]
    return []


def _weigh(answer: Answer, seen: set[Any], tightness: Tightness) -> None:
    present = seen - {None}
    if answer.lower is None or not present:
        return
    low, high, *others = places(answer.lower, answer.upper, *present)
    if any(kind(other) != kind(low) for other in others):
        return
    tightness.cells += 1
    tightness.attained += _near(low, min(others)) and _near(high, max(others))


def _near(one: Any, two: Any) -> bool:
    return one == two or (
        kind(one) == "number" and abs(one - two) <= NEAR * max(abs(one), abs(two))
    )
