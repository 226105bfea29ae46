"""Cells that stand for several values: intervals, labels of a hierarchy, hidden ends, stars.

What is written in a cell becomes a range of the original column's values, in an order in which the
values of every cell stand side by side.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from anonagram.columns.hierarchy import Hierarchy

NOTHING = frozenset({"*", "", "?", "na", "n/a", "nan", "null", "none", "suppressed", "missing"})
"""What tools write for a cell that they suppressed."""
_END = r"\s*([^\s,;\[\](){}]+?)\s*"
_NUMBER = r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"
_BRACKETS = re.compile(rf"^([\[\](]){_END}[,;]{_END}([\])\[])$")
_DASHED = re.compile(rf"^([\[(]?){_NUMBER}(?:-|–|—|to|\.\.\.?){_NUMBER}([\])]?)$")
_ABOVE = re.compile(rf"^(>=|≥|>){_END}$")
_BELOW = re.compile(rf"^(<=|≤|<){_END}$")
_OPEN_END = re.compile(rf"^{_NUMBER}\+$")
_PERIOD = re.compile(r"^([0-9]{4})(?:-([0-9]{2}))?$")
_HIDDEN_END = re.compile(r"^([^*]+)\*+$")


@dataclass(frozen=True)
class Span:
    """An interval as it is written; None for an end that is not there."""

    low: str | None
    high: str | None
    has_low: bool = True
    """Whether its lower end belongs to it."""
    has_high: bool = True


def is_suppressed(text: str) -> bool:
    """Whether a cell tells nothing.

    >>> is_suppressed("*"), is_suppressed("**"), is_suppressed("0")
    (True, True, False)
    """
    plain = text.strip().lower()
    return plain in NOTHING or (bool(plain) and set(plain) == {"*"})


def span_of(text: str) -> Span | None:
    """An interval in the forms that tools write; None for anything else.

    >>> span_of("30-39")
    Span(low='30', high='39', has_low=True, has_high=True)
    >>> span_of("(29.5, 39]")
    Span(low='29.5', high='39', has_low=False, has_high=True)
    >>> span_of(">=90"), span_of("-5--1").low, span_of("[70-80)").has_high, span_of("Flu")
    (Span(low='90', high=None, has_low=True, has_high=True), '-5', False, None)
    """
    text = text.strip()
    for form in (_DASHED, _BRACKETS):
        if found := form.match(text):
            start, low, high, end = found.groups()
            return Span(low, high, start not in ("(", "]"), end not in (")", "["))
    if found := _ABOVE.match(text):
        return Span(found[2], None, has_low=found[1] != ">")
    if found := _BELOW.match(text):
        return Span(None, found[2], has_high=found[1] != "<")
    if found := _OPEN_END.match(text):
        return Span(found[1], None)
    return None


def period_of(text: str) -> Span | None:
    """A year or a month as its first and last day; None for anything else.

    >>> period_of("2008-02"), period_of("2008").high, period_of("spring")
    (Span(low='2008-02-01', high='2008-02-29', has_low=True, has_high=True), '2008-12-31', None)
    """
    found = _PERIOD.match(text.strip())
    if found is None:
        return None
    year, first, last = int(found[1]), int(found[2] or 1), int(found[2] or 12)
    if year == 0 or not 1 <= first <= 12:
        return None
    return Span(f"{year:04}-{first:02}-01", f"{year:04}-{last:02}-{monthrange(year, last)[1]}")


@dataclass(frozen=True)
class Labelled:
    """An order of a column's values, and the range of it that each label stands for."""

    order: tuple[str, ...]
    ranges: dict[str, tuple[int, int]]
    """First and last position."""
    ranking: str


def by_hierarchy(hierarchy: Hierarchy) -> Labelled:
    """The values of a hierarchy so that every label's stand side by side.

    >>> levels = (("a", "b", "c"), ("x", "y", "x"), ("*", "*", "*"))
    >>> found = by_hierarchy(Hierarchy("town", levels))
    >>> found.order, found.ranges
    (('a', 'c', 'b'), {'*': (0, 2), 'x': (0, 1), 'y': (2, 2)})
    """
    first = [
        {label: i for i, label in reversed(list(enumerate(level)))} for level in hierarchy.levels
    ]
    rows = sorted(
        range(len(hierarchy.values)),
        key=lambda row: [
            first[level][hierarchy.levels[level][row]] for level in range(hierarchy.height, -1, -1)
        ],
    )
    ranges: dict[str, tuple[int, int]] = {}
    for level in range(hierarchy.height, 0, -1):  # of equal labels the finest counts
        ranges |= _runs(hierarchy.levels[level][row] for row in rows)
    return Labelled(tuple(hierarchy.values[row] for row in rows), ranges, "hierarchy")


def by_hidden_ends(values: Sequence[str], labels: Sequence[str]) -> Labelled | None:
    """Labels such as 021** among values that are sorted as texts; None where one is not like that.

    >>> by_hidden_ends(["021", "013", "022"], ["02*"]).ranges
    {'02*': (1, 2)}
    """
    order = sorted(values)
    ranges = {}
    for label in labels:
        found = _HIDDEN_END.match(label.strip())
        places = [i for i, value in enumerate(order) if found and value.startswith(found[1])]
        if not places:
            return None
        ranges[label] = places[0], places[-1]
    return Labelled(tuple(order), ranges, "text")


def by_spans(values: Sequence[str], labels: Sequence[str]) -> Labelled | None:
    """Intervals that are wider than those the original has; None where one is no interval.

    >>> by_spans(["[20-30)", "[0-10)", "[10-20)"], ["[0-20)"]).ranges
    {'[0-20)': (0, 1)}
    """
    ends = {text: _ends(text) for text in (*values, *labels)}
    if None in ends.values():
        return None
    known = {text: both for text, both in ends.items() if both is not None}
    order = sorted(values, key=lambda value: known[value])
    ranges = {}
    for label in labels:
        low, high = known[label]
        inside = [i for i, v in enumerate(order) if low <= known[v][0] and known[v][1] <= high]
        if not inside:
            return None
        ranges[label] = inside[0], inside[-1]
    return Labelled(tuple(order), ranges, "interval")


def by_meaning(values: Sequence[str], meaning: dict[str, str]) -> Labelled:
    """Values beside those that became the same label, where the rows of both tables show it.

    >>> by_meaning(["Ulm", "Rome", "Bonn"], {"Ulm": "DE", "Bonn": "DE"}).ranges
    {'DE': (0, 1)}
    """
    became = {value: meaning.get(value, value) for value in values}
    seen = {label: place for place, label in enumerate(dict.fromkeys(became.values()))}
    order = sorted(values, key=lambda value: seen[became[value]])
    ranges = _runs(became[value] for value in order)
    labels = set(meaning.values())
    kept = {label: both for label, both in ranges.items() if label in labels}
    return Labelled(tuple(order), kept, "frequency")


def _runs(labels: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Where each label's run begins and ends."""
    runs, start = {}, 0
    for label, run in groupby(labels):
        size = sum(1 for _ in run)
        runs[label] = start, start + size - 1
        start += size
    return runs


def _ends(text: str) -> tuple[float, float] | None:
    found = span_of(text)
    if found is None:
        return None
    try:
        low = float("-inf") if found.low is None else float(found.low)
        high = float("inf") if found.high is None else float(found.high)
    except ValueError:
        return None
    return low, high
