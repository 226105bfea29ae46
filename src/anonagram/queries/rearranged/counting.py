"""Answers from hits that a database in this process has counted, by compiled passes over groups."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, MEAN_ROUNDING, ROUNDING
from anonagram.engines import Engine, InProcess
from anonagram.kernels.hits import Reach, Sorted, Sums, bound_counts, bound_sums, count_hits
from anonagram.queries.fields import FIELDS
from anonagram.queries.rearranged.countable import Counting
from anonagram.queries.rearranged.groups import CannotCount, Groups, hit_type
from anonagram.queries.rearranged.rewrite import Statement
from anonagram.queries.rearranged.work import require_little
from anonagram.runtime.threads import in_threads

LARGEST_TABLE = 1 << 26
"""Keys times groups beyond which hits are better counted by the database."""
TWO = 2
Floats = NDArray[np.float64]
SPANS = 8
"""Groups are summed in so many pieces on any machine, so that rounding is the same on all."""
NOWHERE = Reach(np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0))
"""Nothing that is asked about is told as ranges."""


def answer(statement: Statement, engine: Engine, groups: Groups) -> list[tuple[Any, ...]]:
    """The rows of a question; where hits are all that is needed, a compiled pass does the rest."""
    if statement.counting is not None and isinstance(engine, InProcess):
        try:
            return _count(statement, statement.counting, engine, groups)
        except CannotCount:
            pass
    require_little(statement.work, statement.question, statement.sheet, engine)
    return engine.run(statement.in_dialect(engine.dialect), statement.question.sql)


def _count(
    statement: Statement, counting: Counting, engine: InProcess, groups: Groups
) -> list[tuple[Any, ...]]:
    sizes, sql = groups.sizes, statement.question.sql
    rows = [engine.frame(query, sql) for query in counting.rows]
    keys, hits = count_rows(rows[0], sizes)
    others = [count_rows(each, sizes)[1][0] for each in rows[1:]]
    rest = np.stack(others) if others else np.zeros((0, sizes.size), hits.dtype)
    columns: dict[str, Any] = {name: keys[name] for name in keys.columns}
    for place, (function, column) in enumerate(counting.values):
        if column is None:
            fields = total_counts(hits, rest, sizes)
        else:
            fields = total_sums(function, hits, rest, groups.values(column))
        columns |= {f"a{place}_{name}": each for name, each in fields.items()}
    answered = pl.DataFrame(columns)
    if keys.width:  # a key that nobody can have is no answer
        answered = answered.filter(total_counts(hits, rest, sizes)["upper"] > 0)
    if not statement.is_arranged:
        return answered.rows()
    return engine.run_over("answered", answered, statement.last, sql)


def hits_of_two(
    statement: Statement, engine: Engine, groups: Groups
) -> list[tuple[tuple[Any, ...], Floats, Floats]] | None:
    """Of a COUNT(*) about people and about counted values: for each key the hits of both, a group each.

    None where the question is another, or a database elsewhere would have to count.
    """
    counting = statement.counting
    is_count = counting is not None and all(each == ("COUNT", None) for each in counting.values)
    if counting is None or not is_count or len(counting.rows) != TWO:
        return None
    if not isinstance(engine, InProcess):
        return None
    sizes, sql = groups.sizes, statement.question.sql
    first, second = (engine.frame(query, sql) for query in counting.rows)
    if ("w" in first) == ("w" in second):
        return None
    try:
        keys, hits = count_rows(first, sizes)
        other = count_rows(second, sizes)[1][0].astype(np.float64)
    except CannotCount:
        return None
    both = [(each.astype(np.float64), other) for each in hits]
    if "w" in first:
        both = [(other, own) for own, other in both]
    named = keys.rows() if keys.width else [()]
    return [(key, *pair) for key, pair in zip(named, both, strict=True)]


def count_rows(rows: pl.DataFrame, sizes: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[Any]]:
    """The different keys among rows with a group, a weight and keys, and hits[key, group]."""
    names = [name for name in rows.columns if name not in ("g", "w")]
    keys = pl.DataFrame({"number": [0]})
    if names:
        keys = rows.select(names).unique().with_row_index("number")
        rows = rows.join(keys, on=names, how="left", nulls_equal=True, maintain_order="left")
    if keys.height * sizes.size > LARGEST_TABLE:
        raise CannotCount
    hits = np.zeros((keys.height, sizes.size), hit_type(sizes))
    nothing = np.zeros(0, np.int32)
    nothing.flags.writeable = False  # as what Polars hands over, for one compiled form
    numbers = rows["number"].cast(pl.Int32).to_numpy() if names else nothing
    weights = rows["w"].cast(pl.Int32).to_numpy() if "w" in rows else nothing
    # without keys and weights as they lie in memory, so that nothing is copied
    pieces = [rows["g"]] if names or "w" in rows else rows["g"].get_chunks()
    for groups in pieces:
        count_hits(groups.to_numpy(), numbers, weights, hits)
    return keys.drop("number"), hits


def total_counts(
    hits: NDArray[Any], others: NDArray[Any], sizes: NDArray[np.int64]
) -> dict[str, Any]:
    """The fields of COUNT(*)."""
    found = in_threads(
        bound_counts, [(hits, others, NOWHERE, sizes, *span) for span in _spans(sizes.size)]
    )
    expected, variance, low, high = (np.sum(each, axis=0) for each in zip(*found, strict=True))
    fields = (expected, low, high, variance, np.ones(low.size))
    return dict(zip(FIELDS, fields, strict=True))


def total_sums(
    function: str, hits: NDArray[Any], others: NDArray[Any], values: Sorted
) -> dict[str, Any]:
    """The fields of a COUNT, SUM or AVG of a column; NULL where nobody is asked about."""
    found = in_threads(
        lambda first, end: sums_between(hits, others, NOWHERE, values, first, end),
        _spans(values.starts.size - 1),
    )
    sums = Sums(*(np.sum(each, axis=0) for each in zip(*found, strict=True)))
    if function == "COUNT":
        total, one = sums.sure, np.ones(sums.sure.size)
        exact = (total.astype(np.float64), total, total, np.zeros(total.size), one)
        return dict(zip(FIELDS, exact, strict=True))
    nobody = pl.Series(sums.possible == 0)
    fields = bounds_of(function, sums, Summed.of(values))
    return {
        name: pl.Series(each).set(nobody, None) for name, each in zip(FIELDS, fields, strict=True)
    }


def sums_between(
    hits: NDArray[Any], others: NDArray[Any], reach: Reach, values: Sorted, first: int, end: int
) -> Sums:
    """Sums of a column over some groups, in a type that has room for them."""
    kind = np.float64 if values.sums.dtype == np.float64 else np.int64
    low, high = np.zeros(hits.shape[0], kind), np.zeros(hits.shape[0], kind)
    return bound_sums(hits, others, reach, values, low, high, first, end)  # type: ignore[no-any-return]


class Summed(NamedTuple):
    """What is to be known of values whose sums are bounded."""

    rows: int
    has_negatives: bool
    has_positives: bool

    @classmethod
    def of(cls, values: Sorted) -> Self:
        """Those of groups."""
        return cls(
            int(values.starts[-1]), bool(values.negatives.any()), bool(values.positives.any())
        )

    @classmethod
    def joined(cls, several: Sequence[Summed]) -> Self:
        """Those of all groups of parts that share none."""
        rows, negatives, positives = zip(*several, strict=True)
        return cls(sum(rows), any(negatives), any(positives))


def bounds_of(function: str, sums: Sums, values: Summed) -> tuple[NDArray[Any], ...]:
    """The fields of a SUM, or of an AVG of values whose number is known, widened by rounding.

    Not past 0 where no value is: however values of one sign are added, they keep it.
    """
    low, high = sums.low, sums.high
    slack = sums.size * ((values.rows + MARGIN) * ROUNDING)
    divisor = np.ones(low.size)
    if function == "AVG":
        divisor = np.maximum(sums.sure, 1).astype(np.float64)
        if low.dtype == np.int64:
            slack = _mean_slack(low, high)
        low, high = low / divisor, high / divisor
    if slack.any():
        low, high = low - slack / divisor, high + slack / divisor
        low = low if values.has_negatives else np.maximum(low, 0.0)
        high = high if values.has_positives else np.minimum(high, 0.0)
    return sums.expected / divisor, low, high, sums.variance / divisor**2, sums.sure


def _mean_slack(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much sums are off when a double that is divided cannot hold them."""
    largest = np.maximum(np.abs(low.astype(np.float64)), np.abs(high.astype(np.float64)))
    return np.where(largest < EXACT_IN_DOUBLE, 0.0, largest * MEAN_ROUNDING)


def _spans(groups: int) -> Sequence[tuple[int, int]]:
    edges = np.linspace(0, groups, SPANS + 1).astype(int).tolist()
    return list(itertools.pairwise(edges))
