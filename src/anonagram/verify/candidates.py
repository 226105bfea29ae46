"""Who in a release may be a person, and how likely each of them is.

For every shape the same question: how likely is it that a group (or a row) shows what is known
about the person, if she is in it?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from anonagram.release import AnatomizedRelease, MaskedRelease, PermutedRelease, PerturbedRelease
from anonagram.verify.view import Sets, View

Floats = NDArray[np.float64]
Known = Mapping[str, float]
"""Where each value that is known lies in its column."""
ROUNDING = 1e-9


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
    release = view.release
    if isinstance(release, PerturbedRelease):
        weights = _replaced_weights(view, release, known)
    elif isinstance(release, MaskedRelease):
        weights = _masked_weights(view, release, known)
    else:
        weights = _group_weights(view, known)
        is_candidate = weights > 0
        return Candidates(weights, int(view.sizes[is_candidate].sum()), int(is_candidate.sum()))
    return Candidates(weights, int((weights > 0).sum()), None)


def _group_weights(view: View, known: Known) -> Floats:
    if isinstance(view.release, AnatomizedRelease):
        # rows stand whole: those with all of her values, in each group
        matches = np.ones(view.release.manifest.rows)
        for name, place in known.items():
            matches[view.people[name] != view.columns[name].code_at(place)] = 0.0
        return np.bincount(view.group_of, matches, view.sizes.size).astype(np.float64)
    weights = view.sizes.astype(np.float64)
    for name, place in known.items():
        if isinstance(view.release, PermutedRelease):
            # every column by itself: the share of her value in the group
            found = (view.people[name] == view.columns[name].code_at(place)).astype(np.float64)
            shares = np.bincount(view.group_of, weights=found, minlength=view.sizes.size)
            weights = weights * shares / view.sizes
        else:
            weights = weights * _is_possible(view, name, place)
    return weights


def _is_possible(view: View, name: str, place: float) -> NDArray[np.bool_]:
    """Which groups of a generalized release can hold a value."""
    told, column = view.spans[name], view.columns[name]
    if isinstance(told, Sets):
        found = np.concatenate([[0], np.cumsum(told.codes == column.code_at(place))])
        return np.asarray(found[told.starts[1:]] > found[told.starts[:-1]])
    if np.isinf(place):
        return told.has_missing
    is_inside = (column.places[told.low] <= place) & (place <= column.places[told.high])
    return np.asarray(is_inside & ~told.is_empty)


def _replaced_weights(view: View, release: PerturbedRelease, known: Known) -> Floats:
    """How likely each row's values came from hers by random replacements (Yang and Qiao 2010)."""
    rows = release.manifest.rows
    codes_of = {name: view.columns[name].code_at(place) for name, place in known.items()}
    replaced = [name for name in known if name in view.marginals]
    differs = np.zeros(rows, np.int64)
    weights = np.ones(rows)
    for place, name in enumerate(replaced):
        codes = view.people[name]
        other = codes != codes_of[name]
        differs |= np.where(other, 1 << place, 0)
        weights = np.where(other, weights * view.marginals[name][codes] / rows, weights)
    own = [_share(view, name, codes_of[name]) for name in replaced]
    for mask in np.unique(differs):
        weights[differs == mask] *= _chance(release, replaced, own, int(mask))
    for name, code in codes_of.items():  # the others are as they were
        if name not in view.marginals:
            weights[view.people[name] != code] = 0.0
    return weights


def _share(view: View, name: str, code: int) -> float:
    counts = view.marginals[name]
    return float(counts[code] / counts.sum()) if code >= 0 else 0.0


def _chance(release: PerturbedRelease, names: list[str], own: list[float], mask: int) -> float:
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
    for more in range(size - len(differing) + 1):
        rest = size - len(differing) - more  # among the columns that are not known
        ways = math.comb(total - len(names), rest)
        became_same = sum(math.prod(own[j] for j in chosen) for chosen in combinations(same, more))
        chance += ways * became_same
    return chance / math.comb(total, size)


def _masked_weights(view: View, release: MaskedRelease, known: Known) -> Floats:
    """Rows that can be hers: unmasked values agree, moved ones did not move further than told."""
    is_candidate = np.ones(release.manifest.rows, np.bool_)
    for name, place in known.items():
        code, masking = view.columns[name].code_at(place), release.masked.get(name)
        if masking is None:
            is_candidate &= view.people[name] == code
        elif masking.within is not None:
            if code < 0:  # a column whose values only moved has all of the original's
                return np.zeros(release.manifest.rows)
            column = view.ranked(name)
            furthest = 2 * masking.within * release.manifest.rows * (1 + ROUNDING)
            is_candidate &= np.abs(column.ranks - column.middles[code]) <= furthest
    return is_candidate.astype(np.float64)
