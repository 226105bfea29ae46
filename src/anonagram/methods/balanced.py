"""What groups of a series are made from, and groups that repeat signatures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.key import Key
from anonagram.methods.remembered import Remembered
from anonagram.microdata import Microdata

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
BITS = 60
"""Of the number that says where a row lies."""
BY_CHANCE = 0.125
"""How often chance decides and not the rule. The smaller it is, the fewer counterfeits there are, and
the likelier is what the rule alone would tell."""


@dataclass(frozen=True)
class Groups:
    """A group, from 0, for each row and for each counterfeit."""

    of_people: Codes
    of_fakes: Codes
    fakes: Codes
    """The sensitive code of each counterfeit."""
    count: int

    @property
    def of_all(self) -> Codes:
        """The rows, and the counterfeits behind them."""
        return np.concatenate([self.of_people, self.of_fakes])


@dataclass(frozen=True)
class Balance:
    """What groups are made from."""

    microdata: Microdata
    remembered: Remembered
    m: int
    key: Key

    @cached_property
    def codes(self) -> Codes:
        """The sensitive value of each row."""
        return self.microdata.with_role("sensitive")[0].codes

    @cached_property
    def values(self) -> int:
        """How many sensitive values there are."""
        return self.microdata.with_role("sensitive")[0].cardinality

    @cached_property
    def places(self) -> Places:
        """Where each row lies: rows with near numbers are alike."""
        return _along_a_curve([c.codes for c in self.microdata.with_role("quasi")])

    def drawn(self, purpose: str, count: int) -> NDArray[np.bool_]:
        """So many times: whether chance decides here."""
        return is_drawn(self.key, purpose, count)


def is_drawn(key: Key, purpose: str, count: int) -> NDArray[np.bool_]:
    """So many times: whether chance decides, by this key."""
    return key.words(purpose, count) < int(BY_CHANCE * 2**32)


def joined(one: Groups, two: Groups) -> Groups:
    """Groups of some people, and behind them groups of others; -1 stands for those of neither."""
    people = np.where(two.of_people >= 0, two.of_people + one.count, one.of_people)
    fakes = np.concatenate([one.of_fakes, two.of_fakes + one.count])
    codes = np.concatenate([one.fakes, two.fakes])
    return Groups(people.astype(np.int32), fakes.astype(np.int32), codes, one.count + two.count)


def cells_of(given: Balance, signature_of: Codes) -> pl.DataFrame:
    """For each value of the signatures in use: how many have it, and how many should."""
    kept = np.flatnonzero(signature_of >= 0)
    people = pl.DataFrame(
        {"signature": signature_of[kept], "code": given.codes[kept], "place": given.places[kept]}
    )
    counted = people.group_by("signature", "code").agg(pl.len().cast(pl.Int64).alias("has"))
    about = people.group_by("signature").agg(pl.col("place").median().cast(pl.Int64))
    cells = given.remembered.signatures.with_row_index("cell")
    cells = cells.join(about, on="signature").join(counted, on=["signature", "code"], how="left")
    return cells.with_columns(pl.col("has").fill_null(0)).with_columns(
        needs=pl.col("has").max().over("signature")
    )


def repeat_signatures(given: Balance, signature_of: Codes, purpose: str) -> Groups:
    """Groups in which each value of a signature occurs once; counterfeits where nobody has it.

    No group of a signature has two counterfeits more than another. Were they where values run out, who
    stands beside most of them would have the value that most people have, and that is known.
    """
    kept = np.flatnonzero(signature_of >= 0)
    cells = cells_of(given, signature_of).sort("signature", "code")
    needs, has = cells["needs"].to_numpy(), cells["has"].to_numpy()
    is_first = np.diff(cells["signature"].to_numpy(), prepend=-1) > 0
    first = (np.cumsum(np.where(is_first, needs, 0)) - needs)[is_first]
    first_of_cell = first[np.cumsum(is_first) - 1]
    is_fake = _evenly_missing(given, first_of_cell, needs, has, purpose)
    cell_of = np.repeat(np.arange(needs.size), needs)
    groups = first_of_cell[cell_of] + _counted(needs)
    order = np.lexsort((kept, given.places[kept], given.codes[kept], signature_of[kept]))
    of_people = np.full(given.codes.size, -1, np.int32)
    of_people[kept[order]] = groups[~is_fake]
    fakes, codes = np.flatnonzero(is_fake), cells["code"].to_numpy()
    return Groups(
        of_people,
        groups[fakes].astype(np.int32),
        codes[cell_of[fakes]].astype(np.int32),
        int(needs[is_first].sum()),
    )


def _evenly_missing(
    given: Balance, first: Places, needs: Places, has: Places, purpose: str
) -> NDArray[np.bool_]:
    """For each cell of a signature and each of its groups: whether nobody stands there.

    Values and groups come in an order that is drawn, and what is missing goes round the groups.
    """
    groups = int((first + needs).max(initial=0))
    owner = np.searchsorted(np.unique(first), np.arange(groups), side="right")
    shuffled = np.lexsort((given.key.words(f"{purpose}/groups", groups), owner))
    order = np.lexsort((given.key.words(f"{purpose}/values", needs.size), first))
    lacks = (needs - has)[order]
    before = np.cumsum(lacks) - lacks
    is_first = np.diff(first[order], prepend=-1) > 0
    before -= before[is_first][np.cumsum(is_first) - 1]
    turn = np.repeat(before, lacks) + _counted(lacks)
    cell = np.repeat(order, lacks)
    group = shuffled[first[cell] + turn % needs[cell]]
    found = np.zeros(int(needs.sum()), np.bool_)
    found[(np.cumsum(needs) - needs)[cell] + group - first[cell]] = True
    return found


def _counted(sizes: Places) -> Places:
    """From 0 on inside each run of these sizes.

    >>> _counted(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _along_a_curve(columns: list[Codes]) -> Places:
    """One number each row, from the bits of all columns in turn (Morton 1966)."""
    bits = max(1, min(10, BITS // len(columns)))
    found = np.zeros(columns[0].size, np.int64)
    ranks = [_evenly(codes, bits) for codes in columns[:BITS]]
    for bit in range(bits - 1, -1, -1):
        for each in ranks:
            found = found << 1 | each >> bit & 1
    return found


def _evenly(codes: Codes, bits: int) -> Places:
    """Codes as numbers of so many bits, about as many rows at each of them."""
    counts = np.bincount(codes)
    before = np.cumsum(counts) - counts
    return (before * (1 << bits) // max(1, codes.size))[codes]
