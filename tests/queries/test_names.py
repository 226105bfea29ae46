"""Columns may be called anything, also like what a statement or a release calls its own parts."""

from __future__ import annotations

import polars as pl
import pytest

from anonagram import Key, Microdata
from anonagram.errors import UnsupportedQuery
from anonagram.methods import Method
from tests.databases import connect

WORDS = [
    "ranges", "rows", "quasi", "sensitive", "groups", "help", "answered", "frame", "hits", "reach",
    "sizes", "t", "g", "h", "e", "s", "r", "p", "m", "a", "b", "o", "w", "n", "k0", "l0", "h0", "s0",
    "lo", "hi", "low", "high", "share", "before", "total", "mass", "holes", "sure", "most", "xl",
    "group", "count", "value", "number", "place", "data", "v", "x", "c", "c0", "v0", "m0", "key_0",
    "a0_estimate", "members_0", "keyed_0", "total_0", "sums_0", "pool_0", "count_quasi", "exact_0",
    "ranges_low", "ranges_high", "ranges_missing", "column ranges", "quasi ranges", "incoming",
    "select", "from", "null", "order", "position", "index", "literal", "row", "posterior", "len",
]  # fmt: skip
ROWS = 24
METHODS = ["anatomy(l=2)", "permutation(l=2)", "generalize(l=2)", "ke(k=2, e=1)", "random()"]


def table_of(names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: [row * (i % 10 + 1) % 11 for row in range(ROWS)] for i, name in enumerate(names)}
    )


@pytest.mark.parametrize("call", METHODS)
@pytest.mark.parametrize("first", range(0, len(WORDS), 13))
def test_a_column_may_have_any_name(call, first):
    names = WORDS[first : first + 13]
    table = table_of(names)
    roles = dict.fromkeys(names, "quasi") | {names[0]: "sensitive", names[1]: "plain"}
    if call == "random()":  # a question about more than one may be refused
        roles = dict.fromkeys(names, "plain") | {names[2]: "quasi", names[3]: "quasi"}
    release = Method.parse(call).anonymize(Microdata.read(table, roles), Key(bytes(32)))
    original = connect()
    original.register("data", table.to_arrow())
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        for sql in (
            f'SELECT COUNT(*) FROM data WHERE "{name}" > 3 OR "{other}" < 5',
            f'SELECT SUM("{name}") FROM data WHERE "{other}" > 4',
            f'SELECT MIN("{name}") FROM data WHERE "{name}" > 2 AND "{other}" <= 9',
        ):
            ((true,),) = original.execute(sql).fetchall()
            try:
                (answer,) = release.query(sql)[0].values()
            except UnsupportedQuery:
                assert call in ("random()", "generalize(l=2)")
                continue
            assert answer.lower <= true <= answer.upper, (sql, answer, true)
        try:
            keyed = release.query(f'SELECT "{name}", COUNT(*) FROM data GROUP BY "{name}"')
        except UnsupportedQuery:
            assert call == "generalize(l=2)"
            continue
        assert sum(row["COUNT(*)"].estimate for row in keyed) == pytest.approx(ROWS)
