"""What masking costs: how far statistics of a masked table are from the original's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.places import is_measured
from anonagram.columns.spans import to_units
from anonagram.errors import CallError
from anonagram.measures.measured import Measured
from anonagram.microdata import Column, Microdata
from anonagram.release import Release


@dataclass(frozen=True)
class ColumnLoss:
    """How one masked column's distribution changed."""

    name: str
    how: str
    """Whether its values moved or changed; moved ones keep their distribution."""
    mean_shift: float | None
    """The difference of means, in standard deviations of the original; None without values."""
    deviation_ratio: float | None
    """The masked standard deviation over the original's."""


@dataclass(frozen=True)
class MaskedMeasures(Measured):
    """What was measured on a masked table."""

    shown_by = "masked_measures"

    rows_alone: int
    """Rows that share their published quasi-identifiers with no other."""
    columns: tuple[ColumnLoss, ...]
    mean_correlation_error: float | None
    """Over all pairs of numeric columns of which one was masked."""
    largest_correlation_error: float | None


def measure_masked(release: Release, microdata: Microdata) -> MaskedMeasures:
    """Measure a masked table against its original; no record is compared with its image."""
    rows = release.people
    if rows is None:
        raise CallError(
            f"This release ({release.shape}) has no masked row for each person.",
            "anonagram measure finds what fits.",
        )
    names = [c.name for c in microdata.columns if is_measured(c.kind)]
    before = {name: _numbers(microdata.column(name)) for name in names}
    after = {name: _places(rows[name]) for name in names}
    losses = [
        ColumnLoss(name, release.masked[name].how, *_change(before[name], after[name]))
        for name in names
        if name in release.masked
    ]
    errors = [
        abs(_correlation(before[a], before[b]) - _correlation(after[a], after[b]))
        for i, a in enumerate(names)
        for b in names[:i]
        if a in release.masked or b in release.masked
    ]
    quasi = release.manifest.named("quasi")
    return MaskedMeasures(
        method=release.manifest.method,
        rows=release.manifest.rows.published,
        rows_alone=int(rows.select(quasi).is_unique().sum()) if quasi else 0,
        columns=tuple(losses),
        mean_correlation_error=float(np.mean(errors)) if errors else None,
        largest_correlation_error=max(errors) if errors else None,
    )


def _numbers(column: Column) -> NDArray[np.float64]:
    return _places(column.decode(column.codes))


def _places(values: pl.Series) -> NDArray[np.float64]:
    """Numbers and dates on a line, a missing one at NaN."""
    return to_units(values).fill_null(float("nan")).to_numpy()


def _change(
    before: NDArray[np.float64], after: NDArray[np.float64]
) -> tuple[float | None, float | None]:
    if np.isnan(before).all() or np.isnan(after).all():
        return None, None
    size = float(np.nanstd(before)) or 1.0
    shift = (np.nanmean(after) - np.nanmean(before)) / size
    return float(shift), float(np.nanstd(after) / size)


def _correlation(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """Over rows in which neither is missing; 0 where one does not vary."""
    there = ~(np.isnan(one) | np.isnan(two))
    if not there.any():
        return 0.0
    a, b = one[there] - one[there].mean(), two[there] - two[there].mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else 0.0
