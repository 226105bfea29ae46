"""Answers from replaced values: without bias, with intervals that cover, and bounds that hold."""

from __future__ import annotations

import json
import os
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Microdata, Random
from anonagram.errors import UnsupportedQuery
from anonagram.measures import Workload, run_workload
from anonagram.methods.random import capped
from anonagram.present import document_of
from anonagram.queries.replaced.inversion import (
    Moments,
    NotInvertible,
    RowFunction,
    expect,
    invert,
)
from anonagram.release import PerturbedRelease, Transition
from tests.databases import connect
from tests.rearranged import rearranged

ROLES = {"age": "quasi", "job": "quasi", "sex": "quasi", "pay": "sensitive", "note": "plain"}


def released(table: pl.DataFrame, method: Random, key: Key) -> PerturbedRelease:
    """A release without its checks, which take longer than the rest."""
    return rearranged(method, Microdata.read(table, ROLES), key).release


def expectation(
    function: np.ndarray, shares: list[np.ndarray], chances: dict[frozenset[int], float]
) -> np.ndarray:
    """E[function of the published row | original row], straight from the mechanism."""
    result = np.zeros_like(function)
    for original in product(*(range(n) for n in function.shape)):
        total = 0.0
        for chosen, chance in chances.items():
            for drawn in product(*(range(function.shape[i]) for i in sorted(chosen))):
                published = list(original)
                p = chance
                for axis, value in zip(sorted(chosen), drawn, strict=True):
                    published[axis] = value
                    p *= shares[axis][value]
                total += p * function[tuple(published)]
        result[original] = total
    return result


@given(data=st.data())
def test_inverse_undoes_the_mechanism(data):
    """For any function, any distributions, any chances: the expectation of the inverse is it."""
    axes = data.draw(st.integers(1, 3))
    untold = data.draw(st.integers(1, 2))  # attributes that the question does not ask about
    sizes = [data.draw(st.integers(2, 3)) for _ in range(axes)]
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    function = random.normal(size=sizes)
    shares = [random.dirichlet(np.ones(size)) for size in sizes]
    names = [str(i) for i in range(axes + untold)]
    several = data.draw(st.integers(1, axes + untold - 1))
    if several == 1:
        replaced = dict(zip(names, random.dirichlet(np.ones(len(names))), strict=True))
        sets = {frozenset([i]): replaced[str(i)] for i in range(len(names))}
    else:
        replaced = dict.fromkeys(names, several / len(names))
        every = list(combinations(range(len(names)), several))
        sets = {frozenset(each): 1 / len(every) for each in every}
    chances: dict[frozenset[int], float] = {}
    for chosen, chance in sets.items():
        asked = frozenset(i for i in chosen if i < axes)
        chances[asked] = chances.get(asked, 0.0) + chance
    transition = Transition(replaced, several)

    def untouched(chosen):
        return transition.share_untouched(str(i) for i in chosen)

    ahead = expect(function, shares, untouched)
    assert ahead == pytest.approx(expectation(function, shares, chances), abs=1e-8)
    if untouched(range(axes)) == 0:
        with pytest.raises(NotInvertible):
            invert(function, shares, untouched)
        return
    inverse = invert(function, shares, untouched)
    assert expectation(inverse, shares, chances) == pytest.approx(function, abs=1e-8)


rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(1, 4)),
        st.sampled_from(["a", "b", None]),
        st.sampled_from(["f", "m"]),
        st.one_of(st.none(), st.integers(-3, 5)),
        st.integers(0, 2),
    ),
    min_size=4,
    max_size=12,
).filter(lambda rows: all(len({row[i] for row in rows}) > 1 for i in range(4)))
CONDITIONS = [
    "TRUE", "age > 2", "age IS NULL", "sex = 'f' AND job = 'a'", "NOT (age > 2 OR sex = 'm')",
    "age > 1 OR job = 'a'", "pay > 0 AND sex = 'f'", "pay > 0 OR sex = 'f'", "note = 1 AND age < 3",
    "age > 1 AND age < 4 AND pay IS NOT NULL", "age > 9",
]  # fmt: skip
AGGREGATES = [
    "COUNT(*)", "SUM(age * 0.1)", "AVG(pay * 0.1)", "COUNT(job)",
    "COUNT(pay)", "SUM(pay)", "AVG(pay)", "COUNT(age)", "SUM(age)", "AVG(age)",
    "MIN(note)", "MAX(pay)",
]  # fmt: skip


