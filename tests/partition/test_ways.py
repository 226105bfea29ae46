"""What is particular about each way of making groups."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter

import numpy as np
from benchmarks.census import census

from anonagram import Key, Microdata
from anonagram.partition import Buckets, Deal, Diversity, NcpSplit, Neighbours
from anonagram.partition.partitioner import Rows, code_positions
from tests.tables import PATIENT_SCHEMA, PATIENTS

KEY = Key(bytes(32))


def of_values(values: list[object]) -> Microdata:
    return Microdata.read(
        {"q": list(range(len(values))), "s": values}, {"q": "quasi", "s": "sensitive"}
    )


def test_buckets_place_residual_rows_in_any_group_that_lacks_their_value():
    """Seven values, l = 3: two groups and one residual row that may join either."""
    microdata = of_values(list(range(7)))
    larger = Counter()
    for seed in range(400):
        partition = Buckets().divide(microdata, Diversity(3), Key(seed.to_bytes(32, "big")))
        larger[int(np.argmax(partition.sizes))] += 1
    assert min(larger.values()) > 140


def test_deal_makes_as_many_groups_as_fit():
    partition = Deal().divide(of_values(list("aabbccddeef")), Diversity(3), KEY)
    assert partition.sizes.tolist() == [4, 4, 3]


def test_positions_of_codes():
    data = Microdata.read(
        {"n": [10, 20, None, 90], "o": ["lo", "hi", "mid", "lo"], "q": [1, 2, 3, 4]},
        {
            "n": "quasi",
            "o": {"role": "quasi", "kind": "ordinal", "order": ["lo", "mid", "hi"]},
            "q": "plain",
        },
    )
    assert code_positions(data.column("n")).tolist() == [0.0, 0.125, 1.0, 2.0]
    assert code_positions(data.column("o")).tolist() == [0.0, 0.5, 1.0]


def ncp_of(microdata: Microdata, group_of: np.ndarray) -> float:
    """The penalty, slowly and plainly, with the spec's definition."""
    total = 0.0
    for column in microdata.with_role("quasi"):
        values = np.array(
            column.domain.to_list() if column.kind == "numeric" else column.codes, dtype=object
        )
        for group in np.unique(group_of):
            codes = column.codes[group_of == group]
            if column.kind == "nominal":
                distinct = len(set(codes.tolist()))
                width = distinct / column.cardinality if distinct > 1 else 0.0
            else:
                width = (values[codes.max()] - values[codes.min()]) / (values[-1] - values[0])
            total += codes.size * width
    return total


def test_example_4_of_the_paper():
    microdata = Microdata.read(PATIENTS, PATIENT_SCHEMA)
    assert ncp_of(microdata, np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])) == 13.5


def test_neighbours_are_far_finer_than_algorithm_2():
    microdata = census(4000)
    penalty = {
        type(way).__name__: ncp_of(microdata, way.divide(microdata, Diversity(10), KEY).group_of)
        for way in (Neighbours(), NcpSplit(), Deal())
    }
    assert penalty["Neighbours"] < 0.7 * penalty["NcpSplit"] < 0.7 * penalty["Deal"]


def test_algorithm_2_sub_tables_are_feasible_and_cover_everything():
    microdata = census(3000)
    rows = Rows.shuffled(microdata, Diversity(5), KEY)
    starts = NcpSplit().split(rows, KEY)
    assert starts[0] == 0
    assert starts[-1] == 3000
    assert sorted(rows.rows.tolist()) == list(range(3000))
    codes = microdata.column("Occupation").codes[rows.rows]
    assert np.array_equal(codes, rows.sensitive[:, 0])
    for first, last in itertools.pairwise(starts):
        assert np.bincount(codes[first:last]).max() * 5 <= last - first
    assert len(starts) > 20


def slow_split_once(rows: np.ndarray, is_nominal: list[bool], domains: list[int]) -> list[int]:
    """Algorithm 2's inner loop as printed: which side (0: maxima, 1: minima) each row joins."""

    def penalty(side: list[tuple[int, ...]]) -> float:
        width = 0.0
        for j, nominal in enumerate(is_nominal):
            values = [row[j] for row in side]
            distinct = len(set(values))
            if nominal:
                width += distinct / domains[j] if distinct > 1 else 0.0
            else:
                width += (max(values) - min(values)) / (domains[j] - 1)
        return len(side) * width

    sides = [[tuple(d - 1 for d in domains)], [tuple(0 for _ in domains)]]
    choice = []
    for row in rows:
        growth = [penalty([*side, tuple(row)]) - penalty(side) for side in sides]
        side = 0 if growth[0] < growth[1] - 1e-12 else 1
        sides[side].append(tuple(row))
        choice.append(side)
    return choice


def test_algorithm_2_gives_rows_to_the_side_that_grows_less():
    from anonagram.kernels.cuts import Attributes
    from anonagram.kernels.ncp import split_once

    random = np.random.default_rng(5)
    domains, is_nominal = [8, 3, 5], [False, True, True]
    for _ in range(50):
        codes = np.stack([random.integers(0, d, 30) for d in domains], axis=1).astype(np.int32)
        offset = np.cumsum([0, *domains]).astype(np.int64)
        position = np.concatenate([np.arange(d) / (d - 1) for d in domains])
        attributes = Attributes(np.array(is_nominal), position, offset, np.array(domains, float))
        # rows are looked at from the front while those of side 1 are swapped to the back, so the
        # order in which a shuffled table is met is: front, then what came from the back
        met: list[int] = []
        left, right = 0, 30
        standing = list(range(30))
        work, rows = codes.copy(), np.arange(30, dtype=np.int32)
        border = split_once(work, np.zeros((30, 1), np.int32), rows, 0, 30, attributes,
                            np.empty((2, 3, 2)), np.zeros((2, 16), np.int64), 1)  # fmt: skip
        chosen = dict.fromkeys(rows[:border].tolist(), 0) | dict.fromkeys(rows[border:].tolist(), 1)
        while left < right:
            row = standing[left]
            met.append(row)
            if chosen[row] == 0:
                left += 1
            else:
                right -= 1
                standing[left], standing[right] = standing[right], standing[left]
        assert slow_split_once(codes[met], is_nominal, domains) == [chosen[row] for row in met]


