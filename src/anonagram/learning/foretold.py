"""How well all quasi-identifiers together foretell a sensitive value, whatever is published of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.learning.guesses import Success
from anonagram.learning.predicted import predict_others
from anonagram.learning.scored import MOST_VALUES
from anonagram.microdata import Microdata

ROWS = 20_000
"""A sample is enough for two digits."""
FEWEST = 100
"""Of fewer people nothing is learned."""


@dataclass(frozen=True)
class Foretold:
    """What a model of all quasi-identifiers gets right that never saw the people it guesses."""

    column: str
    success: Success
    prior: float
    """What the most frequent value alone would get."""

    def __str__(self) -> str:
        return (
            f"Without any release, somebody who learned on other people how quasi-identifiers go with "
            f"{self.column} guesses {self.success.everybody:.0%} of it right, and "
            f"{self.success.surest:.0%} where he is surest; the most frequent value alone is "
            f"{self.prior:.0%}."
        )


def foretell(microdata: Microdata) -> list[Foretold]:
    """For each sensitive column of not too many values; the one that is foretold best first.

    >>> table = {"ward": ["A", "B", "C", "D"] * 50, "ill": ["flu", "flu", "cut", "cut"] * 50}
    >>> foretell(Microdata.read(table, {"ward": "quasi", "ill": "sensitive"}))
    [Foretold(column='ill', success=Success(everybody=1.0, surest=1.0), prior=0.5)]
    """
    if not microdata.with_role("quasi") or microdata.rows < FEWEST:
        return []
    step = max(1, -(-microdata.rows // ROWS))
    sample = microdata.only(np.arange(0, microdata.rows, step))
    found = [
        _of(sample, column.name)
        for column in sample.with_role("sensitive")
        if column.cardinality <= MOST_VALUES
    ]
    return sorted(found, key=lambda each: -each.success.everybody)


def _of(microdata: Microdata, name: str) -> Foretold:
    column = microdata.column(name)
    prior = float(column.counts.max() / column.codes.size)
    return Foretold(name, predict_others(microdata, name).success, prior)
