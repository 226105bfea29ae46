"""Safe groups: sizes, no common neighbours, the same graph, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import Key, PrivacyModel, Release
from anonagram.errors import CannotAnonymize, InputError, ReleaseDamaged, SchemaError
from anonagram.graphs import Graph, GraphMethod
from anonagram.graphs.methods.safe_grouping import SafeGrouping
from tests.graphs.example import (
    AUTHOR_GROUPS,
    AUTHORS,
    EDGES,
    PAPER_GROUPS,
    PAPERS,
    SCHEMA,
    authors_and_papers,
    grouped_by,
)

KEY = Key(bytes(range(32)))


def made_up(lefts: int, rights: int, pairs: list[tuple[int, int]]) -> Graph:
    """A graph of numbered entities; every third has another label."""
    return Graph.read(
        {"who": list(range(lefts)), "label": ["xyz"[n % 3] for n in range(lefts)]},
        {"what": list(range(rights)), "price": [n % 4 for n in range(rights)]},
        {"who": [x for x, _ in pairs], "what": [y for _, y in pairs]},
        {
            "left": {"who": "identifier", "label": "quasi"},
            "right": {"what": "identifier", "price": "plain"},
            "edges": {"who": "left", "what": "right"},
        },
    )


@st.composite
def graphs(draw: st.DrawFn, most: int = 14) -> Graph:
    lefts, rights = draw(st.integers(4, most)), draw(st.integers(4, most))
    pair = st.tuples(st.integers(0, lefts - 1), st.integers(0, rights - 1))
    return made_up(lefts, rights, draw(st.lists(pair, min_size=2, max_size=lefts + rights)))


@given(graphs(), st.integers(1, 4), st.integers(1, 4), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_groups_are_safe_and_of_their_size(graph, k, l, by_degree, strict):
    order = "degree" if by_degree else "arbitrary"
    try:
        release = SafeGrouping(k, l, order, strict).anonymize(graph, KEY)
    except (CannotAnonymize, SchemaError):
        return
    tables, layout = release.tables, release.manifest.layout
    edges = tables["edges"].rows()
    for side, size, place in (("left", k, 0), ("right", l, 1)):
        sizes = tables[side][layout["group"]].value_counts()["count"]
        assert sizes.min() >= size
        if strict and size > 1:
            assert sizes.max() <= size + 1
        group_of = dict(tables[f"{side}_nodes"].rows())
        seen = set()
        for edge in edges:
            met = (group_of[edge[place]], edge[1 - place])
            assert met not in seen, "two of a group have a neighbour in common"
            seen.add(met)
        degrees = np.bincount([edge[place] for edge in edges], minlength=graph.table(side).rows + 1)
        assert sorted(degrees[1:]) == sorted(graph.degrees(side))
        original = graph.table(side).frame()
        assert tables[side].drop(layout["group"]).sort(pl.all()).equals(original.sort(pl.all()))


def test_edges_are_the_same_graph():
    """Undone with the private mapping, the edges are those of the original."""
    graph = authors_and_papers()
    publication = SafeGrouping(2, 3).publish(graph, KEY)
    node = {
        side: publication.mapping.filter(pl.col("side") == side)["node"].to_list()
        for side in ("left", "right")
    }
    expected = {
        (node["left"][x], node["right"][y])
        for x, y in zip(graph.left_ends, graph.right_ends, strict=True)
    }
    assert set(publication.release.tables["edges"].rows()) == expected


def test_nothing_tells_the_order_of_the_input():
    """Over many keys every entity is at every node of her group equally often, wherever she stood."""
    graph = authors_and_papers()
    at = np.zeros((6, 6))
    keys = 400
    for number in range(keys):
        mapping = SafeGrouping(3, 3).publish(graph, Key(number.to_bytes(32, "big"))).mapping
        left = mapping.filter(pl.col("side") == "left")
        at[np.arange(6), left["node"].to_numpy() - 1] += 1
    # a share of a sixth, within five standard deviations
    assert np.abs(at / keys - 1 / 6).max() < 5 * (5 / 36 / keys) ** 0.5


def test_same_key_same_release_and_another_graph_other_draws():
    graph = authors_and_papers()
    one, two = (SafeGrouping(2, 2).anonymize(graph, KEY) for _ in range(2))
    assert all(one.tables[name].equals(two.tables[name]) for name in one.tables)
    other = Graph.read(AUTHORS | {"location": ["US"] * 3 + ["EU"] * 3}, PAPERS, EDGES, SCHEMA)
    third = SafeGrouping(2, 2).anonymize(other, KEY)
    assert not third.tables["edges"].equals(one.tables["edges"])
    assert third.manifest.key_commitment != one.manifest.key_commitment


def test_groups_of_the_thesis_are_safe():
    release = grouped_by(authors_and_papers(), AUTHOR_GROUPS, PAPER_GROUPS)
    finding = PrivacyModel.parse("safe_grouping(k=3, l=3)").check(release)
    assert finding.holds
    assert finding.achieved == 3
    assert not PrivacyModel.parse("safe_grouping(k=4, l=3)").check(release).holds


def test_unsafe_groups_are_found_and_refused(tmp_path):
    """a1 and a3 wrote p2 together: whoever reads such a bundle is told."""
    release = grouped_by(authors_and_papers(), (0, 1, 0, 1, 0, 1), PAPER_GROUPS)
    finding = PrivacyModel.parse("safe_grouping(k=3, l=3)").check(release)
    assert not finding.holds
    assert finding.achieved == 1
    assert finding.worst[0]["shared_neighbours"] >= 1
    release.write(tmp_path / "release", page=False)
    with pytest.raises(ReleaseDamaged, match="neighbour in common"):
        Release.read(tmp_path / "release")


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_bundle_comes_back(tmp_path, file_format):
    release = SafeGrouping(2, 2).anonymize(authors_and_papers(), KEY)
    release.write(tmp_path / "release", file_format)
    read = Release.read(tmp_path / "release")
    assert read.manifest == release.manifest
    for name, table in release.tables.items():
        assert read.tables[name].cast(dict(table.schema)).equals(table)


def test_forged_tables_are_refused():
    release = SafeGrouping(2, 2).anonymize(authors_and_papers(), KEY)
    edges = release.tables["edges"]
    for name, forged in {
        "edges": [edges.head(10), pl.concat([edges.head(10), edges.head(1)]), edges + 100],
        "left_nodes": [release.tables["left_nodes"].head(5)],
        "right": [release.tables["right"].head(5)],
    }.items():
        for table in forged:
            with pytest.raises(ReleaseDamaged):
                type(release).from_tables(release.manifest, release.tables | {name: table})


def test_what_cannot_be_is_refused_before_trying():
    graph = authors_and_papers()
    with pytest.raises(CannotAnonymize, match="cannot be made of 6 authors"):
        SafeGrouping(7, 1).anonymize(graph)
    with pytest.raises(CannotAnonymize, match="has 2 edges, so authors need 2 groups"):
        SafeGrouping(4, 1).anonymize(graph)
    dense = made_up(8, 8, [(x, (x + d) % 8) for x in range(8) for d in (0, 1)])
    with pytest.raises(CannotAnonymize, match=r"groups of at most 4|most 25"):
        SafeGrouping(5, 5).anonymize(dense)


def test_no_room_says_how_many_are_left_over():
    """Four of whom every two share a neighbour: nobody can be in a group with anybody."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    graph = made_up(4, 6, [(x, place) for place, pair in enumerate(pairs) for x in pair])
    with pytest.raises(CannotAnonymize, match="at least 4 of 4 found no group of 2"):
        SafeGrouping(2, 1).anonymize(graph)


