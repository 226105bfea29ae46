"""Who is in the table at all: everybody in it fits a group, and how many others do decides."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata
from anonagram.attacks import Attack, Target, Verdict
from anonagram.attacks.figures.present import Looked
from anonagram.errors import InputError
from tests.attacks.test_attack_oracles import made, people

ROLES = {"age": "quasi", "day": "quasi", "town": "quasi", "ill": "sensitive"}


def table_of(rows: int, days: int, seed: int = 1) -> pl.DataFrame:
    """People with an age, a day and a town; the more days, the more they differ."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": random.integers(20, 80, rows) if days > 10 else random.integers(20, 24, rows),
            "day": random.integers(0, days, rows),
            "town": random.choice(["Rome", "Oslo", "Bern"], rows),
            "ill": random.choice(["flu", "cut", "burn", "ulcer", "gout"], rows),
        }
    )


def published(table: pl.DataFrame, call: str) -> tuple[Any, Microdata]:
    data = Microdata.read(table, ROLES)
    return Method.parse(call).anonymize(data, Key(bytes(32))), data


def fits(release: Any, record: tuple[Any, ...]) -> bool:
    """Whether a permuted group has all of somebody's values, by sets of Python."""
    return any(
        all(value in part[name].to_list() for name, value in zip(ROLES, record, strict=False))
        for part in release.quasi.partition_by("group")
    )


def test_fine_days_tell_who_is_in_a_permuted_table():
    """The rows that may stand behind a group comforted: few of them have all of her values."""
    everybody = table_of(1500, days=900)
    inside, outside = everybody[:1200], everybody[1200:]
    release, data = published(inside, "permutation(l=4)")
    found = Attack.parse("presence()").run(Target(release, data))
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert found.exposed.size == 1200
    assert found.score > 0.7 > 0.2 > found.baseline
    assert found.details[0].startswith("By groups: everybody in the table fits a group")
    # what is said of outsiders is true of real ones
    real = np.mean([fits(release, row[:3]) for row in outside.rows()])
    told = float(found.details[0].split("so do ")[1].split(" %")[0]) / 100
    assert told == pytest.approx(real, abs=0.03)


def test_outsiders_may_be_given(tmp_path):
    everybody = table_of(1500, days=900)
    release, data = published(everybody[:1200], "permutation(l=4)")
    file = tmp_path / "others.csv"
    everybody[1200:].write_csv(file)
    found = Attack.parse(f'presence(outsiders="{file}")').run(Target(release, data))
    real = np.mean([fits(release, row[:3]) for row in everybody[1200:].rows()])
    assert f"{100 * real:.1f} % of 300 people who are not in the table" in found.details[0]
    file.write_text("age\n3\n4\n")
    with pytest.raises(InputError, match="no column 'day'"):
        Attack.parse(f'presence(outsiders="{file}")').run(Target(release, data))


def test_where_everybody_fits_a_group_nothing_is_told():
    release, data = published(table_of(1500, days=3), "permutation(l=4)")
    found = Attack.parse("presence()").run(Target(release, data))
    assert any("so do 100 % of 1,500 people" in line for line in found.sentences)
    assert found.figures.min() >= 0.1


def test_ranges_are_made_again_without_those_who_are_looked_for():
    """Who is not in the table fits few ranges either; without outsiders nothing is green."""
    release, data = published(table_of(1200, days=900), "generalize(l=4)")
    found = Attack.parse("presence()").run(Target(release, data))
    assert any("of 120 people who were held out" in line for line in found.sentences)
    unknown = replace(release, manifest=replace(release.manifest, method="elsewhere()"))
    found = Attack.parse("presence(sure=1)").run(Target(unknown, data))
    assert found.verdict is Verdict.CANNOT_TELL
    assert any("presence(outsiders=" in line for line in found.sentences)


@given(st.lists(people, min_size=4, max_size=12), st.sampled_from(["buckets", "neighbours"]))
def test_fitting_groups_against_counting(rows, partition):
    both = made(rows, f"permutation(l=2, partition={partition!r})")
    if both is None:
        reject()
    release, data = both
    looked = Looked.of(release, data)
    parts = release.quasi.partition_by("group")
    for place, fitting, spare in zip(looked.people, looked.fitting, looked.spare, strict=True):
        row, fit, twice = rows[place], 0, 0
        for part in parts:
            least = min(Counter(part[n].to_list())[row[n]] for n in ("age", "town"))
            fit, twice = fit + (least > 0), twice + (least > 1)
        assert (fitting, spare) == (fit, twice)


@given(st.lists(people, min_size=4, max_size=12))
def test_whole_rows_against_counting(rows):
    both = made(rows, "anatomy(l=2)")
    if both is None:
        reject()
    release, data = both
    looked = Looked.of(release, data)
    counted = Counter((row["age"], row["town"]) for row in rows)
    expected = [counted[(row["age"], row["town"])] for row in rows]
    assert looked.fitting.tolist() == expected
    assert looked.delta.tolist() == [1.0] * len(rows)
