"""Additive noise: every number moves a little, by itself or with the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.spans import to_units
from anonagram.key import Key
from anonagram.methods.masking import (
    Columns,
    MaskingMethod,
    from_numbers,
    mean_and_deviation,
    numbers_of,
)
from anonagram.microdata import Column, Microdata
from anonagram.release import CHANGED, Masking
from anonagram.runtime.threads import in_threads

Scale = Annotated[float, Between(0, 1_000_000)]
SCALES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0)


class NoiseMethod(MaskingMethod):
    """A method that adds noise of a size to numbers and dates."""

    scale: Scale
    how = CHANGED
    needs_numbers = True
    strength = "scale"
    strengths = SCALES

    def masking(self, column: Column) -> Masking:
        """How large the noise is."""
        return Masking(self.how, noise=noise_size(column, self.scale))


@dataclass(frozen=True, repr=False)
class Noise(NoiseMethod, call="noise", example="noise(scale=0.2)"):
    """Add to every value a normal draw whose standard deviation is scale times the column's.

    >>> from anonagram import Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "pay": [3, 4, 3, 6]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "plain"})
    >>> Noise(scale=0.5).anonymize(data, Key(bytes(32))).rows["age"].sort().to_list()
    [40, 44, 60, 65]
    """

    scale: Scale = 0.2
    """0.2 for noise with a fifth of the column's standard deviation."""
    columns: Columns = "quasi"
    """Which columns: quasi, sensitive, both, or a list of names."""

    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> list[pl.Series]:  # noqa: ARG002
        """Each column with noise of its own."""

        def add(column: Column) -> pl.Series:
            values = numbers_of(column)
            noise = normal_draws(key, f"{self!r}/{column.name!r}", values.size)
            _, deviation = mean_and_deviation(column)
            return from_numbers(values + self.scale * deviation * noise, column)

        return in_threads(add, [(column,) for column in chosen])


@dataclass(frozen=True, repr=False)
class CorrelatedNoise(NoiseMethod, call="correlated_noise", example="correlated_noise(scale=0.2)"):
    """Add noise whose covariances are those of the columns, times scale squared (Kim 1986).

    Correlations between the columns stay as they are, where independent noise would weaken them.

    >>> CorrelatedNoise(scale=0.5)
    correlated_noise(scale=0.5, columns="quasi")
    """

    scale: Scale = 0.2
    """0.2 for noise with a fifth of each column's standard deviation."""
    columns: Columns = "quasi"
    """Which columns: quasi, sensitive, both, or a list of names."""
    undivided = "how columns vary together does not follow from how often each value occurs"

    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> list[pl.Series]:
        """All columns with draws that go together as their values do."""
        values = [numbers_of(column) for column in chosen]
        draws = np.column_stack(
            [normal_draws(key, f"{self!r}/{c.name!r}", microdata.rows) for c in chosen]
        )
        noise = self.scale * draws @ root(covariances(values))
        masked = [(each + noise[:, j], chosen[j]) for j, each in enumerate(values)]
        return in_threads(from_numbers, masked)


def noise_size(column: Column, scale: float) -> float:
    """The standard deviation of the noise in the column's unit, in a few digits."""
    _, deviation = mean_and_deviation(column, to_units(column.domain).to_numpy())
    return float(f"{scale * deviation:.6g}")


def normal_draws(key: Key, purpose: str, count: int) -> NDArray[np.float64]:
    """Draws from the standard normal distribution, from 53 random bits each."""
    from scipy.special import ndtri

    words = key.words(purpose, 2 * count).astype(np.uint64)
    bits = (words[0::2] << np.uint64(21)) ^ (words[1::2] >> np.uint64(11))
    return np.asarray(ndtri((bits.astype(np.float64) + 0.5) / 2.0**53))


def covariances(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Of the columns, a missing value counting as its column's mean."""
    centred = []
    for each in values:
        away = each - np.nanmean(each)
        centred.append(np.where(np.isnan(away), 0.0, away))
    table = np.column_stack(centred)
    return np.asarray(table.T @ table / len(table))


def root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric root of a covariance matrix; what rounding made negative counts as 0."""
    sizes, directions = np.linalg.eigh(covariance)
    return np.asarray((directions * np.sqrt(np.maximum(sizes, 0.0))) @ directions.T)
