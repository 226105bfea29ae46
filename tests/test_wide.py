"""Tables with more columns than anybody looks at: nothing may grow with a power of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Microdata
from anonagram.attacks import Aligned, MaximumKnowledge, audit
from anonagram.columns.nearest import has_few_combinations, random_records
from anonagram.measures import measure_release
from anonagram.methods import Method

COLUMNS = 120
ROWS = 400
KEY = Key(bytes(32))


@pytest.fixture(scope="module")
def microdata() -> Microdata:
    draw = np.random.default_rng(1)
    table = {f"c{i}": draw.integers(0, (2, 5, 50, 300)[i % 4], ROWS) for i in range(COLUMNS)}
    roles = dict.fromkeys(table, "quasi") | {"s": "sensitive"}
    return Microdata.read(pl.DataFrame(table | {"s": draw.integers(0, 30, ROWS)}), roles)


def test_rows_to_the_power_of_columns_are_many():
    assert not has_few_combinations(np.zeros((20_293, 76), np.int64))
    assert not has_few_combinations(np.zeros((1_000, 110), np.int64))
    assert has_few_combinations(np.zeros((1, 500), np.int64))
    assert has_few_combinations(np.zeros((141, 2), np.int64))  # 19,881
    assert not has_few_combinations(np.zeros((142, 2), np.int64))  # 20,164
    assert random_records(np.ones((1_000, 110), np.int64), 7, KEY).shape == (7, 110)


@pytest.mark.parametrize("call", ["anatomy(l=4)", "permutation(l=4)", "generalize(l=4)"])
def test_groups_of_a_wide_table(microdata, call):
    release = Method.parse(call).anonymize(microdata, KEY)
    assert measure_release(release, microdata, None).rows == ROWS
    answer = release.query("SELECT COUNT(*) FROM data WHERE c1 < 3 AND c118 > 20")[0]["COUNT(*)"]
    assert answer.lower <= answer.estimate <= answer.upper


def test_an_audit_of_a_wide_table(microdata):
    original = microdata.frame()
    masked = original.with_columns(pl.col("c3").shuffle(1))
    found = audit(Aligned.read(original, masked), MaximumKnowledge(random_records=100))
    assert found.rows == ROWS
