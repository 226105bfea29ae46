"""Probabilistic anonymity: how many ways a row can have come about, on average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.models.model import Finding, PartwiseModel, Seen, refuse_shape
from anonagram.release import Manifest, Release, Replaced

LARGEST = 1e300
ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class ProbabilisticAnonymity(
    PartwiseModel, call="probabilistic_anonymity", example="probabilistic_anonymity(pa=10)"
):
    """exp of the entropy of what was replaced by what is at least pa (Yang and Qiao 2010, eq 1).

    With one attribute replaced in each row, ln Pa = Σ p (H - ln p) over the attributes, H being the
    entropy of each. With several, ln Pa is the logarithm of the number of sets of attributes, and
    the entropies that a set has on average: the same idea, which the paper does not write down.

    >>> ProbabilisticAnonymity(pa=10)
    probabilistic_anonymity(pa=10)
    """

    in_words = (
        "a row can have come about in {pa:.4g} ways on average; of single rows nothing is promised"
    )

    pa: Annotated[float, AtLeast(1, LARGEST)]
    not_promised = (
        "that a row's origin is hidden. It is an average over ways in which rows can have come about; "
        "who knows how often combinations occur is certain of some rows, and all but few values of a "
        "row are the person's, her sensitive ones always."
    )

    def look(self, release: Release) -> Seen:
        """Recompute it from the published counts and chances."""
        replaced: Replaced | None = getattr(release, "replaced", None)
        if replaced is None:
            refuse_shape(self, release, "looks at the transition of a perturbed release")
        return Seen(_achieved(replaced), 0, 0)

    def conclude(self, seen: Sequence[Seen], manifest: Manifest, shape: type[Release]) -> Finding:  # noqa: ARG002
        """It follows from the counts of all rows, which every part comes with."""
        achieved = min(each.achieved for each in seen)
        holds = achieved >= self.pa * (1 - ROUNDING)
        return Finding(self, holds, achieved, (), 0, 0 if holds else manifest.rows.published)


def _achieved(release: Replaced) -> float:
    transition, count = release.transition, pl.col(release.manifest.layout["count"])
    share = count / count.sum()
    diversity = 0.0
    for name, table in release.marginals.items():
        chance = transition.replaced[name]
        diversity += chance * table.select(-(share * share.log()).sum()).item()
        if transition.attributes == 1 and chance > 0:
            diversity -= chance * math.log(chance)
    if transition.attributes > 1:
        diversity += math.log(math.comb(len(transition.replaced), transition.attributes))
    return math.exp(diversity)
