"""`anonagram attack`: the worst first, exit codes, and what cannot be tried."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from anonagram.attacks import Attack

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
    words = [
        "attack",
        release,
        "--original",
        "people.csv",
        "--other",
        "two",
        "--no-defend",
        "--json",
    ]
    done = anonagram(*words, cwd=folder)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert told["verdict"] == "does not withstand"
    assert told["worst"] == told["attacks"][0]["sentences"][0]
    found = {each["attack"].partition("(")[0]: each for each in told["attacks"]}
    for name in ("definetti", "correlation", "several_releases", "prosecutor", "presence"):
        assert found[name]["score"] > found[name]["baseline"]
        assert found[name]["verdict"] == "does not withstand"
    for name in (
        "homogeneity",
        "background_knowledge",
        "skewness",
        "unsorted_matching",
        "minimality",
    ):
        assert found[name]["verdict"] == "withstands", name
    assert found["skewness"]["knows"]
    unfit = {each["attack"].partition("(")[0]: each["why"] for each in told["not_tried"]}
    assert set(unfit) | set(found) == set(Attack.known())
    assert 'similarity(classes="kinds.csv")' in unfit["similarity"]


def test_the_screen_tells_the_worst_and_what_helps(anonagram, folder, release):
    words = ["attack", release, "--original", "people.csv", "--attack", "definetti()"]
    done = anonagram(*words, "--attack", "homogeneity()", cwd=folder)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1] == "2 attacks: does not withstand"
    assert lines[0].startswith("definetti, who knows")
    assert "without the release" in done.stdout
    assert "The smallest change that helped against definetti" in lines[-1]
    # which one it is depends on what the learners are; it must be another call than the release's
    assert "anatomy(l=" in lines[-1]
    assert 'anatomy(l=4, partition="buckets")' not in lines[-1]


def test_without_the_original_nothing_is_green(anonagram, folder, release):
    """Five who need the release alone found nothing, and it was said to withstand, with exit code 0."""
    done = anonagram(
        "anonymize", "people.csv", "--schema", "roles.toml", "--method", "permutation(l=4)",
        "-o", "moved", "--no-page", "--key", "one.key", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = anonagram("attack", "moved", cwd=folder)
    assert done.returncode == 4
    first, title = done.stdout.splitlines()[:2]
    assert first.startswith("Whether it withstands cannot be told: ")
    lacking = first.partition(": ")[2].partition(" did not try")[0].split(", ")
    assert "presence" in lacking
    assert "inversion" not in lacking  # which the original would not help either
    assert "definetti" in first or "correlation" in first
    assert "--original DATA" in first
    assert title.endswith("attacks: cannot tell")


def test_a_masked_table_is_not_green_before_an_audit(anonagram, folder):
    """Who looks at the order of rows found nothing, and it was said to withstand: 65 % were linked."""
    done = anonagram(
        "anonymize", "people.csv", "--schema", "roles.toml", "--method", "rank_swapping(p=1)",
        "-o", "masked", "--no-page", "--key", "one.key", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = anonagram("attack", "masked", "--original", "people.csv", cwd=folder)
    assert done.returncode == 4
    first, title = done.stdout.splitlines()[:2]
    assert first.startswith("Whether it withstands cannot be told: ")
    assert "likeliest_match" in first.partition(" did not try")[0]
    assert "anonagram audit ORIGINAL RELEASE --private FILE" in first
    assert title.endswith("cannot tell")


def test_without_the_original_changes_are_named_and_not_tried(anonagram, folder, release):
    done = anonagram("attack", release, "--attack", "prosecutor()", cwd=folder)
    assert done.returncode == 1
    assert "Could be tried against prosecutor (--original DATA tries it)" in done.stdout
    assert 'permutation(l=4, partition="buckets")' in done.stdout
    done = anonagram("attack", release, "--attack", "homogeneity()", "--json", cwd=folder)
    assert done.returncode == 0
    assert "defence" not in json.loads(done.stdout)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--attack", "definetti()"], "needs the original table"),
        (["--attack", "nobody()"], "no attack called"),
        (["--attack", "homogeneity(share=7)"], "share must be a number from 0.5 to 1"),
        (["--attack", "similarity()"], "needs classes of the values of disease"),
        (["--attack", 'similarity(classes="nowhere.csv")'], "nowhere.csv"),
        (["--attack", 'similarity(classes="few.csv")'], "does not cover the value 'd1'"),
        (["--attack", 'similarity(classes="mask()", level=9)'], "level above the values"),
        (["--attack", "weighed_rows()"], "the shape anatomized has none"),
        (["--attack", "several_releases()", "--original", "people.csv"], "needs other releases"),
        (["--original", "people.csv", "--other", "cars"], "shares no sensitive column"),
        (["--original", "people.csv", "--other", "nowhere"], "nowhere"),
        (["--original", "roles.toml"], "roles.toml"),
        (["--original", "cars.csv"], "cars.csv"),
        (
            ["--original", "people.csv", "--attack", 'journalist(population="cars.csv")'],
            "cars.csv",
        ),
    ],
)
def test_what_cannot_be_tried_is_said(anonagram, folder, release, more, told):
    (folder / "few.csv").write_text("d0;kind\n")
    cars = pl.DataFrame({"wheels": [3, 4, 4, 6], "colour": ["red", "blue", "green", "red"]})
    cars.write_csv(folder / "cars.csv")
    (folder / "cars.toml").write_text('[columns]\nwheels = "quasi"\ncolour = "sensitive"\n')
    if not (folder / "cars").exists():
        words = ["anonymize", "cars.csv", "--schema", "cars.toml", "--method", "anatomy(l=2)"]
        anonagram(*words, "-o", "cars", "--no-page", cwd=folder)
    done = anonagram("attack", release, *more, cwd=folder)
    assert done.returncode == 2
    assert told in done.stderr


def test_columns_are_learned_from_where_rows_are_nobodys_and_ranges_are_not(anonagram, folder):
    for method, code, told in (
        ("permutation(l=4)", 0, "learns from the whole release"),
        ("generalize(l=4)", 2, "exact rows, or from columns"),
    ):
        done = anonagram(
            "anonymize", "people.csv", "--schema", "roles.toml", "--method", method,
            "-o", "moved", "--no-page", "--force", cwd=folder,
        )  # fmt: skip
        assert done.returncode == 0
        done = anonagram(
            "attack", "moved", "--original", "people.csv", "--attack", "definetti()", "--no-defend",
            cwd=folder,
        )  # fmt: skip
        assert done.returncode == code
        assert told in done.stdout + done.stderr


def test_a_release_of_another_table_is_refused_by_its_option_before_anybody_tries(
    anonagram, folder, release, tmp_path
):
    (tmp_path / "roles.toml").write_text(SCHEMA.replace("disease", "pay"))
    table = pl.read_csv(folder / "people.csv").rename({"disease": "pay"})
    table.write_csv(tmp_path / "others.csv")
    done = anonagram(
        "anonymize", "others.csv", "--schema", "roles.toml", "--method", "anatomy(l=4)", "-o", "other",
        "--no-page", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    other = tmp_path / "other"
    done = anonagram("attack", release, "--original", "people.csv", "--other", other, cwd=folder)
    assert done.returncode == 2
    assert "other, made by anatomy(l=4" in done.stderr
    assert f"leave --other {other} out" in done.stderr