def test_a_circle_has_room():
    circle = made_up(6, 6, [(x, (x + d) % 6) for x in range(6) for d in (0, 1)])
    assert SafeGrouping(3, 3).anonymize(circle, KEY).is_safe


def test_a_column_that_is_the_degree_is_refused():
    authors = AUTHORS | {"papers": authors_and_papers().degrees("left").tolist()}
    schema = SCHEMA | {"left": SCHEMA["left"] | {"papers": "plain"}}
    with pytest.raises(SchemaError, match="'papers' tells how many edges"):
        SafeGrouping(2, 2).anonymize(Graph.read(authors, PAPERS, EDGES, schema))


def test_degrees_of_real_authors_are_refused(real_data):
    folder = real_data("dblp/authors.csv").parent
    schema = {
        "left": {"author_id": "identifier", "n_papers": "plain"},
        "right": {"paper_id": "identifier", "area": "plain"},
        "edges": {"author_id": "left", "paper_id": "right"},
    }
    tables = [folder / f"{name}.csv" for name in ("authors", "papers", "edges")]
    with pytest.raises(SchemaError, match="'n_papers' tells how many edges"):
        SafeGrouping(10, 10).anonymize(Graph.read(*tables, schema))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (
            {"author": ["a1", "a9"], "paper": ["p1", "p2"]},
            r"'author' is 'a9', which nobody .*row 2",
        ),
        ({"author": ["a1", None], "paper": ["p1", "p2"]}, r"'author' is missing .*row 2"),
    ],
)
def test_edges_of_nobody_are_named(edges, message):
    with pytest.raises(InputError, match=message):
        Graph.read(AUTHORS, PAPERS, edges, SCHEMA)


def test_entities_must_have_names_of_their_own():
    twice = AUTHORS | {"author": ["a1", "a1", "a3", "a4", "a5", "a6"]}
    with pytest.raises(InputError, match=r"'author' is 'a1' more than once"):
        Graph.read(twice, PAPERS, EDGES, SCHEMA)


def test_repeated_edges_are_counted_once_and_told():
    doubled = {name: values + values[:2] for name, values in EDGES.items()}
    graph = Graph.read(AUTHORS, PAPERS, doubled, SCHEMA)
    assert (graph.edges, graph.repeated) == (11, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": {"author": "left", "paper": "left"}}, "2 columns name the left end"),
        ({"edges": {"author": "left", "paper": "rihgt"}}, "did you mean 'right'"),
        ({"left": {"author": "plain", "location": "quasi"}}, "0 columns are identifiers"),
        ({"edges": {"author": "left", "paper": "right", "year": "drop"}}, "'year' that"),
    ],
)
def test_schemas_that_do_not_fit_are_explained(change, message):
    with pytest.raises(SchemaError, match=message):
        Graph.read(AUTHORS, PAPERS, EDGES, SCHEMA | change)


def test_calls_are_read_and_checked():
    assert repr(GraphMethod.parse("safe_grouping(k=3, l=1)")) == (
        'safe_grouping(k=3, l=1, order="degree", strict=True)'
    )
