"""What is done with one block where its rows are: rearrange it, check it, and write its tables.

Everything here can be done twice, by different machines and at the same time: a file is made under a
name that nobody else has and then moved, and whoever is last puts the same bytes into the same place.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CannotWrite
from anonagram.key import Key
from anonagram.learning import Ranked, rank_all
from anonagram.measures.published import measure_published
from anonagram.methods import Method
from anonagram.methods.blocks import groups_in, numbered_from, rearrange_block
from anonagram.microdata import Microdata
from anonagram.models import PrivacyModel
from anonagram.partition.blocks import in_order, with_codes
from anonagram.release import Claim, Figures, Manifest
from anonagram.release.bundle import part_at, resource_schema
from anonagram.release.descriptor import Part


@dataclass(frozen=True)
class BlockDone:
    """What whoever puts the release together must know of a block."""

    number: int
    rows: int
    groups: int
    manifest: Manifest
    """With the section of the shape."""
    schemas: Mapping[str, dict[str, Any]]
    """The columns and keys of every table."""
    claims: tuple[Claim, ...]
    figures: Figures
    ranked: tuple[Ranked, ...]
    """What sorting amounts inside groups finds: one block says it as well as all."""


@dataclass(frozen=True)
class BlockWork:
    """How every block of a release is made."""

    method: Method
    table: Microdata
    """Without rows."""
    own: Key
    key: Key
    """Of the release, and of its blocks of this size."""
    manifest: Manifest
    promises: tuple[PrivacyModel, ...]
    scratch: Path

    def __call__(self, number: int, codes: NDArray[np.int32]) -> BlockDone:
        """Make one block, and leave its tables for `Numbering`."""
        block = with_codes(self.table, codes[in_order(codes, self.own)])
        made = rearrange_block(self.method, block, number, self.key, self.manifest)
        release = made.release
        for name, table in release.tables.items():
            if number == 0 or not release.is_about_all(name):
                # read once more and then gone: quick rather than small
                _write(table, scratch_path(self.scratch, name, number), compression="lz4")
        group_of = made.mapping.get_column("group", default=None)
        is_looked_at = number == 0 and group_of is not None
        ranked = rank_all(release, block, group_of.to_numpy()) if is_looked_at else ()
        return BlockDone(
            number,
            block.rows,
            groups_in(made),
            release.manifest,
            {name: resource_schema(release, name, table) for name, table in release.tables.items()},
            tuple(self.method.claim(model, made, block) for model in self.promises),
            measure_published(release),
            tuple(ranked),
        )


@dataclass(frozen=True)
class Place:
    """Where a block stands among all."""

    number: int
    place: int
    groups_before: int


@dataclass(frozen=True)
class Numbering:
    """How the tables of a block become parts of the release, once all blocks are made."""

    manifest: Manifest
    scratch: Path
    folder: Path
    tables: tuple[str, ...]
    """Those that every block has a part of."""

    def __call__(self, place: Place) -> dict[str, Part]:
        """The part of each table."""
        found = {}
        for name in self.tables:
            table = pl.read_parquet(scratch_path(self.scratch, name, place.number), glob=False)
            listed = f"{name}/part-{place.place + 1:05}.parquet"
            path = self.folder / listed
            _write(numbered_from(table, place.groups_before, self.manifest), path)
            found[name] = part_at(path, listed, table.height)
        return found


def scratch_path(scratch: Path, name: str, number: int) -> Path:
    """Where a block's table waits for its numbers."""
    return scratch / f"{name}-{number:05}.parquet"


def _write(table: pl.DataFrame, path: Path, **how: Any) -> None:
    """Write a file that is there as a whole or not at all."""
    partial = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        table.write_parquet(partial, **how)
        os.replace(partial, path)
    except (OSError, pl.exceptions.PolarsError) as error:
        partial.unlink(missing_ok=True)
        raise CannotWrite(f"{path} was not written: {error}.", "look at its disk.") from error
