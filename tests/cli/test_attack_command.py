"""`anonagram attack`: the worst first, exit codes, and what cannot be tried."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

ROWS = 6000
SCHEMA = '[columns]\nage = "quasi"\nward = "quasi"\ndisease = "sensitive"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(2)
    age = np.arange(ROWS)
    disease = np.where(rng.random(ROWS) < 0.35, age * 7 // ROWS, rng.integers(0, 7, ROWS))
    place = tmp_path_factory.mktemp("attacked")
    table = {"age": age, "ward": rng.integers(0, 200, ROWS), "disease": [f"d{d}" for d in disease]}
    pl.DataFrame(table).write_csv(place / "people.csv")
    (place / "roles.toml").write_text(SCHEMA)
    for name, byte in (("one", "01"), ("two", "02")):
        (place / f"{name}.key").write_text(byte * 32)
    return place


@pytest.fixture(scope="module")
def release(anonagram, folder):
    for name in ("one", "two"):
        method = 'anatomy(l=4, partition="buckets")'
        done = anonagram(
            "anonymize", "people.csv", "--schema", "roles.toml", "--method", method, "-o", name,
            "--no-page", "--key", f"{name}.key", cwd=folder,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return folder / "one"


def test_all_who_can_try_and_the_exit_code_tells(anonagram, folder, release):
    done = anonagram(
        "attack", release, "--original", "people.csv", "--other", "two", "--json", cwd=folder
    )
    assert done.returncode == 1, done.stderr
    found = {each["attack"]: each for each in json.loads(done.stdout)}
    assert set(found) == {"definetti()", "several_releases()"}
    for each in found.values():
        assert each["score"] > each["baseline"]
        assert each["verdict"] == "does not withstand"


def test_the_screen_begins_with_the_verdict(anonagram, folder, release):
    done = anonagram(
        "attack", release, "--original", "people.csv", "--attack", "definetti()", cwd=folder
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].startswith("Does not withstand: definetti()")
    assert "without the release" in done.stdout


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ([], "Nobody can try"),
        (["--attack", "definetti()"], "needs the original table"),
        (["--attack", "nobody()"], "no attack called"),
        (["--original", "roles.toml"], "roles.toml"),
    ],
)
def test_what_cannot_be_tried_is_said(anonagram, folder, release, more, told):
    done = anonagram("attack", release, *more, cwd=folder)
    assert done.returncode == 2
    assert told in done.stderr


def test_rows_that_are_nobodys_are_not_learned_from(anonagram, folder):
    done = anonagram(
        "anonymize", "people.csv", "--schema", "roles.toml", "--method", "permutation(l=4)",
        "-o", "permuted", "--no-page", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0
    done = anonagram(
        "attack", "permuted", "--original", "people.csv", "--attack", "definetti()", cwd=folder
    )
    assert done.returncode == 2
    assert "exact rows" in done.stderr
