"""An original and what a method has just made of it, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonagram.attacks.aligned.pair import Aligned
from anonagram.columns.hierarchy import value_texts
from anonagram.microdata import Microdata
from anonagram.schema import ColumnRule
from anonagram.sources import Table

if TYPE_CHECKING:
    from anonagram.methods import Publication


def aligned_with(
    microdata: Microdata, publication: Publication, columns: Sequence[str] = ()
) -> Aligned:
    """The table beside its masked rows, which the mapping puts into its order."""
    rows = publication.release.tables["rows"][publication.mapping["row_in_rows"].to_numpy()]
    one, two = Table(microdata.frame(), microdata.label), Table(rows, "masked")
    return Aligned.of(one, two, _rules(microdata, columns))


def _rules(microdata: Microdata, columns: Sequence[str]) -> dict[str, ColumnRule]:
    """How the columns that the intruder compares are ranked."""
    compared = [microdata.column(name) for name in columns] or microdata.columns
    return {
        column.name: ColumnRule(
            column.role,
            column.kind,
            column.hierarchy,
            tuple(value_texts(column.domain)) if column.kind == "ordinal" else None,
        )
        for column in compared
    }
