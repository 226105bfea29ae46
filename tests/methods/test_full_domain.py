"""Full-domain generalization: the optimum against every node, another tool's optima, and its words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    Key,
    Method,
    Microdata,
    Optimal,
    PrivacyModel,
    Release,
    TCloseness,
)
from anonagram.errors import AnonagramError, CallError, CannotAnonymize, UnsupportedQuery
from anonagram.lattice import COSTS, Choice, Lattice, ladders_of
from anonagram.measures.ncp import Ncp
from anonagram.methods.incognito import minimal_nodes
from anonagram.present import document_of
from anonagram.release.manifest import describe_column
from anonagram.verify import verify
from tests.models.test_compared_with_the_table import with_column
from tests.tables import anatomized

KEY = Key(bytes(32))
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
AGE = {"role": "quasi", "hierarchy": "intervals(width=10, levels=2)"}
PLACE = {"role": "quasi", "hierarchy": 'tree({"north": ["a", "b"], "south": ["c", "*"]})'}
ILL = {"role": "sensitive", "hierarchy": 'tree({"x": ["p", "q"], "y": ["r"]})'}
SCHEMA = {"age": AGE, "place": PLACE, "ill": ILL}
GOALS = (
    "k_anonymity(k=2)", "k_anonymity(k=4)", "l_diversity(l=2)", "distinct_l_diversity(l=2)",
    "entropy_l_diversity(l=2)", "recursive_l_diversity(c=2, l=2)", "t_closeness(t=0.3)",
    't_closeness(t=0.2, distance="hierarchical")', "alpha_k(alpha=0.6, k=2)",
    "beta_likeness(beta=1)", 'beta_likeness(beta=0.5, kind="basic")', "delta_disclosure(delta=1)",
)  # fmt: skip


def adult(real_data, **schema: object) -> Microdata:
    folder = real_data("adult/hierarchies")
    table = pl.read_csv(real_data("adult/adult_complete.csv"))
    rules: dict[str, object] = dict.fromkeys(table.columns, "drop")
    for name in QUASI:
        file = str(folder / f"adult_hierarchy_{name}.csv")
        rules[name] = {"role": "quasi", "hierarchy": file}
    file = str(folder / "adult_hierarchy_occupation.csv")
    rules["occupation"] = {"role": "sensitive", "hierarchy": file}
    return Microdata.read(table, {**rules, **schema})


K, TREE = KAnonymity(k=5), TCloseness(t=0.2, distance="hierarchical")
ARX = [
    ((K,), 0, 0.5643898585, 0),
    ((K, DistinctLDiversity(l=4)), 0, 0.5643898585, 0),
    ((K, EntropyLDiversity(l=4)), 0, 0.5643898585, 0),
    ((K, TCloseness(t=0.2)), 0, 0.9070125980, 0),
    ((K, TREE), 0, 0.7272264380, 0),
    ((K,), 0.04, 0.1804132250, 1038),
    ((K, DistinctLDiversity(l=2)), 0.04, 0.1804132250, 1038),
    ((K, DistinctLDiversity(l=4)), 0.04, 0.2242765827, 1032),
    ((K, EntropyLDiversity(l=2)), 0.04, 0.1813563904, 1071),
    ((K, TCloseness(t=0.2)), 0.04, 0.7900105524, 235),
    ((K, TREE), 0.04, 0.6573664217, 1088),
]
"""ARX 3.9.2 on Adult with its own hierarchies: goal, suppression, loss, suppressed rows."""


@pytest.mark.parametrize(("goal", "suppress", "loss", "suppressed"), ARX)
def test_another_tools_optimum_is_met(real_data, goal, suppress, loss, suppressed):
    method = Optimal(*goal, suppress=suppress, suppressed="left_out", cost="geometric_loss")
    lattice, rule = method.lattice(adult(real_data))
    node = lattice.best(rule)
    assert abs(node.cost - loss) < 1e-10
    assert node.suppressed == suppressed
    assert node.is_best
    assert lattice.size == 2160


def test_where_rounding_cost_the_other_tool_rows(real_data):
    # three groups with counts 4, 1, 1, 1, 1 have an entropy of exactly 2 bits, so they are 4-diverse;
    # ARX suppresses their 24 rows too (1,174, loss 0.2703824254)
    method = Optimal(
        K, EntropyLDiversity(l=4), suppress=0.04, suppressed="left_out", cost="geometric_loss"
    )
    lattice, rule = method.lattice(adult(real_data))
    node = lattice.best(rule)
    assert (node.suppressed, node.levels) == (1150, (4, 1, 2, 0, 0, 0, 1))
    more = [test._replace(first=test.first + 1e-9 * (test.column == 0)) for test in lattice.tests]
    stricter = Lattice(adult(real_data), lattice.ladders, more, "geometric_loss")
    node = stricter.best(rule)
    assert (node.suppressed, round(node.cost, 9)) == (1174, 0.270382425)


tables = st.lists(
    st.tuples(
        st.one_of(st.none(), st.sampled_from([21, 25, 33, 38, 47])),
        st.sampled_from(["a", "b", "c", "*"]),
        st.sampled_from(["p", "q", "r"]),
    ),
    min_size=4,
    max_size=24,
)


def read(rows) -> Microdata | None:
    columns = list(zip(*rows, strict=True))
    if any(len(set(values)) < 2 for values in columns):
        return None
    return Microdata.read(dict(zip(SCHEMA, map(list, columns), strict=True)), SCHEMA)


@settings(max_examples=50)
@given(
    rows=tables,
    goal=st.lists(st.sampled_from(GOALS), min_size=1, max_size=2, unique=True),
    suppress=st.sampled_from([0, 0.2, 0.5]),
    suppressed=st.sampled_from(["kept", "left_out"]),
    cost=st.sampled_from(list(COSTS)),
)
def test_no_node_is_better_and_what_is_published_holds(rows, goal, suppress, suppressed, cost):
    data = read(rows)
    if data is None:
        return
    method = Optimal(*goal, suppress=suppress, suppressed=suppressed, cost=cost)
    lattice, rule = method.lattice(data)
    best = lattice.best(rule)
    every = lattice.explore(rule).nodes
    least = every["cost"].min()
    assert best.cost == pytest.approx(np.inf if least is None else least, abs=1e-9)
    try:
        release = method.anonymize(data, KEY)
    except CannotAnonymize:
        assert least is None or suppressed == "left_out"
        return
    assert all(PrivacyModel.parse(each).check(release).holds for each in goal)
    told = release.manifest.rows
    assert told.original == data.rows
    assert (told.suppressed == 0) == (suppressed == "kept" or best.suppressed == 0)
    if cost == "ncp" and not told.suppressed:
        assert Ncp.of(release).per_cell == pytest.approx(best.cost, abs=1e-9)


@settings(max_examples=40)
@given(rows=tables, goal=st.sampled_from(GOALS), suppress=st.sampled_from([0, 0.3]))
def test_a_node_that_holds_is_one_that_the_model_says_holds(rows, goal, suppress):
    """Every node by the models' own code, on the groups that its labels make."""
    data = read(rows)
    if data is None:
        return
    model = PrivacyModel.parse(goal)
    method = Optimal(model, suppress=suppress, suppressed="left_out")
    lattice, rule = method.lattice(data)
    rule = rule._replace(is_told=False)  # about single groups, whatever becomes of the others
    for levels in product(*(range(ladder.height + 1) for ladder in lattice.ladders)):
        labels = [
            [ladder.labels(level)[code] for code in ladder.column.codes]
            for ladder, level in zip(lattice.ladders, levels, strict=True)
        ]
        groups = list(zip(*labels, strict=True))
        number = {group: i + 1 for i, group in enumerate(dict.fromkeys(groups))}
        release = with_column(
            anatomized([number[g] for g in groups], [row[2] for row in rows]),
            # of a table without r the tree ends at x
            hierarchy=describe_column(data.column("ill")).hierarchy,
        )
        failing = model.levels(release).filter(~pl.col("holds"))
        gone = int(failing.unique("group")["rows"].sum())
        judged = lattice.judge(levels, rule)
        assert np.isfinite(judged.cost) == (gone <= rule.limit)
        if np.isfinite(judged.cost):
            assert judged.suppressed == gone


