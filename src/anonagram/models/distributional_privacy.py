"""Distributional privacy: every group tells the target, and nothing else, of its people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.distribution import Distribution, IsTarget, Values
from anonagram.columns.trees import Tree
from anonagram.microdata import Microdata
from anonagram.models.model import WORST_SHOWN, Finding, PrivacyModel, refuse_shape
from anonagram.release import Release, WithSubdomains

Floats = NDArray[np.float64]
ROUNDING = 1e-9
UNKNOWN = ("source", "like")
"""Targets that a release alone does not tell: they are those of a table."""


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

    def check(self, release: Release) -> Finding:
        """Follow the published subdomains of every group down the published tree."""
        return self._check(release, None)

    def compare(self, release: Release, original: Microdata) -> Finding:
        """The same, and also whether the tree has the weights of a target that the original tells."""
        return self._check(release, original)

    def _check(self, release: Release, original: Microdata | None) -> Finding:
        subdomains = getattr(release, "subdomains", None)
        if subdomains is None:
            refuse_shape(self, release, "looks at published subdomains")
        frames = [self._levels(subdomains, name) for name in subdomains.sensitive]
        levels = pl.concat(frames)
        broken = levels.filter(pl.col("level") > self.shift + ROUNDING)
        off, unknown = self._targets_off(subdomains, original)
        worst = levels.top_k(WORST_SHOWN, by="level").sort("level", descending=True)
        return Finding(
            model=self,
            holds=broken.is_empty() and off <= self.rounding + ROUNDING,
            achieved=float(levels["level"].max()),  # type: ignore[arg-type]
            worst=tuple(worst.to_dicts()),
            violating_groups=broken["group"].n_unique(),
            violating_rows=int(broken.unique("group")["rows"].sum()),
            note=_note(off, unknown),
        )

    def _levels(self, release: WithSubdomains, name: str) -> pl.DataFrame:
        """For each group how far the shares of siblings are from their weights' at most."""
        furthest = _furthest(release, name)
        sizes = release.group_sizes()
        return sizes.join(furthest, on="group", how="left").select(
            "group",
            pl.lit(name).alias("attribute"),
            "rows",
            pl.col("off").fill_null(0.0).alias("level"),
        )

    def _targets_off(
        self, release: WithSubdomains, original: Microdata | None
    ) -> tuple[float, list[str]]:
        """How far weights are from the targets at most, and which targets nobody can compare."""
        furthest, unknown = 0.0, []
        for name in release.sensitive:
            tree = release.tree(name)
            parts = release.targets[name][release.manifest.layout["part"]].to_numpy()
            for root in np.flatnonzero(tree.nodes.parent < 0).tolist():
                part = parts[root]
                target = self._target(name if release.told.parts is None else part)
                codes = slice(tree.nodes.low[root], tree.nodes.high[root])
                counts = _counts(release, original, name, part, tree.values[codes])
                if target is None or (counts is None and target.call in UNKNOWN):
                    unknown.append(str(target or "no target"))
                    continue
                kind = release.manifest.column(name).kind
                none = np.zeros(len(tree.values[codes]), np.int64)
                values = Values(name, kind, tree.values[codes], none if counts is None else counts)
                masses = np.zeros(len(tree.values))
                masses[codes] = target.masses(values)
                furthest = max(
                    furthest, _weights_off(tree, masses, root, without_missing=counts is None)
                )
        return furthest, unknown

    def _target(self, name: str) -> Distribution | None:
        """The target of a column, or of a part of the table."""
        if isinstance(self.target, str):
            return Distribution.parse(self.target)
        text = self.target.get(name)
        return None if text is None else Distribution.parse(text)


def _furthest(release: WithSubdomains, name: str) -> pl.DataFrame:
    """Columns group and off: the largest difference of a share of siblings from its weight's."""
    tree, slots = release.tree(name), release.slots(name)
    below = tree.nodes.parent >= 0
    sums = np.bincount(tree.nodes.parent[below], tree.weights[below], tree.size)
    share = tree.weights / np.where(below, sums[tree.nodes.parent], 1)
    siblings = pl.DataFrame(
        {"node": np.arange(tree.size), "parent": tree.nodes.parent.astype(np.int64), "share": share}
    ).filter(pl.col("parent") >= 0)
    depth = np.empty(tree.size, np.int64)
    for level, nodes in enumerate(tree.levels):
        depth[nodes] = level
    flow = pl.DataFrame(
        {
            "group": slots.group.astype(np.int64),
            "node": slots.node.astype(np.int64),
            "count": slots.count.astype(np.int64),
        }
    )
    offs = []
    for level in range(len(tree.levels) - 1, 0, -1):
        is_here = depth[flow["node"].to_numpy()] == level
        parents = (
            flow.filter(is_here)
            .join(siblings, on="node")
            .group_by("group", "parent")
            .agg(pl.col("count").sum().alias("total"))
        )
        every = parents.join(siblings, on="parent").join(flow, on=["group", "node"], how="left")
        off = (pl.col("count").fill_null(0) / pl.col("total") - pl.col("share")).abs()
        offs.append(every.select("group", off.alias("off")))
        climbed = parents.select(
            "group", pl.col("parent").alias("node"), pl.col("total").alias("count")
        )
        flow = (
            pl.concat([flow.filter(~is_here), climbed])
            .group_by("group", "node")
            .agg(pl.col("count").sum())
        )
    if not offs:
        return pl.DataFrame(schema={"group": pl.Int32, "off": pl.Float64})
    numbers = release.group_sizes()["group"].sort()
    found = pl.concat(offs).group_by("group").agg(pl.col("off").max())
    return found.with_columns(pl.Series("group", numbers.gather(found["group"])))


def _weights_off(tree: Tree, masses: Floats, root: int, *, without_missing: bool) -> float:
    """How far shares of siblings below a root are from those of masses.

    Where nobody knows how many values are missing, siblings with a missing value are passed over.
    """
    own = (tree.roots == root) & (tree.nodes.parent >= 0)
    if without_missing:
        own &= ~tree.is_missing[tree.nodes.high[np.maximum(tree.nodes.parent, 0)] - 1]
    nodes = np.flatnonzero(own)
    if not nodes.size:
        return 0.0
    ends = np.stack([tree.nodes.low[nodes], tree.nodes.high[nodes]], axis=1).ravel()
    amounts = np.add.reduceat(np.append(masses, 0.0), ends)[::2]
    parents = tree.nodes.parent[nodes]
    wished, told = (
        each / np.bincount(parents, each, tree.size)[parents]
        for each in (amounts, tree.weights[nodes])
    )
    return float(np.abs(wished - told).max())


def _counts(
    release: WithSubdomains, original: Microdata | None, name: str, part: str, values: pl.Series
) -> NDArray[np.int64] | None:
    """How often values occur in a part of the original, where that is at hand."""
    if original is None:
        return None
    column = original.column(name)
    rows = pl.DataFrame({"value": column.decode(column.codes)})
    if release.told.parts is not None:
        by = original.column(release.told.parts)
        texts = by.decode(by.codes).cast(pl.String).fill_null("(missing)")
        rows = rows.filter(texts == part)
    counted = rows.group_by("value").len("count")
    asked = pl.DataFrame({"value": values})
    found = asked.join(counted, on="value", how="left", nulls_equal=True, maintain_order="left")
    return found["count"].fill_null(0).to_numpy().astype(np.int64)


def _note(off: float, unknown: list[str]) -> str:
    if unknown:
        return (
            f"that the published tree has the weights of {unknown[0]}, only the original can tell"
        )
    return f"weights are whole numbers: shares are off by up to {off:.3f} from the target"
