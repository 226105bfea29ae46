"""What the survey's text says of its tables (Keerthy and Sabitha, sections 3 and 5), found by attacks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Microdata
from anonagram.attacks import Attack, Target, Verdict
from anonagram.attacks.figures.order import compare_order
from anonagram.release import AnatomizedRelease
from tests.tables import anatomized

# Table 1: k = 3; groups {1,3,6,9}, {2,5,8}, {4,7,10}
TABLE_1 = [1, 2, 1, 3, 2, 1, 3, 2, 1, 3]
CRIMES_1 = [
    "Murder", "Theft", "Traffic", "Assault", "Murder", "Piracy", "Indecency", "Theft", "Piracy", "Assault",
]  # fmt: skip
# Table 4: the last group is homogeneous
TABLE_4 = [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]
CRIMES_4 = [
    "Murder",
    "Theft",
    "Traffic",
    "Assault",
    "Murder",
    "Piracy",
    "Indecency",
    *["Theft"] * 4,
]
# Table 6: the last group has neurological problems only
DISEASES = [
    "AIDS", "Cancer", "Chicken pox", "Malaria", "Alexia", "Fatty Lever", "Cancer", "Amnesia",
    "Autism", "Cerebral palsy", "Autism",
]  # fmt: skip
KINDS = {
    "AIDS": "infection", "Chicken pox": "infection", "Malaria": "infection", "Cancer": "tumour",
    "Fatty Lever": "organ", "Alexia": "neurological", "Amnesia": "neurological",
    "Autism": "neurological", "Cerebral palsy": "neurological",
}  # fmt: skip


def run(call: str, release: AnatomizedRelease):
    return Attack.parse(call).run(Target(release))


def test_table_1_hides_everybody_among_three():
    """ "There are atleast 3 tuples with same set of quasi-identifiers"."""
    release = anatomized(TABLE_1, CRIMES_1)
    found = run("prosecutor()", release)
    assert found.scores.max() == pytest.approx(1 / 3)
    assert found.withstands
    assert run("marketer()", release).score == pytest.approx(3 / 10)
    assert run("homogeneity()", release).withstands


def test_table_4_tells_the_last_group_its_crime():
    """ "All those tuples are having the same value for the sensitive attributes"."""
    found = run("homogeneity()", anatomized(TABLE_4, CRIMES_4))
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert found.score == pytest.approx(4 / 11)
    assert found.baseline == 0
    assert "4 of 11 people" in found.sentence


def test_table_4_and_what_jay_knows():
    """One of three in area 36363 was caught for indecency: two values ruled out name it."""
    release = anatomized(TABLE_4[4:7], CRIMES_4[4:7])
    assert (
        run("background_knowledge(pieces=0)", release).scores.tolist() == [pytest.approx(1 / 3)] * 3
    )
    assert run("background_knowledge(pieces=1)", release).scores.tolist() == [0.5] * 3
    found = run("background_knowledge(pieces=2)", release)
    assert found.scores.tolist() == [1.0] * 3
    assert (
        run("background_knowledge(pieces=1, sure=0.9)", release).sentence.count("at least 2") == 1
    )


def test_table_6_tells_that_the_last_group_is_neurological(tmp_path):
    """ "We can infer that the person belonging to that class, suffers from a neurological problem"."""
    path = tmp_path / "kinds.csv"
    path.write_text("\n".join(f"{value};{kind}" for value, kind in KINDS.items()))
    release = anatomized(TABLE_4, DISEASES)
    assert run("homogeneity()", release).withstands
    found = run(f"similarity(classes={str(path)!r})", release)
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert "4 of 11 people" in found.sentence
    assert "'neurological'" in found.sentence
    shares = [3 / 4] * 3 + [1 / 4] + [1 / 3] * 3 + [1.0] * 4
    assert sorted(found.scores) == pytest.approx(sorted(shares))
    counts = pl.Series([KINDS[each] for each in DISEASES]).value_counts()["count"].to_numpy()
    assert found.baseline == pytest.approx(((counts / 11) ** 2).sum())


def test_49_positive_of_50_are_a_skewed_group():
    """ "98 % chance of positive" in a table of half and half (section 5.2)."""
    values = ["positive"] * 49 + ["negative"] + ["negative"] * 49 + ["positive"]
    found = run("skewness()", anatomized([1] * 50 + [2] * 50, values))
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert "from 50.0 % in the table to 98.0 % in her group" in found.sentence
    assert found.score == pytest.approx((49 * 0.98 + 0.02) / 50)
    assert found.baseline == 0.5


def test_a_rare_value_is_not_said_to_be_had_by_nobody():
    """It said "from 0.0 % in the table", as if nobody had the value that is learned."""
    values = ["rare", "common"] + ["common"] * 4998
    found = run("skewness()", anatomized([1] * 2 + [2] * 4998, values))
    assert "'rare' as s rises from 0.02 % in the table to 50.0 % in her group" in found.sentence


def test_table_3_stands_as_it_stood():
    """Crimes in the same order give a chance for linking; four rows prove nothing, more do."""
    for copies, verdict in ((1, Verdict.CANNOT_TELL), (25, Verdict.DOES_NOT_WITHSTAND)):
        crimes = [f"{crime}{n}" for n in range(copies) for crime in CRIMES_4[:4]]
        race = ["White", "Black", "Asian", "White"] * copies
        data = Microdata.read({"race": race, "s": crimes}, {"race": "quasi", "s": "sensitive"})
        release = anatomized([1] * len(race), crimes)
        rows = data.frame().select(group=pl.lit(1, pl.Int32), race="race")
        release = AnatomizedRelease(
            release.manifest, rows.with_columns(s=pl.Series(crimes)), release.sensitive
        )
        found = Attack.parse("unsorted_matching()").run(Target(release, data))
        assert found.score == 1
        assert found.baseline == pytest.approx(1 / len(race))
        assert found.verdict is verdict


def test_a_random_order_raises_no_alarm():
    """Of 2,000 random orders hardly one is taken for the original's."""
    random = np.random.default_rng(1)
    data = Microdata.read(
        {"q": np.arange(30) % 7, "s": np.arange(30) % 3}, {"q": "quasi", "s": "sensitive"}
    )
    release = anatomized([1] * 30, [str(i) for i in range(30)])
    chances = []
    for _ in range(2000):
        rows = data.frame()[random.permutation(30)].with_columns(group=pl.lit(1, pl.Int32))
        (order,) = compare_order(AnatomizedRelease(release.manifest, rows, release.sensitive), data)
        chances.append(order.p_value)
    assert np.mean(np.array(chances) < 0.05) < 0.07
    assert np.mean(np.array(chances) < 1e-4) < 0.002