def hospital(rows: int = 200) -> Microdata:
    table = {
        "age": [20 + i * 7 % 60 for i in range(rows)],
        "place": ["abc*"[i * 5 % 4] for i in range(rows)],
        "ill": ["pqr"[i % 3] for i in range(rows)],
    }
    return Microdata.read(table, SCHEMA)


def clustered() -> Microdata:
    """Eight people each of five ages, and three who are alone with theirs."""
    ages = [22, 31, 45, 58, 63] * 8 + [71, 86, 97]
    table = {
        "age": ages,
        "place": ["abc*"[age % 4] for age in ages],
        "ill": ["pqr"[i % 3] for i in range(43)],
    }
    return Microdata.read(table, SCHEMA)


def test_a_value_called_star_is_not_what_hides_all():
    release = Optimal(KAnonymity(k=2), suppress=0.5).anonymize(hospital(), KEY)
    assert "\\*" in release.rows["place"].to_list()
    shown = release.rows.filter(pl.col("place") == "\\*")["group"].unique()
    told = release.groups.filter(pl.col("group").is_in(shown.implode()))["place"]
    assert told.list.len().unique().to_list() == [1]


def test_suppressed_rows_stay_as_a_last_group(tmp_path):
    method = Optimal(KAnonymity(k=6), suppress=0.3)
    release = method.anonymize(clustered(), KEY)
    last = release.rows.filter(pl.col("group") == release.rows["group"].max())
    assert set(last["age"]) == set(last["place"]) == {"*"}
    assert last.height >= 6
    assert release.manifest.rows.suppressed == 0
    release.write(tmp_path / "release", "csv")
    assert Release.read(tmp_path / "release").rows.equals(release.rows)


