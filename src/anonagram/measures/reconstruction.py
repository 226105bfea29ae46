"""How far the densities rebuilt from a release are from the original's (Li et al. 2015, §2.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.microdata import Column


@dataclass(frozen=True)
class Reconstruction:
    """The reconstruction error, and the least that Theorem 2 allows."""

    error: float
    """Σ over rows of (1 - δ c(v))² + Σ over the group's other values of (δ c(v'))²."""
    per_row: float
    theorem_2_bound: float | None
    """Σ of 1 + l δ² - 2 δ, where no value repeats in a group: with repeated values and a small δ the
    error can be lower, which the paper's proof overlooks."""


def reconstruction(
    sensitive: Column, group_of: NDArray[np.int32], delta: NDArray[np.float64], l: float
) -> Reconstruction:
    """Equations 5 to 10 for each row's own δ: presence for a permuted release, 1/|G| for Anatomy."""
    groups = int(group_of.max()) + 1
    pair = group_of.astype(np.int64) * sensitive.cardinality + sensitive.codes
    pairs, which, counts = np.unique(pair, return_inverse=True, return_counts=True)
    squares = np.bincount(
        pairs // sensitive.cardinality, weights=counts.astype(np.float64) ** 2, minlength=groups
    )
    errors = 1 - 2 * delta * counts[which] + delta**2 * squares[group_of]
    bound = None
    if counts.max() == 1:
        bound = float((1 + l * delta**2 - 2 * delta).sum())
    return Reconstruction(float(errors.sum()), float(errors.mean()), bound)
