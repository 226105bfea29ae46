"""Bounds of questions about graphs, against every way to identify entities with nodes."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import Key
from anonagram.errors import CannotAnonymize, SchemaError, UnsupportedQuery
from anonagram.graphs import Graph
from anonagram.graphs.methods.safe_grouping import SafeGrouping
from tests.graphs.example import AUTHOR_GROUPS, PAPER_GROUPS, authors_and_papers, grouped_by
from tests.graphs.worlds import joined_worlds, side_worlds

JOINED = "FROM edges JOIN authors USING (author) JOIN papers USING (paper)"


@pytest.fixture(scope="module")
def thesis():
    return grouped_by(authors_and_papers(), AUTHOR_GROUPS, PAPER_GROUPS)


def test_papers_by_us_authors_in_sigmod(thesis):
    """Example 7: the truth is 1, the bounds 0 and 2, expected are 10/9."""
    (row,) = thesis.query(
        f"SELECT COUNT(DISTINCT paper) {JOINED} WHERE location = 'US' AND venue = 'SIGMOD'"
    )
    answer = row["COUNT(DISTINCT paper)"]
    assert (answer.lower, answer.upper) == (0, 2)
    assert answer.estimate == pytest.approx(float(Fraction(10, 9)), abs=1e-12)


def test_structure_is_exact(thesis):
    for asked, truth in {
        "SELECT COUNT(*) FROM edges": 11,
        "SELECT COUNT(*) FROM authors": 6,
        "SELECT COUNT(*) FROM papers WHERE degree = 1": 1,
        "SELECT MAX(authors.degree) FROM authors": 2,
        "SELECT COUNT(DISTINCT author) FROM edges": 6,
        "SELECT COUNT(*) FROM edges JOIN papers USING (paper) WHERE papers.degree = 1": 1,
    }.items():
        (row,) = thesis.query(asked)
        (answer,) = row.values()
        assert answer.exact, asked
        assert answer.estimate == truth, asked


def test_attributes_alone_are_exact(thesis):
    rows = thesis.query("SELECT location, COUNT(*) FROM authors GROUP BY location ORDER BY 1")
    assert [(row["location"], row["COUNT(*)"].estimate) for row in rows] == [
        ("AS", 2), ("EU", 2), ("US", 2),
    ]  # fmt: skip
    (row,) = thesis.query("SELECT MIN(location), MAX(location) FROM authors WHERE location > 'B'")
    assert [each.estimate for each in row.values()] == ["EU", "US"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT COUNT(*) FROM data", "no such table"),
        ("SELECT COUNT(*) FROM authors JOIN papers ON authors.author = papers.paper", "connect"),
        (
            "SELECT COUNT(*) FROM edges JOIN authors ON authors.author = edges.paper",
            "by the columns",
        ),
        ("SELECT COUNT(*) FROM edges LEFT JOIN authors USING (author)", "plain joins"),
        ("SELECT COUNT(*) FROM edges a JOIN edges b ON a.paper = b.paper", "joined twice"),
        (f"SELECT COUNT(*) {JOINED} WHERE location = venue", "not told"),
        (f"SELECT COUNT(*) {JOINED} WHERE location = 'US' OR venue = 'VLDB'", "not told"),
        ("SELECT COUNT(*) FROM authors WHERE location = 'US' OR degree = 1", "which degree"),
        ("SELECT COUNT(*) FROM authors WHERE author = 'a1'", "Who an entity is"),
        ("SELECT SUM(location) FROM authors", "no bounds in a graph"),
        ("SELECT MEDIAN(degree) FROM authors", "no bounds in a graph"),
        ("SELECT COUNT(*) FROM authors WHERE locaton = 'US'", "did you mean 'location'"),
        ("SELECT COUNT(*) FROM authors WHERE read_text('x') = 'US'", "not among"),
        ("SELECT COUNT(*) FROM edges, authors", "by the columns"),
        (f"SELECT COUNT(*) {JOINED} WHERE degree = 1", "several tables"),
        ("SELECT * FROM authors", "no rows of people"),
        ("SELECT location, COUNT(*) FROM authors", "Try: SELECT location, COUNT"),
        ("SELECT location, COUNT(*) FROM authors GROUP BY location HAVING COUNT(*) > 1", "HAVING"),
    ],
)
def test_what_is_not_understood_is_refused(thesis, sql, message):
    with pytest.raises(UnsupportedQuery, match=message) as refused:
        thesis.query(sql)
    assert sql in str(refused.value), "the question is shown as it was written"
    assert not any(f"{side}:" in str(refused.value) for side in ("left", "right"))


def test_named_tables_and_filters(thesis):
    (row,) = thesis.query(
        "SELECT COUNT(*) FILTER (WHERE p.venue = 'VLDB') AS vldb, COUNT(*) AS n, "
        "100.0 * COUNT(*) FILTER (WHERE p.venue = 'VLDB') / COUNT(*) AS share "
        "FROM edges e INNER JOIN papers p ON p.paper = e.paper"
    )
    assert row["n"].estimate == 11
    assert row["share"].lower == pytest.approx(100 * row["vldb"].lower / 11)


# every world of small graphs

QUASI = ("x", "y", None)
SQL = {
    "SELECT COUNT(*) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: len(rows),
    ),
    "SELECT COUNT(DISTINCT who) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: len({a["row"] for a, _ in rows}),
    ),
    "SELECT COUNT(DISTINCT what) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: len({b["row"] for _, b in rows}),
    ),
    "SELECT COUNT(DISTINCT price) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: len({b["price"] for _, b in rows} - {None}),
    ),
    "SELECT SUM(price) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _sum([b["price"] for _, b in rows]),
    ),
    "SELECT AVG(price) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _mean([b["price"] for _, b in rows]),
    ),
    "SELECT MIN(price) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _end(min, [b["price"] for _, b in rows]),
    ),
    "SELECT MAX(l.degree) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _end(max, [a["degree"] for a, _ in rows]),
    ),
    "SELECT MIN(label) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _end(min, [a["label"] for a, _ in rows]),
    ),
    "SELECT SUM(l.degree - 2) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _sum([a["degree"] - 2 for a, _ in rows]),
    ),
    "SELECT AVG(l.degree) FROM edges JOIN l USING (who) JOIN r USING (what) WHERE {both}": (
        "edges", lambda rows: _mean([a["degree"] for a, _ in rows]),
    ),
    "SELECT COUNT(price) FROM r WHERE {right}": (
        "right", lambda rows: len([b for b in rows if b["price"] is not None]),
    ),
    "SELECT SUM(degree) FROM r WHERE {right}": ("right", lambda rows: _sum([b["degree"] for b in rows])),
    "SELECT AVG(price) FROM r WHERE {right}": ("right", lambda rows: _mean([b["price"] for b in rows])),
    "SELECT MAX(price) FROM r WHERE {right}": (
        "right", lambda rows: _end(max, [b["price"] for b in rows]),
    ),
    "SELECT MIN(degree) FROM r WHERE {right}": (
        "right", lambda rows: _end(min, [b["degree"] for b in rows]),
    ),
}  # fmt: skip
EXPECTED = ("SELECT COUNT(*)", "SELECT COUNT(DISTINCT wh", "SELECT SUM", "SELECT COUNT(price)")
"""Whose estimate is the mean over all worlds, exactly."""


def _mean(values):
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _sum(values):
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _end(which, values):
    return which([value for value in values if value is not None], default=None)


LEFT = {
    "l.degree >= 0": lambda _: True,
    "label = 'x'": lambda a: a["label"] == "x",
    "label <> 'x' AND l.degree < 2": lambda a: a["label"] not in (None, "x") and a["degree"] < 2,
    "label IS NULL": lambda a: a["label"] is None,
    "l.degree = 1": lambda a: a["degree"] == 1,
}
RIGHT = {
    "r.degree >= 0": lambda _: True,
    "price < 0": lambda b: b["price"] is not None and b["price"] < 0,
    "price >= 0 AND r.degree > 1": lambda b: b["price"] is not None and b["price"] >= 0 and b["degree"] > 1,
    "r.degree = 1": lambda b: b["degree"] == 1,
}  # fmt: skip


@st.composite
def small_releases(draw: st.DrawFn):
    lefts, rights = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    pair = st.tuples(st.integers(0, lefts - 1), st.integers(0, rights - 1))
    pairs = draw(st.lists(pair, min_size=2, max_size=8))
    labels = draw(st.lists(st.sampled_from(QUASI), min_size=lefts, max_size=lefts))
    prices = draw(
        st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=rights, max_size=rights)
    )
    prices[0] = draw(st.integers(-3, 3))  # a column without any value has no type
    schema = {
        "left": {"who": "identifier", "label": "plain"},
        "right": {"what": "identifier", "price": {"role": "plain", "kind": "numeric"}},
        "edges": {"who": "left", "what": "right"},
    }
    graph = Graph.read(
        {"who": list(range(lefts)), "label": labels},
        {"what": list(range(rights)), "price": prices},
        {"who": [x for x, _ in pairs], "what": [y for _, y in pairs]},
        schema,
        names=("l", "r"),
    )
    k, l = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    key = Key(bytes([draw(st.integers(0, 255))]) * 32)
    try:
        return SafeGrouping(k, l, strict=False).anonymize(graph, key)
    except (CannotAnonymize, SchemaError):
        return None


@given(
    small_releases(),
    st.sampled_from(sorted(SQL)),
    st.sampled_from(sorted(LEFT)),
    st.sampled_from(sorted(RIGHT)),
)
@settings(max_examples=2 * settings().max_examples)
def test_truth_of_every_world_lies_within_the_bounds(release, sql, left, right):
    if release is None:
        return
    rows_are, fold = SQL[sql]
    (row,) = release.query(sql.format(both=f"{left} AND {right}", right=right))
    (answer,) = row.values()
    if rows_are == "edges":
        worlds = (
            [(a, b) for a, b in world if LEFT[left](a) and RIGHT[right](b)]
            for world in joined_worlds(release)
        )
    else:
        worlds = ([b for b in world if RIGHT[right](b)] for world in side_worlds(release, "right"))
    truths = [fold(rows) for rows in worlds]
    slack = 0 if isinstance(answer.lower, int | str | None) else 1e-9
    for truth in truths:
        if truth is None:
            # a sum of nobody counts as 0
            assert not answer.exact or answer.estimate in (None, 0), "exact where it may be NULL"
            continue
        assert answer.lower is not None
        if slack:
            assert answer.lower - slack <= truth <= answer.upper + slack
        else:
            assert answer.lower <= truth <= answer.upper
    if sql.startswith(EXPECTED) and not answer.exact:
        assert answer.estimate == pytest.approx(fmean(truth or 0 for truth in truths), abs=1e-9)
    if answer.exact:
        assert {truth or 0 if sql.startswith("SELECT SUM") else truth for truth in truths} == {
            answer.estimate or 0 if sql.startswith("SELECT SUM") else answer.estimate
        }
