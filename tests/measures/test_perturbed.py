"""What a perturbed release risks and costs, against slow oracles."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Microdata, Random
from anonagram.errors import CallError
from anonagram.measures import measure_perturbed, row_guesses, support_error
from anonagram.measures.published import headline_of
from anonagram.release import Transition
from tests.rearranged import rearranged

NAMES = ["a", "b", "c"]
KEYS = 500
tables = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), min_size=3, max_size=14
).filter(lambda rows: all(len({row[i] for row in rows}) > 1 for i in range(3)))


def shares_of(rows: list[tuple[int, ...]]) -> list[dict[int, float]]:
    return [
        {v: sum(row[i] == v for row in rows) / len(rows) for v in {row[i] for row in rows}}
        for i in range(3)
    ]


def chance(origin: tuple[int, ...], row: tuple[int, ...], p: list[float], shares: list) -> float:
    """P(origin → row), attribute by attribute."""
    total = 0.0
    for i in range(3):
        if all(origin[j] == row[j] for j in range(3) if j != i):
            total += p[i] * shares[i][row[i]]
    return total


@given(rows=tables, seed=st.binary(min_size=32, max_size=32))
def test_guesses_agree_with_bayes(rows, seed):
    """Equation 6, for every published row against every combination of the original."""
    microdata = Microdata.read(
        {name: [row[i] for row in rows] for i, name in enumerate(NAMES)},
        dict.fromkeys(NAMES, "quasi"),
    )
    release = Random().anonymize(microdata, Key(seed))
    p, shares = list(release.transition.replaced.values()), shares_of(rows)
    guesses = row_guesses(release, microdata)
    for place, row in enumerate(release.rows.rows()):
        weights = {
            origin: rows.count(origin) * chance(origin, row, p, shares) for origin in set(rows)
        }
        best = max(weights.values()) / sum(weights.values())
        assert guesses.probability[place] == pytest.approx(best)
        assert best <= guesses.bound[place] + 1e-12


def test_proposition_10_as_printed_fails():
    """A frequent origin that differs in a rare value is likelier than the printed bound allows."""
    rows = [("c", "b")] * 980 + [("a", "b")] + [("a", "d")] * 9 + [("e", "b")] * 10
    microdata = Microdata.read(
        {"x": [x for x, _ in rows], "y": [y for _, y in rows]}, {"x": "quasi", "y": "quasi"}
    )
    exceeded = 0
    for seed in range(20):
        release = Random("uniform").anonymize(microdata, Key(bytes([seed]) * 32))
        guesses = row_guesses(release, microdata)
        exceeded += int((guesses.probability > guesses.printed_bound + 1e-9).sum())
        assert (guesses.probability <= guesses.bound + 1e-12).all()
    assert exceeded > 0


@given(
    rows=tables, attributes=st.integers(1, 3), lengths=st.integers(1, 3), pick=st.integers(0, 99)
)
def test_expected_counts_agree_with_the_mechanism(rows, attributes, lengths, pick):
    microdata = Microdata.read(
        {name: [row[i] for row in rows] for i, name in enumerate(NAMES)},
        dict.fromkeys(NAMES, "quasi"),
    )
    transition = Random("uniform", attributes).transition(microdata.with_role("quasi"))
    wanted = dict(list(zip(NAMES, rows[pick % len(rows)], strict=True))[:lengths])
    error = support_error(microdata, transition, wanted)
    shares = shares_of(rows)
    sets = [s for s in product([0, 1], repeat=3) if sum(s) == attributes]
    chances = []
    for row in rows:
        met = 0.0
        for chosen in sets:
            part = 1 / len(sets)
            for i, name in enumerate(NAMES):
                if name in wanted:
                    part *= shares[i][wanted[name]] if chosen[i] else row[i] == wanted[name]
            met += part
        chances.append(met)
    if attributes == 1:  # shares of a third are multiples of 2^-32
        assert error.expected == pytest.approx(sum(chances), abs=1e-6)
    else:
        assert error.expected == pytest.approx(sum(chances))
    assert error.variance == pytest.approx(sum(q * (1 - q) for q in chances), abs=1e-6)
    if lengths == 1:
        assert error.bias == pytest.approx(0, abs=1e-9)  # columns keep their distributions


def test_eq_10_and_the_variance_of_figure_1():
    """B(q) by the formula of the paper; the published count varies as we say, over many keys."""
    from tests.methods.test_random import FIGURE_1, ROLES

    microdata = Microdata.read(FIGURE_1, ROLES)
    transition = Random("uniform").transition(microdata.with_role("quasi"))
    q = {"job": "Clerk", "age": "30-40"}
    error = support_error(microdata, transition, q)
    # supp = 0.3; without age 0.4 (P 0.4), without job 0.4 (P 0.4); lift = supp / (supp(q - i) P(i))
    expected = abs(sum(1 / (0.3 / (0.4 * 0.4)) - 1 for _ in range(2))) / 3
    assert error.bias == pytest.approx(expected, abs=1e-6)
    counts = []
    method = Random("uniform")
    for seed in range(KEYS):
        rows = rearranged(method, microdata, Key(seed.to_bytes(32, "big"))).release.rows
        counts.append(rows.filter((pl.col("job") == "Clerk") & (pl.col("age") == "30-40")).height)
    assert np.mean(counts) == pytest.approx(error.expected, abs=4 * np.sqrt(error.variance / KEYS))
    assert np.var(counts) == pytest.approx(error.variance, rel=0.2)


def test_measures_of_a_perturbed_release():
    table = {"a": [1, 2, 3, 1] * 20, "b": ["x", "y"] * 40, "s": ["u", "v", "w", "u"] * 20}
    told = {"role": "quasi", "holds": "what tells s"}
    microdata = Microdata.read(table, {"a": told, "b": "quasi", "s": "sensitive"})
    one = measure_perturbed(Random().anonymize(microdata), microdata).to_dict()
    assert one["worst_guess"] == one["guess"]["most"] <= 1 + 1e-12
    assert one["probabilistic_anonymity"] > 1
    assert one["gamma_amplification"] >= 1
    assert [each["length"] for each in one["supports"]] == [1, 2]
    two = measure_perturbed(Random(attributes=2).anonymize(microdata), microdata)
    assert two.worst_guess is None


def test_support_of_what_nobody_has_is_refused():
    microdata = Microdata.read({"a": [1, 2], "b": [1, 2]}, {"a": "quasi", "b": "quasi"})
    transition = Transition({"a": 0.5, "b": 0.5}, 1)
    with pytest.raises(CallError, match="Nobody has"):
        support_error(microdata, transition, {"a": 1, "b": 2})
    with pytest.raises(CallError, match="a = 'x'"):
        support_error(microdata, transition, {"a": "x"})
    with pytest.raises(CallError, match="empty combination"):
        support_error(microdata, transition, {})


@pytest.mark.parametrize(
    ("times", "told"), [(62179.4, "62,179 times likelier than another"), (math.inf, "certain")]
)
def test_a_release_that_nobody_attacked_says_how_likely_an_origin_can_be(times, told):
    """Not how many origins there are on average, which flatters."""
    table = pl.DataFrame({"a": [1, 2] * 20, "b": [1, 2, 3, 4] * 10})
    release = Random().anonymize(
        Microdata.read(table, {"a": "quasi", "b": "quasi"}), Key(bytes(32))
    )
    manifest = replace(release.manifest, risk={"gamma_amplification": times})
    assert f"can be {told}" in headline_of(manifest)
