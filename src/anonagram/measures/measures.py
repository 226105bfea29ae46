"""All measures of one release together."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.measures.guessing import row_guesses
from anonagram.measures.ncp import Ncp
from anonagram.measures.posterior import row_posteriors, tuple_posteriors
from anonagram.measures.presence import presence
from anonagram.measures.ranges import Ranges, sensitive_ranges
from anonagram.measures.reconstruction import Reconstruction, reconstruction
from anonagram.measures.spread import Spread, spread
from anonagram.measures.support import LengthError, errors_by_length
from anonagram.microdata import Microdata
from anonagram.models.gamma_amplification import GammaAmplification
from anonagram.models.l_diversity import LDiversity
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.release import (
    AnatomizedRelease,
    GroupedRelease,
    MaskedRelease,
    PermutedRelease,
    PerturbedRelease,
    Release,
)


@dataclass(frozen=True)
class Measures:
    """What was measured on one release."""

    method: str
    rows: int
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

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram measure --json` prints."""
        return asdict(self)


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
        posterior=_posterior(release),
        tuple_posterior=_tuple_posterior(release),
        sensitive_ranges=sensitive_ranges(release),
        ncp=Ncp.of(release),
        presence=None if delta is None else spread(delta, np.ones(delta.size)),
        reconstruction=_reconstruct(release, microdata, group_of, delta),
    )


@dataclass(frozen=True)
class PerturbedMeasures:
    """What was measured on a release with replaced values."""

    method: str
    rows: int
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

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram measure --json` prints."""
        return asdict(self)


def measure_perturbed(release: PerturbedRelease, microdata: Microdata) -> PerturbedMeasures:
    """Measure a release with replaced values against its original."""
    guesses = row_guesses(release, microdata)
    ones = np.ones(release.manifest.rows.published)
    return PerturbedMeasures(
        method=release.manifest.method,
        rows=release.manifest.rows.published,
        probabilistic_anonymity=ProbabilisticAnonymity(1).check(release).achieved,
        gamma_amplification=GammaAmplification(1).check(release).achieved,
        worst_guess=None if guesses is None else float(guesses.probability.max()),
        guess=None if guesses is None else spread(guesses.probability, ones),
        guess_bound=None if guesses is None else spread(guesses.bound, ones),
        supports=errors_by_length(microdata, release.transition),
    )


def measure_published(release: Release) -> tuple[dict[str, float], dict[str, float]]:
    """Risk and utility for the manifest: what the published tables alone tell, and nothing more.

    Presence and reconstruction depend on the links a method hides; published with all their digits,
    they would give some of them away.
    """
    if isinstance(release, PerturbedRelease):
        return _measure_transition(release)
    if isinstance(release, MaskedRelease):
        return _measure_masked_rows(release)
    if not isinstance(release, GroupedRelease):
        return {}, {}
    sizes = release.group_sizes()["rows"].to_numpy()
    return _group_risk(release, sizes), {
        "mean_group_size": float(sizes.mean()),
        "ncp_per_cell": Ncp.of(release).per_cell,
    }


def _group_risk(release: GroupedRelease, sizes: NDArray[np.int64]) -> dict[str, float]:
    """Of guessing a sensitive value; where nothing is sensitive, of guessing whose row it is."""
    posterior = _posterior(release)
    if posterior is not None:
        return {"highest_posterior": posterior.most, "mean_posterior": posterior.mean}
    return {
        "highest_reidentification": 1 / float(sizes.min()),
        "mean_reidentification": sizes.size / float(sizes.sum()),
    }


def _measure_transition(release: PerturbedRelease) -> tuple[dict[str, float], dict[str, float]]:
    risk = {
        "probabilistic_anonymity": ProbabilisticAnonymity(1).check(release).achieved,
        "gamma_amplification": GammaAmplification(1).check(release).achieved,
    }
    replaced = release.transition.attributes / len(release.marginals)
    return risk, {"share_of_cells_replaced": replaced}


def _measure_masked_rows(release: MaskedRelease) -> tuple[dict[str, float], dict[str, float]]:
    """How many rows stand out among the masked ones; how they can be linked needs the original."""
    sizes = release.group_sizes()["rows"]
    alone = int((sizes == 1).sum()) / release.manifest.rows.published
    masked = len(release.masked) / len(release.manifest.columns)
    return {"rows_with_unique_quasi_identifiers": alone}, {"share_of_columns_masked": masked}


def _posterior(release: GroupedRelease) -> Spread | None:
    posteriors = row_posteriors(release)
    if posteriors.is_empty():
        return None
    return spread(posteriors["posterior"].to_numpy(), posteriors["rows"].to_numpy())


def _tuple_posterior(release: GroupedRelease) -> Spread | None:
    if not isinstance(release, PermutedRelease):
        return None
    posteriors = tuple_posteriors(release)
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
    if isinstance(release, AnatomizedRelease):
        # exact rows: the density of a row is spread over its group's values only
        delta = 1 / np.bincount(group_of)[group_of]
    l = LDiversity(l=1).check(release).achieved
    return reconstruction(sensitive[0], group_of, delta, l)
