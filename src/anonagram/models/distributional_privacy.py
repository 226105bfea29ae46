"""Distributional privacy: every group tells the target, and nothing else, of its people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.distribution import Distribution, IsTarget
from anonagram.microdata import Microdata
from anonagram.models.followed import ROUNDING, furthest_off, targets_off, weights_note
from anonagram.models.model import WORST_SHOWN, Finding, PrivacyModel, refuse_shape
from anonagram.release import Release, WithSubdomains


@dataclass(frozen=True, repr=False)
class DistributionalPrivacy(
    PrivacyModel,
    call="distributional_privacy",
    example='distributional_privacy(target="uniform", rounding=0.1)',
):
    """Zhang (2007, Definition 3.3.1): the subdomains of every group together tell the target.

    At every node of the tree, the values that go on to its children have the ratio of their
    weights; shares may be off by `shift`. The weights themselves are whole numbers, and their shares
    off by no more than `rounding` from the target's.
    """

    target: Annotated[str, IsTarget()] | Mapping[str, Annotated[str, IsTarget()]]
    shift: Annotated[float, Between(0, 1)] = 0.0
    rounding: Annotated[float, Between(0, 1)] = 0.0
    not_promised = (
        "anything about two people of a group together, or about somebody who knows what others of it "
        "have: a target is a belief about one person."
    )

    def check(self, release: Release) -> Finding:
        """Follow the published subdomains of every group down the published tree."""
        return self._check(release, None)

    def compare(
        self,
        release: Release,
        original: Microdata,
        group_of: NDArray[np.int32] | None = None,  # noqa: ARG002
    ) -> Finding:
        """The same, and also whether the tree has the weights of a target that the original tells."""
        return self._check(release, original)

    def _check(self, release: Release, original: Microdata | None) -> Finding:
        subdomains = getattr(release, "subdomains", None)
        if subdomains is None:
            refuse_shape(self, release, "looks at published subdomains")
        frames = [self._levels(subdomains, name) for name in subdomains.sensitive]
        levels = pl.concat(frames)
        broken = levels.filter(pl.col("level") > self.shift + ROUNDING)
        off, unknown = targets_off(subdomains, self._target, original)
        worst = levels.top_k(WORST_SHOWN, by="level").sort("level", descending=True)
        return Finding(
            model=self,
            holds=broken.is_empty() and off <= self.rounding + ROUNDING,
            achieved=float(levels["level"].max()),  # type: ignore[arg-type]
            worst=tuple(worst.to_dicts()),
            violating_groups=broken["group"].n_unique(),
            violating_rows=int(broken.unique("group")["rows"].sum()),
            note=weights_note(off, unknown),
        )

    def _levels(self, release: WithSubdomains, name: str) -> pl.DataFrame:
        """For each group how far the shares of siblings are from their weights' at most."""
        furthest = furthest_off(release, name)
        sizes = release.group_sizes()
        return sizes.join(furthest, on="group", how="left").select(
            "group",
            pl.lit(name).alias("attribute"),
            "rows",
            pl.col("off").fill_null(0.0).alias("level"),
        )

    def _target(self, name: str) -> Distribution | None:
        """The target of a column, or of a part of the table."""
        if isinstance(self.target, str):
            return Distribution.parse(self.target)
        text = self.target.get(name)
        return None if text is None else Distribution.parse(text)
