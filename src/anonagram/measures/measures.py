"""All measures of one release together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.learning import foretell
from anonagram.measures.guessing import row_guesses
from anonagram.measures.masked import MaskedMeasures, measure_masked
from anonagram.measures.measured import Measured, detail_lost
from anonagram.measures.ncp import Ncp
from anonagram.measures.posterior import posterior_spread, tuple_posteriors
from anonagram.measures.presence import presence
from anonagram.measures.ranges import Ranges, sensitive_ranges
from anonagram.measures.reconstruction import Reconstruction, reconstruction
from anonagram.measures.spread import Spread, spread
from anonagram.measures.support import LengthError, errors_by_length
from anonagram.microdata import Microdata
from anonagram.models.gamma_amplification import GammaAmplification
from anonagram.models.l_diversity import LDiversity
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.release import GroupedRelease, Release


@dataclass(frozen=True)
class Measures(Measured):
    """What was measured on one release."""

    shown_by = "measures"

    groups: int
    group_sizes: Spread
    posterior: Spread | None
    """Over rows: the probability of a row's own sensitive value (the headline), if there is any."""
    tuple_posterior: Spread | None
    """Over rows: Theorem 1's probability of rebuilding the whole tuple of a permuted release."""
    sensitive_ranges: dict[str, Ranges]
    """For sensitive numbers: the ranges of groups."""
    ncp: Ncp
    presence: Spread | None
    """Over rows: δ; needs the private mapping."""
    reconstruction: Reconstruction | None
    """Needs the private mapping, and one sensitive column."""


def measure_release(
    release: GroupedRelease, microdata: Microdata, group_of: NDArray[np.int32] | None
) -> Measures:
    """Measure a release; group_of, the group of every original row, is what only a protector has."""
    sizes = release.group_sizes()["rows"]
    delta = None if group_of is None else presence(microdata, release, group_of)
    return Measures(
        method=release.manifest.method,
        rows=release.manifest.rows.published,
        groups=len(sizes),
        group_sizes=spread(sizes.to_numpy(), np.ones(len(sizes))),
        posterior=posterior_spread(release),
        tuple_posterior=_tuple_posterior(release),
        sensitive_ranges=sensitive_ranges(release),
        ncp=Ncp.of(release),
        presence=None if delta is None else spread(delta, np.ones(delta.size)),
        reconstruction=_reconstruct(release, microdata, group_of, delta),
    )


@dataclass(frozen=True)
class OwnMeasures(Measured):
    """Figures that only the shape of a release has."""

    shown_by = "own_measures"

    figures: dict[str, float]


@dataclass(frozen=True)
class PerturbedMeasures(Measured):
    """What was measured on a release with replaced values."""

    shown_by = "perturbed_measures"

    probabilistic_anonymity: float
    gamma_amplification: float
    """The largest of any published row."""
    worst_guess: float | None
    """The best guess of any row's origin by somebody who knows the joint distribution (eq 6)."""
    guess: Spread | None
    """Over rows: that probability."""
    guess_bound: Spread | None
    """Over rows: Proposition 10's bound of it, corrected."""
    supports: tuple[LengthError, ...]
    """How far counts of combinations are off when the rows are read as they stand."""


def measure_perturbed(release: Release, microdata: Microdata) -> PerturbedMeasures:
    """Measure a release with replaced values against its original."""
    replaced = release.replaced
    if replaced is None:
        raise CallError(
            f"No value of a {release.shape} release was replaced.",
            "anonagram measure finds what fits.",
        )
    guesses = row_guesses(replaced, microdata)
    ones = np.ones(release.manifest.rows.published)
    return PerturbedMeasures(
        method=release.manifest.method,
        rows=release.manifest.rows.published,
        probabilistic_anonymity=ProbabilisticAnonymity(1).check(release).achieved,
        gamma_amplification=GammaAmplification(1).check(release).achieved,
        worst_guess=None if guesses is None else float(guesses.probability.max()),
        guess=None if guesses is None else spread(guesses.probability, ones),
        guess_bound=None if guesses is None else spread(guesses.bound, ones),
        supports=errors_by_length(microdata, replaced.transition),
    )


AnyMeasures: TypeAlias = Measures | PerturbedMeasures | MaskedMeasures | OwnMeasures


def measure(
    release: Release, microdata: Microdata, group_of: NDArray[np.int32] | None = None
) -> AnyMeasures:
    """Compare a release of any shape with the table it was made from.

    >>> from anonagram import Anatomy
    >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    >>> measure(Anatomy(l=4).anonymize(data), data).posterior.most
    0.25
    """
    measured = _measure(release, microdata, group_of)
    foretold = tuple(foretell(microdata))
    return replace(measured, detail_lost=detail_lost(microdata), foretold=foretold)


def _measure(
    release: Release, microdata: Microdata, group_of: NDArray[np.int32] | None
) -> AnyMeasures:
    own = release.compare(microdata)
    if own is not None:
        return OwnMeasures(release.manifest.method, microdata.rows, own)
    if release.grouped is not None:
        return measure_release(release.grouped, microdata, group_of)
    if release.replaced is not None:
        return measure_perturbed(release, microdata)
    if release.people is not None:
        return measure_masked(release, microdata)
    raise CallError(
        f"Nothing says how a {release.shape} release is compared with its original: it has neither "
        "groups nor rows of people.",
        f"give {type(release).__name__} a method compare().",
    )


def _tuple_posterior(release: GroupedRelease) -> Spread | None:
    posteriors = tuple_posteriors(release)
    if posteriors is None:
        return None
    return spread(posteriors["posterior"].to_numpy(), posteriors["rows"].to_numpy())


def _reconstruct(
    release: GroupedRelease,
    microdata: Microdata,
    group_of: NDArray[np.int32] | None,
    delta: NDArray[np.float64] | None,
) -> Reconstruction | None:
    sensitive = microdata.with_role("sensitive")
    if group_of is None or delta is None or len(sensitive) != 1:
        return None
    if release.has_whole_rows:
        # exact rows: the density of a row is spread over its group's values only
        delta = 1 / np.bincount(group_of)[group_of]
    l = LDiversity(l=1).check(release).achieved
    return reconstruction(sensitive[0], group_of, delta, l)
