"""The figures that every release is published with."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.measures.ncp import Ncp
from anonagram.measures.posterior import posterior_spread
from anonagram.models.gamma_amplification import GammaAmplification
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.release import Figures, GroupedRelease, Manifest, Release, Replaced


def measure_published(release: Release) -> Figures:
    """Risk and utility for the manifest: what the published tables alone tell, and nothing more.

    Presence and reconstruction depend on the links a method hides; published with all their digits,
    they would give some of them away.
    """
    own = release.figures()
    if own is not None:
        return own
    if release.replaced is not None:
        return _measure_transition(release, release.replaced)
    if release.grouped is not None:
        return _measure_groups(release.grouped)
    raise CallError(
        f"Nothing says what a {release.shape} release risks: it has no groups, no values replaced "
        "by chance, and no figures of its own.",
        f"give {type(release).__name__} a method figures().",
    )


def headline_of(manifest: Manifest) -> str | None:
    """What the published tables alone say about the worst, in words; None where only others can tell."""
    risk = manifest.risk
    if (alone := risk.get("rows_with_unique_quasi_identifiers")) is not None:
        return (
            f"{alone:.0%} of the published rows are the only ones with their quasi-identifiers. Whether "
            "they lead to the people they were made of, anonagram audit finds out with the original."
        )
    if (most := risk.get("highest_posterior")) is not None:
        is_any = all(column.role != "sensitive" for column in manifest.columns)
        what = (
            "some value of hers (no column was said to be sensitive)"
            if is_any
            else "a sensitive value of hers"
        )
        return (
            f"Whoever knows a person's group guesses {what} with a chance of up to "
            f"{most:.0%} by the group alone; learning from all groups he may be surer."
        )
    if (most := risk.get("highest_reidentification")) is not None:
        return (
            f"Whoever knows a person guesses which row is hers with a chance of up to {most:.0%}."
        )
    if (times := risk.get("gamma_amplification")) is not None:
        likelier = "certain" if math.isinf(times) else f"{times:,.0f} times likelier than another"
        return (
            f"One origin of a row can be {likelier} to somebody who knows how values were replaced. "
            "How many rows he leads back to their people, anonagram attack finds out with the original."
        )
    return None


def _measure_groups(release: GroupedRelease) -> Figures:
    # first what nothing else waits for: promises count the values meanwhile
    ncp = Ncp.of(release).per_cell
    sizes = release.group_sizes()["rows"].to_numpy()
    utility = {"mean_group_size": float(sizes.mean()), "ncp_per_cell": ncp}
    return _group_risk(release, sizes), utility


def _group_risk(release: GroupedRelease, sizes: NDArray[np.int64]) -> dict[str, float]:
    """Of guessing a sensitive value; where nothing is sensitive, of guessing whose row it is."""
    posterior = posterior_spread(release)
    if posterior is not None:
        return {"highest_posterior": posterior.most, "mean_posterior": posterior.mean}
    return {
        "highest_reidentification": 1 / float(sizes.min()),
        "mean_reidentification": sizes.size / float(sizes.sum()),
    }


def _measure_transition(release: Release, replaced: Replaced) -> Figures:
    risk = {
        "probabilistic_anonymity": ProbabilisticAnonymity(1).check(release).achieved,
        "gamma_amplification": GammaAmplification(1).check(release).achieved,
    }
    share = replaced.transition.attributes / len(replaced.marginals)
    return risk, {"share_of_cells_replaced": share}
