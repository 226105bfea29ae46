"""Random questions to a release in parts and to its original, both read a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from anonagram.divided.checking import count_values
from anonagram.divided.original import OriginalElsewhere, rows_at
from anonagram.divided.rows import Codes
from anonagram.divided.workers import workers
from anonagram.measures.workload import (
    Truths,
    Workload,
    WorkloadResult,
    beside,
    compared,
    find_truths,
    gather_ranges,
    gather_replaced,
    read_ranges,
    read_replaced,
    require_answerable,
    truths_told,
)
from anonagram.microdata import Microdata
from anonagram.partition.blocks import with_codes
from anonagram.queries.rearranged.many import ManyGroups
from anonagram.queries.replaced.many import ManyRows, Replacing
from anonagram.release import OpenedRelease
from anonagram.release.pieces import Extent, Piece, pieces_of, require_whole
from anonagram.release.reading import again_if_replaced
from anonagram.runtime.progress import step


@dataclass(frozen=True)
class FindingTruths:
    """How the rows of the original are asked, where they are."""

    workload: Workload
    table: Microdata
    """Without rows."""

    def __call__(self, batches: Iterator[Codes]) -> Truths:
        """What they answer."""
        found = (find_truths(with_codes(self.table, codes), self.workload) for codes in batches)
        return reduce(lambda one, two: Truths(*map(np.add, one, two)), found)


@dataclass(frozen=True)
class Asking:
    """How every piece is asked, where it is."""

    workload: Workload
    table: Microdata

    def __call__(self, piece: Piece) -> tuple[Extent, list[Any], Replacing | None]:
        """What every question finds in it, and how values were replaced, if they were."""
        loaded = piece.load()
        if loaded.release.replaced is not None:
            rows = ManyRows(loaded.release.replaced, self.table)
            return loaded.extent, gather_replaced(rows, self.workload), rows.replacing
        groups = ManyGroups(loaded.release.sorted_groups, self.table)
        return loaded.extent, gather_ranges(groups, self.workload), None


@again_if_replaced
def ask_parts(
    opened: OpenedRelease,
    /,
    original: Any,
    schema: Any = None,
    engine: str | None = None,
    **drawn: Any,
) -> WorkloadResult:
    """Answer random questions from the original and from a release in parts, and compare.

    What `Workload.draw` takes says which.
    """
    opened.shape.require_bounds()
    pieces = pieces_of(opened)
    with workers(engine) as each, rows_at(original, engine) as rows:
        step("Reading the original")
        table = OriginalElsewhere.of(rows, opened, schema)
        workload = Workload.draw(table.table, **drawn)
        if opened.has_groups:
            require_answerable(workload, opened.manifest, opened.shape)
        kept = opened.shape.kept(opened.manifest)
        table.require_values(count_values(pieces, kept, each), kept)
        step("Asking the original")
        truth = truths_told(workload, table.look_through(FindingTruths(workload, table.table)))
        step("Asking the release")
        found = each(pieces, Asking(workload, table.table))
    require_whole(opened, [extent for extent, _, _ in found])
    gathered, replacing = [answers for _, answers, _ in found], found[0][2]
    answers = (
        read_ranges(workload, gathered, opened.manifest)
        if replacing is None
        else read_replaced(workload, replacing, gathered)
    )
    return compared(opened.manifest.method, workload.aggregate, beside(truth, answers))
