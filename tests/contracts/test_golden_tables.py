"""The same key gives the same tables as ever, for every method and every way of making groups."""

from __future__ import annotations

import json

import pytest

from anonagram import Method
from tests.contracts.golden import CALLS, DIVIDED, GOLDEN, digests_of, divided_digests_of

EXPECTED = json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("call", CALLS)
def test_tables_are_what_they_were(call):
    assert digests_of(call) == EXPECTED["whole"][call]


@pytest.mark.parametrize("call", DIVIDED)
def test_tables_made_block_by_block_are_what_they_were(call):
    assert divided_digests_of(call) == EXPECTED["divided"][call]


def test_no_method_is_left_out():
    assert {type(Method.parse(call)) for call in CALLS} == set(Method.known().values())
    assert set(EXPECTED["whole"]) == set(CALLS)
    assert set(EXPECTED["divided"]) == set(DIVIDED)
