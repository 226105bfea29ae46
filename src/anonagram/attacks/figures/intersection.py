"""What several releases of the same people leave open: what is possible in all of them.

Of somebody whose quasi-identifiers he knows, every release leaves some values open. A value that
one of them rules out is none, so few may be left, although each release keeps its own promise.

>>> from anonagram import Anatomy, Key
>>> table = {"age": [31, 45, 52, 60, 64, 70], "ill": ["flu", "cut", "gout"] * 2}
>>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
>>> anatomy = Anatomy(l=2, partition="buckets")
>>> one, two = (anatomy.anonymize(data, Key(bytes([n]) * 32)) for n in (2, 3))
>>> left = intersect(data, two, [one]).columns["ill"]
>>> left.people, left.pinned_alone, left.pinned, left.pinned_rightly
(6, 0, 4, 4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.kernels.possible import keep_possible
from anonagram.microdata import Column, Microdata
from anonagram.registers.told_groups import ToldGroups, different
from anonagram.registers.told_ranges import codes_in
from anonagram.release import Release
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.shown.result import Shown
from anonagram.shown.wording import option

Counts = NDArray[np.int64]
BLOCK = 20_000
"""Records that are looked up at a time, so that their values fit into memory."""


@dataclass(frozen=True)
class Narrowed:
    """What is left open of one sensitive column."""

    column: str
    alone: Counts
    """For each person: how many values the new release leaves open."""
    together: Counts
    """How many of them all releases leave open that can hold her; 0 where they contradict."""
    is_pinned_rightly: NDArray[np.bool_]
    """Who has one value left, and it is hers."""

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.alone.size

    @property
    def least(self) -> int:
        """How many values the new release leaves open for everybody."""
        return int(self.alone.min())

    @property
    def pinned_alone(self) -> int:
        """How many people have one value left by the new release alone."""
        return int((self.alone == 1).sum())

    @property
    def pinned(self) -> int:
        """How many people have one value left by all releases together."""
        return int((self.together == 1).sum())

    @property
    def pinned_rightly(self) -> int:
        """How many people have one value left, and it is theirs."""
        return int(self.is_pinned_rightly.sum())

    @property
    def contradicted(self) -> int:
        """How many people have no value left: somebody else's row was taken for theirs."""
        return int((self.together == 0).sum())

    def below(self, values: int) -> int:
        """How many people have fewer values left than so many, but at least one."""
        return int(((self.together > 0) & (self.together < values)).sum())

    def counted(self) -> pl.DataFrame:
        """How many people have how many values left, by the new release alone and by all."""
        most = int(max(self.alone.max(), self.together.max()))
        alone, together = (
            np.bincount(each, minlength=most + 1) for each in (self.alone, self.together)
        )
        table = pl.DataFrame({"values": np.arange(most + 1), "alone": alone, "together": together})
        return table.filter((pl.col("alone") > 0) | (pl.col("together") > 0))

    @property
    def is_worse(self) -> bool:
        """Whether somebody has fewer values left than the new release leaves everybody."""
        return self.pinned > self.pinned_alone or self.below(self.least) > 0


@dataclass(frozen=True)
class Intersection(Shown):
    """What a new release tells about people together with earlier ones."""

    shown_by = "intersection"

    columns: dict[str, Narrowed]
    """For each sensitive column that an earlier release has too."""
    people: int
    """How many people the new release is about."""
    met: int
    """How many of them may be in one of the earlier releases."""


Known = NDArray[np.bool_] | None
"""Who of the people is in an earlier release, where that is known."""


def intersect(
    microdata: Microdata,
    release: Release,
    previous: Sequence[Release],
    present: Sequence[Known] = (),
) -> Intersection:
    """What is left open of the people in a table by its new release and earlier ones.

    The intruder knows everybody's quasi-identifiers. He finds a person in each release that has rows
    like hers in the columns they share, be they hers or not; where he knows who is in an earlier
    release, he looks for nobody else there.
    """
    step("Comparing with earlier releases")
    sensitive = [
        _with_values_of(column, [release, *previous]) for column in _shared(microdata, previous)
    ]
    known = dict(enumerate(present))
    present = [known.get(place) for place in range(len(previous))]
    # what tells people apart best comes first, so that most groups are ruled out early
    telling = sorted(microdata.with_role("quasi"), key=lambda c: float((c.counts**2.0).sum()))
    quasi = {column.name: column.codes for column in telling}
    # a name that no column has: who is known to be elsewhere is somebody else than who is not
    flags = {f"\0in {place}": each for place, each in enumerate(present) if each is not None}
    people, person_of = different(pl.DataFrame(quasi | flags), microdata.rows)
    frame = pl.DataFrame(people, schema=[*quasi, *flags], orient="row")
    is_in = [
        None if each is None else frame[f"\0in {place}"].cast(pl.Boolean).to_numpy()
        for place, each in enumerate(present)
    ]
    releases = [release, *previous]
    told = [ToldGroups.of(each, microdata, frame) for each in releases]
    columns, met = {}, np.zeros(len(people), np.bool_)
    for column in sensitive:
        those = [
            (index, index.values_of(each, column), known_in)
            for index, each, known_in in zip(told, releases, [None, *is_in], strict=True)
            if column.name in each.manifest.named("sensitive")
        ]
        alone, together, only, found = _narrow(those, len(people), len(column.domain) + 1)
        met |= found
        right = (together == 1)[person_of] & (only[person_of] == column.codes)
        columns[column.name] = Narrowed(column.name, alone[person_of], together[person_of], right)
    return Intersection(columns, microdata.rows, int(met[person_of].sum()))


