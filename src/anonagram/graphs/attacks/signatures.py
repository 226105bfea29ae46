"""The intruder who lays two releases of the same graph over each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks import AttackResult, Target, Verdict
from anonagram.calls import AtLeast
from anonagram.graphs.attack import GraphAttack, Ints, graph_of
from anonagram.graphs.schema import SIDES, Side
from anonagram.release import GroupedGraphRelease, Release
from anonagram.release.signatures import ROUNDS, signatures
from anonagram.shown.wording import how_many

ENOUGH = 0.02
"""He looks again while the share of those he found who are new is larger."""
Labels = dict[Side, tuple[Ints, Ints]]
"""For each side a number for each node of both releases."""


@dataclass(frozen=True)
class LaidOver:
    """What two releases of one graph tell together."""

    is_same_graph: bool
    """Whether as many nodes look like each other in both, on both sides."""
    unique: dict[str, float]
    """For each table the share of nodes that look like no other."""
    classes: dict[str, dict[int, int]]
    """For each table how many nodes look like so many others and themselves."""
    found: dict[str, float]
    """The share of nodes for which one entity is left; two with equal values stay two."""
    found_alone: dict[str, float]
    """The same by the new release alone."""
    certain: NDArray[np.bool_]
    """For each edge whether both of its ends are found."""
    certain_alone: float


@dataclass(frozen=True, repr=False)
class Signatures(GraphAttack[LaidOver], call="signatures", example="signatures()"):
    """He finds nodes again by the graph around them, and keeps who can be there in both releases.

    Cormode et al. (2008), section 4.5: a (k,1) and a (1,l) release of one graph are safe each, and
    give most of it away together. The baseline is what he knows from the new release alone.
    """

    knows = "another release of the same graph"
    needs = ("release", "others")
    rounds: Annotated[int, AtLeast(1)] = ROUNDS
    """How far around a node he looks."""

    def unfit(self, target: Target) -> str:
        """The others must be graphs too."""
        if any(each.graph is None for each in target.others):
            return f"{self.call} needs other releases of the same graph."
        return super().unfit(target)

    def attempt(self, target: Target) -> AttackResult[LaidOver]:
        """The other release that gives most away counts."""
        release = graph_of(target)
        laid = [lay_over(release, each.graph, self.rounds) for each in target.others if each.graph]
        worst = max(laid, key=lambda each: (each.is_same_graph, float(each.certain.mean())))
        is_worse = worst.is_same_graph and _is_worse(worst)
        return AttackResult(
            attack=self,
            verdict=_verdict(worst, is_worse=is_worse),
            sentence=laid_over_sentence(release, worst),
            records=np.arange(worst.certain.size),
            scores=worst.certain.astype(np.float64),
            baseline=worst.certain_alone,
            figures=worst,
            details=(unique_sentence(worst),),
            reason="a second release of the same graph" if is_worse else "",
        )


def _verdict(laid: LaidOver, *, is_worse: bool) -> Verdict:
    if is_worse:
        return Verdict.DOES_NOT_WITHSTAND
    return Verdict.WITHSTANDS if laid.is_same_graph else Verdict.CANNOT_TELL


def _is_worse(laid: LaidOver) -> bool:
    return any(laid.found[name] > laid.found_alone[name] for name in laid.found)


def laid_over_sentence(release: GroupedGraphRelease, laid: LaidOver) -> str:
    """The worst that is true of two releases."""
    if not laid.is_same_graph:
        return "The two are not releases of the same graph, as far as their nodes tell."
    shares = " and of ".join(
        f"{share:.1%} of {name} ({laid.found_alone[name]:.1%} by one of them alone)"
        for name, share in laid.found.items()
    )
    return (
        f"Both releases together tell the entity of {shares}, and {laid.certain.mean():.1%} of all "
        f"{how_many(release.names.edges, 'connection')} with certainty ({laid.certain_alone:.1%} alone)."
    )


def unique_sentence(laid: LaidOver) -> str:
    """How many nodes look like nobody else, and how many like few."""
    told = []
    for name, share in laid.unique.items():
        sizes = laid.classes[name]
        few = sum(nodes for size, nodes in sizes.items() if size < 10) / sum(sizes.values())
        told.append(f"{share:.1%} of {name} ({few:.1%} like fewer than ten)")
    return f"By the graph around them, nobody else looks like {' and '.join(told)}."


def lay_over(release: GroupedGraphRelease, earlier: GroupedGraphRelease, rounds: int) -> LaidOver:
    """Find the nodes of one release in the other, and intersect the entities they can be."""
    looks = looks_in_both(release, earlier, rounds)
    possible = narrowed(release, earlier, rounds)
    names = dict(zip(SIDES, release.names.tables, strict=True))
    same, unique, classes, found, alone = True, {}, {}, {}, {}
    sure: dict[str, NDArray[np.bool_]] = {}
    sure_alone = {}
    for side in SIDES:
        mine, theirs = looks[side]
        count = np.bincount(mine, minlength=int(max(mine.max(), theirs.max(initial=0))) + 1)
        same &= bool((count == np.bincount(theirs, minlength=count.size)).all())
        unique[names[side]] = float((count[mine] == 1).mean())
        sizes, nodes = np.unique(count[mine], return_counts=True)
        classes[names[side]] = dict(zip(sizes.tolist(), nodes.tolist(), strict=True))
        sure_alone[side] = release.side(side).sizes[release.side(side).group_of_node] == 1
        sure[side] = sure_alone[side] | _have_one(possible[side], mine.size)
        found[names[side]] = float(sure[side].mean())
        alone[names[side]] = float(sure_alone[side].mean())
    certain, certain_alone = (
        each["left"][release.side("left").ends] & each["right"][release.side("right").ends]
        for each in (sure, sure_alone)
    )
    share = float(certain_alone.mean()) if certain_alone.size else 0.0
    return LaidOver(same, unique, classes, found, alone, certain, share)


def is_same_graph(release: Release, earlier: Release, rounds: int = ROUNDS) -> bool:
    """Whether two releases are, as far as their nodes tell, of one graph."""
    one, two = release.graph, earlier.graph
    if one is None or two is None or _size(one) != _size(two):
        return False
    looks = looks_in_both(one, two, rounds)
    return all(np.array_equal(np.sort(mine), np.sort(theirs)) for mine, theirs in looks.values())


def _size(release: GroupedGraphRelease) -> tuple[int, ...]:
    return release.names.edges, *(release.side(side).group_of_node.size for side in SIDES)


def narrowed(
    release: GroupedGraphRelease, earlier: GroupedGraphRelease, rounds: int
) -> dict[Side, pl.DataFrame]:
    """The entities that are left for every node of the new release.

    Whoever was found in both releases tells more of those around her, so he looks again, until hardly
    anybody is new.
    """
    first: Labels | None = None
    found = 0
    while True:
        looks = looks_in_both(release, earlier, rounds, first)
        mine = {
            side: singled_out(candidates(release, earlier, side, looks[side])) for side in SIDES
        }
        theirs = {
            side: singled_out(candidates(earlier, release, side, looks[side][::-1]))
            for side in SIDES
        }
        first = {side: _labels(mine[side], theirs[side], looks[side]) for side in SIDES}
        now = sum(int(np.count_nonzero(labels)) for labels, _ in first.values())
        if now - found <= ENOUGH * now:
            return mine
        found = now


def singled_out(possible: pl.DataFrame) -> pl.DataFrame:
    """The same without entities whose node is known, and without others for a node that one must have.

    Every entity is at one node and every node has one, so that a pair rules out all others of both.

    >>> pairs = pl.DataFrame({"node": [0, 0, 1, 1, 2], "entity": [0, 1, 1, 2, 2]})
    >>> singled_out(pairs).rows()
    [(0, 0), (1, 1), (2, 2)]
    """
    nodes, entities = (possible[name].to_numpy() for name in ("node", "entity"))
    left = np.arange(possible.height)
    while True:
        at = nodes[left], entities[left]
        is_pair = (np.bincount(at[0])[at[0]] == 1) | (np.bincount(at[1])[at[1]] == 1)
        is_near = np.zeros(left.size, np.bool_)
        for each in at:
            is_known = np.zeros(each.max(initial=0) + 1, np.bool_)
            is_known[each[is_pair]] = True
            is_near |= is_known[each]
        kept = left[is_pair | ~is_near]
        if kept.size == left.size:
            return possible.filter(np.isin(np.arange(nodes.size), kept, assume_unique=True))
        left = kept


def _labels(
    mine: pl.DataFrame, theirs: pl.DataFrame, looks: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    """A number for each node of both releases whose entity is found in both; 0 for the others.

    Who is equal to somebody else is left out: which of them was found in the other is not known.
    """
    one, two = (
        each.filter(pl.Series(_have_one(each, own.size))[each["node"]])
        for each, own in zip((mine, theirs), looks, strict=True)
    )
    one, two = (
        each.filter(~pl.col("values").is_in(_repeated(whole).implode()))
        for each, whole in ((one, mine), (two, theirs))
    )
    pairs = one.join(two, on="values", suffix="_there")
    found = tuple(np.zeros(each.size, np.int64) for each in looks)
    for labels, name in zip(found, ("node", "node_there"), strict=True):
        labels[pairs[name].to_numpy()] = np.arange(1, pairs.height + 1)
    return found[0], found[1]


def _repeated(possible: pl.DataFrame) -> pl.Series:
    """Values that several entities have."""
    values = possible.select("entity", "values").unique()["values"]
    return values.filter(values.is_duplicated()).unique()


def looks_in_both(
    release: GroupedGraphRelease,
    earlier: GroupedGraphRelease,
    rounds: int,
    first: Labels | None = None,
) -> dict[Side, tuple[Ints, Ints]]:
    """What the nodes of both look like, by the same numbers: as if they were one graph of two parts."""
    counts = [release.side(side).group_of_node.size for side in SIDES]
    more = [earlier.side(side).group_of_node.size for side in SIDES]
    ends = [
        np.append(release.side(side).ends, earlier.side(side).ends + count)
        for side, count in zip(SIDES, counts, strict=True)
    ]
    begun = None
    if first is not None:
        begun = np.concatenate(first["left"]), np.concatenate(first["right"])
    sizes = counts[0] + more[0], counts[1] + more[1]
    found = signatures(ends[0], ends[1], sizes, rounds, begun)
    return {
        side: (found[side][:count], found[side][count:])
        for side, count in zip(SIDES, counts, strict=True)
    }


def candidates(
    release: GroupedGraphRelease,
    earlier: GroupedGraphRelease,
    side: Side,
    looks: tuple[Ints, Ints],
) -> pl.DataFrame:
    """Every node of the new release with every entity of its group that can be there in both.

    Entities are told apart by their values, so that two with equal ones stay two.
    """
    kept = earlier.entities(side).columns
    shared = [name for name in release.entities(side).columns if name in kept]
    one, two = (
        _possible(each, side, own, shared)
        for each, own in zip((release, earlier), looks, strict=True)
    )
    return one.join(two.select("look", "values").unique(), on=["look", "values"], how="semi")


def _have_one(possible: pl.DataFrame, nodes: int) -> NDArray[np.bool_]:
    """Which nodes one entity is left for."""
    alone: NDArray[np.bool_] = np.bincount(possible["node"].to_numpy(), minlength=nodes) == 1
    return alone


def _possible(
    release: GroupedGraphRelease, side: Side, looks: Ints, columns: list[str]
) -> pl.DataFrame:
    """Every node with every entity of its group: what it looks like, and the entity's values."""
    view = release.side(side)
    entities = release.entities(side).select(columns)
    values = (
        entities.select(pl.struct(pl.all()).hash()).to_series()
        if columns  # a table without columns has no rows either
        else pl.repeat(0, view.group_of_entity.size, dtype=pl.UInt64, eager=True)
    )
    nodes = pl.DataFrame(
        {"node": np.arange(looks.size), "look": looks, "group": view.group_of_node}
    )
    people = pl.DataFrame({"group": view.group_of_entity, "values": values}).with_row_index(
        "entity"
    )
    return nodes.join(people, on="group").drop("group")
