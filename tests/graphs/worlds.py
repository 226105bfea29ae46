"""Every way to identify entities with nodes, and what a question's answer is in each of them.

Written from the published tables alone, in plain Python: nothing is shared with what is tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from anonagram.release import GroupedGraphRelease


def identifications(release: GroupedGraphRelease, side: str) -> Iterator[dict[int, int]]:
    """For each way: the entity (its row) of every node."""
    layout = release.manifest.layout
    entities: dict[int, list[int]] = {}
    for row, group in enumerate(release.tables[side][layout["group"]].to_list()):
        entities.setdefault(group, []).append(row)
    nodes: dict[int, list[int]] = {}
    for node, group in (
        release.tables[f"{side}_nodes"].select(layout["node"], layout["group"]).rows()
    ):
        nodes.setdefault(group, []).append(node)
    ways = [
        [list(zip(nodes[group], order, strict=True)) for order in permutations(entities[group])]
        for group in sorted(entities)
    ]
    for chosen in product(*ways):
        yield dict(pair for way in chosen for pair in way)


def joined_worlds(release: GroupedGraphRelease) -> Iterator[list[tuple[dict, dict]]]:
    """For each way: the edges as pairs of rows, each with its own number and degree."""
    tables, layout = release.tables, release.manifest.layout
    edges = tables["edges"].select(layout["left_node"], layout["right_node"]).rows()
    degrees = {"left": {}, "right": {}}
    for x, y in edges:
        degrees["left"][x] = degrees["left"].get(x, 0) + 1
        degrees["right"][y] = degrees["right"].get(y, 0) + 1
    rows = {side: tables[side].to_dicts() for side in ("left", "right")}
    for left in identifications(release, "left"):
        for right in identifications(release, "right"):
            yield [
                (
                    rows["left"][left[x]] | {"row": left[x], "degree": degrees["left"][x]},
                    rows["right"][right[y]] | {"row": right[y], "degree": degrees["right"][y]},
                )
                for x, y in edges
            ]


def side_worlds(release: GroupedGraphRelease, side: str) -> Iterator[list[dict]]:
    """For each way: the entities of a side with their degrees."""
    tables, layout = release.tables, release.manifest.layout
    degree: dict[int, int] = {}
    for node in tables["edges"][layout[f"{side}_node"]].to_list():
        degree[node] = degree.get(node, 0) + 1
    rows = tables[side].to_dicts()
    for way in identifications(release, side):
        yield [rows[entity] | {"degree": degree.get(node, 0)} for node, entity in way.items()]
