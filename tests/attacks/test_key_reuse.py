"""An intruder who knows everything about January's release, and sees February's, made with its key."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.methods import Publication

KEY = Key(bytes(range(32)))
ROWS = 400
ROLES = {"age": "quasi", "zip": "quasi", "day": "quasi", "disease": "sensitive"}
# a random order of four has one right place, with variance 1: four standard deviations above that
GUESSED = ROWS / 4 + 4 * (ROWS / 4) ** 0.5


def month(seed: int) -> pl.DataFrame:
    """Different people each month: all ages differ, a hundred diseases."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.permutation(ROWS) * 10 + seed,
            "zip": draw.permutation(ROWS) * 7,
            "day": draw.permutation(ROWS) * 3,
            "disease": draw.permutation(np.repeat(np.arange(100), ROWS // 100)).astype(str),
        }
    )


def publish(call: str, table: pl.DataFrame) -> Publication:
    return Method.parse(call).publish(Microdata.read(table, ROLES), KEY)


@pytest.mark.parametrize("partition", ["neighbours", "buckets", "deal"])
def test_columns_of_a_permuted_release_are_not_linked_as_last_month(partition):
    """Where January's disease stood for each age, February's stands too."""
    call = f'permutation(l=4, partition="{partition}")'
    january, february = publish(call, month(1)), publish(call, month(2))
    of_age, of_disease = (january.mapping[f"row_of_{name}"] for name in ("age", "disease"))
    beside = dict(zip(of_age, of_disease, strict=True))
    told = february.release.values("disease")
    truth = dict(month(2).select("age", "disease").iter_rows())
    ages = february.release.values("age").to_list()
    hits = sum(told[beside[row]] == truth[age] for row, age in enumerate(ages))
    assert hits <= GUESSED


def test_noise_of_last_month_cannot_be_subtracted():
    january, february = (publish("noise(scale=0.5)", month(seed)) for seed in (1, 2))
    place = january.mapping["row_in_rows"].to_numpy()
    before = np.empty(ROWS)
    before[place] = month(1)["age"].to_numpy()
    size_1, size_2 = (each.release.masked["age"].noise for each in (january, february))
    noise = (january.release.rows["age"].to_numpy() - before) / size_1
    guessed = february.release.rows["age"].to_numpy() - noise * size_2
    true = np.empty(ROWS)
    true[february.mapping["row_in_rows"].to_numpy()] = month(2)["age"].to_numpy()
    # a guess within ten of 4,000 years is luck once in about two hundred
    assert (np.abs(guessed - true) < 10).sum() < ROWS / 20


def test_which_attribute_was_replaced_is_not_that_of_last_month():
    january, february = (publish("random()", month(seed)) for seed in (1, 2))
    one, two = replaced(january, month(1)), replaced(february, month(2))
    seen = (one >= 0) & (two >= 0)
    # one of three, and three standard deviations
    assert (one == two)[seen].sum() <= ROWS / 3 + 3 * (ROWS * 2 / 9) ** 0.5


def replaced(publication: Publication, table: pl.DataFrame) -> np.ndarray:
    """For each published row the number of the attribute that differs, -1 where none does."""
    place = publication.mapping["row_in_rows"].to_numpy()
    found = np.full(ROWS, -1)
    for number, name in enumerate(("age", "zip", "day")):
        differs = publication.release.rows[name].to_numpy()[place] != table[name].to_numpy()
        found[place[differs]] = number
    return found


def test_partners_in_rank_are_not_those_of_last_month():
    january, february = (publish("rank_swapping(p=20)", month(seed)) for seed in (1, 2))
    same = (moved_to(january, month(1)) == moved_to(february, month(2))).sum()
    assert same < ROWS / 20  # one of about a hundred ranks is near


def moved_to(publication: Publication, table: pl.DataFrame) -> np.ndarray:
    """For each rank of the original ages, the rank that its owner got."""
    place = publication.mapping["row_in_rows"].to_numpy()
    own = table["age"].rank("ordinal").to_numpy() - 1
    got = publication.release.rows["age"].rank("ordinal").to_numpy()[place] - 1
    moved = np.empty(ROWS, np.int64)
    moved[own] = got
    return moved
