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
          "generalize": "generalized", "random": "perturbed", "mondrian": "generalized",
          "m_invariance": "counterfeited", "distributional": "subdomains"}  # fmt: skip
CONTINUES = "m_invariance("
"""The method that is asked about its second release, with rows that are nobody's."""
TARGETS = ("uniform", "uniform", "source", "zipf(s=1)", "normal(r=2)")
NAMES = ("anatomy", "permutation", "generalize", "ke", "random", "climb", "mondrian")
OF_VALUES = ("anatomy", "ke", "m_invariance", "distributional")
"""Nothing without a sensitive column."""
CLIMBING = ("optimal", "k_optimize", "datafly", "samarati", "incognito")
GOALS = ("distinct_l_diversity(l=2)", "l_diversity(l=2)", "t_closeness(t=0.5)")


def random_method(rng: Random, table: Table) -> str:
    """A method's call with parameters that such a table mostly allows."""
    names = (*NAMES, "m_invariance", "distributional")
    name = rng.choices(names, (4, 5, 5, 4, 2, 5, 2, 2, 3))[0]
    if name in OF_VALUES and not table.with_role("sensitive"):
        name = "permutation"
    if name == "m_invariance":
        return f"m_invariance(m={_few(rng)})"
    if name == "distributional":
        return _distributional(rng, table)
    if name in ("climb", "mondrian"):
        return _with_goal(rng, name, is_sensitive=bool(table.with_role("sensitive")))
    if name == "random":
        return _random(rng, len(table.with_role("quasi")))
    if name == "ke":
        return f'ke(k={_few(rng)}, e={_reach(rng)}, partition="{rng.choice(BY_VALUE)}")'
    return f'{name}(l={_few(rng)}, partition="{rng.choice(BY_ROWS)}")'


def shape_of(method: str) -> str:
    """The shape a call publishes; generalized tables by whether rows may have been left out."""
    if "left_out" in method and "suppress=0," not in method:
        return "left out"
    return SHAPES.get(method.split("(", 1)[0], "climbed")


def _with_goal(rng: Random, name: str, *, is_sensitive: bool) -> str:
    goal = f"k_anonymity(k={_few(rng)})"
    if is_sensitive and rng.random() < 0.3:
        goal += f", {rng.choice(GOALS)}"
    if name == "mondrian":
        cuts, along = rng.choice(("strict", "relaxed")), rng.choice(("values", "hierarchies"))
        return f"mondrian({goal}, cuts={cuts}, along={along})"
    suppressed = rng.choices(("kept", "left_out"), (2, 1))[0]
    suppress = rng.choice((0, 0.2, 0.5))
    climbing = rng.choice(CLIMBING)
    seconds = ", seconds=0.1" if climbing == "k_optimize" else ""
    return f"{climbing}({goal}, suppress={suppress}, suppressed={suppressed}{seconds})"


def _distributional(rng: Random, table: Table) -> str:
    plain = [column.name for column in table.with_role("quasi") if column.name.isidentifier()]
    groups = f'"{rng.choice(BY_ROWS)}", size={rng.choice((2, 4, 8))}'
    if plain and rng.random() < 0.5:
        groups = f'["{rng.choice(plain)}"]'
    more = rng.choice(("", "", ", fakes=0.5", ", fakes=1", ", shift=0.3", ", exact=True"))
    arity = rng.choice(("", ", arity=3"))
    return f'distributional(target="{rng.choice(TARGETS)}", groups={groups}{more}{arity})'


def _few(rng: Random) -> int:
    return rng.choices((2, 3, 4), (8, 3, 1))[0]


def _reach(rng: Random) -> str:
    return rng.choices(("0", "0.5", "1", "10", "1000"), (5, 2, 3, 2, 1))[0]


def _random(rng: Random, quasi: int) -> str:
    attributes = rng.randint(1, max(1, quasi - 1))
    if attributes > 1:
        return f'random(p="uniform", attributes={attributes})'
    return rng.choice(('random(p="optimal")', 'random(p="uniform")'))
