"""A release in parts is checked, measured and asked part by part: with what the whole of it gives."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import polars as pl
import pytest

from anonagram import KAnonymity, Method, Release
from anonagram.divided import publish
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.errors import AnonagramError, CallError, InputError, ReleaseDamaged
from anonagram.measures import Workload, measure, read_original, run_workload
from anonagram.models import Finding, PrivacyModel
from anonagram.models.model import PartwiseModel
from anonagram.release.pieces import pieces_of, require_whole
from tests.divided.tables import ASKED, BLOCK, CALLS, KEY, ROLES, read_few_at_once, table_for
from tests.divided.test_asked_on_disk import answered, rounded

MODELS = [
    PrivacyModel.parse(text)
    for text in [
        "l_diversity(l=3)", "l_diversity(l=4)", "k_anonymity(k=2)", "alpha_k(alpha=0.5, k=4)",
        "t_closeness(t=0.2)", 't_closeness(t=0.9, distance="ordered")', "ke_anonymity(k=2, e=60)",
        *(kind.example for kind in PrivacyModel.known().values()),
    ]
]  # fmt: skip
PARTWISE = [model for model in MODELS if isinstance(model, PartwiseModel)]
PAY = "anatomy(l=2)"
"""Beside the calls of all shapes: one with amounts, which are summed."""


def source_of(method: Method) -> pl.DataFrame:
    table = table_for(method)
    if repr(method) != repr(Method.parse(PAY)):
        # somebody's sex is missing, in few of the blocks
        return table.with_columns(sex=pl.when(pl.col("age") != 30).then("sex"))
    pay = (pl.int_range(pl.len()) * 7919) % 601
    return table.with_columns(disease=pay - 200)


@pytest.fixture(scope="module", params=[*CALLS, PAY])
def made(request, tmp_path_factory) -> tuple[Path, Path]:
    """A release in parts, and its original."""
    place = tmp_path_factory.mktemp("parts")
    method = Method.parse(request.param)
    source_of(method).write_parquet(place / "table.parquet")
    rows = RowsOnDisk.at(place / "table.parquet", 4 << 30)
    opened = publish(rows, ROLES, method, KEY, place / "release", block=BLOCK)
    assert len(pieces_of(opened)) > 2
    return place / "release", place / "table.parquet"


def found(check) -> Finding | str:
    try:
        return check()
    except AnonagramError as error:
        return str(error)


@pytest.mark.parametrize("model", PARTWISE, ids=repr)
def test_findings_are_those_of_the_whole(made, model):
    release = Release.read(made[0])
    in_parts = found(lambda: Release.open(made[0]).check(model)[0])
    if release.masked and model.call != "k_anonymity":  # those who look alike are in several parts
        assert "together" in in_parts
    else:
        assert in_parts == found(lambda: model.check(release))


def test_what_is_claimed_is_checked(made):
    opened = Release.open(made[0])
    findings = opened.check()
    assert [repr(each.model) for each in findings] == [c.model for c in opened.manifest.claims]
    assert all(each.holds for each in findings)


def test_a_promise_about_all_rows_together_is_refused(made):
    model = PrivacyModel.parse("withstands_learning()")
    with pytest.raises(CallError, match="all rows together"):
        Release.open(made[0]).check(model)


def test_figures_are_those_of_the_whole(made, monkeypatch):
    read_few_at_once(monkeypatch)
    path, table = made
    opened = Release.open(path)
    if not opened.has_groups:
        with pytest.raises(CallError, match="as a whole"):
            opened.measure(table)
        return
    release = Release.read(path)
    whole = measure(release, read_original(table, release))
    in_parts = opened.measure(table)
    assert in_parts.foretold == whole.foretold
    ours, theirs = (rounded(asdict(each)) for each in (in_parts, whole))
    assert in_parts.ranked == ()  # what sorting finds is told when a release in parts is made
    assert ours == theirs | {"ranked": ()}


@pytest.mark.parametrize("aggregate", ["COUNT", "SUM", "AVG"])
def test_answers_are_those_of_the_whole(made, aggregate, monkeypatch):
    read_few_at_once(monkeypatch)
    path, table = made
    release = Release.read(path)
    original = read_original(table, release)
    drawn = {"aggregate": aggregate, "conditions": 2, "volume": 0.3, "queries": 40, "seed": 3}

    def whole():
        return run_workload(release, original, Workload.draw(original, **drawn))

    in_parts, at_once = (
        found(each) for each in (lambda: Release.open(path).workload(table, **drawn), whole)
    )
    if release.masked:
        assert "have no bounds" in in_parts
        return
    if isinstance(at_once, str):
        assert in_parts == at_once
        return
    for name in at_once.answers.columns:
        ours, theirs = (each.answers[name].to_list() for each in (in_parts, at_once))
        assert [each is None for each in ours] == [each is None for each in theirs]
        assert [e for e in ours if e is not None] == pytest.approx(
            [e for e in theirs if e is not None]
        )


def test_another_original_is_refused(made, tmp_path):
    path, table = made
    opened = Release.open(path)
    # ranges keep no values by which another original could be told
    name = "zip" if "zip" in opened.shape.kept(opened.manifest) else "disease"
    other = pl.read_parquet(table).with_columns(pl.col(name).shift(fill_value="90000"))
    other.write_parquet(tmp_path / "other.parquet")
    other.head(500).write_parquet(tmp_path / "short.parquet")
    if opened.manifest.method not in map(repr, map(Method.parse, [*ASKED, PAY])):
        return  # it is refused before the original is looked at
    with pytest.raises(InputError, match=name):
        opened.workload(tmp_path / "other.parquet", queries=3)
    with pytest.raises(InputError, match="500 rows"):
        opened.workload(tmp_path / "short.parquet", queries=3)


def test_pieces_that_do_not_make_a_whole_are_refused(made, tmp_path):
    copy = shutil.copytree(made[0], tmp_path / "copy")
    opened = Release.open(copy)
    extents = [piece.load().extent for piece in pieces_of(opened)]
    require_whole(opened, extents)
    with pytest.raises(ReleaseDamaged):
        require_whole(opened, extents[1:])
    with pytest.raises(ReleaseDamaged):
        require_whole(opened, [*extents, extents[-1]])
    if opened.has_groups:
        with pytest.raises(ReleaseDamaged, match="gap"):
            require_whole(opened, extents[::-1])
    path = next(iter(opened.tables.values())).paths[1]
    content = path.read_bytes()
    path.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    with pytest.raises(ReleaseDamaged, match=path.name):
        opened.check()


def test_a_release_that_is_replaced_meanwhile_is_read_again(tmp_path):
    method = Method.parse("anatomy(l=3)")
    table_for(method).write_parquet(tmp_path / "table.parquet")
    rows = RowsOnDisk.at(tmp_path / "table.parquet", 4 << 30)
    place, other = tmp_path / "release", tmp_path / "other"
    publish(rows, ROLES, method, KEY, place, block=BLOCK)
    publish(rows, ROLES, Method.parse("anatomy(l=4)"), KEY, other, block=BLOCK)
    expected = Release.open(other).check()
    sql = "SELECT COUNT(*) FROM data WHERE age > 50 AND disease = 'Flu'"
    answer = answered(Release.open(other).query, sql)
    opened = Release.open(place)
    shutil.rmtree(place)
    other.rename(place)
    assert opened.check() == expected
    assert answered(opened.query, sql) == answer
    assert opened.measure(tmp_path / "table.parquet").method.startswith("anatomy(l=4")
    asked = {"queries": 5, "conditions": 2}
    assert opened.workload(tmp_path / "table.parquet", **asked).method.startswith("anatomy(l=4")


def test_the_command_line_reads_parts(made, anonagram, monkeypatch):
    path, table = made
    opened = Release.open(path)
    if opened.has_groups:  # nothing of this may load the release
        monkeypatch.setattr(Release, "read", None)
    if opened.shape.alike_over_blocks(opened.manifest) is not None:
        masked_parts_are_checked(path, anonagram, monkeypatch)
        return
    claims = json.loads(anonagram("check", path, "--json").stdout)
    assert [each["holds"] for each in claims] == [True] * len(opened.manifest.claims)
    assert "parts)" in anonagram("check", path).stdout
    figures = anonagram("measure", path, "--original", table, "--json")
    assert json.loads(figures.stdout)["rows"] == 600
    asked = anonagram("workload", path, "--original", table, "--queries", 20, "--json")
    assert json.loads(asked.stdout)["queries"] == 20
    for words in (("check", path), ("measure", path, "--original", table)):
        refused = anonagram(*words, "--engine", "duckdb:")
        assert refused.returncode == 2
    people = anonagram(
        "workload", path, "--original", table, "--kind", "people", "--engine", "local"
    )
    assert people.returncode == 2
    assert "--kind people" in people.stderr


def masked_parts_are_checked(path, anonagram, monkeypatch) -> None:
    alike, kinds = (("--model", each) for each in ("k_anonymity(k=2)", "l_diversity(l=2)"))
    whole = json.loads(anonagram("check", path, *kinds, "--json").stdout)
    assert whole[0]["model"] == "l_diversity(l=2)"  # loaded
    assert anonagram("check", path, *kinds, "--engine", "local").returncode == 2
    expected = KAnonymity(2).check(Release.read(path)).to_dict()
    monkeypatch.setattr(Release, "read", None)
    (told,) = json.loads(anonagram("check", path, *alike, "--json").stdout)
    assert {name: told[name] for name in expected} == json.loads(json.dumps(expected))
    for words in (["query", path, "SELECT COUNT(*) FROM data"],
                  ["workload", path, "--original", path / "no.csv"]):  # fmt: skip
        refused = anonagram(*words)
        assert refused.returncode == 2
        assert "have no bounds" in refused.stderr


def test_an_engine_is_for_releases_in_parts(tmp_path, anonagram):
    from anonagram import Microdata

    table = table_for(Method.parse("anatomy(l=3)"))
    Method.parse("anatomy(l=3)").anonymize(Microdata.read(table, ROLES), KEY).write(
        tmp_path / "one"
    )
    refused = anonagram("check", tmp_path / "one", "--engine", "local[2]")
    assert refused.returncode == 2
    assert "not in parts" in refused.stderr
