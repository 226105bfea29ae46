"""A column of both tables on one scale: ranks, and what each masked cell may stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned.cells import Cells, measured_cells
from anonagram.attacks.aligned.sets import (
    Labelled,
    by_hidden_ends,
    by_hierarchy,
    by_meaning,
    by_spans,
    is_suppressed,
)
from anonagram.columns.encoding import encode
from anonagram.columns.hierarchy import hierarchy_for, value_texts
from anonagram.columns.places import is_measured, line_places
from anonagram.columns.ranks import Codes, Ranked, by_frequency, reverse_map
from anonagram.columns.recoding import at_positions
from anonagram.errors import InputError
from anonagram.key import Key
from anonagram.schema import ColumnRule, Kind
from anonagram.shown.wording import option
from anonagram.sources import Table

FEWEST_ALIKE = 5
"""In so many rows a new label must stand before what it means is learned from them."""


@dataclass(frozen=True)
class Attribute:
    """One column of both tables."""

    name: str
    ranking: str
    """What its ranks go by: value, order, hierarchy, interval, text or frequency."""
    original: Ranked
    masked: Ranked
    mapped: Codes
    """For each masked value the original one of the same rank: a code of the original."""
    ranges: NDArray[np.int32] | None = None
    """For each masked code the first and last original code it may stand for, where it stands for
    several; -1 for a value that is one. None where all are."""
    is_open: bool = False
    """Whether it has new labels whose meaning rows that belong together could tell."""

    @property
    def is_number(self) -> bool:
        """Whether values lie on a scale, so that noise can be told in its unit."""
        return self.ranking == "value"

    @property
    def mapped_ranks(self) -> NDArray[np.int64]:
        """Twice the rank of every mapped value."""
        return self.original.middles[self.mapped]

    @property
    def has_sets(self) -> bool:
        """Whether some masked cells stand for several values."""
        return self.ranges is not None

    @property
    def same_codes(self) -> NDArray[np.int64]:
        """For every masked cell the code of the same original value; -1 for any other cell."""
        known = self.original.places[:-1]
        found = np.clip(np.searchsorted(known, self.masked.places), 0, max(known.size - 1, 0))
        is_same = np.zeros(found.size, np.bool_)
        if known.size:
            is_same = known[found] == self.masked.places
        if self.ranges is not None:
            is_same &= self.ranges[:, 0] < 0
        return np.where(is_same, found, -1)[self.masked.codes]


@dataclass(frozen=True)
class Both:
    """A column as two tables have it."""

    one: Table
    two: Table
    name: str
    rule: ColumnRule
    folder: Path
    paired: int
    """How many of the first rows are known to belong together."""


def attribute_of(both: Both, key: Key) -> Attribute:
    """Rank a column of both tables, and map the masked values back."""
    codes, domain, kind, _ = encode(both.one, both.name, both.rule)
    measured = is_measured(kind)
    original, cells, ranking = (
        _measured(both, codes, domain, kind) if measured else _named(both, codes, domain, kind)
    )
    is_open = ranking == "frequency" and original.places.size > len(domain) + 1
    purpose = f"reverse mapping/{both.name}"
    mapped = reverse_map(original.codes, cells.masked.codes, key, purpose)
    return Attribute(both.name, ranking, original, cells.masked, mapped, cells.ranges, is_open)


def _measured(both: Both, codes: Codes, domain: pl.Series, kind: Kind) -> tuple[Ranked, Cells, str]:
    rule = replace(both.rule, kind=kind)
    read = measured_cells(both.two, both.name, rule, domain, both.folder)
    if isinstance(read, Cells):
        return Ranked(codes, line_places(domain, kind)), read, "value"
    other_codes, other_domain, other_kind = read
    if other_kind != kind:
        raise InputError(
            f"Column {both.name!r} is {kind} in {both.one.label} and {other_kind} in "
            f"{both.two.label}.",
            "make them of one kind, or leave the column out: "
            f"{option('--column NAME', 'columns=[NAME]')} for the others.",
        )
    if {domain.dtype.base_type(), other_domain.dtype.base_type()} == {pl.Date, pl.Datetime}:
        domain, other_domain = (d.cast(pl.Datetime("us")) for d in (domain, other_domain))
    original = Ranked(codes, line_places(domain, kind))
    return original, Cells(Ranked(other_codes, line_places(other_domain, kind))), "value"


def _named(both: Both, codes: Codes, domain: pl.Series, kind: Kind) -> tuple[Ranked, Cells, str]:
    """Values that are no numbers, at their position in an order."""
    texts = value_texts(domain)
    other_codes, other_domain, _, _ = encode(both.two, both.name, replace(both.rule, kind=kind))
    others, known = value_texts(other_domain), set(texts)
    labels = [text for text in others if text not in known and not is_suppressed(text)]
    rows = pl.Series([*others, None], dtype=pl.String).gather(other_codes)
    found = _labelled(both, codes, domain, labels, rows)
    whole = [*found.order, *(text for text in labels if text not in {*found.ranges, *found.order})]
    original = Ranked(at_positions(codes, texts, whole), _positions(whole))
    cells = Cells.at(other_codes, others, whole, found.ranges, original)
    return original, cells, found.ranking


def _positions(order: Sequence[str]) -> NDArray[np.float64]:
    return line_places(pl.Series(order, dtype=pl.String), "ordinal")


def _labelled(
    both: Both, codes: Codes, domain: pl.Series, labels: list[str], masked: pl.Series
) -> Labelled:
    """The values of a column that are no numbers from first to last, and what new labels mean."""
    rule, texts = both.rule, value_texts(domain)
    if rule.order is not None:
        known = set(rule.order)
        behind = (text for text in texts if text not in known)
        return Labelled((*rule.order, *behind), {}, "order")
    if rule.hierarchy is not None:
        hierarchy = hierarchy_for(both.name, rule.hierarchy, domain, both.folder)
        if hierarchy.tells_alike:
            return by_hierarchy(hierarchy)
    if rule.kind == "ordinal":
        return Labelled(tuple(texts), {}, "order")
    frequent = [
        texts[code] for code in by_frequency(np.bincount(codes, minlength=len(texts))[: len(texts)])
    ]
    if labels:
        read = by_hidden_ends(texts, labels) or by_spans(texts, labels)
        return read or by_meaning(frequent, _meaning(both, codes, texts, labels, masked))
    return Labelled(tuple(frequent), {}, "frequency")


def _meaning(
    both: Both, codes: Codes, texts: list[str], labels: list[str], masked: pl.Series
) -> dict[str, str]:
    """What original values became, where most of their rows got one new label."""
    original = pl.Series([*texts, None], dtype=pl.String).gather(codes[: both.paired])
    rows = pl.DataFrame({"value": original, "label": masked.head(both.paired)}).drop_nulls()
    counts = rows["label"].value_counts(name="rows")
    enough = counts.filter(pl.col("rows") >= FEWEST_ALIKE, pl.col("label").is_in(labels))["label"]
    pairs = rows.group_by("value", "label").len().sort("len", "label", descending=True)
    usual = pairs.unique("value", keep="first", maintain_order=True)
    kept = usual.filter(pl.col("label").is_in(enough.implode()))
    return dict(kept.select("value", "label").iter_rows())
