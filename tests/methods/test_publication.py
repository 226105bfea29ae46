"""A release and its private file are written together, or neither is."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.errors import CannotWrite
from anonagram.methods import Publication
from anonagram.release import PrivateFile
from tests.tables import PATIENT_SCHEMA, PATIENTS


@pytest.fixture(scope="module")
def made() -> Publication:
    return Anatomy(l=3).publish(Microdata.read(PATIENTS, PATIENT_SCHEMA), Key(bytes(32)))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_both_are_written_and_belong_together(made, tmp_path):
    made.write(tmp_path / "release", tmp_path / "private", page=False)
    assert names(tmp_path) == ["private", "release"]
    release, private = Release.read(tmp_path / "release"), PrivateFile.read(tmp_path / "private")
    private.require_for(release.manifest, "private")
    assert private.mapping.equals(made.mapping)
    assert private.key == Key(bytes(32))
    assert (tmp_path / "private").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("page", [True, False])
def test_it_writes_what_the_release_alone_would(made, tmp_path, page):
    made.write(tmp_path / "one.zip", page=page)
    made.release.write(tmp_path / "two.zip", page=page)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_where_one_cannot_be_written_neither_is(made, tmp_path):
    (tmp_path / "mine").write_text("my diary")
    for force in (False, True):
        with pytest.raises(CannotWrite):
            made.write(tmp_path / "release", tmp_path / "mine", force=force)
        with pytest.raises(CannotWrite):
            made.write(tmp_path / "mine", tmp_path / "private", force=force)
    assert names(tmp_path) == ["mine"]
    assert (tmp_path / "mine").read_text() == "my diary"


def test_a_failure_in_the_middle_leaves_neither(made, tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(PrivateFile, "write", fail)
    with pytest.raises(CannotWrite, match="the disk is full"):
        made.write(tmp_path / "release", tmp_path / "private", page=False)
    assert names(tmp_path) == []


def test_nothing_appears_where_what_comes_before_fails(made, tmp_path):
    seen = []

    def refuse(_made) -> None:
        seen.append(names(tmp_path))
        raise CannotWrite("Something is wrong with it.")

    with pytest.raises(CannotWrite, match="wrong with it"):
        made.write(tmp_path / "release", tmp_path / "private", page=False, before=refuse)
    assert len(seen) == 1
    assert not {"release", "private"} & set(seen[0])
    assert names(tmp_path) == []


def test_the_private_file_stays_outside(made, tmp_path):
    with pytest.raises(CannotWrite, match="inside the release"):
        made.write(tmp_path / "release", tmp_path / "release" / "private")
    assert names(tmp_path) == []
