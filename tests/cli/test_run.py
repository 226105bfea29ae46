"""`anonagram run`: all that a recipe names, or nothing; `inspect --write-recipe` begins one."""

from __future__ import annotations

import json

import pytest

RECIPE = """
data = "a.csv"
schema = "a.toml"
method = "anatomy(l=3)"
checks = ["l_diversity(l={l})"]
[write]
release = "release-{{month}}"
private = "{{month}}.private"
report = "report.html"
"""


@pytest.fixture
def folder(tmp_path):
    rows = [f"p{i},{20 + i % 17},d{i % 7}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["name,age,disease", *rows]) + "\n")
    roles = '[columns]\nname = "identifier"\nage = "quasi"\ndisease = "sensitive"\n'
    (tmp_path / "a.toml").write_text(roles)
    return tmp_path


def test_everything_is_written_and_next_month_again(anonagram, folder):
    (folder / "anonagram.toml").write_text(RECIPE.format(l=3))
    done = anonagram("run", "--date", "2026-01-31", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["holds"]
    assert set(told["written"].values()) == {
        "release-2026-01", "2026-01.private", "report.html",
    }  # fmt: skip
    assert "release-2026-01/datapackage.json" in (folder / "report.html").read_text()
    again = anonagram("run", "--date", "2026-01-31", cwd=folder)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    later = anonagram("run", "--date", "2026-02-28", cwd=folder)
    assert later.returncode == 0, later.stderr
    assert (folder / "release-2026-02").is_dir()


EVERYTHING = """
data = "a.csv"
schema = "a.toml"
method = "anatomy(l=3)"
key = "key.txt"
checks = ["l_diversity(l=3)"]
[write]
release = "release-{month}.zip"
private = "{month}.private"
report = "report-{month}.html"
comparison = "comparison-{month}.html"
format = "csv"
page = false
help_table = true
[compare]
purpose = "open_data"
seconds = 600
methods = "methods.txt"
[attacks]
"homogeneity()" = "withstands"
"definetti()" = 1
everybody = { points = 100 }
"""


def test_a_recipe_with_everything(anonagram, folder):
    (folder / "anonagram.toml").write_text(EVERYTHING)
    (folder / "key.txt").write_text("07" * 32)
    (folder / "methods.txt").write_text("anatomy(l=2)\n")
    done = anonagram("run", "--date", "2026-01-31", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "anatomy(l=2) is recommended, which is not the recipe's anatomy(l=3)" in done.stdout
    page = (folder / "comparison-2026-01.html").read_text()
    assert "methods compared for anything, by anybody" in page
    assert {each.name for each in folder.iterdir() if "2026" in each.name} == {
        "2026-01.private", "comparison-2026-01.html", "release-2026-01.zip", "report-2026-01.html",
    }  # fmt: skip
    (folder / "methods.txt").write_text("anatomi(l=2)\n")
    wrong = anonagram("run", "--date", "2026-02-28", cwd=folder)
    assert wrong.returncode == 2
    assert "methods.txt, line 1" in wrong.stderr
    assert not (folder / "release-2026-02.zip").exists()


def test_an_earlier_release_of_another_table_is_refused(anonagram, folder):
    (folder / "anonagram.toml").write_text(RECIPE.format(l=3))
    (folder / "other.csv").write_text((folder / "a.csv").read_text().replace("disease", "pay"))
    (folder / "other.toml").write_text((folder / "a.toml").read_text().replace("disease", "pay"))
    other = ["anonymize", "other.csv", "--schema", "other.toml", "--method", "anatomy(l=3)"]
    assert anonagram(*other, "-o", "release-2026-01", cwd=folder).returncode == 0
    done = anonagram("run", "--date", "2026-02-28", cwd=folder)
    assert done.returncode == 2
    assert "release-2026-01 is a release of another table" in done.stderr
    assert not (folder / "release-2026-02").exists()


def test_a_passed_limit_writes_nothing(anonagram, folder):
    (folder / "anonagram.toml").write_text(RECIPE.format(l=5))
    done = anonagram("run", "--date", "2026-01-31", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("1 of 1 limit of the recipe passed: ✗ l_diversity(l=5)")
    assert "Nothing was written." in done.stdout
    assert {each.name for each in folder.iterdir()} == {"a.csv", "a.toml", "anonagram.toml"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["other.toml"], "There is no recipe other.toml"),
        (["--date", "yesterday"], "is no day"),
        (["bad.toml"], "bad.toml, line 6: there is no 'write.relase'"),
    ],
)
def test_bad_words_write_nothing(anonagram, folder, words, message):
    (folder / "anonagram.toml").write_text(RECIPE.format(l=3))
    text = RECIPE.format(l=3).lstrip().replace("release = ", "relase = ")
    (folder / "bad.toml").write_text(text)
    before = {each.name for each in folder.iterdir()}
    done = anonagram("run", *words, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert {each.name for each in folder.iterdir()} == before


def test_inspect_begins_a_recipe_that_runs(anonagram, folder):
    words = ["--write-schema", "roles.toml", "--write-recipe", "anonagram.toml"]
    done = anonagram("inspect", "a.csv", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("anonagram run anonagram.toml")
    assert anonagram("run", cwd=folder).returncode == 0
    alone = anonagram("inspect", "a.csv", "--write-recipe", "b.toml", cwd=folder)
    assert alone.returncode == 2
    assert not (folder / "b.toml").exists()
