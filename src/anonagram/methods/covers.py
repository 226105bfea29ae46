"""What is told in place of quasi-identifiers: a label, and which values it covers.

Both methods that make ranges of the values of a group and those that climb a hierarchy publish the
same: a row each person with labels, and a row each group with what its labels cover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.columns.hierarchy import ANYTHING, value_texts
from anonagram.columns.recoding import at_codes
from anonagram.kernels.histogram import count_in_groups
from anonagram.lattice import Ladder, escaped
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.partition import Arrangement
from anonagram.release import GeneralizedRelease, Manifest
from anonagram.runtime.threads import in_threads

OR_MISSING = " or missing"
SET = "set"
BITS = 64
"""Of a number; sets of a domain that is no larger are told apart as numbers."""
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Cover:
    """The labels of a column, and which values they cover."""

    label_of: Codes
    """Which label each group has."""
    labels: pl.Series
    """Their texts; none where all that is covered is missing."""
    told: dict[str, pl.Series]
    """low, high and missing of each label, or its set of values."""

    def of_groups(self) -> dict[str, pl.Series]:
        """What is told of each group."""
        return {name: at_codes(values, self.label_of) for name, values in self.told.items()}


def publish_covers(
    microdata: Microdata,
    arrangement: Arrangement,
    covers: Mapping[str, Cover],
    manifest: Manifest,
    totals: Mapping[str, pl.DataFrame] | None = None,
) -> Publication:
    """One table with a row each person, and one with a row each group."""
    layout, sizes = manifest.layout, np.diff(arrangement.starts).astype(np.int32)
    numbers = np.arange(1, sizes.size + 1, dtype=np.int32)
    groups: dict[str, object] = {layout["group"]: numbers, layout["rows"]: sizes}
    rows: dict[str, object] = {layout["group"]: arrangement.group_ids}
    ends = in_threads(
        lambda name: covers[name].of_groups(), [(c.name,) for c in microdata.with_role("quasi")]
    )
    for column, of_groups in zip(microdata.with_role("quasi"), ends, strict=True):
        for end, values in of_groups.items():
            groups[column.name if end == SET else layout[f"{column.name}_{end}"]] = values
    told = in_threads(
        lambda column: _published(column, arrangement, covers), [(c,) for c in microdata.columns]
    )
    rows |= {column.name: each for column, each in zip(microdata.columns, told, strict=True)}
    position = arrangement.position_of
    mapping = pl.DataFrame(
        {"group": arrangement.group_ids[position], "row_in_rows": position},
    )
    # widths in a block are shares of what the table has
    domains = {c.name: c.values for c in microdata.with_role("quasi") if c.table_counts is not None}
    release = GeneralizedRelease(
        manifest, pl.DataFrame(groups), pl.DataFrame(rows), dict(totals or {}), domains=domains
    )
    return Publication(release, mapping)


def _published(column: Column, arrangement: Arrangement, covers: Mapping[str, Cover]) -> pl.Series:
    """The labels of a quasi-identifier, row by row, and other values as they are."""
    if column.role != "quasi":
        return column.taken(arrangement.order).values
    cover = covers[column.name]
    return at_codes(cover.labels, np.repeat(cover.label_of, np.diff(arrangement.starts)))


def cover_of_groups(column: Column, arrangement: Arrangement) -> Cover:
    """The range or the set of the values that each group has."""
    codes = column.codes.take(arrangement.order)
    if column.kind == "nominal":
        return _sets_of_groups(column, codes, arrangement)
    firsts = arrangement.starts[:-1]
    is_missing = codes == len(column.domain)
    # a group without any value gets the code of the missing one at both ends
    low = np.minimum.reduceat(codes, firsts)
    high = np.maximum.reduceat(np.where(is_missing, -1, codes), firsts)
    high = np.where(high < 0, len(column.domain), high).astype(np.int32)
    some_missing = np.logical_or.reduceat(is_missing, firsts)
    keys = (low.astype(np.int64) * column.cardinality + high) * 2 + some_missing
    label_of, found = _labels_of(keys)
    low, high = (found // 2 // column.cardinality), (found // 2 % column.cardinality)
    return range_cover(
        column, label_of, low.astype(np.int32), high.astype(np.int32), found % 2 == 1
    )


def range_cover(
    column: Column,
    label_of: Codes,
    low: Codes,
    high: Codes,
    missing: NDArray[np.bool_],
    labels: pl.Series | None = None,
) -> Cover:
    """Labels that cover what lies between two codes; [low, high] where they have no other name."""
    told = {
        "low": column.decode(low),
        "high": column.decode(high),
        "missing": pl.Series(missing, dtype=pl.Boolean),
    }
    if labels is None:
        labels = _range_labels(column, low, high, missing)
    return Cover(label_of, labels.alias(column.name), told)


def _range_labels(column: Column, low: Codes, high: Codes, missing: NDArray[np.bool_]) -> pl.Series:
    frame = pl.DataFrame(
        {
            "low": _texts(column).gather(low),
            "high": _texts(column).gather(high),
            "same": low == high,
            "missing": missing,
        }
    )
    between = pl.format("[{}, {}]", "low", "high")
    label = pl.when("same").then("low").otherwise(between)
    and_missing = pl.when("missing").then(label + OR_MISSING).otherwise(label)
    return frame.select(and_missing.alias(column.name)).to_series()


def _texts(column: Column) -> pl.Series:
    """A domain's values as labels of their own, and none for a missing one."""
    texts = [escaped(text) for text in value_texts(column.domain)]
    return pl.Series(column.name, [*texts, None], dtype=pl.String)


