"""Digests of the tables that fixed keys give, so that a change of any draw or order shows.

    python -m tests.contracts.golden  # writes golden.json from the code as it is

A digest in golden.json only ever changes together with a line in the CHANGELOG that says why.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date
from pathlib import Path

import polars as pl

from anonagram import Key, Method, Microdata
from anonagram.errors import CannotAnonymize

GOLDEN = Path(__file__).with_name("golden.json")
KEY = Key(bytes(range(32)))
BY_ROWS = ("buckets", "deal", "ncp_split", "ncp_split(tries=1)", "neighbours", "neighbours(leaf=2)")
BY_VALUE = (
    "min_sum", "max_groups", "min_max", "min_max_exact", "random", "close_rows",
    "close_rows(factor=5)",
)  # fmt: skip
CALLS = (
    *(f'{m}(l={l}, partition="{way}")' for m in ("anatomy", "permutation", "generalize")
      for l in (2, 4) for way in BY_ROWS),
    *(f'ke(k={k}, e={e}, partition="{way}")' for k, e in ((2, 3), (4, 20)) for way in BY_VALUE),
    'distributional(target="source", groups=["area"], cap=4)',
    'distributional(target="uniform", groups="neighbours", size=30, fakes=0.2)',
    "m_invariance(m=2)", "m_invariance(m=4)",
    'personalized(target="source", groups=["area"], cap=4)',
    'personalized(algorithm="top_down", groups="neighbours", size=30)',
    "optimal(k_anonymity(k=3))", "optimal(k_anonymity(k=3), l_diversity(l=2), suppress=0.1)",
    'optimal(k_anonymity(k=3), suppress=0.1, suppressed="left_out", cost="ncp")',
    "k_optimize(k_anonymity(k=3), suppress=0.1, seconds=0.1)",
    "mondrian(k_anonymity(k=3))", "mondrian(k_anonymity(k=3), cuts=relaxed)",
    "datafly(k_anonymity(k=3), suppress=0.1)", "samarati(k_anonymity(k=3), suppress=0.1)",
    "incognito(k_anonymity(k=3))",
    "random()", 'random(p="optimal")', 'random(p="uniform")', "random(attributes=2)",
    "noise()", 'noise(scale=0.5, columns="both")', "correlated_noise(scale=0.3)",
    "data_swapping()", 'data_swapping(share=0.8, within=["area"])',
    "microaggregation(k=3)", "microaggregation(k=4, block=20)",
    "rank_swapping(p=5)", "rank_swapping(p=30)", "shuffling()", 'shuffling(columns="both")',
)  # fmt: skip

DIVIDED = (
    'anatomy(l=3, partition="buckets")', 'anatomy(l=3, partition="neighbours")',
    'permutation(l=3, partition="neighbours")', 'generalize(l=3, partition="deal")',
    'ke(k=2, e=3, partition="min_sum")', 'ke(k=2, e=3, partition="random")', "random()",
    "data_swapping()", "rank_swapping(p=5)", "noise()", "microaggregation(k=3)",
)  # fmt: skip
BLOCK = 120


def mixed(step: int, index: int, below: int) -> int:
    """A number that looks arbitrary and is the same in every version of every library."""
    return (index * step * 2654435761 >> 7) % 2**32 % below


def table_of(rows: int) -> pl.DataFrame:
    """People with numbers, words, missing values and ties."""
    every = range(rows)
    return pl.DataFrame(
        {
            "age": [18 + mixed(3, i, 70) for i in every],
            "area": [["north", "south", "east", "west", None][mixed(5, i, 5)] for i in every],
            "height": [None if i % 13 == 4 else 150 + mixed(7, i, 400) / 10 for i in every],
            "since": [date(2000 + mixed(11, i, 20), 1 + i % 12, 1 + i % 28) for i in every],
            "note": [mixed(13, i, 9) for i in every],
            "pay": [mixed(17, i, 60) * (1 + i % 3) for i in every],
            "mark": [None if i % 17 == 3 else mixed(19, i, 40) for i in every],
        }
    )


NUMBERS = {"age": "quasi", "height": "quasi", "since": "quasi", "pay": "sensitive"}
SCHEMAS = {
    "one sensitive": {**NUMBERS, "area": "quasi", "note": "plain", "mark": "drop"},
    "two sensitive": {**NUMBERS, "area": "quasi", "note": "plain", "mark": "sensitive"},
    "nothing sensitive": {**NUMBERS, "area": "quasi", "note": "plain", "pay": "quasi", "mark": "plain"},
    "numbers": {**NUMBERS, "area": "plain", "note": "plain", "mark": "drop"},
}  # fmt: skip
SIZES = (60, 700)


def digests_of(call: str) -> dict[str, str]:
    """What a call publishes about every small table."""
    return {
        f"{schema}, {rows} rows": digest_tables(call, Microdata.read(table_of(rows), roles))
        for schema, roles in SCHEMAS.items()
        for rows in SIZES
    }


def divided_digests_of(call: str) -> dict[str, str]:
    """What a call publishes block by block about the larger of the small tables."""
    return {
        schema: digest_tables(call, Microdata.read(table_of(SIZES[-1]), roles), block=BLOCK)
        for schema, roles in SCHEMAS.items()
    }


def digest_tables(call: str, microdata: Microdata, block: int | None = None) -> str:
    """A digest of all tables of a release and of the secret mapping; or why there is none."""
    try:
        made = Method.parse(call).publish(microdata, KEY, date(2020, 1, 2), block=block)
    except CannotAnonymize as refusal:
        return f"refused: {refusal.what}"
    total = hashlib.sha256()
    for name, table in (*made.release.tables.items(), ("(mapping)", made.mapping)):
        lists = [each for each, dtype in table.schema.items() if isinstance(dtype, pl.List)]
        plain = table.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join("|"))
        total.update(f"{name}\n{plain.write_csv()}".encode())
    return total.hexdigest()[:16]


def main() -> None:
    """Write the digests of the code as it is."""
    whole = {call: digests_of(call) for call in CALLS}
    divided = {call: divided_digests_of(call) for call in DIVIDED}
    GOLDEN.write_text(json.dumps({"whole": whole, "divided": divided}, indent=1) + "\n")


if __name__ == "__main__":
    main()
