"""The page in a bundle that does in a browser what `anonagram verify` does.

It carries the release with it, as columns of codes, and may not load or send anything. A name or a
value of the data is only ever shown: the page has no form that could be sent, and asks no object of
the browser for something by a name from the data.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.release import MOVED, Masking, Release
from anonagram.shown.page_policy import policy
from anonagram.verify.verification import (
    BY_GROUP,
    LEAST_COLUMNS,
    distance_columns,
    random_distances,
)
from anonagram.verify.view import GroupCounts, Sets, Spans, View, ViewColumn, view_of

MOST_CELLS = 3_000_000
"""A release with more cells than this makes a page that browsers open slowly; it gets none."""
ALIGNED = 8
LEVEL = 4
"""Of compression: the last percent of a page's size would take most of the time to make it."""
MILLISECONDS_A_DAY = 86_400_000


def page_of(release: Release) -> str | None:
    """The page of a release; None where it is too large for one, or nobody finds herself in it."""
    cells = sum(table.height * table.width for table in release.tables.values())
    if cells > MOST_CELLS:
        return None
    try:
        view = view_of(release)
    except CallError:
        return None
    script, style = _part("page.js"), _part("page.css")
    filled = {
        "policy": policy(script=script, style=style),
        "style": style,
        "data": _packed(view),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: filled[place[1]], _part("page.html"))


def _part(name: str) -> str:
    return files("anonagram.verify").joinpath(name).read_text(encoding="utf-8")


class _Arrays:
    """Arrays one behind the other, each known by where it begins."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.known: dict[int, tuple[NDArray[Any], dict[str, Any]]] = {}

    def add(self, array: NDArray[Any]) -> dict[str, Any]:
        """Keep an array, once however often it is needed."""
        if id(array) not in self.known:
            self.known[id(array)] = array, self._kept(array)
        return self.known[id(array)][1]

    def _kept(self, array: NDArray[Any]) -> dict[str, Any]:
        """Keep it in the narrowest type that holds it."""
        if array.dtype.kind in "iub":
            low = int(array.min(initial=0))
            array = array.astype(
                np.min_scalar_type(int(array.max(initial=0))) if low >= 0 else np.int32
            )
            if array.dtype.itemsize > 4:
                array = array.astype(np.float64)  # browsers count exactly up to 2^53
        content = array.astype(array.dtype.newbyteorder("<")).tobytes()
        content += bytes(-len(content) % ALIGNED)
        start = self.size
        self.parts.append(content)
        self.size += len(content)
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        return {"$array": kind, "start": start, "length": array.size}


def _packed(view: View) -> str:
    """The view: the length of its description, the description, and all arrays."""
    arrays = _Arrays()
    text = json.dumps(_described(view, arrays), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-(len(text) + ALIGNED) % ALIGNED)
    content = len(text).to_bytes(ALIGNED, "little") + text + b"".join(arrays.parts)
    return base64.b64encode(gzip.compress(content, LEVEL, mtime=0)).decode()


def _described(view: View, arrays: _Arrays) -> dict[str, Any]:
    """What the page needs, with columns by number: a name may be any text, also one of its own."""
    release = view.release
    key = {name: f"c{number}" for number, name in enumerate(view.columns)}

    def by_key(entries: Mapping[str, Any], form: Callable[[Any], Any]) -> dict[str, Any]:
        return {key[name]: form(entry) for name, entry in entries.items()}

    def masking_form(masking: Masking) -> dict[str, Any]:
        return {
            "within": masking.within, "kept": masking.kept, "noise": masking.noise,
            "isMoved": masking.how == MOVED,
        }  # fmt: skip

    content: dict[str, Any] = {
        "method": release.manifest.method,
        "rows": release.manifest.rows.published,
        "byGroup": BY_GROUP if release.has_exact_rows else "",
        "columns": {
            key[name]: _column(column, arrays) | {"keepsValues": view.keeps_values(name)}
            for name, column in view.columns.items()
        },
        "known": [key[name] for name in view.known],
        "sensitive": [key[name] for name in view.sensitive if view.is_true(name)],
        "people": by_key(view.people, arrays.add),
        "parts": [
            {
                "columns": [key[name] for name in part.columns],
                "groupOf": arrays.add(part.group_of),
            }
            for part in view.parts
        ],
        "sizes": arrays.add(view.sizes),
        "spans": by_key(view.spans, lambda told: _fields(told, arrays)),
        "counts": by_key(view.counts, lambda told: _fields(told, arrays)),
        "marginals": by_key(view.marginals, arrays.add),
        "masked": by_key(release.masked, masking_form),
        "distances": None,
    }
    if release.replaced is not None:
        transition = release.replaced.transition
        content["transition"] = {
            "replaced": by_key(transition.replaced, float),
            "attributes": transition.attributes,
        }
    names = distance_columns(view)
    if len(names) >= LEAST_COLUMNS:
        ranks = np.column_stack([view.ranked(name).ranks for name in names])
        random, is_sample = random_distances(ranks)
        content["distances"] = {
            "columns": [key[name] for name in names],
            "random": arrays.add(np.sort(random)),
            "isSample": is_sample,
        }
    return content


def _fields(told: Spans | Sets | GroupCounts, arrays: _Arrays) -> dict[str, Any]:
    return {field.name: arrays.add(getattr(told, field.name)) for field in fields(told)}


def _column(column: ViewColumn, arrays: _Arrays) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": column.name, "kind": column.kind, "texts": column.texts, "input": "text",
    }  # fmt: skip
    dtype = column.domain.dtype
    if column.is_measured:
        content["places"] = arrays.add(column.places[:-1])
        content["isSingle"] = dtype == pl.Float32
        if dtype.is_numeric():
            content["input"] = "number"
        elif isinstance(dtype, pl.Date):
            content |= {"input": "date", "milliseconds": MILLISECONDS_A_DAY}
        elif isinstance(dtype, pl.Datetime):
            content |= {"input": "moment", "milliseconds": 1000}
    return content
