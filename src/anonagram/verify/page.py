"""The page in a bundle that does in a browser what `anonagram verify` does.

It carries the release with it, as columns of codes, and may not load or send anything.
"""

from __future__ import annotations

import base64
import gzip
import json
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.release import MaskedRelease, PerturbedRelease, Release
from anonagram.verify.verification import distance_columns, random_distances
from anonagram.verify.view import Sets, View, ViewColumn, view_of

PAGE = "verify.html"
MOST_CELLS = 3_000_000
"""A release with more cells than this makes a page that browsers open slowly; it gets none."""
ALIGNED = 8
TICKS_A_MILLISECOND = {"ms": 1, "us": 10**3, "ns": 10**6}
MILLISECONDS_A_DAY = 86_400_000


def page_of(release: Release) -> str | None:
    """The page of a release; None where the release is too large for one."""
    cells = sum(table.height * table.width for table in release.tables.values())
    if cells > MOST_CELLS:
        return None
    template = files("anonagram.verify").joinpath("page.html").read_text(encoding="utf-8")
    return template.replace("{{data}}", _packed(view_of(release)))


class _Arrays:
    """Arrays one behind the other, each known by where it begins."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: NDArray[Any]) -> dict[str, Any]:
        """Keep an array in the narrowest type that holds it."""
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
        return {"start": start, "length": array.size, "kind": kind}


def _packed(view: View) -> str:
    """The view: the length of its description, the description, and all arrays."""
    arrays = _Arrays()
    text = json.dumps(_described(view, arrays), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-(len(text) + ALIGNED) % ALIGNED)
    content = len(text).to_bytes(ALIGNED, "little") + text + b"".join(arrays.parts)
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def _described(view: View, arrays: _Arrays) -> dict[str, Any]:
    release = view.release
    content: dict[str, Any] = {
        "method": release.manifest.method,
        "shape": release.shape,
        "rows": release.manifest.rows,
        "columns": {name: _column(column, arrays) for name, column in view.columns.items()},
        "known": view.known,
        "sensitive": view.sensitive,
        "people": {name: arrays.add(codes) for name, codes in view.people.items()},
        "groupOf": arrays.add(view.group_of),
        "sizes": arrays.add(view.sizes),
        "spans": {},
        "counts": {
            name: {
                "group": arrays.add(told.group),
                "code": arrays.add(told.code),
                "count": arrays.add(told.count),
            }
            for name, told in view.counts.items()
        },
        "marginals": {name: arrays.add(counts) for name, counts in view.marginals.items()},
        "masked": {},
        "distances": None,
    }
    for name, told in view.spans.items():
        if isinstance(told, Sets):
            entry = {"starts": arrays.add(told.starts), "codes": arrays.add(told.codes)}
        else:
            entry = {
                "low": arrays.add(told.low),
                "high": arrays.add(told.high),
                "hasMissing": arrays.add(told.has_missing),
                "isEmpty": arrays.add(told.is_empty),
            }
        content["spans"][name] = entry
    if isinstance(release, PerturbedRelease):
        transition = release.transition
        content["transition"] = {
            "replaced": dict(transition.replaced), "attributes": transition.attributes,
        }  # fmt: skip
    if isinstance(release, MaskedRelease):
        content["masked"] = {name: masking.within for name, masking in release.masked.items()}
    names = distance_columns(view, dict.fromkeys(view.known, 0.0))
    if names:
        ranks = np.column_stack([view.ranked(name).ranks for name in names])
        random, is_sample = random_distances(ranks)
        content["distances"] = {"random": arrays.add(np.sort(random)), "isSample": is_sample}
    return content


def _column(column: ViewColumn, arrays: _Arrays) -> dict[str, Any]:
    content: dict[str, Any] = {"kind": column.kind, "texts": column.texts, "input": "text"}
    dtype = column.domain.dtype
    if column.is_measured:
        content["places"] = arrays.add(column.places[:-1])
        content["isSingle"] = dtype == pl.Float32
        if dtype.is_numeric():
            # decimals count their smallest steps
            scale = dtype.scale if isinstance(dtype, pl.Decimal) else 0
            content |= {"input": "number", "scale": 10**scale}
        elif isinstance(dtype, pl.Date):
            content |= {"input": "date", "scale": 1 / MILLISECONDS_A_DAY}
        elif isinstance(dtype, pl.Datetime):
            content |= {"input": "moment", "scale": TICKS_A_MILLISECOND[dtype.time_unit]}
    return content
