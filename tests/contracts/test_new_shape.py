"""A shape that comes in one file works with every verb, or every verb says why not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anonagram import KAnonymity, Key, LDiversity, Microdata, PrivacyModel, Release
from anonagram.attacks import Aligned, intersect
from anonagram.errors import CallError, InternalError
from anonagram.measures import Workload, knowledge_kept, measure, measure_published, run_workload
from anonagram.release import describe
from anonagram.verify import verify, view_of
from anonagram.verify.candidates import find_candidates
from anonagram.verify.record import sought_in, texts_of
from tests.inside import run_inside

ROWS, GROUP = 48, 4
ROLES = {"age": "quasi", "zip": "quasi", "sex": "quasi", "job": "plain", "ill": "sensitive"}
SLICES = [("age", "zip"), ("sex", "job"), ("ill",)]


@pytest.fixture(scope="module", autouse=True)
def shapes() -> Iterator[dict[str, type]]:
    """The shapes of two files, known as long as these tests run."""
    before = dict(Release.known())
    found = {}
    for name in ("sliced", "tally"):
        import_module(f"tests.contracts.{name}")
        found[name] = Release.shapes[name]
    yield found
    Release.shapes.clear()
    Release.shapes.update(before)
    for name in found:
        sys.modules.pop(f"tests.contracts.{name}")


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, ROWS),
            "zip": random.integers(100, 108, ROWS),
            "sex": random.choice(["F", "M"], ROWS),
            "job": random.choice(["cook", "nurse", "smith"], ROWS),
            "ill": [["flu", "cut", "gout", "burn"][i % 4] for i in range(ROWS)],
        }
    )


@pytest.fixture(scope="module")
def microdata(table) -> Microdata:
    return Microdata.read(table, ROLES)


@pytest.fixture(scope="module")
def groups() -> np.ndarray:
    return np.arange(ROWS) // GROUP + 1


def described(microdata: Microdata, shape: type[Release]):
    manifest = describe("by hand", microdata, Key(bytes(32)), None)
    return manifest.with_layout(shape.own_names(manifest.columns))


def slice_up(shapes, microdata, table, groups, slices=SLICES) -> Release:
    random, tables = np.random.default_rng(6), {}
    for number, columns in enumerate(slices, 1):
        rows = table.select(pl.Series("group", groups, pl.Int32), *columns)
        tables[f"slice_{number}"] = rows[random.permutation(ROWS)].sort("group")
    section = shapes["sliced"].section(tuple(tuple(columns) for columns in slices))
    manifest = replace(described(microdata, shapes["sliced"]), section=section)
    return shapes["sliced"](manifest, tables)


@pytest.fixture(scope="module")
def sliced(shapes, microdata, table, groups) -> Release:
    return slice_up(shapes, microdata, table, groups)


@pytest.fixture(scope="module")
def tally(shapes, microdata, table) -> Release:
    counted = {
        name: table[name].value_counts(name="count").sort(name).with_columns(pl.col("count"))
        for name in table.columns
    }
    return shapes["tally"](described(microdata, shapes["tally"]), counted)


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_it_is_written_and_read(sliced, tally, tmp_path, file_format):
    for release, has_page in ((sliced, True), (tally, False)):
        folder = tmp_path / release.shape
        release.write(folder, file_format)
        again = Release.read(folder)
        assert type(again) is type(release)
        assert again.manifest == release.manifest
        for name, each in release.tables.items():
            assert each.equals(again.tables[name])
        assert (folder / "verify.html").exists() == has_page


def bounds_by_hand(table, groups, *conditions: pl.Expr) -> tuple[int, int]:
    """The least and most people of whom conditions on different slices can hold together."""
    met = [table.select(condition).to_series().to_numpy() for condition in conditions]
    least = most = 0
    for group in np.unique(groups):
        counts = [int(each[groups == group].sum()) for each in met]
        least += max(0, sum(counts) - GROUP * (len(counts) - 1))
        most += min(counts)
    return least, most


def test_it_is_asked(sliced, table, groups):
    (inside,) = sliced.query("SELECT COUNT(*) FROM data WHERE age < 40 AND zip > 103")
    truth = table.filter((pl.col("age") < 40) & (pl.col("zip") > 103)).height
    assert inside["COUNT(*)"].exact
    assert inside["COUNT(*)"].estimate == truth
    asked = [pl.col("age") < 40, pl.col("sex") == "F", pl.col("ill").is_in(["flu", "gout"])]
    sql = "SELECT COUNT(*) FROM data WHERE age < 40 AND sex = 'F' AND ill IN ('flu', 'gout')"
    (across,) = sliced.query(sql)
    assert (across["COUNT(*)"].lower, across["COUNT(*)"].upper) == bounds_by_hand(
        table, groups, *asked
    )


def test_its_people_find_their_candidates(sliced, table, groups):
    view = view_of(sliced)
    assert view.known == ["age", "zip", "sex", "job"]
    for person in table.iter_rows(named=True):
        record = texts_of({name: person[name] for name in view.known})
        known = {name: sought_in(view.columns[name], text) for name, text in record.items()}
        expected = np.full(ROWS // GROUP, float(GROUP))
        for columns in SLICES[:2]:
            hers = pl.all_horizontal(pl.col(name) == person[name] for name in columns)
            same = table.select(hers).to_series().to_numpy()
            shares = [same[groups == g + 1].mean() for g in range(expected.size)]
            expected *= shares
        assert find_candidates(view, known).weights == pytest.approx(expected)
    found = verify(sliced, table.row(0, named=True))
    assert found.is_found
    assert sum(each.probability for each in found.beliefs[0].likeliest) == pytest.approx(1)


def test_what_stands_beside_a_sensitive_value_is_not_passed_over(
    shapes, microdata, table, groups, tmp_path
):
    open_slice = [("age", "zip"), ("sex",), ("job", "ill")]
    release = slice_up(shapes, microdata, table, groups, open_slice)
    for use in (
        lambda: verify(release, table.row(0, named=True)),
        lambda: intersect(microdata, release, [release]),
    ):
        with pytest.raises(CallError, match="job beside ill"):
            use()
    release.write(tmp_path / "release")
    assert not (tmp_path / "release" / "verify.html").exists()


def test_it_is_measured(sliced, tally, microdata, table, groups):
    found = measure(sliced, microdata)
    assert (found.groups, found.posterior.most) == (ROWS // GROUP, 0.25)
    spans = table.group_by(pl.Series(groups)).agg(pl.col("age").max() - pl.col("age").min())
    wide = table["age"].max() - table["age"].min()
    assert found.ncp.attributes["age"] == pytest.approx((spans["age"] / wide).mean())
    risk, utility = measure_published(sliced)
    assert risk == {"highest_posterior": 0.25, "mean_posterior": 0.25}
    assert utility["mean_group_size"] == GROUP
    assert measure(tally, microdata).to_dict()["figures"] == {"values_lost": 0.0}
    assert measure_published(tally)[1] == {"columns": 5.0}


def test_it_is_asked_many_questions(sliced, microdata):
    workload = Workload.draw(microdata, "COUNT", conditions=3, volume=0.4, queries=30, seed=1)
    result = run_workload(sliced, microdata, workload)
    for number, row in enumerate(result.answers.iter_rows(named=True)):
        (answer,) = sliced.query(workload.sql(number))
        single = answer["COUNT(*)"]
        assert (single.lower, single.upper) == (row["lower"], row["upper"])
        assert single.lower <= row["truth"] <= single.upper


def test_its_promises_are_checked(sliced, tally, table, shapes, microdata, groups):
    # rows of a slice stand as they are, whatever the group
    least = min(Counter(table.select("age", "zip").rows()).values())
    assert least == 1
    assert KAnonymity(k=GROUP).check(sliced).achieved == least
    apart = slice_up(shapes, microdata, table, groups, [("age",), ("sex", "zip", "job"), ("ill",)])
    two = [Counter(table.select(names).rows()) for names in (["age"], ["sex", "zip"])]
    assert KAnonymity(k=2).check(apart).achieved == min(n for each in two for n in each.values())
    assert LDiversity(l=4).check(sliced).achieved == 4
    for model in PrivacyModel.known().values():
        with pytest.raises(CallError, match=r"'tally' has none|only the original tells"):
            PrivacyModel.parse(model.example).check(tally)


def test_it_is_compared_with_an_earlier_release(sliced, shapes, microdata, table, groups):
    other = np.concatenate([groups[GROUP // 2 :], groups[: GROUP // 2]])
    second = slice_up(shapes, microdata, table, other)
    found = intersect(microdata, second, [sliced]).columns["ill"]
    for i, person in enumerate(table.iter_rows(named=True)):
        left = [possible(table, numbers, person) for numbers in (other, groups)]
        assert found.alone[i] == len(left[0])
        assert found.together[i] == len(left[0] & left[1])


def possible(table, numbers, person) -> set[str]:
    """The values of every group that has each slice of a person in some row."""
    values: set[str] = set()
    for group in np.unique(numbers):
        rows = table.filter(pl.Series(numbers == group))
        if all(
            rows.select(columns).rows().count(tuple(person[name] for name in columns))
            for columns in SLICES[:2]
        ):
            values |= set(rows["ill"])
    return values


def test_the_command_line_knows_it(sliced, tally, table, tmp_path):
    table.write_csv(tmp_path / "people.csv")
    for release in (sliced, tally):
        release.write(tmp_path / release.shape)
    asked = [
        ("query", "sliced", "SELECT COUNT(*) FROM data WHERE age < 40"),
        ("check", "sliced", "--model", "l_diversity(l=4)"),
        ("measure", "sliced", "--original", "people.csv"),
        ("measure", "tally", "--original", "people.csv"),
        ("workload", "sliced", "--original", "people.csv", "--queries", "5", "--conditions", "2"),
        ("verify", "sliced", "--set", "age=30", "--set", "sex=F"),
    ]
    for words in asked:
        done = run_inside(*words, cwd=tmp_path)
        assert done.returncode == 0, done.text
        assert run_inside(*words, "--json", cwd=tmp_path).stdout.startswith(("{", "["))
    assert "values_lost" in run_inside(*asked[3], cwd=tmp_path).stdout
    refused = [
        (("query", "tally", "SELECT COUNT(*) FROM data"), "which values belong together"),
        (("verify", "tally", "--set", "age=30"), "Nobody finds herself"),
        (("workload", "tally", "--original", "people.csv"), "cannot be asked"),
        (("rules", "sliced", "--original", "people.csv"), "has no rows with"),
        (("audit", "people.csv", "sliced"), "has no masked row"),
        (("measure", "tally", "--original", "people.csv", "--charts", "drawn"), "--charts"),
    ]
    for words, reason in refused:
        done = run_inside(*words, cwd=tmp_path)
        assert (done.returncode, reason in done.text) == (2, True), (words, done.text)


def test_whatever_it_cannot_it_refuses_with_a_reason(sliced, tally, microdata, table, tmp_path):
    for release in (sliced, tally):
        release.write(tmp_path / release.shape)
    workload = Workload.draw(microdata, queries=2)
    refused = [
        lambda: sliced.with_help_tables(),
        lambda: knowledge_kept(sliced, microdata),
        lambda: Aligned.read(table, tmp_path / "sliced"),
        lambda: tally.with_help_tables(),
        lambda: tally.sheet,
        lambda: tally.query("SELECT COUNT(*) FROM data"),
        lambda: verify(tally, {"age": 30}),
        lambda: run_workload(tally, microdata, workload),
        lambda: knowledge_kept(tally, microdata),
        lambda: intersect(microdata, tally, [sliced]),
        lambda: Aligned.read(table, tmp_path / "tally"),
    ]
    for use in refused:
        with pytest.raises(CallError) as error:
            use()
        assert not isinstance(error.value, InternalError)
        assert error.value.remedy


def test_a_shape_without_figures_is_refused(tally, microdata, monkeypatch):
    monkeypatch.setattr(type(tally), "figures", lambda _: None)
    monkeypatch.setattr(type(tally), "compare", lambda *_: None)
    with pytest.raises(CallError, match="what a tally release risks"):
        measure_published(tally)
    with pytest.raises(CallError, match="how a tally release is compared"):
        measure(tally, microdata)


RUN = """
import sys
from importlib import import_module
import_module("anonagram.release").__path__.append(sys.argv.pop(1))
from anonagram.cli import main
main()
"""


def test_one_file_in_the_folder_of_shapes_is_enough(sliced, tmp_path):
    """In a process of its own that nobody told about it."""
    sliced.write(tmp_path / "release")
    (tmp_path / "more").mkdir()
    words = ["query", "release", "SELECT COUNT(*) FROM data", "--json"]
    command = [sys.executable, "-c", RUN, str(tmp_path / "more"), *words]

    def ask() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    without = ask()
    assert (without.returncode, "unknown shape 'sliced'" in without.stderr) == (2, True)
    shutil.copy(Path(__file__).with_name("sliced.py"), tmp_path / "more")
    done = ask()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["COUNT(*)"]["lower"] == ROWS
