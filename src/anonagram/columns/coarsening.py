"""Values as coarsely as they are published: the one step between reading a column and every method.

>>> steps = read_steps(["round(to=5)", "clip(high=90)"])
>>> code_of, domain, kind = coarsen(pl.Series([17, 23, 24, 91]), "numeric", steps)
>>> domain.to_list(), code_of.tolist(), kind
([15, 25, 90], [0, 1, 1, 2, 3], 'numeric')
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.columns.hierarchy import Hierarchy, value_texts
from anonagram.columns.places import is_measured, line_places
from anonagram.columns.recoding import codes_among
from anonagram.errors import CallError, SchemaError

if TYPE_CHECKING:
    from anonagram.schema import Kind

UNITS = ("day", "week", "month", "quarter", "year", "decade")


class Coarsening(Call, home="anonagram.columns.coarsenings"):
    """How a value becomes coarser; coarse values stay as they are when it is done again."""

    noun = "way to publish coarser"
    alone = False
    """Whether no other step can stand beside it."""

    @abstractmethod
    def coarser(self, values: pl.Series, hierarchy: Hierarchy | None) -> pl.Series:
        """Each value as it is published."""

    def told(self) -> str:
        """What a published value stands for, in a sentence."""
        return f"published as {self!r}"


Steps = tuple[Coarsening, ...]


@dataclass(frozen=True)
class Finer:
    """What a column was before it was made coarser; only whoever has the original has it."""

    steps: Steps
    domain: pl.Series
    kind: Kind
    code_of: NDArray[np.int32]
    """For each value of the finer domain, and a missing one behind them, its code in the coarser."""

    def loss(self, counts: NDArray[np.int64]) -> float:
        """The detail that was lost: how wide the values behind a published one lie, as NCP measures.

        A share of the whole domain: the span of numbers and ordered values, the number of others;
        the mean over rows, of which each published code has `counts`. Missing values lose nothing.
        """
        widths = self._widths(counts.size)
        return float((widths * counts).sum() / max(counts.sum(), 1))

    def _widths(self, size: int) -> NDArray[np.float64]:
        codes = self.code_of[:-1]
        if self.kind == "nominal":
            members = np.bincount(codes, minlength=size)
            return np.where(members > 1, members / max(codes.size, 1), 0.0)
        places = line_places(self.domain, self.kind if is_measured(self.kind) else "ordinal")[:-1]
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(low, codes, places)
        np.maximum.at(high, codes, places)
        whole = float(places.max() - places.min()) if places.size else 0.0
        return np.where(high > low, (high - low) / (whole or 1.0), 0.0)


def read_steps(given: Any) -> Steps:
    """The steps that a schema names: a call, ``level 2``, ``month``, or a list of these.

    >>> read_steps("level 2"), read_steps(["month"])
    ((level(number=2),), (period(unit="month"),))
    """
    steps = tuple(
        _step(each) for each in ([given] if isinstance(given, str | Coarsening) else given)
    )
    if len(steps) > 1 and any(step.alone for step in steps):
        raise SchemaError(
            f"{next(s for s in steps if s.alone)!r} stands alone.", "take the other steps away."
        )
    return steps


def _step(given: Any) -> Coarsening:
    if isinstance(given, Coarsening):
        return given
    text = str(given).strip()
    if text in UNITS:
        text = f"period({text})"
    elif match := re.fullmatch(r"level\s+(\d+)", text):
        text = f"level({match[1]})"
    try:
        return Coarsening.parse(text)
    except CallError as error:
        raise SchemaError(error.what, error.remedy) from error


def coarser_values(
    values: pl.Series, steps: Steps, hierarchy: Hierarchy | None = None
) -> pl.Series:
    """Each value after all steps."""
    for step in steps:
        values = step.coarser(values, hierarchy)
    return values


def coarsen(
    domain: pl.Series, kind: Kind, steps: Steps, hierarchy: Hierarchy | None = None
) -> tuple[NDArray[np.int32], pl.Series, Kind]:
    """The published code of each value and of a missing one, the published domain, and its kind.

    Numbers stay numbers and dates dates. Labels of values that have an order are ordinal where each
    stands for neighbours only; else no order of theirs would be true.
    """
    values = coarser_values(domain, steps, hierarchy)
    if values.dtype != pl.String:
        published = values.unique().sort()
    else:
        kind = "ordinal" if kind != "nominal" and _are_runs(values) else "nominal"
        has_order = kind == "ordinal" or hierarchy is not None
        published = values.unique(maintain_order=True) if has_order else values.unique().sort()
    codes = np.append(codes_among(published, values, -1), np.int32(len(published)))
    return codes.astype(np.int32), published.alias(domain.name), kind


def _are_runs(labels: pl.Series) -> bool:
    """Whether equal labels stand side by side."""
    return int((labels != labels.shift()).fill_null(True).sum()) == labels.n_unique()


def require_numbers(step: Coarsening, values: pl.Series) -> None:
    """Refuse what is not a number."""
    if not values.dtype.is_numeric():
        raise SchemaError(
            f"{step!r} needs numbers, not {values.dtype}.",
            'add kind = "numeric", or publish = "mask(keep=3)", or a level of a hierarchy.',
        )


def texts(values: pl.Series) -> pl.Series:
    """Values as they are written."""
    if values.dtype == pl.String:
        return values
    return pl.Series(values.name, value_texts(values), dtype=pl.String)


def steps_text(steps: Sequence[Coarsening]) -> str:
    """The steps in words, for whoever reads a published value."""
    return ", then ".join(step.told() for step in steps)