def test_left_out_rows_are_told_and_counted_in(tmp_path):
    data = clustered()
    release = Optimal(KAnonymity(k=6), suppress=0.3, suppressed="left_out").anonymize(data, KEY)
    left_out = release.manifest.rows.suppressed
    assert left_out == 3
    assert f"{left_out} rows left out" in repr(release)
    release.write(tmp_path / "release")
    release = Release.read(tmp_path / "release")
    # what totals have more than rows would be the values of those who were left out
    assert sorted(release.tables) == ["groups", "rows"]
    with pytest.raises(CallError, match="does not tell the values of the whole table"):
        PrivacyModel.parse("t_closeness(t=0.2)").check(release)
    answer = release.query("SELECT COUNT(*) FROM data WHERE ill = 'p'")[0]["COUNT(*)"]
    assert answer.lower <= 15 <= answer.upper
    assert answer.upper - answer.lower == left_out
    answers = release.query("SELECT ill, COUNT(*) FROM data GROUP BY ill ORDER BY 2")
    counts = dict(data.frame()["ill"].value_counts().iter_rows())
    assert all(
        row["COUNT(*)"].lower <= counts[row["ill"]] <= row["COUNT(*)"].upper for row in answers
    )
    assert "may also be in groups that are not listed" in answers.notes[-1]
    for refused in ("MAX(age)", "AVG(age)", "SUM(age)", "MEDIAN(age)", "MIN(ill)"):
        with pytest.raises(UnsupportedQuery, match="left out"):
            release.query(f"SELECT {refused} FROM data")


def test_what_totals_tell_of_those_left_out_keeps_the_promise():
    # alone, the one aged 90 would be the one of whom totals tell a value that no row has
    ages, ill = [20] * 6 + [30] * 6 + [90], ["p", "q", "r"] * 4 + ["s"]
    schema = {"age": {"role": "quasi", "hierarchy": "flat()"}, "ill": "sensitive"}
    data = Microdata.read({"age": ages, "ill": ill}, schema)
    method = Optimal("t_closeness(t=0.5)", suppress=0.6, suppressed="left_out")
    release = method.anonymize(data, KEY)
    assert release.manifest.rows.suppressed in (0, 7)
    # as it would be without that: the model says so itself
    told = pl.DataFrame({"ill": ["p", "q", "r", "s"], "rows": [4, 4, 4, 1]})
    rows = Optimal(KAnonymity(k=3), suppress=0.1, suppressed="left_out").anonymize(data, KEY)
    leaking = replace(rows, totals={"ill": told})
    found = PrivacyModel.parse("l_diversity(l=2)").check(leaking)
    assert (found.holds, found.worst[0]["group"], found.achieved) == (False, 0, 1)


def test_who_fits_a_group_is_not_among_the_suppressed():
    release = Optimal(KAnonymity(k=6), suppress=0.3).anonymize(clustered(), KEY)
    hidden = release.hidden_group
    rows = dict(release.group_sizes().iter_rows())
    assert verify(release, {"age": 71, "place": "*"}).candidate_rows == rows[hidden]
    alone = verify(release, {"age": 45, "place": "b"})
    assert (alone.candidate_groups, alone.candidate_rows) == (1, 8)
    # who knows only her age cannot tell
    assert verify(release, {"age": 45}).candidate_groups == 2