def test_neighbours_leave_nothing_uncut_on_skewed_data():
    """Where one value is as frequent as l allows, Algorithm 2 gets stuck; neighbours do not."""
    random = np.random.default_rng(3)
    n, l = 4000, 5
    a = random.integers(0, 1000, n)
    frequent = np.zeros(n, bool)
    frequent[np.argsort(a)[: n // l]] = True  # the frequent value sits at one end of the scale
    values = np.where(frequent, 0, 1 + random.integers(0, 30, n))
    microdata = Microdata.read({"a": a, "s": values}, {"a": "quasi", "s": "sensitive"})
    ours = Neighbours().divide(microdata, Diversity(l), KEY)
    stuck = np.diff(NcpSplit().split(Rows.shuffled(microdata, Diversity(l), KEY), KEY)).max()
    assert stuck == n
    assert ours.sizes.max() < 2 * l
    assert ncp_of(microdata, ours.group_of) < 0.75 * ncp_of(
        microdata, NcpSplit().divide(microdata, Diversity(l), KEY).group_of
    )


def test_neighbours_with_slightly_more_values_than_l():
    """Where l + 1 or l + 2 values are equally frequent, hardly any cut is free."""
    random = np.random.default_rng(7)
    for l in (3, 4, 10, 15):
        for values in (l, l + 1, l + 2):
            sensitive = np.repeat(np.arange(values), 19)
            quasi = {
                "a": random.integers(0, 4, sensitive.size),
                "b": random.integers(0, 90, sensitive.size),
            }
            microdata = Microdata.read(
                {**quasi, "s": sensitive}, {"a": "quasi", "b": "quasi", "s": "sensitive"}
            )
            for leaf in (2, 16):
                partition = Neighbours(leaf=leaf).divide(microdata, Diversity(l), KEY)
                pairs = set(zip(partition.group_of.tolist(), sensitive.tolist(), strict=True))
                assert len(pairs) == sensitive.size
                assert partition.sizes.min() >= l


def test_neighbours_cut_on_with_a_second_skewed_column():
    """A second sensitive column, frequent at one end of the scale, does not stop the cutting."""
    random = np.random.default_rng(3)
    n, l = 6000, 10
    a = random.permutation(n)
    second = np.where(a >= 0.92 * n, 0, 1 + random.integers(0, 40, n))
    table = {"a": a, "s": random.integers(0, 40, n), "t": second}
    microdata = Microdata.read(table, {"a": "quasi", "s": "sensitive", "t": "sensitive"})
    ours = ncp_of(microdata, Neighbours().divide(microdata, Diversity(l), KEY).group_of)
    dealt = ncp_of(microdata, Deal().divide(microdata, Diversity(l), KEY).group_of)
    # the 8 % at the end each need nine others, so four fifths of the rows reach far: about 0.32 of
    # the scale on average is the least there can be
    assert ours / n < 0.36
    assert ours < 0.4 * dealt


BOUNDS_SCRIPT = """
import numpy as np
from anonagram import Key, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.partition import Diversity, Partitioner
random = np.random.default_rng(11)
for trial in range(60):
    n, l, k = int(random.integers(20, 400)), int(random.integers(2, 12)), int(random.integers(2, 20))
    table = {"a": random.integers(0, 200, n), "b": random.normal(size=n).round(2)}
    table["c"] = random.integers(0, 3, n)
    roles = {"a": {"role": "quasi", "kind": "nominal"}, "b": "quasi", "c": "quasi"}
    for j in range(trial % 4):
        table[f"s{j}"] = random.permutation(np.arange(n) % (k + j))
        roles[f"s{j}"] = "sensitive"
    microdata = Microdata.read(table, roles)
    for way in ("buckets", "deal", "ncp_split", "neighbours", "neighbours(leaf=2)"):
        try:
            key = Key(trial.to_bytes(32, "big"))
            group_of = Partitioner.parse(way).divide(microdata, Diversity(l), key).group_of
        except CannotAnonymize:
            continue
        for j in range(trial % 4):
            counts = np.zeros((group_of.max() + 1, k + j), int)
            np.add.at(counts, (group_of, table[f"s{j}"]), 1)
            assert (counts.max(axis=1) * l <= counts.sum(axis=1)).all(), (trial, way)
"""


def test_kernels_stay_within_their_arrays(tmp_path):
    """Compiled with bounds checks, which are off otherwise: an access outside would raise."""
    env = os.environ | {"NUMBA_BOUNDSCHECK": "1", "ANONAGRAM_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", BOUNDS_SCRIPT], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_neighbours_where_few_values_cannot_fill_the_wanted_side():
    """13 values, three times each, l = 10: a cut that wants 14 rows on one side finds 13 values."""
    values = [v for v in range(13) for _ in range(3)]
    for low in range(1, 39):
        quasi = [0] * low + [1] * (39 - low)
        microdata = Microdata.read({"q": quasi, "s": values}, {"q": "quasi", "s": "sensitive"})
        for leaf in (2, 16):
            partition = Neighbours(leaf=leaf).divide(microdata, Diversity(10), KEY)
            assert partition.sizes.min() >= 10
            pairs = set(zip(partition.group_of.tolist(), values, strict=True))
            assert len(pairs) == 39
