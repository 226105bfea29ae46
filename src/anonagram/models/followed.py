"""How far what groups publish is from the weights of the tree, and these from a target."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.distribution import Distribution, Values
from anonagram.columns.trees import Tree
from anonagram.microdata import Microdata
from anonagram.release import WithSubdomains

Floats = NDArray[np.float64]
ROUNDING = 1e-9
UNKNOWN = ("source", "like")
"""Targets that a release alone does not tell: they are those of a table."""


def targets_off(
    release: WithSubdomains,
    target_of: Callable[[str], Distribution | None],
    original: Microdata | None,
) -> tuple[float, list[str]]:
    """How far weights are from the targets at most, and which targets nobody can compare."""
    furthest, unknown = 0.0, []
    for name in release.sensitive:
        tree = release.tree(name)
        parts = release.targets[name][release.manifest.layout["part"]].to_numpy()
        for root in np.flatnonzero(tree.nodes.parent < 0).tolist():
            part = parts[root]
            target = target_of(name if release.told.parts is None else part)
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


def furthest_off(
    release: WithSubdomains, name: str, tops: NDArray[np.int64] | None = None
) -> pl.DataFrame:
    """Columns group and off: the largest difference of a share of siblings from its weight's.

    Where a group (from 0) has a top, only what lies below it counts.
    """
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
        counting = parents if tops is None else parents.filter(_is_below(tree, tops, parents))
        every = counting.join(siblings, on="parent").join(flow, on=["group", "node"], how="left")
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


def _is_below(tree: Tree, tops: NDArray[np.int64], parents: pl.DataFrame) -> NDArray[np.bool_]:
    """Whether each node lies in its group's top."""
    node, top = parents["parent"].to_numpy(), tops[parents["group"].to_numpy()]
    low, high = tree.nodes.low, tree.nodes.high
    inside: NDArray[np.bool_] = (low[node] >= low[top]) & (high[node] <= high[top])
    return inside


def weights_note(off: float, unknown: list[str]) -> str:
    """What to know about the published weights."""
    if unknown:
        return (
            f"that the published tree has the weights of {unknown[0]}, only the original can tell"
        )
    return f"weights are whole numbers: shares are off by up to {off:.3f} from the target"
