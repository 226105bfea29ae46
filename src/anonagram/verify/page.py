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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import resources
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.coarsening import Coarsening
from anonagram.columns.coarsenings.round import Round
from anonagram.columns.original import Original
from anonagram.errors import CallError
from anonagram.release import MOVED, Masking, PublishedColumn, Release
from anonagram.shown.page_policy import policy
from anonagram.shown.page_style import page_style
from anonagram.verify.verification import (
    LEAST_COLUMNS,
    distance_columns,
    random_distances,
)
from anonagram.verify.view import GroupCounts, Sets, Spans, View, ViewColumn, view_of
from anonagram.verify.words import BY_GROUP, left_out_told

MOST_CELLS = 3_000_000
"""A release with more cells than this makes a page that browsers open slowly; it gets none."""
ALIGNED = 8
LEVEL = 4
"""Of compression: the last percent of a page's size would take most of the time to make it."""
MILLISECONDS_A_DAY = 86_400_000
SCRIPTS = ("page.js", "page_coarser.js", "page_words.js", "page_fields.js")
"""What computes, what says it in words, and what people see and fill in."""


@dataclass(frozen=True)
class FileOf:
    """A file of the bundle that the page is in."""

    path: str
    bytes: int
    hash: str


def page_of(release: Release, files: Sequence[FileOf] = ()) -> str | None:
    """The page of a release; None where it is too large for one, or nobody finds herself in it.

    It tells the hashes of the files that it was made beside.
    """
    cells = sum(table.height * table.width for table in release.tables.values())
    if cells > MOST_CELLS:
        return None
    try:
        view = view_of(release)
    except CallError:
        return None
    script = "".join(_part(name) for name in SCRIPTS)
    style = page_style(_part("page.css"))
    filled = {
        "policy": policy(script=script, style=style),
        "style": style,
        "data": _packed(view, files),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: filled[place[1]], _part("page.html"))


def _part(name: str) -> str:
    return resources.files("anonagram.verify").joinpath(name).read_text(encoding="utf-8")


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


def _packed(view: View, files: Sequence[FileOf]) -> str:
    """The view: the length of its description, the description, and all arrays."""
    arrays = _Arrays()
    told = _described(view, arrays) | {"files": [asdict(file) for file in files]}
    text = json.dumps(told, ensure_ascii=False, allow_nan=False).encode()
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
        "created": release.manifest.created,
        "software": release.manifest.software,
        "hasExactRows": release.has_whole_rows,
        "byGroup": BY_GROUP if release.has_whole_rows else "",
        "leftOut": left_out_told(release.manifest.rows.suppressed),
        "columns": {
            key[name]: _column(column, arrays)
            | _called(column, release.manifest.column(name))
            | {"keepsValues": view.keeps_values(name)}
            for name, column in view.columns.items()
        },
        "known": [key[name] for name in view.known],
        "sensitive": [key[name] for name in view.sensitive if view.is_true(name)],
        "untrue": [key[name] for name in view.sensitive if not view.is_true(name)],
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


def _called(column: ViewColumn, about: PublishedColumn) -> dict[str, Any]:
    """What people read instead of a name and of values; by place, as a value may be any text."""
    labels = about.labels or {}
    return {
        "label": about.label,
        "labels": [labels.get(text) for text in column.texts] if labels else [],
    }


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
    content["isWhole"] = dtype.is_integer()
    content["original"] = _original(column, content["input"])
    return content


def _original(column: ViewColumn, published: str) -> dict[str, Any]:
    """How a person has a value herself, and the steps to what is published."""
    original = column.original or Original(column.kind)
    inputs = {"numeric": "number", "date": "date"}
    return {
        "kind": original.kind,
        "input": published if column.is_measured else inputs.get(original.kind, "text"),
        "format": original.format,
        "missing": list(original.missing),
        "steps": [_step_form(step) for step in original.steps],
        # as pairs: a value may have any name, also one that every object has
        "coarser": list(original.coarser.items()),
        "told": original.told,
    }


def _step_form(step: Coarsening) -> dict[str, Any]:
    """A step with its parameters, times in milliseconds."""
    form = {field.name: getattr(step, field.name) for field in fields(step)}  # type: ignore[arg-type]
    if isinstance(step, Round):
        form["decimals"] = step.decimals
    for name in ("low", "high"):
        if isinstance(form.get(name), str):
            form[name] = pl.Series([form[name]]).str.to_datetime("%Y-%m-%d").dt.epoch("ms")[0]
    return {"call": step.call, **form}