def test_two_rows_at_their_places_are_no_alarm_where_a_tenth_is_by_chance():
    """Rows whose columns were rearranged are mostly nobody's; here 30 of 300 are still somebody's."""
    own = np.arange(300)
    data = Microdata.read(
        {"q": own, "r": own, "s": ["a", "b"] * 150},
        {"q": "quasi", "r": "quasi", "s": "sensitive"},
    )
    order = np.random.default_rng(2).permutation(300)
    for row in (0, 1):
        place = np.flatnonzero(order == row)[0]
        order[[row, place]] = order[[place, row]]
    moved = np.append(own[:30], np.roll(own[30:], 1))
    rows = pl.DataFrame({"group": [1] * 300, "q": own[order], "r": moved[order]})
    release = anatomized([1] * 300, [str(i) for i in own])
    (found,) = compare_order(AnatomizedRelease(release.manifest, rows, release.sensitive), data)
    assert found.agrees.sum() == 2
    assert found.p_value == pytest.approx(2 * (1 - 1.1 * np.exp(-0.1)), rel=0.05)


def test_groups_of_people_who_stood_together_raise_no_alarm():
    """It is groups that are drawn: taken for 300 rows apart, a twentieth of orders gets an alarm."""
    random, groups = np.random.default_rng(3), np.repeat(np.arange(60), 5)
    data = Microdata.read(
        {"q": np.arange(300), "s": ["a", "b"] * 150}, {"q": "quasi", "s": "sensitive"}
    )
    release = anatomized(groups.tolist(), ["a", "b"] * 150)
    chances = []
    for _ in range(400):
        order = np.lexsort((random.random(300), random.permutation(60)[groups]))
        rows = pl.DataFrame({"group": groups[order], "q": order})
        (found,) = compare_order(AnatomizedRelease(release.manifest, rows, release.sensitive), data)
        chances.append(found.p_value)
    assert np.mean(np.array(chances) < 0.05) < 0.09
    assert np.mean(np.array(chances) < 1e-3) < 0.01
