"""Personalized privacy: the thesis' examples, the best there is, and everybody's wish after the fact."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Microdata, Personalized, PersonalizedPrivacy, Release
from anonagram.columns.trees import balanced
from anonagram.errors import AnonagramError, CallError
from anonagram.kernels.personal import BOTTOM_UP, ONE_GROUP, TOP_DOWN, Kinds, Scale, divide
from anonagram.methods.least_ranges import divide_best

KEY = Key(bytes(32))
ROLES = {"zip": "quasi", "pay": "sensitive", "wish": "guard"}
ALGORITHMS = ("one_group", "top_down", "bottom_up", "optimal")


def microdata(people: list[tuple[object, object]], **roles: object) -> Microdata:
    table = pl.DataFrame(
        {
            "zip": [str(number // 2) for number in range(len(people))],
            "pay": [value for value, _ in people],
            "wish": [None if wish is None else str(wish) for _, wish in people],
        },
        strict=False,
    )
    return Microdata.read(table, ROLES | roles)


def over(top: int) -> str:
    """A uniform target over 1 to a number, whatever values occur."""
    return "weights(of={" + ", ".join(f"'{value}': 1" for value in range(1, top + 1)) + "})"


def groups_of(release: Release) -> list[list[tuple[int, int, int]]]:
    """What each group publishes: lowest, highest, how often."""
    lines = release.sensitive["pay"].partition_by("group")
    return sorted(sorted((a, b, c) for _, a, b, _, c in each.iter_rows()) for each in lines)


def published(people: list[tuple[object, object]], top: int, algorithm: str) -> Release:
    return Personalized(algorithm=algorithm, target=over(top)).anonymize(microdata(people), KEY)


# The thesis


STAFF = pl.DataFrame(
    {"zip": [91130, 91210, 91220], "pay": [60, 40, 30], "wish": ["[60]", "[30, 40]", "[30]"]}
)  # Zhang (2007, Table 5.1)
FOUR = "weights(of={'30': 1, '40': 1, '50': 1, '60': 1})"


def test_tables_5_1_and_5_2():
    """Three people, three groups: nobody is hidden further than she asks."""
    data = Microdata.read(STAFF, ROLES)
    for algorithm in ALGORITHMS:
        release = Personalized(algorithm=algorithm, target=FOUR, exact=True).anonymize(data, KEY)
        assert groups_of(release) == [[(30, 30, 1)], [(30, 40, 1)], [(60, 60, 1)]]
    # who asks for 30 helps the other where they may be in one group
    release = Personalized(target=FOUR).anonymize(data, KEY)
    assert groups_of(release) == [[(30, 30, 1), (40, 40, 1)], [(60, 60, 1)]]


FOUR_AND_SEVEN = [(1, "[1, 8]")] * 4 + [(value, f"[{value}]") for value in range(2, 9)]
BY_MEAN = (
    [(1, "all")]
    + [(value, "5 to 8") for value in range(5, 9)]
    + [(value, "[9, 12]") for value in range(9, 13)]
    + [(16, 15)]
)
EVEN = [(1, 7), (3, "[3, 4]"), (4, "[3, 4]"), (4, "[3, 4]"), (5, "[5, 6]"), (8, "[7, 8]")]


@pytest.mark.parametrize("algorithm", ["bottom_up", "optimal"])
@pytest.mark.parametrize(
    ("people", "top", "told"),
    [
        (
            FOUR_AND_SEVEN,
            8,
            [[(1, 4, 4), *((n, n, 1) for n in (5, 6, 7, 8))], *([(n, n, 1)] for n in (2, 3, 4))],
        ),
        (
            BY_MEAN,
            16,
            [
                [(1, 8, 1), (9, 16, 1)],
                [(n, n, 1) for n in (5, 6, 7, 8)],
                [(n, n, 1) for n in (9, 10, 11, 12)],
            ],
        ),
        (
            EVEN,
            8,
            [[(1, 2, 1), (3, 4, 1), (5, 6, 1), (7, 8, 1)], [(3, 3, 1), (4, 4, 1)]],
        ),
    ],
    ids=["four and seven", "by mean", "even"],
)
def test_the_best_of_the_thesis_examples(people, top, told, algorithm):
    assert groups_of(published(people, top, algorithm)) == told


def test_what_the_thesis_says_of_top_down():
    """The global algorithm gives 1, 2, …, 8 and three times 1 to 8."""
    alone = [[(1, 8, 1)]] * 3
    told = groups_of(published(FOUR_AND_SEVEN, 8, "top_down"))
    assert told == [[(n, n, 1) for n in range(1, 9)], *alone]


def test_one_group_raises_everybody_to_the_widest_wish_that_has_her_value():
    told = groups_of(published(BY_MEAN, 16, "one_group"))
    assert len(told) == 1  # two people ask for everything
    people = [(1, "[1, 4]"), (2, "[2]"), (6, "[5, 8]"), (8, "[7, 8]")]
    assert groups_of(published(people, 8, "one_group")) == [[(1, 4, 2)], [(5, 6, 1), (7, 8, 1)]]


# The best there is


def scale_of(values: int, weights: list[int] | None = None) -> tuple[Scale, list[Fraction]]:
    tree = balanced(pl.Series(range(values)), 2)
    nodes = tree.nodes
    given_weights = tree.weights.copy()
    for node in range(1, tree.size, 2):  # siblings stand side by side
        pair = (weights or [1] * tree.size)[node : node + 2]
        given_weights[node : node + 2] = np.array(pair) // math.gcd(*pair)
    scale = Scale(
        nodes, given_weights, tree.ranges("numeric"), (nodes.high - nodes.low).astype(np.int64)
    )
    chance = [Fraction(1)] * tree.size
    for node in range(1, tree.size):
        above = int(nodes.parent[node])
        first, number = int(nodes.first[above]), int(nodes.children[above])
        whole = sum(map(int, given_weights[first : first + number]))
        chance[node] = chance[above] * int(given_weights[node]) / whole
    return scale, chance


def kinds_of(scale: Scale, people: list[tuple[int, int]]) -> Kinds:
    """People as value and node asked for, counted."""
    counted = sorted(Counter(people).items())
    code, asked, left = (
        np.array(each, np.int64) for each in zip(*((*p, n) for p, n in counted), strict=True)
    )
    return Kinds(code, asked, left)


def asked_nodes(scale: Scale, wishes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Values and how many steps up from them."""
    parent = scale.nodes.parent
    leaf = {int(scale.nodes.low[n]): n for n in np.flatnonzero(scale.nodes.children == 0).tolist()}
    found = []
    for value, steps in wishes:
        node = leaf[value]
        for _ in range(steps):
            node = int(parent[node]) if parent[node] >= 0 else node
        found.append((value, node))
    return found


