"""Whether any partition exists that keeps a promise."""

from __future__ import annotations

from anonagram.columns.spans import has_spans, span_text, to_ticks
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


def require_spread(column: Column, k: int, e: float, needed: float) -> None:
    """Refuse when the whole table has too few values for k, or they lie too close for e.

    The table as one group is (k,e) whenever some partition is. `needed` is e in ticks.
    """
    dtype = column.domain.dtype
    if column.kind not in ("numeric", "date") or not has_spans(dtype):
        raise CannotAnonymize(
            f"(k,e)-anonymity needs numbers, dates or durations; {column.name} is {column.kind}"
            f"{f', for example {column.text(0)!r}' if len(column.domain) else ''}.",
            "anatomy(l=…) or permutation(l=…) hide values of any kind.",
        )
    if len(column.domain) < k:
        raise CannotAnonymize(
            f"{column.name} has {len(column.domain)} different values; k = {k} needs {k} in every "
            "group.",
            f"k = {len(column.domain)} is the largest that works for {column.name}.",
        )
    ticks = to_ticks(column.domain)
    whole = ticks[-1] - ticks[0]
    if whole < needed:
        span = span_text(whole, dtype)
        raise CannotAnonymize(
            f"The values of {column.name} lie within {span} of each other, from {column.text(0)} to "
            f"{column.text(len(column.domain) - 1)}; e = {e!r} needs more.",
            f"e = {span.split()[0]} is the largest that works for {column.name}.",
        )
