"""Rows that are read once: what is counted and encoded is what was there."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram.divided.rows import ValueCodes, refuse_many
from anonagram.engines import drafts
from anonagram.engines.drafts import Draft, count_drafts
from anonagram.errors import CannotAnonymize

AUTUMN = datetime(2024, 10, 27, tzinfo=UTC)
KINDS = {
    pl.Int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    pl.String(): st.text(max_size=3),
    pl.Float64(): st.sampled_from([0.0, 1.5, -2.0, 1e300]),
    pl.Boolean(): st.booleans(),
    pl.Date(): st.dates(date(1900, 1, 1)),
    # the hour that comes twice: the same by the clock, and not the same
    pl.Datetime("us", "Europe/Berlin"): st.integers(0, 6).map(
        lambda half: AUTUMN + timedelta(minutes=30 * half)
    ),
    pl.Decimal(9, 2): st.integers(-500, 500).map(lambda cents: Decimal(cents) / 100),
}


def in_utc(values: pl.Series) -> pl.Series:
    """Python takes the hour that comes twice for one."""
    is_zoned = isinstance(values.dtype, pl.Datetime)
    return values.dt.convert_time_zone("UTC") if is_zoned else values


@given(st.data())
def test_numbers_and_counts_are_those_of_the_rows(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("drafts")
    kinds = data.draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3))
    names = [f"c{place}" for place in range(len(kinds))]
    size = data.draw(st.integers(1, 30))
    frame = pl.DataFrame(
        {
            name: pl.Series(
                data.draw(st.lists(st.none() | KINDS[kind], min_size=size, max_size=size)),
                dtype=kind,
            )
            for name, kind in zip(names, kinds, strict=True)
        }
    )
    cuts = sorted({0, size, *data.draw(st.lists(st.integers(0, size), max_size=4))})
    parts = [frame[first:last] for first, last in pairwise(cuts)]
    middle = data.draw(st.integers(0, len(parts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drafts, "BATCH", data.draw(st.integers(1, 30)))
        made = [
            Draft.of(some, folder, 100, lambda _name: pytest.fail("few values"))
            for some in (parts[:middle], parts[middle:])
        ]
    counted = count_drafts(made, names, 100, lambda _name: pytest.fail("few values"))
    codes = {}
    for name in names:
        met = dict(counted[name].with_columns(in_utc(counted[name]["value"])).rows())
        assert met == Counter(in_utc(frame[name]).to_list())
        known = counted[name]["value"].drop_nulls().sort()
        codes[name] = ValueCodes(known, np.arange(len(known) + 1, dtype=np.int32)[::-1].copy())
    code_of = [each.of for each in codes.values()]
    found = [
        np.stack([t[of] for t, of in zip(draft.tables(code_of), numbers, strict=True)], axis=1)
        for draft in made
        if draft.columns
        for numbers in draft.numbers()
    ]
    expected = np.stack([each.of(frame[name]) for name, each in codes.items()], axis=1)
    assert np.concatenate(found).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [255, 256, 65_535, 65_536])
def test_numbers_are_as_wide_as_they_must(tmp_path, size):
    frame = pl.DataFrame({"a": range(size), "b": [1] * size})
    (draft,) = [Draft.of([frame, frame], tmp_path, 1 << 20, pytest.fail)]
    ((_, rows, kind),) = draft.pieces
    assert rows == 2 * size
    assert kind is (np.uint8 if size < 256 else np.uint16 if size < 65_536 else np.int32)
    (table, _) = draft.tables([lambda values: values.fill_null(-1).to_numpy()] * 2)
    (numbers,) = draft.numbers()
    assert table[numbers[0]].tolist() == [*range(size)] * 2


def test_a_column_with_too_many_values_is_refused_in_a_part_and_in_all(tmp_path):
    one, two = (pl.DataFrame({"zip": range(first, first + 6)}) for first in (0, 6))

    def refuse(name: str) -> CannotAnonymize:
        return refuse_many(name, "people")

    with pytest.raises(CannotAnonymize, match="'zip' has more than"):
        Draft.of([one], tmp_path, 5, refuse)
    made = [Draft.of([each], tmp_path, 6, refuse) for each in (one, two)]
    with pytest.raises(CannotAnonymize, match="'zip' has more than"):
        count_drafts(made, ["zip"], 6, refuse)


def test_whoever_plans_holds_no_more_values_than_are_allowed(tmp_path, monkeypatch):
    def refuse(name: str) -> CannotAnonymize:
        return refuse_many(name, "people")

    parts = [pl.DataFrame({"zip": range(10 * part, 10 * part + 10)}) for part in range(50)]
    made = [Draft.of([each], tmp_path, 20, refuse) for each in parts]
    looked_at, values = [], Draft.values
    monkeypatch.setattr(Draft, "values", lambda self, j: looked_at.append(j) or values(self, j))
    with pytest.raises(CannotAnonymize, match="'zip' has more than"):
        count_drafts(made, ["zip"], 20, refuse)
    assert len(looked_at) < 6