def test_the_mapping_says_who_was_left_out():
    data = clustered()
    method = Optimal(KAnonymity(k=6), suppress=0.3, suppressed="left_out")
    publication = method.publish(data, KEY)
    mapping, rows = publication.mapping, publication.release.rows
    assert mapping.height == 43
    kept = mapping.with_row_index("was").drop_nulls()
    ill = data.frame()["ill"][kept["was"].to_numpy()]
    assert rows["ill"][kept["row_in_rows"].to_numpy()].to_list() == ill.to_list()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("optimal(k_anonymity(k=300))", "k_anonymity.*achieves 200"),
        ("optimal(k_anonymity(k=2), l_diversity(l=9))", "l_diversity.*achieves 2.98"),
        ('optimal(t_closeness(t=0.1, distance="ordered"))', "ill is nominal"),
        ("mondrian(k_anonymity(k=300))", "k_anonymity.*achieves 200"),
    ],
)
def test_what_cannot_be_reached_is_refused_by_how_much(call, words):
    with pytest.raises(AnonagramError, match=words):
        Method.parse(call).anonymize(hospital(), KEY)


@pytest.mark.parametrize(
    "call",
    ["optimal()", "optimal(k=5)", "optimal(5)", "optimal(k_anonymity(k=5), suppress=2)",
     "optimal(k_anonymity(k=5), cost=money)", "optimal(k_anonymity(k=5), suppressed=gone)",
     "optimal(gamma_amplification(gamma=2))", "optimal(no_model(k=5))", "mondrian(k_anonymity)",
     "mondrian(k_anonymity(k=2), cuts=bold)"],
)  # fmt: skip
def test_calls_that_say_nothing_sensible_are_refused(call):
    with pytest.raises(CallError):
        Method.parse(call)


def test_calls_read_back():
    method = Optimal(KAnonymity(k=5), "t_closeness(t=0.2)", suppress=0.04)
    assert Method.parse(repr(method)) == method
    assert repr(method).startswith("optimal(k_anonymity(k=5), t_closeness(t=0.2, ")


def test_a_hierarchy_that_is_deeper_than_needed_costs_nothing():
    deep = {"role": "quasi", "hierarchy": "intervals(width=1000, levels=9)"}
    table = {"age": [1, 2, 3, 4], "ill": ["p", "q", "p", "q"]}
    data = Microdata.read(table, {"age": deep, "ill": "sensitive"})
    (ladder,) = ladders_of(data)
    assert ladder.height == 1
    assert Optimal(KAnonymity(k=2)).anonymize(data, KEY).rows["age"].unique().to_list() == ["*"]


def test_a_lattice_of_more_nodes_than_can_be_listed():
    rng = np.random.default_rng(1)
    names = [f"c{i}" for i in range(12)]
    table = {name: rng.integers(0, 200, 60).tolist() for name in names}
    rule = {"role": "quasi", "hierarchy": "intervals(width=2, levels=7)"}
    data = Microdata.read(
        {**table, "ill": list(range(60))}, {**dict.fromkeys(names, rule), "ill": "sensitive"}
    )
    method = Optimal(KAnonymity(k=5), suppress=0.2)
    lattice, rule = method.lattice(data)
    assert lattice.size > 10**9
    node = lattice.best(rule, most=300)
    assert not node.is_best
    assert node.least < node.cost < np.inf
    assert lattice.judge(node.levels, rule).cost == node.cost
    for place, level in enumerate(node.levels):  # nothing is gained by one level less of a column
        finer = [*node.levels[:place], level - 1, *node.levels[place + 1 :]]
        assert level == 0 or lattice.judge(finer, rule).cost >= node.cost
    choice = Choice(lattice, rule, node, repr(method), "loss")
    assert "The search was ended" in choice.search
    assert not choice.is_whole
    assert choice.nodes["is_chosen"].sum() == 1
    for call in ("samarati(k_anonymity(k=5))", "incognito(k_anonymity(k=5))"):
        with pytest.raises(CannotAnonymize, match="looks at all"):
            Method.parse(call).anonymize(data, KEY)


@settings(max_examples=40)
@given(
    rows=tables,
    goal=st.lists(st.sampled_from(GOALS), min_size=1, max_size=2, unique=True),
    cuts=st.sampled_from(["strict", "relaxed"]),
    along=st.sampled_from(["values", "hierarchies"]),
)
def test_every_group_of_mondrian_keeps_what_it_was_given(rows, goal, cuts, along):
    data = read(rows)
    if data is None:
        return
    call = f"mondrian({', '.join(goal)}, cuts={cuts}, along={along})"
    try:
        release = Method.parse(call).anonymize(data, KEY)
    except CannotAnonymize:  # then the whole table fails, which the refusal shows
        return
    assert all(PrivacyModel.parse(each).check(release).holds for each in goal)
    assert release.rows["ill"].sort().to_list() == sorted(row[2] for row in rows)


