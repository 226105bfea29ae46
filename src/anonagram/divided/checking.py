"""Checking a release part by part, wherever the parts are looked at.

No group is in two parts, so what a promise comes to is found in each of them, by the model as it is,
and the worst of all parts is that of the release. Two things are found in all parts together: the
values of the whole table, with which some promises compare groups, and which rows are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import methodcaller
from typing import TypeGuard

import polars as pl

from anonagram.divided.workers import Each, workers
from anonagram.errors import CallError
from anonagram.models import Finding, PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.models.model import PartwiseModel, Seen
from anonagram.queries.opened import MEMORY, count_equal_rows, over_files
from anonagram.release import OpenedRelease
from anonagram.release.pieces import Extent, Piece, added, pieces_of, require_whole
from anonagram.release.reading import again_if_replaced
from anonagram.release.sheet import Part
from anonagram.runtime.progress import step

Values = Mapping[str, pl.DataFrame]
"""For each column its values and how often each occurs: columns value and count."""


@dataclass(frozen=True)
class Checked:
    """What was found in a release that was looked at part by part."""

    findings: list[Finding]
    groups: int
    parts: int


@dataclass(frozen=True)
class SeenInPiece:
    """What promises come to in a piece."""

    extent: Extent
    seen: list[Seen]
    equal: list[Part]
    """In which columns rows are equal that look alike."""


@dataclass(frozen=True)
class Look:
    """How every piece is looked at, where it is."""

    models: tuple[PartwiseModel, ...]
    totals: Values
    """The values of the whole table."""

    def __call__(self, piece: Piece) -> SeenInPiece:
        """Look at one."""
        loaded = piece.load()
        release = loaded.numbered
        if release.with_groups is not None:
            release = release.with_groups.as_part(self.totals)
        seen = [model.look(release) for model in self.models]
        groups = release.with_groups
        return SeenInPiece(loaded.extent, seen, [] if groups is None else groups.equal_parts)


@again_if_replaced
def check_parts(
    opened: OpenedRelease,
    /,
    models: Sequence[PrivacyModel] = (),
    engine: str | None = None,
    memory: int = MEMORY,
) -> Checked:
    """Check promises, or those that the release claims."""
    asked = list(models) or [PrivacyModel.parse(each.model) for each in opened.manifest.claims]
    partwise = [model for model in asked if is_partwise(model, opened)]
    if others := [model for model in asked if model not in partwise]:
        raise CallError(
            f"{others[0].call} looks at all rows together, and is not checked part by part.",
            "Release.read(…) loads the release first.",
        )
    pieces = pieces_of(opened)
    with workers(engine) as each:
        step("Counting values")
        # where none is sensitive, every column counts as such
        every = [column.name for column in opened.manifest.columns]
        totals = count_values(pieces, opened.manifest.named("sensitive") or every, each)
        step("Checking")
        found = each(pieces, Look(tuple(partwise), totals))
    require_whole(opened, [piece.extent for piece in found])
    findings = []
    for place, model in enumerate(partwise):
        seen = [piece.seen[place] for piece in found]
        if isinstance(model, KAnonymity) and found[0].equal:
            seen = [model.look_at(_fewest_alike(opened, found[0].equal, engine, memory))]
        findings.append(model.conclude(seen, opened.manifest, opened.shape))
    return Checked(findings, sum(piece.extent.groups for piece in found), len(pieces))


def is_partwise(model: PrivacyModel, opened: OpenedRelease) -> TypeGuard[PartwiseModel]:
    """Whether it can be found part by part: equal rows that are in several parts can be counted."""
    if opened.shape.alike_over_blocks(opened.manifest) is None:
        return isinstance(model, PartwiseModel)
    return isinstance(model, KAnonymity)


def count_values(pieces: Sequence[Piece], names: Sequence[str], each: Each) -> Values:
    """How often each value of some columns occurs in all pieces."""
    return added(pieces, each(pieces, methodcaller("count_values", list(names))))


def _fewest_alike(
    opened: OpenedRelease, parts: Sequence[Part], engine: str | None, memory: int
) -> pl.DataFrame:
    """How often so many rows are equal, in the part that tells people apart best."""
    step("Comparing rows")
    files = {name: table.paths for name, table in opened.tables.items()}
    with over_files(files, memory, engine) as database:
        found = [count_equal_rows(database, part) for part in parts]
    return min(found, key=lambda alike: int(alike["rows"].min()))  # type: ignore[arg-type]
