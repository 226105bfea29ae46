"""What a subject of a graph is told, against every way to identify entities with nodes."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import Key
from anonagram.errors import CallError, CannotAnonymize, InputError, SchemaError
from anonagram.graphs.methods.safe_grouping import SafeGrouping
from anonagram.graphs.verification import verify_graph
from tests.graphs.test_safe_grouping import graphs, made_up
from tests.graphs.worlds import identifications

KEY = Key(bytes(range(32)))


def edge_lists(release, label: str, degree: int | None) -> list[tuple[int, frozenset[int]]]:
    """Of everybody alike, in each way that fits: her node and the entities she is connected with."""
    tables, layout = release.tables, release.manifest.layout
    edges = tables["edges"].select(layout["left_node"], layout["right_node"]).rows()
    alike = [n for n, each in enumerate(tables["left"]["label"].to_list()) if each == label]
    found = []
    for left in identifications(release, "left"):
        for right in identifications(release, "right"):
            node_of = {entity: node for node, entity in left.items()}
            for her in alike:
                hers = frozenset(right[y] for x, y in edges if x == node_of[her])
                if degree in (None, len(hers)):
                    found.append((node_of[her], hers))
    return found


def expected(found: list[tuple[int, frozenset[int]]]) -> tuple[Fraction, int, Fraction]:
    """The surest edge; after one known edge the fewest nodes and the surest other edge."""
    single = Counter(one for _, hers in found for one in hers)
    both = Counter((one, two) for _, hers in found for one in hers for two in hers if one != two)
    nodes = defaultdict(set)
    for node, hers in found:
        for one in hers:
            nodes[one].add(node)
    return (
        Fraction(max(single.values(), default=0), len(found)),
        min((len(each) for each in nodes.values()), default=len({node for node, _ in found})),
        max((Fraction(count, single[one]) for (one, _), count in both.items()), default=Fraction()),
    )


@given(
    graphs(most=6), st.integers(1, 3), st.integers(1, 3), st.sampled_from("xyz"),
    st.sampled_from([None, 0, 1, 2, 3]),
)  # fmt: skip
@settings(max_examples=60)
def test_figures_are_those_of_every_world(graph, k, l, label, degree):
    try:
        release = SafeGrouping(k, l, strict=False).anonymize(graph, KEY)
    except (CannotAnonymize, SchemaError):
        return
    ways = [sum(1 for _ in identifications(release, side)) for side in ("left", "right")]
    if ways[0] * ways[1] > 2000:
        return
    given_ = {"label": label} | ({} if degree is None else {"degree": degree})
    found = verify_graph(release, "left", given_)
    worlds = edge_lists(release, label, degree)
    if not worlds:
        assert not found.likeliest
        assert "not in the release" in found.summary()[0]
        return
    surest, left, other = expected(worlds)
    top = found.likeliest[0].probability if found.likeliest else 0
    assert top == pytest.approx(float(surest), abs=1e-12)
    assert found.after_edge == left
    assert found.sure_after_edge == pytest.approx(float(other), abs=1e-12)
    assert (found.nodes if degree is None else found.with_degree) == len({n for n, _ in worlds})


def test_values_are_read_as_the_release_has_them():

    graph = made_up(6, 6, [(n, n) for n in range(6)] + [(0, 1), (2, 3)])
    release = SafeGrouping(2, 2).anonymize(graph, KEY)
    assert verify_graph(release, "right", {"price": "3.0"}).alike == 1
    assert verify_graph(release, "right", {"price": 77}).alike == 0
    with pytest.raises(InputError, match="price is numeric"):
        verify_graph(release, "right", {"price": "cheap"})
    with pytest.raises(CallError, match="no column 'prise'"):
        verify_graph(release, "right", {"prise": "1"})
    with pytest.raises(CallError, match="no number of edges"):
        verify_graph(release, "right", {"degree": "-1"})
