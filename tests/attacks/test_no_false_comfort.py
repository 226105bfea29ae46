"""No table is called safe in which a plain intruder, written apart from ours, finds people."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram.attacks import Aligned, Verdict, audit
from tests.attacks.maskings import MASKINGS, SHAPES, make, share_linked

TOLERATED = 0.1
MOSTLY = 8
"""Of the ten surest matches."""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masking", MASKINGS)
def test_nothing_is_green_where_somebody_is_found(masking, shape):
    made = make(masking, shape, seed=len(masking) + len(shape))
    by_place = audit(Aligned.read(made.before, made.after))
    with_ids = audit(
        Aligned.read(
            made.before | {"id": list(range(len(made.before["c0"])))},
            made.after | {"id": made.order.tolist()},
            id_column="id",
        )
    )
    share, chance, sure = share_linked(made)
    is_found = share > TOLERATED + chance or sure >= MOSTLY
    told = (masking, shape, share, sure, by_place.summary()[0], with_ids.summary()[0])
    if is_found:
        assert by_place.verdict is not Verdict.WITHSTANDS, told
        assert with_ids.verdict is Verdict.DOES_NOT_WITHSTAND, told
    if shape in ("shuffled", "sorted", "rows dropped", "a row moved up"):
        assert by_place.verdict is not Verdict.WITHSTANDS, told
    if masking in ("permuted", "new_people", "large_noise"):
        assert not is_found, told
        assert by_place.verdict is not Verdict.DOES_NOT_WITHSTAND, told
        assert with_ids.verdict is Verdict.WITHSTANDS, told


def test_ten_exact_copies_in_an_unknown_order_are_told():
    """They drowned in what chance does to the other 1,990: the intruder was said to be withstood."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(2000, 4))
    masked = rows + random.normal(size=rows.shape)
    masked[:10] = rows[:10]
    masked = masked[random.permutation(2000)]
    tables = [pl.DataFrame(each, schema=list("abcd"), orient="row") for each in (rows, masked)]
    found = audit(Aligned.read(*tables))
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert any("equal in every column" in line for line in found.summary())
    noise = pl.DataFrame(rows + random.normal(size=rows.shape), schema=list("abcd"), orient="row")
    without = audit(Aligned.read(tables[0], noise.sample(fraction=1, shuffle=True, seed=1)))
    assert without.verdict is Verdict.CANNOT_TELL