@given(
    rows=rows,
    attributes=st.integers(1, 3),
    seed=st.binary(min_size=32, max_size=32),
    aggregate=st.sampled_from(AGGREGATES),
    condition=st.sampled_from(CONDITIONS),
    keys=st.sampled_from(["", "sex", "note", "sex, note", "age"]),
)
def test_the_truth_lies_between_the_bounds(rows, attributes, seed, aggregate, condition, keys):
    table = pl.DataFrame(rows, schema=list(ROLES), orient="row")
    release = released(table, Random(attributes=attributes), Key(seed))
    shown = f"{keys}, {aggregate}" if keys else aggregate
    sql = f"SELECT {shown} FROM data WHERE {condition}{f' GROUP BY {keys}' if keys else ''}"
    try:
        answers = release.query(sql)
    except UnsupportedQuery:
        return
    with connect() as connection:
        connection.register("data", table.to_arrow())
        truth = {row[:-1]: row[-1] for row in connection.execute(sql).fetchall()}
    names = keys.split(", ") if keys else []
    found = {tuple(row[name] for name in names): row[aggregate] for row in answers}
    assert set(truth) <= set(found)
    for key, true in truth.items():
        answer = found[key]
        if true is None:
            assert answer.estimate is None or not answer.exact
            continue
        assert answer.lower <= true <= answer.upper, (sql, answer, true)
        json.dumps(answer.to_dict(), allow_nan=False)
        if answer.exact:
            assert answer.estimate == pytest.approx(true)


def people(size: int) -> pl.DataFrame:
    random = np.random.default_rng(5)
    age = random.integers(1, 9, size)
    job = np.where(random.random(size) < 0.6, age // 2, random.integers(0, 4, size))
    sex = (random.random(size) < 0.3 + 0.05 * job).astype(int)
    pay = (age * 3 + job * 5 + sex * 4 + random.integers(-4, 5, size)).astype(int)
    columns = {"age": age, "job": job, "sex": sex, "pay": pay, "note": random.integers(0, 3, size)}
    return pl.DataFrame(columns)


QUESTIONS = [
    "SELECT COUNT(*) FROM data WHERE age > 4 AND pay > 20",
    "SELECT COUNT(*) FROM data WHERE age > 4 AND job = 2",
    "SELECT COUNT(*) FROM data WHERE age > 4 AND job >= 2 AND note = 1",
    "SELECT COUNT(*) FROM data WHERE age > 4 OR (sex = 1 AND pay > 20)",
    "SELECT SUM(pay) FROM data WHERE age > 4 AND sex = 1",
    "SELECT AVG(pay) FROM data WHERE job = 3",
    "SELECT SUM(age) FROM data WHERE pay > 20",
    "SELECT AVG(age) FROM data WHERE sex = 1 AND pay > 15",
]


def test_estimates_have_no_bias_and_intervals_cover():
    """Over many keys. With as many as the profile allows; 2,000 in the full one."""
    keys = 2000 if os.environ.get("ANONAGRAM_TEST_PROFILE") == "full" else 120
    table = people(1500)
    with connect() as connection:
        connection.register("data", table.to_arrow())
        truths = [connection.execute(sql).fetchone()[0] for sql in QUESTIONS]
    estimates = np.empty((keys, len(QUESTIONS)))
    errors = np.empty_like(estimates)
    for number in range(keys):
        release = released(table, Random(), Key(number.to_bytes(32, "big")))
        for place, sql in enumerate(QUESTIONS):
            ((answer,),) = (row.values() for row in release.query(sql))
            estimates[number, place], errors[number, place] = answer.corrected, answer.std_error
    for place, truth in enumerate(truths):
        off = estimates[:, place] - truth
        error = off.std(ddof=1) / np.sqrt(keys)
        assert abs(off.mean()) < 4 * error, QUESTIONS[place]
        # the standard error that each release tells is the one that many show
        assert np.sqrt((errors[:, place] ** 2).mean()) == pytest.approx(off.std(), rel=0.2)
        covered = (np.abs(off) <= 1.96 * errors[:, place]).mean()
        assert abs(covered - 0.95) < 0.01 + 3 * np.sqrt(0.95 * 0.05 / keys), QUESTIONS[place]


@pytest.mark.parametrize("aggregate", ["COUNT", "SUM", "AVG"])
@pytest.mark.parametrize("attributes", [1, 2])
def test_workload_gives_the_answers_of_query(aggregate, attributes):
    table = people(400)
    release = released(table, Random(attributes=attributes), Key(bytes(32)))
    microdata = Microdata.read(table, ROLES)
    # with two of three attributes replaced, two together cannot be asked about
    conditions = 1 if attributes == 2 and aggregate != "COUNT" else 2
    workload = Workload.draw(microdata, aggregate, conditions, 0.3, 25, 3)
    result = run_workload(release, microdata, workload)
    assert None not in (result.naive_error, result.corrected_error, result.width)
    for number, row in enumerate(result.answers.iter_rows(named=True)):
        try:
            ((answer,),) = (each.values() for each in release.query(workload.sql(number)))
        except UnsupportedQuery:
            assert row["estimate"] is None
            continue
        if answer.estimate is not None:
            assert row["estimate"] == pytest.approx(answer.estimate, abs=1e-6)
            assert row["corrected"] == pytest.approx(answer.corrected, abs=1e-6)
            assert row["std_error"] == pytest.approx(answer.std_error, abs=1e-6)
        if answer.naive is not None:
            assert row["naive"] == pytest.approx(answer.naive)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT MEDIAN(age) FROM data", "no unbiased estimate"),
        ("SELECT COUNT(DISTINCT age) FROM data", "no unbiased estimate"),
        ("SELECT COUNT(*) FILTER (WHERE age > 1) FROM data", "same condition"),
        ("SELECT COUNT(*) / 2 FROM data", "has a bias"),
        ("SELECT MIN(age) FROM data", "no unbiased estimate"),
        ("SELECT COUNT(*) FROM data WHERE age > job", "replaced one without the other"),
        (
            "SELECT sex, COUNT(*) FROM data GROUP BY sex ORDER BY sex",
            "not for releases with replaced",
        ),
        (
            "SELECT sex, COUNT(*) FROM data GROUP BY sex HAVING COUNT(*) > 1",
            "not for releases with replaced",
        ),
        ("SELECT COUNT(*) FROM data LIMIT 1", "not for releases with replaced"),
        ("SELECT COUNT(*) FROM data WHERE age > 1 AND job = 1 AND sex = 1", "In every row"),
        ("SELECT SUM(words) FROM data", "no column"),
        ("SELECT SUM(UPPER(CAST(sex AS VARCHAR))) FROM data", "not a number"),
        ("SELECT SUM(1 / (age - 1)) FROM data WHERE sex = 1", "not a number"),
    ],
)
def test_what_has_no_answer_is_refused_with_the_reason(sql, why):
    release = released(people(50), Random(), Key(bytes(32)))
    with pytest.raises(UnsupportedQuery, match=why) as refusal:
        release.query(sql)
    assert refusal.value.remedy


