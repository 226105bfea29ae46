"""Measuring a release part by part beside its original, of which some rows are read at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anonagram.divided.checking import Values, count_values
from anonagram.divided.original import OriginalElsewhere, rows_at
from anonagram.divided.workers import workers
from anonagram.errors import CallError, InternalError
from anonagram.measures.measures import GroupFigures, Measures, with_original
from anonagram.release import OpenedRelease
from anonagram.release.pieces import Extent, Piece, pieces_of, require_whole
from anonagram.release.reading import again_if_replaced
from anonagram.runtime.progress import step


@dataclass(frozen=True)
class Measuring:
    """How every piece is measured, where it is."""

    values: Values
    """The values of the whole release: widths are shares of what all groups have."""

    def __call__(self, piece: Piece) -> tuple[Extent, GroupFigures]:
        """Measure one."""
        loaded = piece.load()
        groups = loaded.numbered.grouped
        if groups is None:
            raise InternalError(f"{piece.path} numbers groups and has none.")
        return loaded.extent, GroupFigures.of(groups.as_part(self.values))


@again_if_replaced
def measure_parts(
    opened: OpenedRelease, /, original: Any, schema: Any = None, engine: str | None = None
) -> Measures:
    """Compare a release in parts with the table it was made from."""
    if not opened.has_groups:
        raise CallError(
            f"A {opened.shape.shape} release is measured as a whole.", "Release.read(…) loads it."
        )
    pieces = pieces_of(opened)
    with workers(engine) as each, rows_at(original, engine) as rows:
        step("Reading the original")
        table = OriginalElsewhere.of(rows, opened, schema)
        step("Counting values")
        kept, spans = opened.shape.kept(opened.manifest), opened.shape.spans(opened.manifest)
        values = count_values(pieces, [*kept, *spans], each)
        table.require_values(values, kept)
        step("Measuring")
        found = each(pieces, Measuring(values))
        require_whole(opened, [extent for extent, _ in found])
        figures = GroupFigures.joined([each for _, each in found])
        return with_original(figures.told(opened.manifest.method), table.table, table.sample())
