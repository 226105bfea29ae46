"""Two engines must give the same cells."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from anonagram.queries import Answer
from tests.hunt.judge import Read, Wrong
from tests.hunt.places import kind, place
from tests.hunt.question import Question

NEAR = Fraction(1, 10**9)
FIELDS = ("lower", "upper", "estimate", "exact")


def differences(question: Question, one: Read, two: Read) -> list[Wrong]:
    """Where the answers of two engines differ by more than rounding."""
    if one.rows.keys() != two.rows.keys():
        if not question.tells_all:  # equal estimates may be cut off in another order
            return []
        return [Wrong("engines give other groups", f"{one.rows.keys() ^ two.rows.keys()}")]
    found = []
    for key, cells in one.rows.items():
        if key in one.twins:
            continue
        for item, here, there in zip(question.aggregates, cells, two.rows[key], strict=True):
            for name in FIELDS:
                if not _alike(getattr(here, name), getattr(there, name), _reach(here)):
                    detail = f"{item.sql()} at {key}: {getattr(here, name)!r} and {getattr(there, name)!r}"
                    found.append(Wrong(f"engines give another {name}", detail))
    return found


def _reach(answer: Answer) -> Fraction:
    """How large the numbers are from which an estimate was computed."""
    ends = [place(end) for end in (answer.lower, answer.upper)]
    return max((abs(end) for end in ends if kind(end) == "number"), default=Fraction(0))


def _alike(one: Any, two: Any, reach: Fraction) -> bool:
    a, b = place(one), place(two)
    if kind(a) == kind(b) == "number":
        return bool(abs(a - b) <= NEAR * max(abs(a), abs(b), reach))
    return bool(a == b)
