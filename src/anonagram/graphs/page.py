"""The page in the bundle of a graph that does in a browser what `anonagram verify` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.graphs.subjects import Subjects, subjects_of
from anonagram.release.grouped_graph import SIDES, GroupedGraphRelease
from anonagram.verify.packing import (
    HOME,
    Arrays,
    FileOf,
    Parts,
    about_release,
    column_form,
    is_too_large,
    packed,
    put_together,
)

OURS = "anonagram.graphs"
PARTS = Parts(
    fields=(OURS, "page_fields.html"),
    words=(OURS, "page_words.html"),
    scripts=(
        (HOME, "page_load.js"),
        (HOME, "page_coarser.js"),
        (HOME, "page_elements.js"),
        (OURS, "page.js"),
        (OURS, "page_words.js"),
        (OURS, "page_fields.js"),
    ),
)


def graph_page(release: GroupedGraphRelease, files: Sequence[FileOf] = ()) -> str | None:
    """The page of a graph; None where it is too large for one."""
    if is_too_large(release):
        return None
    arrays = Arrays()
    return put_together(PARTS, packed(_described(release, arrays), arrays, files))


def _described(release: GroupedGraphRelease, arrays: Arrays) -> dict[str, Any]:
    """What the page needs, with the columns of both sides by number."""
    sides = [subjects_of(release, side) for side in SIDES]
    keys = [[f"{side}{number}" for number in range(len(each.columns))]
            for side, each in zip(SIDES, sides, strict=True)]  # fmt: skip
    content: dict[str, Any] = {
        **about_release(release),
        "edges": release.names.edges,
        "columns": {},
        "people": {},
        "spans": {},
        "counts": {},
        "known": [key for each in keys for key in each],
        "sides": [
            _side(each, own, release.own_surroundings[side], arrays)
            for side, each, own in zip(SIDES, sides, keys, strict=True)
        ],
    }
    for side, each, own in zip(SIDES, sides, keys, strict=True):
        described = {about.name: about for about in release.manifest.table(side).columns}
        for key, (name, column) in zip(own, each.columns.items(), strict=True):
            content["columns"][key] = column_form(column, described[name], arrays)
            content["people"][key] = arrays.add(each.people[name])
    return content


def _side(
    subjects: Subjects, keys: list[str], alone: NDArray[np.bool_], arrays: Arrays
) -> dict[str, Any]:
    view = subjects.view
    return {
        "table": subjects.table,
        "columns": keys,
        "groupOfEntity": arrays.add(view.group_of_entity),
        "groupOfNode": arrays.add(view.group_of_node),
        "sizes": arrays.add(view.sizes),
        "ends": arrays.add(view.ends),
        "alone": arrays.add(alone),
    }