def test_postgresql_gives_the_same_answers(postgres_url):
    from anonagram.queries import load

    release = released(people(300), Random(), Key(bytes(32)))
    engine = load(release, f"{postgres_url}?schema=perturbed")
    for sql in QUESTIONS:
        here, there = release.query(sql)[0], release.query(sql, engine)[0]
        for name, answer in here.items():
            assert there[name].estimate == pytest.approx(answer.estimate)
            assert there[name].std_error == pytest.approx(answer.std_error)


def test_questions_without_a_condition_and_with_many_keys():
    table = people(60)
    release = released(table, Random(), Key(bytes(32)))
    assert release.query("SELECT MIN(pay), MAX(note) FROM data")[0]["MIN(pay)"].exact
    (row,) = release.query("SELECT SUM(age), AVG(age), COUNT(age) FROM data")
    assert row["SUM(age)"].estimate == table["age"].sum()
    assert row["AVG(age)"].estimate == pytest.approx(table["age"].mean())
    assert all(answer.exact for answer in row.values())
    wide = pl.DataFrame(
        {"age": range(400), "job": range(400), "sex": [0, 1] * 200, "pay": 1, "note": range(400)}
    ).with_columns(pay=pl.int_range(400))
    many = released(wide, Random(), Key(bytes(32)))
    with pytest.raises(UnsupportedQuery, match="combinations of values"):
        many.query("SELECT age, job, COUNT(*) FROM data GROUP BY age, job")


def test_the_unit_of_a_column_does_not_matter():
    """Known sums stay known, and lost ones stay lost, for large and for small numbers."""
    for unit in (1e-20, 1.0, 1e12):
        table = people(200).with_columns(age=pl.col("age") * unit)
        release = released(table, Random(attributes=3), Key(bytes(32)))
        answer = release.query("SELECT SUM(age) FROM data")[0]["SUM(age)"]
        assert answer.estimate == pytest.approx(table["age"].sum())
        with pytest.raises(UnsupportedQuery, match="replaced"):
            release.query("SELECT SUM(age) FROM data WHERE pay > 20")


def test_what_is_never_replaced_is_exact():
    table = people(200)
    release = released(table, Random(p=[0.0, 0.5, 0.5]), Key(bytes(32)))
    answer = release.query("SELECT COUNT(*) FROM data WHERE age > 4 AND pay > 20")[0]["COUNT(*)"]
    assert answer.exact
    assert answer.estimate == table.filter((pl.col("age") > 4) & (pl.col("pay") > 20)).height


