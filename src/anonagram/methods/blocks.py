"""A release made block by block: each by the method as it is, then numbered and joined.

What is drawn for a block comes from a key of its own, so blocks can be worked on by anybody, in any
order. Only the number of groups must be known of all of them before groups get their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    method: Method, microdata: Microdata, most: int, key: Key, manifest: Manifest
) -> Publication:
    """Cut the table, rearrange every block, and join what comes out."""
    blocks = method.blocks(microdata, most, key.at("cut"))
    work = [(method, microdata.take(rows), n, key, manifest) for n, rows in enumerate(blocks)]
    return join(in_threads(rearrange_block, work), blocks, key, manifest)


def rearrange_block(
    method: Method, block: Microdata, number: int, key: Key, manifest: Manifest
) -> Publication:
    """The method's work on one block, with the draws of that block."""
    return method.rearrange(block, key.at("block", number), manifest)


def join(
    parts: Sequence[Publication],
    blocks: Sequence[NDArray[np.int32]],
    key: Key,
    manifest: Manifest,
) -> Publication:
    """One release of all blocks; groups are numbered anew, at random over all of them."""
    groups = _Groups(parts, key) if "group" in manifest.layout else None
    first = parts[0].release
    tables = {
        name: table if first.is_about_all(name) else _stacked(parts, name, groups, manifest)
        for name, table in first.tables.items()
    }
    release = type(first).from_tables(first.manifest, tables)
    return Publication(release, _joined_mapping(parts, blocks, groups))


class _Groups:
    """The new numbers of the groups of all blocks."""

    def __init__(self, parts: Sequence[Publication], key: Key) -> None:
        local = [part.mapping["group"].to_numpy() for part in parts]
        counts = [int(each.max()) for each in local]
        numbers = key.permutation("blocks/groups", sum(counts)) + np.int32(1)
        self.numbers = np.split(numbers, np.cumsum(counts)[:-1])
        # rows stand by their groups in every block, and shall do so in the whole
        stacked = np.concatenate([self.of(n, np.sort(each)) for n, each in enumerate(local)])
        self.order = np.argsort(stacked, kind="stable")

    def of(self, block: int, local: NDArray[np.int32]) -> NDArray[np.int32]:
        """The new numbers of groups of a block."""
        numbers: NDArray[np.int32] = self.numbers[block][local - 1]
        return numbers


def _stacked(
    parts: Sequence[Publication], name: str, groups: _Groups | None, manifest: Manifest
) -> pl.DataFrame:
    """A table of all blocks: by group, or block after block."""
    tables = [part.release.tables[name] for part in parts]
    if groups is None:
        return pl.concat(tables)
    column = manifest.layout["group"]
    numbered = [
        table.with_columns(pl.Series(column, groups.of(number, table[column].to_numpy())))
        for number, table in enumerate(tables)
    ]
    return pl.concat(numbered).sort(column, maintain_order=True)


def _joined_mapping(
    parts: Sequence[Publication], blocks: Sequence[NDArray[np.int32]], groups: _Groups | None
) -> pl.DataFrame:
    """For each input row where it went, in the tables of all blocks."""
    sizes = [rows.size for rows in blocks]
    place = np.arange(sum(sizes), dtype=np.int32)
    if groups is not None:
        place[groups.order] = np.arange(place.size, dtype=np.int32)
    places = np.split(place, np.cumsum(sizes)[:-1])
    moved = []
    for number, part in enumerate(parts):
        columns = {}
        for name, values in part.mapping.to_dict().items():
            local = values.to_numpy()
            is_group = groups is not None and name == "group"
            columns[name] = groups.of(number, local) if is_group else places[number][local]  # type: ignore[union-attr]
        moved.append(pl.DataFrame(columns))
    return pl.concat(moved)[np.argsort(np.concatenate(blocks))]
