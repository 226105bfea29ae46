"""How far the count of a combination of values in a perturbed table is from the original's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CallError, suggest
from anonagram.microdata import Column, Microdata
from anonagram.release import Transition

LONGEST = 6
SAMPLE = 100
"""Combinations of each length whose errors `measure` averages."""


@dataclass(frozen=True)
class SupportError:
    """What the published count of a combination is expected to be."""

    count: int
    """In the original."""
    expected: float
    variance: float
    """Of the published count, over all draws.

    Every row is drawn on its own, so this is the sum of p(1 - p) over rows, p being the chance that
    a row meets the combination afterwards. (Yang and Qiao 2010, eq 11, does not depend on the number
    of rows and is not the variance.)
    """

    @property
    def bias(self) -> float:
        """B(q) = |E(published) - count| / count (eq 10)."""
        return abs(self.expected - self.count) / self.count


def support_error(
    microdata: Microdata, transition: Transition, values: Mapping[str, Any]
) -> SupportError:
    """The expected count of a combination such as {"job": "Clerk", "country": "USA"}.

    >>> table = {"job": ["Clerk", "Clerk", "Judge", "Judge"], "age": [30, 30, 40, 50]}
    >>> data = Microdata.read(table, {"job": "quasi", "age": "quasi"})
    >>> error = support_error(data, Transition({"job": 0.5, "age": 0.5}, 1), {"job": "Clerk", "age": 30})
    >>> error.count, error.expected
    (2, 1.0)
    """
    if not values:
        raise CallError("An empty combination has no count.", '{"age": 40, "sex": "F"}')
    columns = [microdata.column(name) for name in values]
    for column in columns:
        if column.name not in transition.replaced:
            raise CallError(f"{column.name} is not replaced.", "name quasi-identifiers.")
    codes = [
        _code_of(column, value) for column, value in zip(columns, values.values(), strict=True)
    ]
    return _error(columns, codes, transition)


def _code_of(column: Column, value: Any) -> int:
    if value is None and column.has_missing:
        return len(column.domain)
    known = column.domain.to_list()
    if value not in known:
        texts = [str(each) for each in known]
        raise CallError(f"Nobody has {column.name} = {value!r}.", suggest(str(value), texts))
    return known.index(value)


def _error(columns: Sequence[Column], codes: Sequence[int], transition: Transition) -> SupportError:
    # how many rows differ from the combination in which attributes: one bit each
    bits = (
        (column.codes != code).astype(np.int64) << place
        for place, (column, code) in enumerate(zip(columns, codes, strict=True))
    )
    pattern: NDArray[np.int64] = reduce(np.bitwise_or, bits)
    counts = np.bincount(pattern, minlength=2 ** len(columns))
    if counts[0] == 0:
        shown = ", ".join(f"{c.name} = {c.text(v)}" for c, v in zip(columns, codes, strict=True))
        raise CallError(f"Nobody has {shown}.", "name a combination that occurs.")
    shares = [
        float(column.counts[code]) / column.codes.size
        for column, code in zip(columns, codes, strict=True)
    ]
    chances = _chances([column.name for column in columns], shares, transition)
    return SupportError(
        int(counts[0]),
        float((counts * chances).sum()),
        float((counts * chances * (1 - chances)).sum()),
    )


def _chances(names: list[str], shares: list[float], transition: Transition) -> NDArray[np.float64]:
    """For each set of attributes in which a row differs: the chance that it meets all afterwards.

    The attributes that were replaced must include those (Proposition 13's P(q → q'), summed).
    """
    every = range(len(names))
    replaced = np.zeros(2 ** len(names))
    for chosen in _subsets(every):
        # the chance that just these of the attributes were replaced, by inclusion and exclusion
        rest = [names[i] for i in every if i not in chosen]
        exactly = sum(
            (-1) ** len(more) * transition.share_untouched([*rest, *(names[i] for i in more)])
            for more in _subsets(chosen)
        )
        number = sum(1 << i for i in chosen)
        replaced[number] = exactly * float(np.prod([shares[i] for i in chosen]))
    numbers = np.arange(replaced.size)
    return np.array([replaced[(numbers & differs) == differs].sum() for differs in numbers])


def _subsets(items: Sequence[int] | range) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


@dataclass(frozen=True)
class LengthError:
    """The errors of combinations of one length, averaged over a sample of people's own."""

    length: int
    bias: float
    deviation: float
    """The standard deviation of the published count, relative to the original's."""


def errors_by_length(microdata: Microdata, transition: Transition) -> tuple[LengthError, ...]:
    """Bias and spread of the counts of combinations that occur, by their length."""
    random = np.random.default_rng(0)
    quasi = [microdata.column(name) for name in transition.replaced]
    found = []
    for length in range(1, min(len(quasi), LONGEST) + 1):
        errors = []
        for _ in range(SAMPLE):
            columns = [quasi[i] for i in random.permutation(len(quasi))[:length]]
            row = int(random.integers(microdata.rows))
            errors.append(_error(columns, [int(c.codes[row]) for c in columns], transition))
        bias = float(np.mean([error.bias for error in errors]))
        deviation = float(np.mean([np.sqrt(error.variance) / error.count for error in errors]))
        found.append(LengthError(length, bias, deviation))
    return tuple(found)
