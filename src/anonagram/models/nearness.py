"""How near the amounts of a group lie, where a promise counts only whether they differ.

100,000, 100,001 and 100,002 are three values, and whoever knows the group knows the pay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from anonagram.columns.hierarchy import value_texts
from anonagram.columns.places import is_measured
from anonagram.columns.spans import has_spans, span_text, to_ticks
from anonagram.release import WithGroups
from anonagram.shown.wording import how_many


@dataclass(frozen=True)
class Narrowest:
    """The group whose amounts of one sensitive column lie nearest to each other."""

    attribute: str
    group: int
    different: int
    """Its different values, without a missing one."""
    has_missing: bool
    """Whether a missing value is among its values, which promises count as one more."""
    low: str
    high: str
    ticks: int
    """How far they are apart, in the smallest steps of their type."""
    ends: tuple[int, int]
    """The lowest and the highest value of all groups, in these steps."""
    dtype: pl.DataType

    @property
    def span(self) -> str:
        """From the one to the other, in the column's unit."""
        return _told(self.ticks, self.dtype)

    @property
    def whole(self) -> str:
        """The same of the whole table."""
        return _told(self.ends[1] - self.ends[0], self.dtype)

    def __str__(self) -> str:
        missing = " (beside a missing one, which counts as another)" if self.has_missing else ""
        return (
            f"the {how_many(self.different, 'different value')} of {self.attribute}{missing} in group "
            f"{self.group} lie between {self.low} and {self.high}, {self.span} apart, where the table's are "
            f"{self.whole} apart"
        )


def _told(ticks: float, dtype: pl.DataType) -> str:
    """A distance as people write it: that of 0.3 and 0.1 is 0.2, whatever floats make of it."""
    return f"{ticks:.12g}" if dtype.is_float() else span_text(ticks, dtype)


def near_told(found: Sequence[Narrowest]) -> str:
    """What is to be known of amounts that only differ; empty where there are none."""
    if not found:
        return ""
    return (
        f"Amounts that differ may be near: {'; '.join(str(each) for each in found)}. A least distance is "
        "promised by ke_anonymity(k=…, e=…), which the method ke keeps."
    )


def narrowest_of(release: WithGroups) -> list[Narrowest]:
    """For each sensitive column of numbers or dates; a group without any value of it tells nothing.

    >>> from anonagram import Anatomy, Key, Microdata
    >>> table = {"age": [20, 30, 40, 50], "pay": [100_000, 100_001, 100_002, 100_003]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    >>> (found,) = narrowest_of(Anatomy(l=4).anonymize(data, Key(bytes(32))))
    >>> found.different, found.low, found.high, found.span
    (4, '100000', '100003', '3')
    """
    found = []
    for name, counts in release.promised_counts().items():
        values = counts["value"]
        is_amount = is_measured(release.manifest.column(name).kind) and has_spans(values.dtype)
        if is_amount and values.null_count() < len(values):
            found.append(_narrowest(name, counts))
    return found


def narrowest_among(several: Iterable[Sequence[Narrowest]]) -> tuple[Narrowest, ...]:
    """For each column the narrowest group of all parts of a release."""
    found: dict[str, Narrowest] = {}
    for each in (one for part in several for one in part):
        known = found.get(each.attribute, each)
        nearer = min(known, each, key=lambda one: (one.ticks, one.group))
        ends = min(known.ends[0], each.ends[0]), max(known.ends[1], each.ends[1])
        found[each.attribute] = replace(nearer, ends=ends)
    return tuple(found.values())


def _narrowest(name: str, counts: pl.DataFrame) -> Narrowest:
    dtype = counts.schema["value"]
    ticks = pl.DataFrame({"group": counts["group"], "tick": to_ticks(counts["value"])})
    spans = (
        ticks.drop_nulls()
        .group_by("group")
        .agg(
            different=pl.col("tick").n_unique(),
            span=pl.col("tick").max() - pl.col("tick").min(),
        )
        .bottom_k(1, by=["span", "group"])
    )
    group, different, span = spans.row(0)
    inside = counts.filter(pl.col("group") == group)["value"]
    has_missing, inside = inside.has_nulls(), inside.drop_nulls().sort()
    low, high = value_texts(pl.concat([inside.head(1), inside.tail(1)]))
    ends = (ticks["tick"].min(), ticks["tick"].max())
    return Narrowest(name, group, different, has_missing, low, high, span, ends, dtype)  # type: ignore[arg-type]