def run(scale: Scale, people: list[tuple[int, int]], way: int | None):
    kinds = kinds_of(scale, people)
    starts = np.array([0, kinds.code.size])
    made = divide_best(kinds, starts, scale) if way is None else divide(kinds, starts, scale, way)
    return kinds, *made


def respects(scale: Scale, chance: list[Fraction], slots: list[int], asked: int) -> bool:
    """Definition 5.3.1, for any target: inside the node, values keep its ratios."""
    low, high = scale.nodes.low, scale.nodes.high
    leaf = {int(low[n]): chance[n] for n in np.flatnonzero(scale.nodes.children == 0).tolist()}
    inside = range(int(low[asked]), int(high[asked]))
    told = [
        sum((leaf[t] / chance[n] for n in slots if low[n] <= t < high[n]), Fraction(0)) / leaf[t]
        for t in inside
    ]
    return len(set(told)) == 1


def divisions(items: list[int]):
    """Every way to put items into groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for division in divisions(rest):
        yield [[first], *division]
        for place in range(len(division)):
            yield [*division[:place], [first, *division[place]], *division[place + 1 :]]


def least(scale: Scale, chance: list[Fraction], people: list[tuple[int, int]]) -> float:
    """The least sum of ranges, by trying every division and every node for everybody."""
    ways = []
    leaf = {int(scale.nodes.low[n]): n for n in np.flatnonzero(scale.nodes.children == 0).tolist()}
    for value, _ in people:
        way = [leaf[value]]
        while scale.nodes.parent[way[-1]] >= 0:
            way.append(int(scale.nodes.parent[way[-1]]))
        ways.append(way)
    cheapest: dict[tuple[int, ...], float] = {}
    for size in range(1, len(people) + 1):
        for members in itertools.combinations(range(len(people)), size):
            costs = [
                float(sum(scale.wide[n] for n in slots))
                for slots in itertools.product(*(ways[m] for m in members))
                if all(respects(scale, chance, list(slots), people[m][1]) for m in members)
            ]
            cheapest[members] = min(costs, default=np.inf)
    every = divisions(list(range(len(people))))
    return min(sum(cheapest[tuple(sorted(g))] for g in division) for division in every)


groups = st.tuples(
    st.sampled_from([3, 4]),
    st.lists(st.integers(1, 3), min_size=7, max_size=7),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4),
)


@given(groups)
def test_optimal_is_the_best_there_is_and_no_heuristic_breaks_a_wish(case):
    values, weights, wishes = case
    scale, chance = scale_of(values, weights)
    people = asked_nodes(scale, wishes)
    best = least(scale, chance, people)
    for way in (None, ONE_GROUP, TOP_DOWN, BOTTOM_UP):
        kinds, members, slots = run(scale, people, way)
        cost = float((scale.wide[slots.node] * slots.count).sum())
        assert cost >= best - 1e-9
        if way is None:
            assert cost == pytest.approx(best)
        assert members.count.sum() == slots.count.sum() == len(people)
        for group in range(int(members.group.max()) + 1):
            nodes = np.repeat(slots.node, slots.count)[np.repeat(slots.group, slots.count) == group]
            own = members.kind[members.group == group]
            assert all(respects(scale, chance, nodes.tolist(), int(kinds.asked[k])) for k in own)
            rows = np.repeat(members.kind, members.count)[
                np.repeat(members.group, members.count) == group
            ]
            assert fits(scale, kinds.code[rows].tolist(), nodes.tolist())


def fits(scale: Scale, values: list[int], nodes: list[int]) -> bool:
    """Whether values can have nodes that contain them, one each: narrow ones choose first."""
    left = sorted(values)
    for node in sorted(nodes, key=lambda n: scale.codes[n]):
        inside = [v for v in left if scale.nodes.low[node] <= v < scale.nodes.high[node]]
        if not inside:
            return False
        left.remove(inside[0])
    return not left


# What is published, and what is not


def people_of(rows: int, seed: int = 0) -> list[tuple[int, object]]:
    random = np.random.default_rng(seed)
    values = random.integers(1, 41, rows).tolist()
    asked = [0, 3, 9, 20, None, "all"]
    return [
        (v, f"[{v}]" if c == 0 else asked[c])
        for v, c in zip(values, random.integers(0, 6, rows), strict=True)
    ]


@pytest.mark.parametrize("algorithm", ALGORITHMS[:3])
def test_guards_are_told_nowhere(algorithm, tmp_path):
    people = [(v, "sevenfold" if w is None else w) for v, w in people_of(60)]
    data = microdata(people, wish={"role": "guard", "missing": ["sevenfold"]})
    Personalized("wish", algorithm).publish(data, KEY).write(
        tmp_path / "r", tmp_path / "p", format="csv"
    )
    read = "".join(path.read_text() for path in (tmp_path / "r").iterdir())
    assert "sevenfold" not in read
    manifest = json.loads((tmp_path / "r" / "datapackage.json").read_text())
    assert "wish" not in json.dumps(manifest).replace('guard=\\"wish\\"', "")
    (answer,) = Release.read(tmp_path / "r").query("SELECT SUM(pay) FROM data")
    assert answer["SUM(pay)"].lower <= sum(v for v, _ in people) <= answer["SUM(pay)"].upper


def test_other_wishes_are_another_table():
    one, other = (microdata([(1, 3), (4, w), (9, 2)]) for w in (1, 2))
    assert one.digest != other.digest


def test_a_release_that_hides_somebody_less_is_noticed():
    people = people_of(60)
    data = microdata(people)
    made = Personalized("wish").publish(data, KEY)
    group_of = made.mapping["group"].to_numpy()
    model = PersonalizedPrivacy("wish")
    assert model.check(made.release).holds
    assert model.compare(made.release, data, group_of).holds
    more = microdata([(v, "all") for v, _ in people])
    finding = model.compare(made.release, more, group_of)
    assert not finding.holds
    assert finding.violating_rows > 0
    # somebody in another's group
    swapped = group_of.copy()
    narrow = next(n for n, (_, w) in enumerate(people) if str(w).startswith("["))
    wide = next(n for n, (_, w) in enumerate(people) if w == "all")
    swapped[[narrow, wide]] = swapped[[wide, narrow]]
    assert not model.compare(made.release, data, swapped).holds


def test_ratios_that_are_not_the_targets_are_noticed():
    release = published(FOUR_AND_SEVEN, 8, "bottom_up")
    lines = release.sensitive["pay"].with_columns(
        pl.when(pl.col("pay_low") == 5).then(6).otherwise(pl.col("pay_low")).alias("pay_low"),
        pl.when(pl.col("pay_high") == 5).then(6).otherwise(pl.col("pay_high")).alias("pay_high"),
    )
    forged = lines.group_by("group", "pay_low", "pay_high", "pay_missing").agg(
        pl.col("count").sum()
    )
    false = type(release)(release.manifest, release.quasi, {"pay": forged}, release.targets)
    finding = PersonalizedPrivacy(target=over(8)).check(false)
    assert not finding.holds
    assert finding.violating_groups == 1


def test_equal_people_of_different_wishes_need_the_private_file():
    table = pl.DataFrame(
        {"zip": ["a"] * 4, "pay": [1, 1, 2, 3], "wish": ["all", "[1]", "[2]", "[3]"]}
    )
    data = Microdata.read(table.with_columns(zip=pl.Series(["a", "a", "b", "b"])), ROLES)
    made = Personalized("wish", target=over(3)).publish(data, KEY)
    with pytest.raises(CallError, match="does not tell whose group"):
        PersonalizedPrivacy("wish", over(3)).compare(made.release, data)


def test_dates_words_and_missing_values():
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 16), eager=True).to_list()
    people = [(day, "[2024-01-02, 2024-01-04]" if n == 2 else 5) for n, day in enumerate(days)]
    dates = Personalized("wish").publish(microdata(people), KEY)
    model = PersonalizedPrivacy("wish")
    assert model.compare(dates.release, microdata(people), dates.mapping["group"].to_numpy()).holds
    words = [(word, wish) for word in ("flu", "cut", None, "gout") for wish in ("2", word, "all")]
    kind = {"role": "sensitive", "kind": "nominal"}
    data = microdata(words, pay=kind)
    made = Personalized("wish").publish(data, KEY)
    assert model.compare(made.release, data, made.mapping["group"].to_numpy()).holds


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        ("[30, 40]", "row 3: column 'wish' asks for '.30, 40.', but pay is 60 there"),
        ("30 to 40", "but pay is 60 there"),
        ("400", "only 30 wide"),
        ("-1", "says nothing about 'pay'"),
        ("much", "says nothing about 'pay'"),
        ("[41, 42]", "says nothing about 'pay'"),
    ],
)
def test_wishes_that_cannot_be_are_refused_with_their_row(wish, error):
    with pytest.raises(AnonagramError, match=error) as caught:
        Personalized("wish").anonymize(microdata([(30, 0), (40, None), (60, wish)]), KEY)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ('personalized(guard="wsh")', "no column 'wsh' with the role guard"),
        ('personalized(algorithm="best")', "algorithm"),
        ('personalized(groups=["pay"])', "would tell it"),
        ("personalized(target=\"weights(of={'30': 1})\")", "no probability"),
    ],
)
def test_bad_calls_are_refused_in_words(call, error):
    with pytest.raises(AnonagramError, match=error) as caught:
        Personalized.parse(call).anonymize(microdata([(30, 0), (40, None), (50, 9)]), KEY)
    assert caught.value.remedy
