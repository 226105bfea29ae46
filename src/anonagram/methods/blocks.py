"""A release made block by block: each by the method as it is, then numbered and joined.

What is drawn for a block comes from a key of its own, so blocks can be worked on by anybody, in any
order. They stand in a random order, and their groups are numbered through: only how many groups those
before it have must be known before a block gets its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.key import Key
from anonagram.methods.publication import Publication
from anonagram.microdata import Microdata
from anonagram.release import Manifest
from anonagram.runtime.threads import in_threads

if TYPE_CHECKING:
    from anonagram.methods.method import Method


def rearrange_blocks(
    method: Method,
    microdata: Microdata,
    blocks: Sequence[NDArray[np.int32]],
    key: Key,
    manifest: Manifest,
) -> Publication:
    """Rearrange every block, and join what comes out."""
    work = [(method, microdata.take(rows), n, key, manifest) for n, rows in enumerate(blocks)]
    return join(in_threads(rearrange_block, work), blocks, key, manifest)


def rearrange_block(
    method: Method, block: Microdata, number: int, key: Key, manifest: Manifest
) -> Publication:
    """The method's work on one block, with the draws of that block."""
    return method.rearrange(block, key.at("block", number), manifest)


def order_of_blocks(count: int, key: Key) -> list[int]:
    """The blocks in the order in which they are published."""
    return [int(number) for number in key.permutation("blocks/published", count)]


def groups_in(publication: Publication) -> int:
    """How many groups a block has; 0 where the shape has none."""
    groups = publication.mapping.get_column("group", default=None)
    return 0 if groups is None else int(groups.max())


def numbered_from(table: pl.DataFrame, first: int, manifest: Manifest) -> pl.DataFrame:
    """A table of a block whose groups come behind so many others."""
    group = manifest.layout.get("group")
    if group is None or group not in table.columns:
        return table
    return table.with_columns((pl.col(group) + first).cast(table.schema[group]))


def join(
    parts: Sequence[Publication],
    blocks: Sequence[NDArray[np.int32]],
    key: Key,
    manifest: Manifest,
) -> Publication:
    """One release of all blocks, in a random order."""
    order = order_of_blocks(len(parts), key)
    ordered = [parts[number] for number in order]
    before = list(accumulate((groups_in(part) for part in ordered), initial=0))
    first = ordered[0].release
    tables = {
        name: table
        if first.is_about_all(name)
        else pl.concat(
            numbered_from(part.release.tables[name], groups, manifest)
            for part, groups in zip(ordered, before, strict=False)
        )
        for name, table in first.tables.items()
    }
    release = type(first).from_tables(first.manifest, tables)
    mapping = _joined_mapping(ordered, before)
    rows = np.concatenate([blocks[number] for number in order])
    return Publication(release, mapping[np.argsort(rows)])


def _joined_mapping(parts: Sequence[Publication], groups_before: Sequence[int]) -> pl.DataFrame:
    """For each row of the blocks where it went, in the tables of all of them."""
    rows_before = accumulate((part.mapping.height for part in parts), initial=0)
    return pl.concat(
        part.mapping.with_columns(
            (pl.col(name) + (groups if name == "group" else rows)).cast(dtype)
            for name, dtype in part.mapping.schema.items()
        )
        for part, groups, rows in zip(parts, groups_before, rows_before, strict=False)
    )
