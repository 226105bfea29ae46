"""Other originals that would have given the same release: the bounds must hold for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import polars as pl

from anonagram.release import (
    AnatomizedRelease,
    GeneralizedRelease,
    PermutedRelease,
    PerturbedRelease,
    Release,
    SubdomainRelease,
)
from tests.hunt.exchanges import exchanged
from tests.hunt.matchings import matchings
from tests.hunt.question import WORLD
from tests.hunt.slots import dealt
from tests.hunt.spreads import spread
from tests.hunt.tables import Table

SAMPLE = 8
"""So many worlds are tried where there are too many for all."""


@dataclass(frozen=True)
class Worlds:
    """Some worlds as one table."""

    frame: pl.DataFrame
    number: int
    is_all: bool


def worlds_of(release: Release, table: Table, original: pl.DataFrame, rng: Random) -> Worlds | None:
    """All worlds where they are few, else some; None where none was found."""
    # worlds are put together by row numbers, so that no value changes on the way
    frames: list[pl.DataFrame | None] = []
    is_all = False
    match release:
        case AnatomizedRelease() | PermutedRelease():
            frames, is_all = matchings(release, table, rng, SAMPLE)
        case GeneralizedRelease():
            frames = [spread(release, table, original, rng) for _ in range(SAMPLE)]
        case SubdomainRelease():
            frames = [dealt(release, table, original, rng) for _ in range(SAMPLE)]
        case PerturbedRelease():
            frames = exchanged(release, table, original, rng, SAMPLE)
    found = [frame for frame in frames if frame is not None]
    return Worlds(_numbered(found), len(found), is_all) if found else None


def _numbered(frames: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(f.with_columns(pl.lit(number).alias(WORLD)) for number, f in enumerate(frames))
