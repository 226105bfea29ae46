"""Whether any l-diverse partition exists at all."""

from __future__ import annotations

from anonagram.errors import CannotAnonymize
from anonagram.microdata import Column


def require_eligible(column: Column, l: int) -> None:
    """Refuse when a value is too frequent for l.

    An l-diverse partition exists exactly when no value fills more than 1/l of the rows
    (Li et al. 2015, Theorem 3; their Algorithm 1 prints ≥ and would refuse the boundary case).
    """
    rows = column.codes.size
    most = int(column.counts.max())
    if most * l <= rows:
        return
    value = column.text(int(column.counts.argmax()))
    largest = rows // most
    raise CannotAnonymize(
        f"{column.name} = {value!r} is in {most:,} of {rows:,} rows ({most / rows:.1%}), more than "
        f"1/{l}, so no partition can hide it with l = {l}.",
        f"l = {largest} is the largest that works."
        if largest >= 2
        else "more than half of the rows share that value; no l works.",
    )
