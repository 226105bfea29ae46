"""Who in a release may be a person, and how likely each of them is.

For every shape the same question: how likely is it that a group (or a row) shows what is known
about the person, if she is in it?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.release import MOVED, Release, Replaced
from anonagram.verify.record import Sought
from anonagram.verify.view import Sets, View

Floats = NDArray[np.float64]
Known = Mapping[str, Sought]
"""The values that are known."""
ROUNDING = 1e-9
FURTHEST_NOISE = 6.0
"""In standard deviations; one draw in 500 million lies further."""


@dataclass(frozen=True)
class Candidates:
    """The groups or rows that may be the person's."""

    weights: Floats
    """A likelihood for each group, or for each row where there are no groups."""
    rows: int
    """How many rows they have together."""
    groups: int | None
    """How many groups there are among them; None where there are none at all."""


def find_candidates(view: View, known: Known) -> Candidates:
    """The candidates of a person of whom these values are known."""
    if view.sizes.size:
        weights = _group_weights(view, known)
        is_candidate = weights > 0
        return Candidates(weights, int(view.sizes[is_candidate].sum()), int(is_candidate.sum()))
    if view.release.replaced is not None:
        weights = _replaced_weights(view, view.release.replaced, known)
    else:
        weights = _masked_weights(view, view.release, known)
    return Candidates(weights, int((weights > 0).sum()), None)


def _group_weights(view: View, known: Known) -> Floats:
    weights = view.sizes.astype(np.float64)
    for part in view.parts:
        asked = [name for name in part.columns if name in known]
        if asked:
            # rows stand whole: the share of those with all of her values in the group
            matches = np.ones(part.group_of.size)
            for name in asked:
                matches[view.people[name] != known[name].code] = 0.0
            found = np.bincount(part.group_of, matches, view.sizes.size)
            weights = weights * found / view.sizes
    for name in view.spans:
        if name in known:
            weights = weights * _is_possible(view, name, known[name])
    is_other = np.arange(weights.size) != view.hidden
    if all(name in known for name in view.known) and (weights[is_other] > 0).any():
        # of whoever fits another group that is told, and she is in it
        weights = weights * is_other
    return weights


def _is_possible(view: View, name: str, value: Sought) -> NDArray[np.bool_]:
    """Which groups can hold a value, by the range or set that they tell."""
    told, column = view.spans[name], view.columns[name]
    if isinstance(told, Sets):
        found = np.concatenate([[0], np.cumsum(told.codes == value.code)])
        return np.asarray(found[told.starts[1:]] > found[told.starts[:-1]])
    if np.isinf(value.place):
        return told.has_missing
    low, high = column.places[told.low], column.places[told.high]
    is_inside = (low <= value.place) & (value.place <= high)
    return np.asarray(is_inside & ~told.is_empty)


def _replaced_weights(view: View, release: Replaced, known: Known) -> Floats:
    """How likely each row's values came from hers by random replacements (Yang and Qiao 2010)."""
    rows = release.manifest.rows
    codes_of = {name: value.code for name, value in known.items()}
    replaced = [name for name in known if name in view.marginals]
    differs = np.zeros(rows.published, np.int64)
    weights = np.ones(rows.published)
    for place, name in enumerate(replaced):
        codes = view.people[name]
        other = codes != codes_of[name]
        differs |= np.where(other, 1 << place, 0)
        weights = np.where(other, weights * view.marginals[name][codes] / rows.original, weights)
    own = [_share(view, name, codes_of[name]) for name in replaced]
    masks, which = np.unique(differs, return_inverse=True)
    weights *= np.array([_chance(release, replaced, own, int(mask)) for mask in masks])[which]
    for name, code in codes_of.items():  # the others are as they were
        if name not in view.marginals:
            weights[view.people[name] != code] = 0.0
    return weights


def _share(view: View, name: str, code: int) -> float:
    counts = view.marginals[name]
    return float(counts[code] / counts.sum()) if code >= 0 else 0.0


def _chance(release: Replaced, names: list[str], own: list[float], mask: int) -> float:
    """The chance that what differs was replaced, and what does not was not or became the same."""
    transition = release.transition
    total, size = len(transition.replaced), transition.attributes
    differing = [j for j in range(len(names)) if mask >> j & 1]
    same = [j for j in range(len(names)) if not mask >> j & 1]
    if size == 1:
        if len(differing) > 1:
            return 0.0
        if differing:
            return transition.replaced[names[differing[0]]]
        unknown = 1.0 - sum(transition.replaced[name] for name in names)
        return unknown + sum(transition.replaced[names[j]] * own[j] for j in same)
    chance = 0.0
    became_same = _sums_of_products([own[j] for j in same], size)
    for more in range(min(size - len(differing), len(same)) + 1):
        rest = size - len(differing) - more  # among the columns that are not known
        chance += math.comb(total - len(names), rest) * became_same[more]
    return chance / math.comb(total, size)


def _sums_of_products(numbers: list[float], most: int) -> list[float]:
    """For each count up to most: the sum over all choices of so many numbers of their product."""
    sums = [1.0, *[0.0] * most]
    for number in numbers:
        for count in range(most, 0, -1):
            sums[count] += sums[count - 1] * number
    return sums


def _masked_weights(view: View, release: Release, known: Known) -> Floats:
    """How likely each row shows what it does if it is hers, by what the release tells of masking."""
    rows = release.manifest.rows.published
    weights = np.ones(rows)
    for name, value in known.items():
        masking, codes = release.masked.get(name), view.people[name]
        if masking is None:
            weights[codes != value.code] = 0.0
        elif masking.within is not None:  # no further than told
            column = view.ranked(name)
            # a column whose values only moved has all of the original's
            middle = column.middles[value.code] if value.code >= 0 else -np.inf
            furthest = 2 * masking.within * rows * (1 + ROUNDING)
            weights[np.abs(column.ranks - middle) > furthest] = 0.0
        elif masking.noise is not None:
            weights *= _noise_weights(view.ranked(name).values, value.place, masking.noise)
        elif masking.how == MOVED:  # it took no part, or came from anywhere
            # as against somebody else's row, which has the value as often as the column
            is_same = codes == value.code
            weights *= 1 - masking.kept + masking.kept * is_same / max(is_same.mean(), 1 / rows)
    return weights


def _noise_weights(values: Floats, place: float, noise: float) -> Floats:
    """The density of the noise between a value and each published one; none beyond six deviations."""
    if np.isinf(place):
        return np.isinf(values).astype(np.float64)
    away = (values - place) / (noise or ROUNDING)
    with np.errstate(over="ignore"):
        return np.where(np.abs(away) <= FURTHEST_NOISE, np.exp(-0.5 * away**2), 0.0)