def require_comparable(
    microdata: Microdata,
    releases: Sequence[Release],
    names: Sequence[str] = (),
    flag: str = "",
) -> None:
    """Refuse releases that cannot be laid over one of a table, by the names they were given."""
    sensitive = microdata.with_role("sensitive")
    for number, release in enumerate(releases):
        name = names[number] if names else f"Earlier release {number + 1}"
        which = f"{name}, made by {release.manifest.method},"
        roles = {each.name: each.role for each in release.manifest.columns}
        for column in sensitive:
            if roles.get(column.name, "sensitive") != "sensitive":
                raise CallError(
                    f"{which} tells {column.name!r} openly, as {roles[column.name]}: whoever has it "
                    "knows already what this one would hide.",
                    f"take {column.name!r} for known, and hide other columns.",
                )
        _require_as_coarse(microdata, release, which)
        if not any(column.name in roles for column in sensitive):
            hidden = ", ".join(column.name for column in sensitive) or "none"
            given = option(f"{flag} {name}", "it") if flag else option("--previous", "it")
            raise CallError(
                f"{which} shares no sensitive column with the table, which has: {hidden}. What both "
                "tell together about who is in them is not measured.",
                f"leave {given} out, but only if the two are about other people.",
            )


def _shared(microdata: Microdata, previous: Sequence[Release]) -> list[Column]:
    """The sensitive columns that earlier releases have too."""
    require_comparable(microdata, previous)
    return [
        column
        for column in microdata.with_role("sensitive")
        if any(column.name in release.manifest.named("sensitive") for release in previous)
    ]


def _with_values_of(column: Column, releases: Sequence[Release]) -> Column:
    """The column with values that releases name and nobody has: an intruder cannot rule them out."""
    for release in releases:
        if column.name not in release.manifest.named("sensitive") or release.with_groups is None:
            continue
        told = release.with_groups.sensitive_counts()[column.name]["value"].unique()
        unknown = told.filter(codes_in(column, told) < 0)
        if len(unknown) and unknown.dtype == column.domain.dtype:
            domain = pl.concat([column.domain, unknown.sort().alias(column.domain.name)])
            column = column.over(domain, has_missing=True)
    return column


def _require_as_coarse(microdata: Microdata, release: Release, which: str) -> None:
    """Refuse a release that tells columns more or less coarsely than the table is.

    The same person would have another value there, and seem not to be in it.
    """
    steps = {
        each.name: each.original.publish if each.original else ()
        for each in release.manifest.columns
    }
    for column in microdata.with_role("quasi", "sensitive"):
        own = () if column.finer is None else tuple(map(repr, column.finer.steps))
        if column.name in steps and steps[column.name] != own:
            raise CallError(
                f"{which} tells {column.name!r} {_how(steps[column.name])}, this one {_how(own)}: who "
                "is in both, and what both tell together, would come out far too low.",
                "publish it as coarsely in both.",
            )


def _how(steps: tuple[str, ...]) -> str:
    return f"as {', '.join(steps)}" if steps else "as it is"


Told = Sequence[tuple[ToldGroups, tuple[NDArray[np.int64], NDArray[np.int32]], Known]]


def _narrow(
    told: Told, people: int, size: int
) -> tuple[Counts, Counts, NDArray[np.int32], NDArray[np.bool_]]:
    """For each record: values left by the first release, by all, the first of them, and if met."""
    ends = [*range(0, people, BLOCK), people]
    blocks = in_threads(
        lambda first, last: _narrow_block(told, first, last, size), list(pairwise(ends))
    )
    alone, together, only, found = (np.concatenate(each) for each in zip(*blocks, strict=True))
    return alone, together, only, found


def _narrow_block(
    told: Told, first: int, last: int, size: int
) -> tuple[Counts, Counts, NDArray[np.int32], NDArray[np.bool_]]:
    met = np.zeros(last - first, np.bool_)
    counts = starts = alone = np.empty(0, np.int64)
    kept = np.empty(0, np.int32)
    for number, (index, values, known_in) in enumerate(told):
        asked, place = np.unique(index.record_of[first:last], return_inverse=True)
        other_starts, others, found = index.possible(asked, values, size)
        if number == 0:  # every record of the table is a record of its own release
            alone = np.diff(other_starts)[place]
            starts = np.cumsum(alone) - alone
            counts = alone.copy()
            taken = np.repeat(other_starts[:-1][place] - starts, alone) + np.arange(alone.sum())
            kept = others[taken]
        else:
            if (
                known_in is not None
            ):  # one record more, which is nowhere: that of all who are not in it
                found = np.append(found, np.False_)
                other_starts = np.append(other_starts, other_starts[-1])
                place = np.where(known_in[first:last], place, found.size - 1)
            keep_possible(counts, starts, kept, place, found, other_starts, others)
            met |= found[place]
    only = np.full(counts.size, -1, np.int32)
    is_pinned = counts == 1
    only[is_pinned] = kept[starts[is_pinned]]
    return alone, counts, only, met
