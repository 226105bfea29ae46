"""What all measures of a release tell, whatever its shape."""

from __future__ import annotations

from dataclasses import dataclass, field

from anonagram.learning import Foretold, Ranked
from anonagram.microdata import Microdata
from anonagram.profile.given_away import GivenAway
from anonagram.shown.result import Shown


@dataclass(frozen=True)
class Measured(Shown):
    """What was measured on one release."""

    method: str
    rows: int
    detail_lost: dict[str, float] = field(default_factory=dict, kw_only=True)
    """For each column that was published coarser: how wide what a value stands for is, in the
    original, as a share of the column's domain (the mean over rows). All other figures are about
    the coarser values; NCP too, to which this comes."""
    foretold: tuple[Foretold, ...] = field(default=(), kw_only=True)
    """What a model of all quasi-identifiers gets right without any release."""
    ranked: tuple[Ranked, ...] = field(default=(), kw_only=True)
    """What sorting people and amounts inside groups finds."""
    given_away: tuple[GivenAway, ...] = field(default=(), kw_only=True)
    """What published columns tell of sensitive ones nearly for certain, whatever is rearranged."""


def detail_lost(microdata: Microdata) -> dict[str, float]:
    """What making columns coarser cost.

    >>> ages = {"age": [20, 22, 40, 60], "ill": ["flu", "cut", "flu", "cut"]}
    >>> rules = {"age": {"role": "quasi", "publish": "round(to=20)"}, "ill": "sensitive"}
    >>> detail_lost(Microdata.read(ages, rules))
    {'age': 0.025}
    """
    return {
        column.name: column.finer.loss(column.counts)
        for column in microdata.columns
        if column.finer is not None
    }