def test_unanswered_questions_are_counted_and_in_no_figure():
    table = people(400)
    microdata = Microdata.read(table, ROLES)
    release = released(table, Random(attributes=2), Key(bytes(32)))
    workload = Workload.draw(microdata, "SUM", 3, 0.5, 30, 1)
    result = run_workload(release, microdata, workload)
    assert result.unanswered + result.without_error == 30
    assert result.naive_error is None
    assert result.answers["naive"].max() > 400  # sums, not counts


def test_naive_is_what_the_rows_say_and_bounds_use_the_counts():
    table = people(300)
    release = released(table, Random(attributes=3), Key(bytes(32)))
    (row,) = release.query("SELECT AVG(age), SUM(age) FROM data")
    assert row["AVG(age)"].naive == pytest.approx(release.rows["age"].mean())
    assert row["SUM(age)"].naive == release.rows["age"].sum()
    one = released(table, Random(), Key(bytes(32)))
    answer = one.query("SELECT COUNT(*) FROM data WHERE age > 1 AND job < 9 AND pay > 0")[0][
        "COUNT(*)"
    ]
    # whoever misses one of the conditions: no more than all who do, added up
    missing = sum(table.filter(~c).height for c in (pl.col("age") > 1, pl.col("pay") > 0))
    assert answer.lower == 300 - missing
    keyed = one.query("SELECT age, COUNT(*) FROM data WHERE age > 6 GROUP BY age")
    assert [row["age"] for row in keyed] == [7, 8]


def with_many_zips(size: int) -> pl.DataFrame:
    """A column with nearly as many values as rows, as zips in a real table."""
    random = np.random.default_rng(8)
    return people(size).with_columns(age=pl.Series(random.integers(0, size // 4, size)))


def test_a_correction_that_makes_it_worse_is_not_taken():
    """Seen on a table whose zip was replaced in 98.6 % of rows: 28 % corrected, 3.3 % as it stood."""
    table = with_many_zips(2000)
    microdata = Microdata.read(table, ROLES)
    release = released(table, Random(p="optimal"), Key(bytes(32)))
    assert release.transition.replaced["age"] > 0.97
    result = run_workload(release, microdata, Workload.draw(microdata, "COUNT", 3, 0.2, 60, 4))
    assert result.corrected_error.mean > 3 * result.naive_error.mean
    assert result.error.mean < 1.2 * result.naive_error.mean
    sql = "SELECT COUNT(*) FROM data WHERE age < 250 AND job >= 2 AND pay > 20"
    answer = release.query(sql)[0]["COUNT(*)"]
    assert (answer.taken, answer.estimate) == ("naive", answer.naive)
    assert "as it stands" in str(document_of(release.query(sql)))


@pytest.mark.parametrize("p", ["balanced", "uniform"])
def test_a_correction_that_helps_is_taken(p):
    table = people(4000)
    microdata = Microdata.read(table, ROLES)
    release = released(table, Random(p=p), Key(bytes(32)))
    result = run_workload(release, microdata, Workload.draw(microdata, "COUNT", 2, 0.2, 60, 4))
    assert result.error.mean < 0.5 * result.naive_error.mean
    assert result.error.mean < 1.2 * result.corrected_error.mean


def test_the_default_chances_leave_every_column_to_be_asked_about():
    """Highest anonymity with no column replaced in over a quarter of the rows, or in its share."""
    quasi = Microdata.read(with_many_zips(2000), ROLES).with_role("quasi")
    assert max(Random().transition(quasi).replaced.values()) == pytest.approx(1 / 3)
    shares = np.array([0.7, 0.1, 0.08, 0.07, 0.05])
    best = capped(shares, 0.25)
    assert best.max() == pytest.approx(0.25)
    assert best.sum() == pytest.approx(1)

    def anonymity(p):
        return (p * (np.log(shares) - np.log(p))).sum()

    for other in np.random.default_rng(0).dirichlet(np.ones(5), 2000):
        if other.max() <= 0.25:
            assert anonymity(other) <= anonymity(best)


def test_estimates_lie_within_their_bounds():
    release = released(people(40), Random(attributes=2), Key(bytes(32)))
    for row in release.query("SELECT age, COUNT(*) FROM data WHERE pay > 25 GROUP BY age"):
        answer = row["COUNT(*)"]
        assert answer.lower <= answer.estimate <= answer.upper


def test_squares_are_not_below_zero_by_rounding():
    """262.31 three times: the square of x - 262.31 is nothing, and rounds to less."""
    x = np.array([262.31])
    moments = Moments(np.array([3.0]), 3 * x, 3 * x**2 * (1 - 2**-52))
    difference = RowFunction(np.array([1.0]), -x)
    cells = (np.array([0]),)
    assert difference.squares(cells, moments) == 0
    assert difference.size(cells, moments) == 0
