"""A release whose groups tell subdomains of sensitive values, as checks and questions see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.trees import LARGEST, Tree, node_masses
from anonagram.errors import CallError
from anonagram.kernels.subdomains import Pushed, highest_belief, place_nodes
from anonagram.microdata import Microdata
from anonagram.release.decoding import Whole
from anonagram.release.grouped import QuasiRowsRelease
from anonagram.release.release import Figures, numbered
from anonagram.shown.wording import how_many

MOST_EXPECTED = 1_000_000
"""Values of all groups whose probabilities are told one by one."""
EVERYBODY = "all"
"""The part of a table that has one target."""

ENDS = ("low", "high", "missing")
"""What is told of a subdomain: lowest and highest value, and whether it may also be missing."""


@dataclass(frozen=True)
class Subdomains:
    """What only such a release tells."""

    fakes: Mapping[str, Whole] = field(default_factory=dict)
    """How many of each attribute's published subdomains are nobody's; not which."""
    parts: str | None = None
    """The column whose value decides which target a group follows."""


@dataclass(frozen=True, repr=False)
class WithSubdomains(QuasiRowsRelease):
    """Exact rows, and for each group how often each subdomain of an attribute occurs in it."""

    sensitive: Mapping[str, pl.DataFrame]
    """For each sensitive attribute: group, lowest, highest, whether missing, count."""
    targets: Mapping[str, pl.DataFrame]
    """For each sensitive attribute: part, node, parent, lowest, highest, whether missing, weight."""

    @property
    def subdomains(self) -> Self:
        """It has."""
        return self

    def target_of(self, attribute: str) -> str:
        """The name of the table with an attribute's tree."""
        return numbered("target", self.manifest.named("sensitive"))[attribute]

    def ends_of(self, attribute: str) -> list[str]:
        """The columns that tell of an attribute's subdomains."""
        return [self.manifest.layout[f"{attribute}_{end}"] for end in ENDS]

    @property
    def told(self) -> Subdomains:
        """How many fakes there are, and what decides about targets."""
        return self.manifest.section_as(Subdomains)

    def tree(self, attribute: str) -> Tree:
        """The tree of an attribute's subdomains; of several targets, one behind the other."""
        return self._trees[attribute]

    @cached_property
    def _trees(self) -> dict[str, Tree]:
        return {name: self._tree(name) for name in self.sensitive}

    def _tree(self, attribute: str) -> Tree:
        table, layout = self.targets[attribute], self.manifest.layout
        parent = (table[layout["parent"]].fill_null(0).to_numpy() - 1).astype(np.int32)
        nodes = place_nodes(parent)
        leaves = np.flatnonzero(nodes.children == 0)
        ordered = leaves[np.argsort(nodes.low[leaves])]
        lowest = table[self.ends_of(attribute)[0]].gather(ordered)
        return Tree(lowest, nodes, table[layout["weight"]].cast(pl.Int64).to_numpy())

    def slots(self, attribute: str) -> Pushed:
        """The subdomains of all groups as nodes of the tree, from left to right, wider ones first."""
        return self._slots[attribute]

    @cached_property
    def _slots(self) -> dict[str, Pushed]:
        layout, found = self.manifest.layout, {}
        for name, table in self.sensitive.items():
            group = table[layout["group"]].to_numpy().astype(np.int64) - 1
            node = self._nodes(name).to_numpy().astype(np.int64) - 1
            count = table[layout["count"]].to_numpy().astype(np.int64)
            tree = self.tree(name)
            order = np.lexsort((-tree.nodes.high[node], tree.nodes.low[node], group))
            found[name] = Pushed(group[order], node[order], count[order])
        return found

    def _nodes(self, attribute: str) -> pl.Series:
        """The number of the node that each line of an attribute's table tells of."""
        layout, ends = self.manifest.layout, self.ends_of(attribute)
        lines, told = self.sensitive[attribute], self.targets[attribute]
        parts = self.parts_of_groups().rename({"group": layout["group"], "part": layout["part"]})
        lines = lines.join(parts, on=layout["group"], how="left", maintain_order="left")
        found = lines.join(
            told.select(layout["part"], layout["node"], *ends),
            on=[layout["part"], *ends],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        return found[layout["node"]]

    def parts_of_groups(self) -> pl.DataFrame:
        """Columns group and part: which target each group follows, by the text of its value."""
        group, parts = self.manifest.layout["group"], self.told.parts
        if parts is None:
            return self.group_sizes().select("group", part=pl.lit(EVERYBODY))
        values = self.quasi.group_by(pl.col(group).alias("group"), maintain_order=True).agg(
            pl.col(parts).first().alias("part")
        )
        return values.with_columns(part_texts(values["part"]).alias("part"))

    def widths(self, attribute: str) -> NDArray[np.float64]:
        """How wide each node of an attribute's tree is."""
        return self.tree(attribute).ranges(self.manifest.column(attribute).kind)

    def sum_of_ranges(self, attribute: str) -> float:
        """How wide all published subdomains are together: what the thesis keeps least."""
        slots = self.slots(attribute)
        with np.errstate(over="ignore"):
            total = float((self.widths(attribute)[slots.node] * slots.count).sum())
        return min(total, LARGEST)

    def figures(self) -> Figures:
        """The likeliest value that a group tells of a person, and how wide subdomains are."""
        risk = {"highest_posterior": max(self.highest_posterior(n) for n in self.sensitive)}
        sizes = self.group_sizes()["rows"].to_numpy()
        utility = {"mean_group_size": float(sizes.mean())}
        for name in self.sensitive:
            slots, wide = self.slots(name), self.widths(name)
            share = wide / (wide[self.tree(name).roots] + (wide[self.tree(name).roots] == 0))
            utility[f"sum_of_ranges:{name}"] = self.sum_of_ranges(name)
            utility[f"mean_range:{name}"] = float(
                np.average(share[slots.node], weights=slots.count)
            )
        return risk, utility

    def told_counts(self) -> dict[str, pl.DataFrame]:
        """How many people of a group are expected to have each value, by its subdomains."""
        return {name: self._expected(name) for name in self.sensitive}

    def _expected(self, attribute: str) -> pl.DataFrame:
        sizes, values = self.group_sizes().sort("group"), self.tree(attribute).values
        if sizes.height * len(values) > MOST_EXPECTED:
            raise CallError(
                f"{how_many(sizes.height, 'group tells', 'groups tell')} of "
                f"{how_many(len(values), 'value')} of {attribute!r} each: too "
                "many to look at one by one.",
                "fewer groups, or values published coarser.",
            )
        frames = []
        for number, (group, rows) in enumerate(sizes.iter_rows()):
            chances = self.belief(attribute, number)
            told = np.flatnonzero(chances)
            count = pl.Series(chances[told] * rows)
            frames.append(
                pl.DataFrame({"value": values.gather(told), "count": count}).select(
                    pl.lit(group, sizes.schema["group"]).alias("group"), "value", "count"
                )
            )
        joined = pl.concat(frames)
        return joined.group_by("group", "value", maintain_order=True).agg(pl.col("count").sum())

    def compare(self, original: Microdata) -> dict[str, float]:  # noqa: ARG002
        """What its own tables tell: how wide subdomains are, and what groups let people believe."""
        risk, utility = self.figures()
        fakes = {f"fakes:{name}": float(number) for name, number in self.told.fakes.items()}
        return {"groups": float(self.group_sizes().height)} | risk | utility | fakes

    def highest_posterior(self, attribute: str) -> float:
        """The largest probability of a value that a group tells of each of its people."""
        tree, slots = self.tree(attribute), self.slots(attribute)
        return float(highest_belief(slots, tree.nodes, *self._chances(tree)))

    def _chances(self, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The probability of each node, and that of its likeliest value."""
        sums = node_masses(tree, tree.probabilities)
        most = np.zeros(tree.size)
        leaves = tree.nodes.children == 0
        most[leaves] = tree.probabilities[tree.nodes.low[leaves]]
        for nodes in reversed(tree.levels[1:]):
            np.maximum.at(most, tree.nodes.parent[nodes], most[nodes])
        return sums, most

    def belief(self, attribute: str, group: int) -> NDArray[np.float64]:
        """The probability of each value of the tree, as a group (from 0) tells it of its people."""
        tree, slots = self.tree(attribute), self.slots(attribute)
        begin, end = np.searchsorted(slots.group, [group, group + 1])
        sums = self._chances(tree)[0]
        found = np.zeros(len(tree.values))
        for node, count in zip(slots.node[begin:end], slots.count[begin:end], strict=True):
            inside = slice(tree.nodes.low[node], tree.nodes.high[node])
            found[inside] += count * tree.probabilities[inside] / sums[node]
        return found / float(slots.count[begin:end].sum())


def part_texts(values: pl.Series) -> pl.Series:
    """The values of a column that decides about targets, as texts; a missing one too."""
    return values.cast(pl.String).fill_null("(missing)")
