"""Two releases of random small graphs, against every way to identify the entities of both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from anonagram import Graph, Key, SafeGrouping
from anonagram.attacks import Target, Verdict
from anonagram.errors import CannotAnonymize, InputError, SchemaError
from anonagram.graphs.attacks.signatures import Signatures
from anonagram.release import GroupedGraphRelease

from .worlds import identifications

SIZES = ((2, 2), (2, 1), (1, 2), (3, 2), (2, 3), (3, 3))
SCHEMA = {
    "left": {"a": "identifier", "x": "quasi"},
    "right": {"b": "identifier", "y": "plain"},
    "edges": {"a": "left", "b": "right"},
}
Ends = list[tuple[object, object]]


def drawn_graph(draw: random.Random) -> Graph:
    many = range(draw.choice([4, 6]))
    share = draw.choice([0.15, 0.25, 0.35])
    edges = [(f"a{i}", f"b{j}") for i in many for j in many if draw.random() < share]
    return Graph.read(
        {"a": [f"a{i}" for i in many], "x": list(many)},
        {"b": [f"b{j}" for j in many], "y": list(many)},
        {"a": [a for a, _ in edges], "b": [b for _, b in edges]},
        SCHEMA,
        names=("as", "bs"),
    )


def two_releases(number: int) -> Iterator[tuple[GroupedGraphRelease, GroupedGraphRelease]]:
    draw = random.Random(number)
    while number:
        try:
            graph = drawn_graph(draw)
            one, two = (
                SafeGrouping(*draw.choice(SIZES)).anonymize(graph, Key(draw.randbytes(32)))
                for _ in range(2)
            )
        except (CannotAnonymize, InputError, SchemaError):
            continue
        yield one, two
        number -= 1


def worlds(release: GroupedGraphRelease) -> list[Ends]:
    """For each way to identify entities with nodes: who is at the ends of every edge."""
    layout = release.manifest.layout
    edges = release.tables["edges"].select(layout["left_node"], layout["right_node"]).rows()
    rights = list(identifications(release, "right"))
    named = {side: release.tables[side][column] for side, column in (("left", "x"), ("right", "y"))}
    return [
        [(named["left"][left[x]], named["right"][right[y]]) for x, y in edges]
        for left in identifications(release, "left")
        for right in rights
    ]


def certain_ends(both: list[Ends]) -> list[bool]:
    return [all(ends == several[0] for ends in several) for several in zip(*both, strict=True)]


def test_what_two_releases_tell_is_found_and_nothing_else():
    """Nothing is said to be certain that is not, and hardly anything that is stays unsaid."""
    counted: Counter[str] = Counter()
    for one, two in two_releases(120):
        of_one = worlds(one)
        told_by_two = {frozenset(ends) for ends in worlds(two)}
        both = [ends for ends in of_one if frozenset(ends) in told_by_two]
        found = Signatures().run(Target(one, others=(two,)))
        certain = certain_ends(both)
        for claimed, is_certain in zip(found.scores, certain, strict=True):
            assert is_certain or not claimed
            counted["certain"] += is_certain
            counted["found"] += bool(claimed)
        if found.verdict is Verdict.WITHSTANDS:
            assert certain == certain_ends(of_one)
        counted[str(found.verdict)] += 1
    assert counted["found"] >= 0.98 * counted["certain"] > 50
    assert min(counted["withstands"], counted["does not withstand"]) > 20


@pytest.mark.parametrize("keys", [(1, 2), (3, 4)])
def test_the_same_groups_again_tell_nothing(keys):
    """Two releases of a graph in which all look alike."""
    many = range(4)
    graph = Graph.read(
        {"a": [f"a{i}" for i in many], "x": list(many)},
        {"b": [f"b{j}" for j in many], "y": list(many)},
        {"a": [f"a{i}" for i in many], "b": [f"b{i}" for i in many]},
        SCHEMA,
        names=("as", "bs"),
    )
    one, two = (SafeGrouping(2, 2).anonymize(graph, Key(bytes([key]) * 32)) for key in keys)
    found = Signatures().run(Target(one, others=(two,)))
    assert found.score == certain_ends(worlds(one)).count(True) == 0
