"""What generalized tables tell in place of values."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from anonagram import Generalize, Key, Microdata
from anonagram.methods import covers

ROLES = {"ward": "quasi", "day": "quasi", "disease": "sensitive"}


@pytest.mark.parametrize("values", [2, 63, 64])
def test_sets_are_the_same_whether_they_are_numbers_or_lists(values, monkeypatch):
    """Missing values included, up to the last bit of a number."""
    table = pl.DataFrame({
        "ward": [None if i % values == 0 else f"w{i % values:02}" for i in range(600)],
        "day": [i % 29 for i in range(600)],
        "disease": [f"d{i % 5}" for i in range(600)],
    })  # fmt: skip
    data = Microdata.read(table, ROLES)
    one = Generalize(l=3, partition="buckets").anonymize(data, Key(bytes(32)))
    assert data.column("ward").cardinality == values <= covers.BITS
    monkeypatch.setattr(covers, "BITS", 0)
    other = Generalize(l=3, partition="buckets").anonymize(data, Key(bytes(32)))
    assert_frame_equal(one.groups, other.groups)
    assert_frame_equal(one.rows, other.rows)
    found = one.groups.explode("ward").select(pl.len()).item()
    assert found > one.groups.height  # some sets have several values
