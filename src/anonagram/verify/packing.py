"""What a page of a bundle carries with it: its texts, columns of codes and arrays.

A name or a value of the data is only ever shown: the page has no form that could be sent, and asks
no object of the browser for something by a name from the data.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import resources
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.coarsening import Coarsening
from anonagram.columns.coarsenings.round import Round
from anonagram.columns.original import Original
from anonagram.release import PublishedColumn, Release
from anonagram.shown.page_policy import policy
from anonagram.shown.page_style import page_style
from anonagram.verify.view import ViewColumn

MOST_CELLS = 3_000_000
"""A release with more cells than this makes a page that browsers open slowly; it gets none."""
ALIGNED = 8
LEVEL = 4
"""Of compression: the last percent of a page's size would take most of the time to make it."""
MILLISECONDS_A_DAY = 86_400_000
HOME = "anonagram.verify"


@dataclass(frozen=True)
class FileOf:
    """A file of the bundle that the page is in."""

    path: str
    bytes: int
    hash: str


@dataclass(frozen=True)
class Parts:
    """The files that a page is put together from, each as its package and name."""

    fields: tuple[str, str]
    """What people fill in."""
    words: tuple[str, str]
    """What the words on it mean."""
    scripts: tuple[tuple[str, str], ...]


def is_too_large(release: Release) -> bool:
    """Whether browsers would open a page of it slowly."""
    return sum(table.height * table.width for table in release.tables.values()) > MOST_CELLS


def put_together(parts: Parts, data: str) -> str:
    """The page: its policy knows script and style by their hashes."""
    script = "".join(_text(*each) for each in parts.scripts)
    style = page_style(_text(HOME, "page.css"))
    filled = {
        "policy": policy(script=script, style=style),
        "style": style,
        "fields": _text(*parts.fields),
        "words": _text(*parts.words),
        "data": data,
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: filled[place[1]], _text(HOME, "page.html"))


def _text(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


class Arrays:
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


def packed(told: Mapping[str, Any], arrays: Arrays, files: Sequence[FileOf]) -> str:
    """What a page is told: the length of its description, the description, and all arrays."""
    whole = {**told, "files": [asdict(file) for file in files]}
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-(len(text) + ALIGNED) % ALIGNED)
    content = len(text).to_bytes(ALIGNED, "little") + text + b"".join(arrays.parts)
    return base64.b64encode(gzip.compress(content, LEVEL, mtime=0)).decode()


def about_release(release: Release) -> dict[str, Any]:
    """How a release was made."""
    manifest = release.manifest
    return {
        "method": manifest.method, "created": manifest.created, "software": manifest.software,
    }  # fmt: skip


def column_form(column: ViewColumn, about: PublishedColumn, arrays: Arrays) -> dict[str, Any]:
    """A column: its values as they are written, and how a person has them herself."""
    return _column(column, arrays) | _called(column, about)


def _called(column: ViewColumn, about: PublishedColumn) -> dict[str, Any]:
    """What people read instead of a name and of values; by place, as a value may be any text."""
    labels = about.labels or {}
    return {
        "label": about.label,
        "labels": [labels.get(text) for text in column.texts] if labels else [],
    }


def _column(column: ViewColumn, arrays: Arrays) -> dict[str, Any]:
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
