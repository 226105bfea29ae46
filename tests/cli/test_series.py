"""`anonagram anonymize --previous … --previous-private …`: a series goes on, or says why not."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest

SCHEMA = '[columns]\nwho = "identifier"\nage = "quasi"\nill = "sensitive"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory, anonagram):
    place = tmp_path_factory.mktemp("series")
    rows = pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(80)],
            "age": [20 + i % 30 for i in range(80)],
            "ill": [f"d{i % 9}" for i in range(80)],
        }
    )
    rows.head(60).write_csv(place / "january.csv")
    rows.tail(65).write_csv(place / "february.csv")
    rows.with_columns(pl.format("x{}", "who")).write_csv(place / "others.csv")
    (place / "roles.toml").write_text(SCHEMA)
    for name, method in (("january", "m_invariance(m=3)"), ("plain", "anatomy(l=3)")):
        done = anonagram(
            "anonymize", "january.csv", "--schema", "roles.toml", "--method", method, "-o", name,
            "--private", f"{name}.private", "--no-page", cwd=place,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return place


def again(anonagram, folder, *more, data="february.csv", method="m_invariance(m=3)"):
    return anonagram(
        "anonymize", data, "--schema", "roles.toml", "--method", method, "-o", "february",
        "--no-page", *more, cwd=folder,
    )  # fmt: skip


def test_the_next_month_leaves_everybody_m_values(anonagram, folder):
    words = ["--previous", "january", "--previous-private", "january.private"]
    done = again(anonagram, folder, *words, "--private", "february.private", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["series"]["releases"] == 2
    assert told["series"]["fewest_values"] == 3
    assert told["series"]["counterfeits"] == told["rows"] - 65
    assert told["previous"]["columns"]["ill"]["below_least"] == 0
    shutil.rmtree(folder / "february")


@pytest.mark.parametrize(
    ("words", "data", "message"),
    [
        (["--previous", "january"], "february.csv", "only with its private file"),
        (["--previous-private", "january.private"], "february.csv", "none is given"),
        (
            ["--previous", "january", "--previous-private", "plain.private"],
            "february.csv",
            "plain.private does not belong to january",
        ),
        (
            ["--previous", "plain", "--previous-private", "plain.private"],
            "february.csv",
            "does not remember who had which values",
        ),
        (
            ["--previous", "january", "--previous-private", "roles.toml"],
            "february.csv",
            "roles.toml is not the private file of a release",
        ),
        (
            ["--previous", "january", "--previous-private", "nowhere.private"],
            "february.csv",
            "There is no file nowhere.private",
        ),
        (
            ["--previous", "january", "--previous-private", "january.private"],
            "others.csv",
            "others.csv: nobody of it was in an earlier release",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(anonagram, folder, words, data, message):
    done = again(anonagram, folder, *words, data=data)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Try:" in done.stderr
    assert not (folder / "february").exists()


def test_other_methods_do_not_continue(anonagram, folder):
    words = ["--previous", "january", "--previous-private", "january.private"]
    done = again(anonagram, folder, *words, method="anatomy(l=3)")
    assert done.returncode == 2
    assert "anatomy keeps its promise by itself" in done.stderr


def test_a_series_that_nobody_could_continue_is_not_begun(anonagram, folder):
    """With two identifiers January was published, and February refused: the series was lost."""
    table = pl.read_csv(folder / "january.csv")
    table.with_columns(card=pl.format("c{}", "who")).write_csv(folder / "cards.csv")
    (folder / "cards.toml").write_text(SCHEMA + 'card = "identifier"\n')
    words = ["anonymize", "cards.csv", "--schema", "cards.toml", "--method", "m_invariance(m=3)"]
    done = anonagram(*words, "-o", "lost", "--private", "lost.private", "--no-page", cwd=folder)
    assert done.returncode == 2
    assert "no release could continue this one" in done.stderr
    assert "rows_per_person = 1" in done.stderr
    assert not (folder / "lost").exists()
    assert not (folder / "lost.private").exists()
    done = anonagram(*words, "-o", "lost", "--no-page", cwd=folder)
    assert done.returncode == 0
    assert "Warning: no release can continue this one" in done.stdout


def test_publishing_without_a_previous_release_reminds_of_it(anonagram, folder):
    words = ["anonymize", "january.csv", "--schema", "roles.toml", "--method", "anatomy(l=3)"]
    done = anonagram(*words, "-o", "once", "--no-page", cwd=folder)
    assert "--previous FOLDER measures it" in done.stdout
    done = anonagram(*words, "-o", "twice", "--no-page", "--previous", "plain", cwd=folder)
    assert "--previous FOLDER measures it" not in done.stdout
