"""The figures that every release is published with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.measures.ncp import Ncp
from anonagram.measures.posterior import posterior_spread
from anonagram.models.gamma_amplification import GammaAmplification
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.release import GroupedRelease, MaskedRelease, PerturbedRelease, Release


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
    posterior = posterior_spread(release)
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
