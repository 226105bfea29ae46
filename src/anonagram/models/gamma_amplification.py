"""γ-amplification: no origin of a published row is much likelier than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.kernels.amplification import amplify
from anonagram.models.model import Finding, PartwiseModel, Seen, refuse_shape
from anonagram.release import Manifest, Release, Replaced

LARGEST = 1e300
ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class GammaAmplification(
    PartwiseModel, call="gamma_amplification", example="gamma_amplification(gamma=100)"
):
    """Of all origins a published row can have, none is more than γ times as likely as another.

    Evfimievski et al. (2003), as Yang and Qiao (2010, section 4.2.1) apply it: an origin differs
    from the row in no more attributes than were replaced, and its likelihood is the chance that
    those, and any others, were replaced by what stands there. Attributes that are never replaced do
    not count. The level is the largest ratio of any row.

    >>> GammaAmplification(gamma=100)
    gamma_amplification(gamma=100)
    """

    in_words = "no origin of a row is more than {gamma:.4g} times likelier than another"

    gamma: Annotated[float, AtLeast(1, LARGEST)]
    not_promised = (
        "that a row's origin is hidden. It limits how much more likely one origin is than another; "
        "where few are likely beforehand, who knows that is sure. Sensitive values stand in their rows."
    )

    def look(self, release: Release) -> Seen:
        """Recompute it for every published row."""
        replaced: Replaced | None = getattr(release, "replaced", None)
        if replaced is None:
            refuse_shape(self, release, "looks at the transition of a perturbed release")
        ratios = row_amplification(replaced)
        worst = float(ratios.max())
        violating = int(np.count_nonzero(ratios > self.gamma * (1 + ROUNDING)))
        return Seen(worst, 0, violating)

    def conclude(self, seen: Sequence[Seen], manifest: Manifest, shape: type[Release]) -> Finding:  # noqa: ARG002
        """The worst row of all."""
        violating = sum(each.violating_rows for each in seen)
        worst = max(each.achieved for each in seen)
        return Finding(self, violating == 0, worst, (), 0, violating)


def row_amplification(release: Replaced) -> NDArray[np.float64]:
    """γ of every published row."""
    weights = attribute_weights(release)
    replaced = list(release.transition.replaced.values())
    result = np.empty(weights.shape[0])
    can_change = np.array(replaced) > 0
    amplify(np.ascontiguousarray(weights[:, can_change]), release.transition.attributes, result)
    return result


def attribute_weights(release: Replaced) -> NDArray[np.float64]:
    """For each published row and attribute: the chance to be replaced, and by this very value."""
    count, columns = release.manifest.layout["count"], []
    for name, table in release.marginals.items():
        chance = release.transition.replaced[name] if release.transition.attributes == 1 else 1.0
        shares = table.select(
            pl.col(name).alias("value"), share=pl.col(count) / pl.col(count).sum()
        )
        rows = pl.DataFrame({"value": release.rows[name]})
        found = rows.join(shares, on="value", how="left", nulls_equal=True, maintain_order="left")
        columns.append(found["share"].to_numpy() * chance)
    return np.stack(columns, axis=1)
