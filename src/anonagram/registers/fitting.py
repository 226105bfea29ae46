"""How many people of a register fit what is told of a row: who might be meant, and who is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.fitting import add_fitting, count_fitting
from anonagram.microdata import Microdata
from anonagram.registers.told_groups import ToldGroups, different
from anonagram.registers.told_ranges import codes_in
from anonagram.release import GroupedRelease, Told

WORK = 2_000_000_000
"""People times groups that are compared; of more groups a sample is looked at."""
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fitting:
    """For each class of rows that look alike."""

    people: Counts
    """How many people of the register it can be about."""
    rows: Counts
    """How many rows it has."""
    is_all: bool
    """Whether every class was looked at."""


@dataclass(frozen=True)
class Presence:
    """How sure one can be of people of a register that they are in the table."""

    people: Counts
    """For each class of people who look alike, how many they are."""
    delta: Floats
    """The expected number of rows that are one of theirs, at most 1: each row is as likely anybody's
    who fits it."""
    classes: Fitting
    """The rows that look alike."""
    lowest: Floats
    highest: Floats
    """Of the people who fit each class; not finite where nobody does."""


def fitting(release: GroupedRelease, register: Microdata, work: int = WORK) -> Fitting:
    """Compare every class of rows with the people of a register."""
    if _stands_whole(release):
        both = _equal(release, register)
        rows = both.filter(pl.col("rows") > 0)
        people_of, rows_of = (rows[name].to_numpy() for name in ("people", "rows"))
        return Fitting(people_of, rows_of, is_all=True)
    told, times = _told(release, register)
    sizes = _sizes(release)
    # groups are numbered at random, so the first are a sample
    looked = min(sizes.size, max(work // max(len(told.records), 1), 1))
    people = count_fitting(told.records, times, *_arrays(told), looked)
    return Fitting(people, sizes[:looked], looked == sizes.size)


def presence(release: GroupedRelease, register: Microdata) -> Presence:
    """What the release tells of everybody in a register: that she is in the table, or is not."""
    if _stands_whole(release):
        both = _equal(release, register)
        people, rows = (both[name].to_numpy() for name in ("people", "rows"))
        delta = np.minimum(1.0, rows / np.maximum(people, 1))
        there, here = people > 0, rows > 0
        classes = Fitting(people[here], rows[here], is_all=True)
        return Presence(people[there], delta[there], classes, delta[here], delta[here])
    told, times = _told(release, register)
    sizes = _sizes(release)
    people = count_fitting(told.records, times, *_arrays(told), sizes.size)
    shares = np.divide(sizes, people, out=np.zeros(sizes.size), where=people > 0)
    lowest, highest = np.full(sizes.size, np.inf), np.full(sizes.size, -np.inf)
    delta = add_fitting(told.records, *_arrays(told), shares, lowest, highest)
    classes = Fitting(people, sizes, is_all=True)
    capped = (np.minimum(1.0, each) for each in (lowest, highest))
    return Presence(times, np.minimum(1.0, delta), classes, *capped)


def _stands_whole(release: GroupedRelease) -> bool:
    """Whether all quasi-identifiers of a row stand beside each other as they are."""
    quasi = release.manifest.named("quasi")
    is_exact = all(release.how_told(name) is Told.EXACT for name in quasi)
    return is_exact and len({release.sheet.part_of(name) for name in quasi}) == 1


def _told(release: GroupedRelease, register: Microdata) -> tuple[ToldGroups, Counts]:
    """The groups in the codes of a register, and for how many people each record stands."""
    # what tells people apart best comes first, so that most groups are ruled out early
    telling = sorted(register.with_role("quasi"), key=lambda c: float((c.counts**2.0).sum()))
    codes = {column.name: column.codes for column in telling}
    unique, record_of = different(pl.DataFrame(codes), register.rows)
    told = ToldGroups.of(release, register, pl.DataFrame(unique, schema=list(codes), orient="row"))
    times = np.bincount(told.record_of[record_of], minlength=len(told.records))
    return told, times.astype(np.int64)


def _arrays(told: ToldGroups) -> tuple[NDArray[Any], ...]:
    return (told.list_starts, told.lists, told.range_starts, told.low, told.high)


def _sizes(release: GroupedRelease) -> Counts:
    return release.group_sizes().sort("group")["rows"].to_numpy().astype(np.int64)


def _equal(release: GroupedRelease, register: Microdata) -> pl.DataFrame:
    """Rows stand as they are: columns people and rows, of every combination of values."""
    names = release.manifest.named("quasi")
    part = release.sheet.parts[release.sheet.part_of(names[0])]
    table = release.sheet.tables[part.table]
    rows = pl.DataFrame(
        {str(i): codes_in(register.column(n), table[n]) for i, n in enumerate(names)}
    )
    places = rows.columns
    people = pl.DataFrame({str(i): register.column(n).codes for i, n in enumerate(names)})
    count = pl.len().cast(pl.Int64)
    both = rows.group_by(places).agg(rows=count).join(
        people.group_by(places).agg(people=count), on=places, how="full"
    )  # fmt: skip
    return both.select(pl.col("people", "rows").fill_null(0))