def _sets_of_groups(column: Column, codes: Codes, arrangement: Arrangement) -> Cover:
    """The different values of each group, in the domain's order."""
    if column.cardinality <= BITS:
        return _small_sets(column, codes, arrangement)
    groups, values, _ = count_in_groups(
        codes, arrangement.group_ids - 1, arrangement.starts.size - 1, column.cardinality
    )
    # known to be sorted, groups are cut out of the column instead of being looked up
    frame = pl.DataFrame({"group": pl.Series(groups).set_sorted(), "code": values})
    sets = frame.group_by("group", maintain_order=True).agg("code")["code"]
    different = sets.to_frame("set").with_row_index("at").group_by("set", maintain_order=True)
    found = different.agg("at").with_row_index("label")
    label_of = found.explode("at").sort("at")["label"].to_numpy().astype(np.int32)
    return set_cover(column, label_of, found["set"])


def _labels_of(keys: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """The place of each number among those that differ, and these in their order."""
    places, different = dictionary(pl.Series(keys))
    return places, different.to_numpy()


def _small_sets(column: Column, codes: Codes, arrangement: Arrangement) -> Cover:
    """The same where a number has a bit for each value of the domain: sets are numbers then."""
    places = np.arange(column.cardinality, dtype=np.uint64)
    bit_of = np.left_shift(np.uint64(1), places)
    if column.cardinality <= BITS // 2:  # half as much to move
        bit_of = bit_of.astype(np.uint32)
    sets = np.bitwise_or.reduceat(bit_of.take(codes), arrangement.starts[:-1])
    label_of, different = _labels_of(sets)
    label, value = np.nonzero(different[:, None] & bit_of)
    members = pl.DataFrame({"label": pl.Series(label).set_sorted(), "code": value.astype(np.int32)})
    listed = members.group_by("label", maintain_order=True).agg("code")["code"]
    return set_cover(column, label_of, listed)


def set_cover(
    column: Column,
    label_of: Codes,
    sets: pl.Series,
    labels: pl.Series | None = None,
) -> Cover:
    """Labels that cover sets of codes; {a, b} where they have no other name."""
    members = sets.explode()
    number = pl.Series(np.repeat(np.arange(len(sets)), sets.list.len().to_numpy()))
    frame = pl.DataFrame(
        {
            "set": number.set_sorted(),
            "value": column.decode(members.to_numpy().astype(np.int32)),
            "text": _texts(column).gather(members),
        }
    )
    # a missing value is the last of its set
    some = pl.col("text").drop_nulls()
    listed = (
        pl.when(some.len() == 1)
        .then(some.first())
        .otherwise(pl.lit("{") + some.str.join(", ") + pl.lit("}"))
    )
    gathered = frame.group_by("set", maintain_order=True).agg(
        "value",
        listed=pl.when(some.len() == 0).then(None).otherwise(listed),
        missing=pl.col("text").null_count() > 0,
    )
    if labels is None:
        label = pl.when("missing").then(pl.col("listed") + OR_MISSING).otherwise("listed")
        labels = gathered.select(label).to_series()
    return Cover(label_of, labels.alias(column.name), {SET: gathered["value"]})


def cover_of_level(
    ladder: Ladder, level: int, column: Column, codes: Codes, is_hidden: NDArray[np.bool_]
) -> Cover:
    """The labels of a level for groups that have these codes, and ``*`` for hidden ones.

    A label covers all values of the published rows that have it, whichever group they are in.
    """
    levels = np.where(is_hidden, -1, level)
    return _labelled(ladder, column, levels, codes)


def cover_of_levels(ladder: Ladder, levels: NDArray[np.int16], codes: Codes) -> Cover:
    """The same where each group has a level of its own."""
    return _labelled(ladder, ladder.column, levels, codes)


def cover_of_runs(
    run_of: NDArray[np.int64], column: Column, codes: Codes, is_hidden: NDArray[np.bool_]
) -> Cover:
    """The runs of values that codes are in as ranges or sets, and ``*`` for hidden groups.

    A run that has all values is ``*`` too. As labels of a hierarchy do, a run covers all values of
    the published rows that are in it.
    """
    here = np.flatnonzero(column.counts > 0)
    label_of, used = _labels_of(np.where(is_hidden, -1, run_of[codes]))
    members = [here if run < 0 else here[run_of[here] == run] for run in used.tolist()]
    cover = _cover_of_members(column, label_of, members)
    has_all = run_of.max() == 0 and (run_of == 0).sum() > 1
    is_all = pl.Series([has_all or run < 0 for run in used.tolist()], dtype=pl.Boolean)
    anything = pl.Series([ANYTHING] * used.size, dtype=pl.String)
    return replace(cover, labels=anything.zip_with(is_all, cover.labels).alias(column.name))


def _labelled(
    ladder: Ladder, column: Column, levels: NDArray[np.integer[Any]], codes: Codes
) -> Cover:
    """The labels of groups that have these codes, at these levels; -1 is above all."""
    ids = np.stack(ladder.ids)
    size = int(ids.max()) + 1
    here = np.flatnonzero(column.counts > 0)
    keys = np.where(levels < 0, -1, levels * size + ids[levels, codes])
    label_of, used = _labels_of(keys)
    texts: list[str | None] = []
    members = []
    names = {level: ladder.labels(level) for level in set((used[used >= 0] // size).tolist())}
    for key in used.tolist():
        if key < 0:
            texts.append(ANYTHING)
            members.append(here)
            continue
        level, label = divmod(key, size)
        texts.append(names[level][int(np.argmax(ids[level] == label))])
        members.append(here[ids[level][here] == label])
    labels = pl.Series(column.name, texts, dtype=pl.String)
    return _cover_of_members(column, label_of, members, labels)


def _cover_of_members(
    column: Column,
    label_of: Codes,
    members: Sequence[NDArray[np.integer[Any]]],
    labels: pl.Series | None = None,
) -> Cover:
    """Labels that cover these codes, as sets or as what lies between the first and the last."""
    if column.kind == "nominal":
        sets = pl.Series([each.tolist() for each in members], dtype=pl.List(pl.Int32))
        return set_cover(column, label_of, sets, labels)
    absent = len(column.domain)
    present = [each[each < absent] for each in members]
    low = np.array([each.min() if each.size else absent for each in present], np.int32)
    high = np.array([each.max() if each.size else absent for each in present], np.int32)
    missing = np.array([(each == absent).any() for each in members])
    return range_cover(column, label_of, low, high, missing, labels)