def test_strict_cuts_keep_equal_values_together():
    release = Method.parse("mondrian(k_anonymity(k=5))").anonymize(hospital(), KEY)
    ranges = release.groups.select("age_low", "age_high", "place")
    for group in ranges.iter_rows():
        for other in ranges.iter_rows():
            apart = group[1] < other[0] or other[1] < group[0]
            alike = set(group[2]) & set(other[2])
            assert group == other or apart or not alike


@settings(max_examples=30)
@given(
    rows=tables,
    goal=st.sampled_from(GOALS),
    suppress=st.sampled_from([0, 0.3]),
    suppressed=st.sampled_from(["kept", "left_out"]),
)
def test_the_other_searches_find_what_they_should(rows, goal, suppress, suppressed):
    data = read(rows)
    if data is None:
        return
    made = {
        name: Method.parse(f"{name}({goal}, suppress={suppress}, suppressed={suppressed})")
        for name in ("datafly", "samarati", "incognito", "optimal")
    }
    lattice, rule = made["optimal"].lattice(data)
    every = lattice.explore(rule).nodes
    holding = {tuple(node) for node in every.filter("holds")["levels"].to_list()}
    found = {name: method.choose(lattice, rule) for name, method in made.items()}
    if not holding:
        assert all(node.cost == np.inf for node in found.values())
        return
    lowest = min(sum(node) for node in holding)
    assert sum(found["samarati"].levels) == lowest
    at_height = every.filter("holds", pl.col("height") == lowest)
    assert found["samarati"].cost == pytest.approx(at_height["cost"].min())
    minimal = [
        node
        for node in holding
        if not any(o != node and all(map(int.__le__, o, node)) for o in holding)
    ]
    assert sorted(minimal_nodes(lattice, rule)) == sorted(minimal)
    assert found["incognito"].cost == pytest.approx(
        min(lattice.judge(node, rule).cost for node in minimal)
    )
    # greedy: it may climb past what holds only under another column, but ends where something does
    assert found["datafly"].levels in holding or found["datafly"].cost == np.inf
    assert found["optimal"].cost <= min(node.cost for node in found.values()) + 1e-12


def test_incognito_looks_at_the_real_lattice(real_data):
    method = Method.parse("incognito(k_anonymity(k=5))")
    lattice, rule = method.lattice(adult(real_data))
    minimal = minimal_nodes(lattice, rule)
    holding = {tuple(n) for n in lattice.explore(rule).nodes.filter("holds")["levels"].to_list()}
    assert set(minimal) == {
        node
        for node in holding
        if not any(o != node and all(map(int.__le__, o, node)) for o in holding)
    }


def test_the_choice_is_told_beside_its_neighbours():
    data = clustered()
    publication = Optimal(KAnonymity(k=6), suppress=0.3).publish(data, KEY)
    choice = publication.choice
    assert choice is not None
    assert "none costs less" in choice.search
    every = {tuple(each["levels"]): each for each in choice.nodes.to_dicts()}
    assert len(every) == choice.lattice.size
    assert every[choice.node.levels]["is_chosen"]
    place_of = {name: place for place, name in enumerate(choice.columns)}
    assert choice.neighbours
    for each in choice.neighbours:
        levels = list(choice.node.levels)
        levels[place_of[each.column]] = each.level
        other = every[tuple(levels)]
        assert (each.cost is not None) == other["holds"]
        assert each.cost == other["cost"]
        # counted by hand: rows of groups with fewer than six people
        labels = [
            [ladder.labels(level)[code] for code in ladder.column.codes]
            for ladder, level in zip(choice.lattice.ladders, levels, strict=True)
        ]
        sizes = Counter(zip(*labels, strict=True))
        assert each.failing == sum(size for size in sizes.values() if size < 6)
        assert each.column in str(each)
    told = choice.explored()
    assert told["is_best"] is True
    assert len(told["nodes"]) == choice.lattice.size
    page = document_of(choice)
    assert "rows suppressed" in page.headline
    drawn = page.sections[2].chart().to_dict()
    assert sum(each["node"] == "the chosen one" for each in drawn["data"]["values"]) == 1


def test_a_greedy_search_claims_no_bound():
    choice = Method.parse("datafly(k_anonymity(k=6))").publish(clustered(), KEY).choice
    assert choice.to_dict()["is_best"] is None
    assert choice.search.endswith("not the best of all nodes.")
