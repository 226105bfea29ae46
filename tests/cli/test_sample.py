"""`anonagram sample`."""

from __future__ import annotations

import json

import polars as pl
import pytest

from anonagram import Anatomy, Key, Microdata, RankSwapping
from anonagram.demo import hospital_table

ROLES = {"age": "quasi", "sex": "quasi", "disease": "sensitive"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = Microdata.read(hospital_table().select(*ROLES), ROLES)
    path = tmp_path_factory.mktemp("sample") / "release"
    Anatomy(l=3).anonymize(data, Key(bytes(32))).write(path)
    return path


def test_worlds_are_written_as_files(anonagram, folder, tmp_path):
    done = anonagram("sample", folder, "-n", 2, "-o", tmp_path / "worlds", "--seed", 3)
    assert done.returncode == 0
    assert "Wrote 2 worlds of 3,000 rows" in done.stdout
    assert "none is the original" in done.stdout
    names = sorted(path.name for path in (tmp_path / "worlds").iterdir())
    assert names == ["world_1.csv", "world_2.csv"]
    first = pl.read_csv(tmp_path / "worlds" / "world_1.csv")
    assert first.columns == list(ROLES)
    counts = hospital_table()["disease"].value_counts().sort("disease")
    assert first["disease"].value_counts().sort("disease").equals(counts)


def test_parquet_and_json_and_force(anonagram, folder, tmp_path):
    words = ("sample", folder, "-n", 1, "-o", tmp_path / "w", "--format", "parquet", "--json")
    told = json.loads(anonagram(*words).stdout)
    assert told["files"] == ["world_1.parquet"]
    assert pl.read_parquet(tmp_path / "w" / "world_1.parquet").height == 3000
    assert anonagram(*words).returncode == 2
    assert anonagram(*words, "--force").returncode == 0


def test_nothing_is_written_over_or_left_behind(anonagram, folder, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    done = anonagram("sample", folder, "-o", tmp_path / "mine", "--force")
    assert done.returncode == 2
    assert (tmp_path / "mine" / "notes.txt").exists()
    data = Microdata.read(hospital_table().select(*ROLES), ROLES)
    RankSwapping(p=20).anonymize(data, Key(bytes(32))).write(tmp_path / "masked")
    done = anonagram("sample", tmp_path / "masked", "-o", tmp_path / "none")
    assert done.returncode == 2
    assert "inside groups" in done.stderr
    assert not (tmp_path / "none").exists()
