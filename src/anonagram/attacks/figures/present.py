"""How sure somebody can be that a person is in the table, by her quasi-identifiers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.figures.told_entries import (
    Floats,
    ToldEntries,
    sample_of,
    told_codes,
    ways_told,
)
from anonagram.errors import AnonagramError
from anonagram.kernels.present import believe_present
from anonagram.key import PUBLIC
from anonagram.methods import Method
from anonagram.microdata import Column, Microdata
from anonagram.registers.outsiders import Counts, Outsiders
from anonagram.release import GroupedRelease, Told

WORK = 1_000_000_000
"""People times groups that are compared; of more people a sample is looked for."""
HELD_OUT = 10
"""One person of so many is held out, where outsiders are needed and none are given."""


@dataclass(frozen=True)
class Looked:
    """People who were looked for in a release."""

    people: Counts
    """Their places in the table they are from."""
    delta: Floats
    """How likely it is that a row like hers is there.

    Rows that stand as they are show it. Where columns were permuted, her values may come from
    several people: a row of hers is there in a share of all permutations. Where ranges are told,
    any combination of what they allow is taken to be as likely.
    """
    fitting: Counts
    """How many groups can hold her: each of her values is told in them."""
    spare: Counts
    """How many of these would with one row fewer of hers; where ranges are told that is not known."""

    @classmethod
    def of(cls, release: GroupedRelease, people: Microdata) -> Self:
        """Look for people of the table, or for others."""
        if ways_told(release) == {Told.EXACT}:
            return cls._exact(release, people)
        told = ToldEntries.of(release, people)
        asked = sample_of(people.rows, max(WORK // told.sizes.size, 1))
        delta, fitting, spare = np.empty(asked.size), *np.zeros((2, asked.size), np.int64)
        believe_present(
            told.records(asked), told.starts, told.low, told.high, told.counts, told.widths, told.sizes,
            told.is_moved, delta, fitting, spare,
        )  # fmt: skip
        return cls(asked, delta, fitting, spare)

    @classmethod
    def _exact(cls, release: GroupedRelease, people: Microdata) -> Self:
        """Rows stand whole: how many are like hers, in that part of them which has the fewest."""
        columns, sheet = people.with_role("quasi"), release.sheet
        there = np.full(people.rows, np.iinfo(np.int64).max)
        for name, part in sheet.parts.items():
            of_part = [column for column in columns if sheet.part_of(column.name) == name]
            if of_part:
                table = sheet.tables[part.table]
                weight = pl.lit(1) if part.weight is None else table[part.weight]
                there = np.minimum(there, _rows_like(of_part, table, weight))
        is_there = (there > 0).astype(np.float64)
        return cls(np.arange(people.rows), is_there, there, there * (there > 1))


def _rows_like(columns: list[Column], table: pl.DataFrame, weight: pl.Series | pl.Expr) -> Counts:
    """For each person how many published rows have her codes."""
    names = [str(place) for place in range(len(columns))]
    told = {n: told_codes(c, table[c.name]) for n, c in zip(names, columns, strict=True)}
    rows = pl.DataFrame(told).with_columns(rows=weight).group_by(names).agg(pl.col("rows").sum())
    people = pl.DataFrame({n: c.codes for n, c in zip(names, columns, strict=True)})
    found = people.join(rows, on=names, how="left", maintain_order="left")["rows"]
    return found.fill_null(0).to_numpy().astype(np.int64)


def outsiders_of(
    release: GroupedRelease, original: Microdata, looked: Looked, given: Microdata | None
) -> Outsiders | None:
    """How people fit who are not in the table; None where that cannot be found out.

    Those who are given; else, where values or rows stand in groups, the people of the table, each as
    if a row of hers were not there; else, where ranges are told, people of the table who are held
    out while all others are published in the same way.
    """
    if given is not None:
        found = Looked.of(release, given)
        return Outsiders.counted(found.fitting, "who are not in the table")
    if ways_told(release) != {Told.RANGE}:
        return Outsiders.without_own(looked.fitting, looked.spare)
    return _held_out(release, original)


def _held_out(release: GroupedRelease, original: Microdata) -> Outsiders | None:
    order = PUBLIC.permutation("people held out", original.rows)
    out, kept = np.array_split(np.asarray(order), [max(original.rows // HELD_OUT, 1)])
    try:
        method = Method.parse(release.manifest.method)
        made = method.anonymize(original.only(np.sort(kept)), PUBLIC).grouped
    except AnonagramError:
        return None
    if made is None or ways_told(made) != {Told.RANGE}:
        return None
    found = Looked.of(made, original.only(np.sort(out)))
    return Outsiders.counted(found.fitting, "who were held out when the others were published so")


def without_release(original: Microdata, asked: NDArray[np.int64]) -> Floats:
    """What is believed by the columns' shares alone: somebody has all of her values by chance."""
    share = np.ones(asked.size)
    for column in original.with_role("quasi"):
        share *= column.counts[column.codes[asked]] / original.rows
    return np.asarray(-np.expm1(-original.rows * share))
