"""Releases of a table in every grouped shape, with groups chosen by the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unittest.mock import patch

import numpy as np
import polars as pl

from anonagram import Anatomy, Generalize, Key, Microdata, Permutation
from anonagram.methods.group_method import GroupMethod
from anonagram.partition import Partition
from anonagram.release import GroupedRelease, describe

KEY = Key(bytes(range(32)))
SHAPES = {"anatomized": Anatomy(2), "permuted": Permutation(2), "generalized": Generalize(2)}


def released(
    shape: str, table: pl.DataFrame, roles: Mapping[str, object], groups: Sequence[int]
) -> GroupedRelease:
    """A release with these groups (numbers from 0), whatever they promise."""
    # a column may be constant here: nobody is protected in these tests
    with patch("anonagram.microdata.refuse_constant"):
        microdata = Microdata.read(table, roles)
    partition = Partition(np.array(groups, np.int32), max(groups) + 1)
    method = SHAPES[shape]
    manifest = describe(repr(method), microdata, KEY, None)
    manifest = manifest.with_layout(method.shape.own_names(manifest.columns))
    with patch.object(GroupMethod, "arrange", lambda *_: partition.arrange(KEY, "test")):
        return method.rearrange(microdata, KEY, manifest).release  # type: ignore[return-value]
