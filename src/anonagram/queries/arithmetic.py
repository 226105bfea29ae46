"""Arithmetic with aggregates: bounds of each give bounds of the whole, by interval arithmetic.

Every step keeps one promise: what a database computes there lies in the span. Whole numbers stay
exact; other ends are moved outwards by more than a database can have rounded.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from sqlglot import exp

from anonagram.queries.answers import Answer, as_whole

ROUNDED = 2.0**-49
"""By which share of itself the end of a span is moved: several roundings of a double."""
ROUNDED_SINGLE = 2.0**-20
"""The same where a database computes in 32 bits."""
LARGEST_SINGLE, LEAST_SINGLE, STEP_SINGLE = float(2**128 - 2**104), 2.0**-126, 2.0**-149
"""Beyond the largest is infinity; nearer to 0 than the least, numbers are such a step apart."""
NEAR_TIE = 1e-9
"""How near to a tie a number may be rounded in either way."""
EXACT_IN_DOUBLE, EXACT_IN_SINGLE = 2**53, 2**24
"""Up to these, 64 and 32 bits hold every whole number."""
Number = int | float


@dataclass(frozen=True)
class Span:
    """The ends between which a number lies, and what is expected of it."""

    lower: Number
    upper: Number
    estimate: Number | None
    is_exact: bool
    rounded: float = ROUNDED
    """By which share of itself a number computed from it may be off."""

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return isinstance(self.lower, int) and isinstance(self.upper, int)


class NoBounds(Exception):
    """A divisor may be of either sign, or a number too large: the result may be anything."""


def combine(node: exp.Expr, answers: Mapping[str, Answer], singles: Collection[str] = ()) -> Answer:
    """The answer of an expression over the answers of aggregates, some of them of 32 bits.

    >>> from sqlglot import parse_one
    >>> count = Answer(2.5, 2, 3, 0.5, exact=False)
    >>> combine(parse_one("2 * a - 1"), {"a": count}).upper
    5
    """
    span = _span(node, answers, singles)
    if span is None:
        nobody = any(answers[name.name].lower is None for name in node.find_all(exp.Column))
        return Answer(None, None, None, None, exact=nobody)
    if span.is_exact and span.lower == span.upper:
        return Answer(span.lower, span.lower, span.upper, 0.0, exact=True)
    estimate = span.estimate
    if estimate is None:
        estimate = (span.lower + span.upper) / 2
    return Answer(
        min(max(estimate, span.lower), span.upper), span.lower, span.upper, None, exact=False
    )


def _span(node: exp.Expr, answers: Mapping[str, Answer], singles: Collection[str]) -> Span | None:
    """Where an expression lies; None where it is NULL."""
    node = node.unnest()
    if isinstance(node, exp.Column):
        rounded = ROUNDED_SINGLE if node.name in singles else ROUNDED
        return _of_answer(answers[node.name], rounded)
    if isinstance(node, exp.Literal):
        return _of_literal(node)
    first = _span(node.this, answers, singles)
    if first is None:
        return None
    if isinstance(node, exp.Neg):
        expected = None if first.estimate is None else -first.estimate
        return Span(-first.upper, -first.lower, expected, first.is_exact, first.rounded)
    if isinstance(node, exp.Round):
        return _rounded(first, int(node.args["decimals"].name) if node.args.get("decimals") else 0)
    second = _span(node.expression, answers, singles)
    if isinstance(node, exp.Nullif) and second is not None:
        return _without_zero(first)
    return None if second is None else OPERATIONS[type(node)](first, second)


def _of_answer(answer: Answer, rounded: float) -> Span | None:
    if answer.lower is None:
        return None
    # databases have no other type for whole numbers beyond 64 bits
    lower, upper, expected = map(as_whole, (answer.lower, answer.upper, answer.estimate))
    if isinstance(lower, Decimal) or isinstance(upper, Decimal):
        lower, upper = _outwards(float(lower), float(upper), rounded)
    expected = float(expected) if isinstance(expected, Decimal) else expected
    return Span(lower, upper, expected, answer.exact, rounded)


def _of_literal(node: exp.Expr) -> Span:
    """A number of the question: 30.1 is a decimal to a database, and no double is."""
    if node.is_int:
        return Span(int(node.name), int(node.name), int(node.name), is_exact=True)
    value = float(node.name)
    is_held = math.isfinite(value) and Fraction(value) == Fraction(node.name)
    low, high = (value, value) if is_held else _outwards(value, value, ROUNDED)
    return Span(low, high, value, is_exact=False)


def _side_by_side(one: Span, two: Span) -> tuple[tuple[float, float], tuple[float, float], float]:
    """The ends of both as floats, and by which share of itself what is computed may be off.

    A database may compute with all digits where doubles are rounded, or in 32 bits what was exact:
    what is left of a difference is then far more off than its own last digits.
    """
    rounded = max(one.rounded, two.rounded)
    return _as_floats(one, rounded), _as_floats(two, rounded), rounded


def _as_floats(span: Span, rounded: float) -> tuple[float, float]:
    most = EXACT_IN_SINGLE if rounded == ROUNDED_SINGLE else EXACT_IN_DOUBLE
    is_held = span.is_whole and max(abs(span.lower), abs(span.upper)) <= most
    try:
        low, high = float(span.lower), float(span.upper)
    except OverflowError as error:
        raise NoBounds from error
    if is_held or (not span.is_whole and span.rounded == rounded):
        return low, high
    return _outwards(low, high, rounded)


def _by_corners(of: Callable[[Any, Any], Any]) -> Callable[[Span, Span], Span | None]:
    """An operation that is greatest and least at the ends of what it is given."""

    def operation(one: Span, two: Span) -> Span | None:
        expected = None
        if one.estimate is not None and two.estimate is not None:
            expected = of(one.estimate, two.estimate)
        if one.is_whole and two.is_whole:
            whole = [of(a, b) for a, b in product((one.lower, one.upper), (two.lower, two.upper))]
            return Span(min(whole), max(whole), expected, one.is_exact and two.is_exact)
        *ends, rounded = _side_by_side(one, two)
        corners = [of(a, b) for a, b in product(*ends)]
        return _finite(min(corners), max(corners), expected, rounded)

    return operation


def _divided(one: Span, two: Span) -> Span | None:
    """Where the divisor is 0 there is no number, and nothing to bound."""
    divisor = _without_zero(two)
    if divisor is None:
        return None
    expected = None
    if one.estimate is not None and two.estimate:
        expected = float(one.estimate) / float(two.estimate)
    is_exact = one.is_exact and two.is_exact and one.is_whole and two.is_whole
    if is_exact and max(abs(one.lower), abs(two.lower)) < EXACT_IN_DOUBLE:
        quotient = float(one.lower) / float(two.lower)
        return Span(quotient, quotient, quotient, is_exact=True)
    above, below, rounded = _side_by_side(one, divisor)
    if below[0] <= 0 <= below[1]:
        raise NoBounds
    corners = [a / b for a, b in product(above, below)]
    return _finite(min(corners), max(corners), expected, rounded)


def _without_zero(span: Span) -> Span | None:
    """The numbers of a span but 0; None where there is no other."""
    if span.lower > 0 or span.upper < 0:
        return span
    if span.lower == span.upper:
        return None
    if not span.is_whole or span.lower < 0 < span.upper:
        raise NoBounds
    expected = span.estimate or None
    if span.lower == 0:
        return Span(1, span.upper, expected, False, span.rounded)
    return Span(span.lower, -1, expected, False, span.rounded)


def _rounded(span: Span, digits: int) -> Span | None:
    if span.is_whole:
        return span
    step = 10.0**-digits
    low, high = span.lower / step, span.upper / step
    # a number beside a tie may have been on its other side; one as large has nothing to round
    low = (
        math.floor(low + 0.5 - NEAR_TIE - abs(low) * span.rounded) * step
        if math.isfinite(low)
        else span.lower
    )
    high = (
        math.ceil(high - 0.5 + NEAR_TIE + abs(high) * span.rounded) * step
        if math.isfinite(high)
        else span.upper
    )
    expected = None if span.estimate is None else round(span.estimate, digits)
    return _finite(low, high, expected, span.rounded)


def _outwards(low: float, high: float, rounded: float) -> tuple[float, float]:
    low, high = low - abs(low) * rounded, high + abs(high) * rounded
    if rounded == ROUNDED_SINGLE:
        low -= STEP_SINGLE if 0 < abs(low) < LEAST_SINGLE else 0.0
        high += STEP_SINGLE if 0 < abs(high) < LEAST_SINGLE else 0.0
    return low, high


def _finite(low: float, high: float, expected: Number | None, rounded: float) -> Span:
    low, high = _outwards(low, high, rounded)
    largest = LARGEST_SINGLE if rounded == ROUNDED_SINGLE else sys.float_info.max
    if not (-largest <= low and high <= largest):
        raise NoBounds
    return Span(low, high, expected, False, rounded)


OPERATIONS: dict[type[exp.Expr], Callable[[Span, Span], Span | None]] = {
    exp.Add: _by_corners(lambda a, b: a + b),
    exp.Sub: _by_corners(lambda a, b: a - b),
    exp.Mul: _by_corners(lambda a, b: a * b),
    exp.Div: _divided,
}
