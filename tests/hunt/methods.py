"""Random calls of every method whose release answers with bounds."""

from __future__ import annotations

from random import Random

from tests.hunt.tables import Table

BY_ROWS = (
    "buckets",
    "deal",
    "ncp_split(tries=3)",
    "ncp_split(tries=1)",
    "neighbours",
    "neighbours(leaf=2)",
)
BY_VALUE = ("min_sum", "max_groups", "min_max", "min_max_exact", "random", "close_rows(factor=2)")
SHAPES = {"anatomy": "anatomized", "ke": "anatomized", "permutation": "permuted",
          "generalize": "generalized", "random": "perturbed"}  # fmt: skip


def random_method(rng: Random, table: Table) -> str:
    """A method's call with parameters that such a table mostly allows."""
    name = rng.choices(("anatomy", "permutation", "generalize", "ke", "random"), (4, 5, 5, 4, 2))[0]
    if name in ("anatomy", "ke") and not table.with_role("sensitive"):
        name = "permutation"
    if name == "random":
        return _random(rng, len(table.with_role("quasi")))
    if name == "ke":
        return f'ke(k={_few(rng)}, e={_reach(rng)}, partition="{rng.choice(BY_VALUE)}")'
    return f'{name}(l={_few(rng)}, partition="{rng.choice(BY_ROWS)}")'


def shape_of(method: str) -> str:
    """The shape a call publishes."""
    return SHAPES[method.split("(", 1)[0]]


def _few(rng: Random) -> int:
    return rng.choices((2, 3, 4), (8, 3, 1))[0]


def _reach(rng: Random) -> str:
    return rng.choices(("0", "0.5", "1", "10", "1000"), (5, 2, 3, 2, 1))[0]


def _random(rng: Random, quasi: int) -> str:
    attributes = rng.randint(1, max(1, quasi - 1))
    if attributes > 1:
        return f'random(p="uniform", attributes={attributes})'
    return rng.choice(('random(p="optimal")', 'random(p="uniform")'))
