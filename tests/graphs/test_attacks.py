"""What intruders find out from graphs, against every way to identify entities with nodes."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from anonagram import Graph, Key, SafeGrouping
from anonagram.attacks import AttackResults, Target, Verdict
from anonagram.demo import PHARMACY_SCHEMA, pharmacy_tables
from anonagram.errors import CallError
from anonagram.graphs import GraphAttack
from anonagram.graphs.attack import Connected
from anonagram.graphs.attacks.known_surroundings import KnownSurroundings
from anonagram.graphs.attacks.learned_links import LearnedLinks, replay
from anonagram.graphs.attacks.signatures import (
    Signatures,
    candidates,
    is_same_graph,
    looks_in_both,
)
from anonagram.graphs.attacks.static_links import StaticLinks
from anonagram.graphs.schema import SIDES

from .example import AUTHOR_GROUPS, PAPER_GROUPS, authors_and_papers, grouped_by
from .worlds import identifications

KEY = Key(bytes(32))


@pytest.fixture(scope="module")
def small():
    return grouped_by(authors_and_papers(), AUTHOR_GROUPS, PAPER_GROUPS)


@pytest.fixture(scope="module")
def worlds(small):
    """For each way: who is at each node of either side, and the edges between entities."""
    layout = small.manifest.layout
    edges = small.tables["edges"].select(layout["left_node"], layout["right_node"]).rows()
    rights = list(identifications(small, "right"))
    return [
        (left, right, {(left[x], right[y]) for x, y in edges})
        for left in identifications(small, "left")
        for right in rights
    ]


@pytest.fixture(scope="module")
def pharmacy():
    import tomllib

    tables = pharmacy_tables()
    schema = tomllib.loads(PHARMACY_SCHEMA)
    return Graph.read(*tables.values(), schema, names=("customers", "products"))


def ends(release):
    return [release.side(side).ends for side in SIDES]


def test_static_chances_are_shares_of_all_identifications(small, worlds):
    chances = Connected.by_group(small).chances
    met = Counter(pair for _, _, edges in worlds for pair in edges)
    true_left, true_right, _ = worlds[0]
    for chance, x, y in zip(chances, *ends(small), strict=True):
        share = met[true_left[x + 1], true_right[y + 1]] / len(worlds)
        assert chance == pytest.approx(share)
    assert max(met.values()) / len(worlds) == pytest.approx(
        StaticLinks().run(Target(small)).figures
    )


@pytest.mark.parametrize("rounds", [1, 2])
def test_who_knows_what_nodes_look_like(small, worlds, rounds):
    looks = small.signatures(rounds)
    connected = Connected.by_look(small, looks)
    left, right, _ = worlds[7]  # any may be the truth
    truth = {
        side: {entity: looks[side][node - 1] for node, entity in way.items()}
        for side, way in zip(SIDES, (left, right), strict=True)
    }
    fitting = [
        edges
        for one, two, edges in worlds
        if all(truth["left"][one[n]] == looks["left"][n - 1] for n in one)
        and all(truth["right"][two[n]] == looks["right"][n - 1] for n in two)
    ]
    met = Counter(pair for edges in fitting for pair in edges)
    for chance, x, y in zip(connected.chances, *ends(small), strict=True):
        assert chance == pytest.approx(met[left[x + 1], right[y + 1]] / len(fitting))


@pytest.mark.parametrize("side", SIDES)
def test_learned_links_leave_what_enumeration_leaves(small, worlds, side):
    found = replay(small, side, 1)
    place = SIDES.index(side)
    view = small.side(side)
    for node, left, surest in zip(*found, strict=True):
        person = worlds[0][place][node + 1]
        first = np.flatnonzero(view.ends == node)[0]
        across = small.side(SIDES[1 - place]).ends[first]
        learned = worlds[0][1 - place][across + 1]
        pair = (person, learned) if side == "left" else (learned, person)
        fitting = [world for world in worlds if pair in world[2]]
        where = {n for world in fitting for n, who in world[place].items() if who == person}
        assert len(where) == left
        group = small.side(SIDES[1 - place]).group_of_entity
        others = Counter(
            each
            for world in fitting
            for each in world[2]
            if each[place] == person and group[each[1 - place]] != group[learned]
        )
        assert max(others.values()) / len(fitting) == pytest.approx(surest)


@pytest.mark.parametrize("links", [1, 2])
def test_theorem_7_for_everybody_else(small, worlds, links):
    truth = worlds[0][2]
    for learned in combinations(sorted(truth), links):
        fitting = [world for world in worlds if set(learned) <= world[2]]
        left = 3 - links
        met = Counter(pair for world in fitting for pair in world[2])
        ends_learned = [{pair[place] for pair in learned} for place in (0, 1)]
        for pair, times in met.items():
            if pair[0] not in ends_learned[0] and pair[1] not in ends_learned[1]:
                assert times / len(fitting) <= 1 / left + 1e-12
        for place in (0, 1):
            nodes = {}
            for world in fitting:
                for node, who in world[place].items():
                    nodes.setdefault(who, set()).add(node)
            for who, possible in nodes.items():
                assert who in ends_learned[place] or len(possible) >= left


def test_two_releases_give_away_what_each_hides(pharmacy):
    one, two = (SafeGrouping(k, l).anonymize(pharmacy, KEY) for k, l in ((5, 1), (1, 5)))
    assert is_same_graph(one, two)
    found = Signatures().run(Target(one, others=(two,)))
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert found.score > 0.9
    assert found.baseline == 0
    assert found.figures.found_alone == {"customers": 0.0, "products": 1.0}
    same = Signatures().run(Target(one, others=(one,)))
    assert same.verdict is Verdict.WITHSTANDS
    assert same.score == 0


@pytest.mark.parametrize("side", SIDES)
def test_who_is_at_a_node_is_never_ruled_out(pharmacy, side):
    """By the mapping, which only the protector has."""
    one, two = (SafeGrouping(k, l).publish(pharmacy, KEY) for k, l in ((5, 1), (4, 5)))
    looks = looks_in_both(one.release, two.release, 4)[side]
    left = set(candidates(one.release, two.release, side, looks).select("node", "entity").rows())
    truth = one.mapping.filter(side=side).select(pl.col("node") - 1, "row").rows()
    assert set(truth) <= left


def test_entities_of_whom_nothing_is_told_cannot_be_told_apart(pharmacy):
    bare = Graph.read(
        *pharmacy_tables().values(),
        {side: {c.name: "drop" for c in pharmacy.table(side).columns} | {key: "identifier"}
         for side, key in zip(SIDES, pharmacy.keys, strict=True)}
        | {"edges": {"customer": "left", "product": "right"}},
        names=("customers", "products"),
    )  # fmt: skip
    one, two = (SafeGrouping(k, l).anonymize(bare, KEY) for k, l in ((5, 1), (4, 5)))
    found = Signatures().run(Target(one, others=(two,)))
    assert found.figures.found["customers"] == found.figures.found_alone["customers"] == 0.0


def test_other_graphs_are_not_the_same(pharmacy):
    fewer = Graph.read(
        *list(pharmacy_tables().values())[:2], pharmacy_tables()["purchases"].head(1400),
        {side: {c.name: "quasi" for c in pharmacy.table(side).columns} | {key: "identifier"}
         for side, key in zip(SIDES, pharmacy.keys, strict=True)}
        | {"edges": {"customer": "left", "product": "right"}},
        names=("customers", "products"),
    )  # fmt: skip
    one, two = (SafeGrouping(5, 5).anonymize(each, KEY) for each in (pharmacy, fewer))
    assert not is_same_graph(one, two)
    assert Signatures().run(Target(one, others=(two,))).verdict is Verdict.CANNOT_TELL


def test_everybody_tries_and_the_worst_comes_first(pharmacy):
    release = SafeGrouping(5, 5).anonymize(pharmacy, KEY)
    results = AttackResults.of_everybody(Target(release), GraphAttack)
    assert {each.attack.call for each in results} == {
        "static_links", "learned_links", "known_surroundings",
    }  # fmt: skip
    assert [each.attack.call for each in results.not_tried] == ["signatures"]
    assert results.worst.attack.call == "known_surroundings"
    for each in results:
        assert 0 <= each.score <= 1
        assert each.scores.size == each.records.size
    alone = KnownSurroundings(rounds=1).run(Target(release))
    assert alone.score < results.worst.score
    assert alone.figures.found["customers"] == release.found_by_degree["left"]


def test_intruders_refuse_what_they_cannot_look_at(small):
    from anonagram import Anatomy, Microdata

    table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
    data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    with pytest.raises(CallError, match="looks at graphs"):
        StaticLinks().run(Target(Anatomy(l=4).anonymize(data)))
    with pytest.raises(CallError, match="nobody has more than 9"):
        LearnedLinks(links=9).run(Target(small))
