"""Nothing half-written, whatever happens."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.errors import CannotWrite, InputError
from anonagram.release import PrivateFile
from anonagram.runtime.atomic import replacing
from tests.tables import PATIENT_SCHEMA, PATIENTS

# dies on the second table, as a power cut would: no handler runs
KILLED_WHILE_WRITING = """
import os, signal, sys
import polars as pl
from anonagram import Anatomy, Key, Microdata
from tests.tables import PATIENT_SCHEMA, PATIENTS
plain, calls = pl.DataFrame.write_parquet, []
def deadly(self, *args, **options):
    calls.append(1)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self, *args, **options)
pl.DataFrame.write_parquet = deadly
release = Anatomy(l=3).anonymize(Microdata.read(PATIENTS, PATIENT_SCHEMA), Key(bytes(32)))
release.write(sys.argv[1], force=True)
"""


def make_release(l: int = 2) -> Release:
    return Anatomy(l=l).anonymize(Microdata.read(PATIENTS, PATIENT_SCHEMA), Key(bytes(32)))


def run_killed(target: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(target)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_kill_leaves_no_bundle_where_there_was_none(tmp_path):
    target = tmp_path / "release"
    run_killed(target)
    assert not target.exists()
    # what the dead process left is hidden, and the next one clears it
    make_release().write(target)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_kill_leaves_the_old_bundle_whole(tmp_path):
    target = tmp_path / "release"
    make_release().write(target)
    run_killed(target)
    assert Release.read(target).manifest.method == repr(Anatomy(l=2))


def ours(_path: Path) -> bool:
    return True


def test_failure_while_filling_leaves_nothing(tmp_path):
    with (
        pytest.raises(CannotWrite, match="the disk is full"),
        replacing(tmp_path / "release", is_ours=ours) as partial,
    ):
        partial.mkdir()
        (partial / "half").write_text("half")
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_interrupt_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "file", is_ours=ours) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def make_folder(path: Path, text: str) -> None:
    path.mkdir()
    (path / "thesis").write_text(text)


def meanwhile(make: Callable[[Path, str], object], partial: Path, target: Path) -> None:
    make(partial, "new")
    make(target, "years")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_appears_meanwhile_is_not_replaced(tmp_path, kind):
    target = tmp_path / "target"
    make = {"folder": make_folder, "file": Path.write_text}
    with (
        pytest.raises(CannotWrite, match="appeared meanwhile"),
        replacing(target, is_ours=ours) as partial,
    ):
        meanwhile(make[kind], partial, target)
    assert (target / "thesis" if kind == "folder" else target).read_text() == "years"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_file_system_without_links(tmp_path, monkeypatch):
    def refuse(*_paths: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with replacing(tmp_path / "file", is_ours=ours) as partial:
        partial.write_text("whole")
    assert (tmp_path / "file").read_text() == "whole"


def test_old_folder_comes_back_when_the_new_one_cannot_be_moved(tmp_path, monkeypatch):
    target = tmp_path / "release"
    make_release().write(target)
    plain = Path.rename

    def refuse(self: Path, other: Path) -> Path:
        if self.parent.name == "new":
            raise OSError(5, "Input/output error")
        return plain(self, other)

    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr("anonagram.runtime.atomic.exchange", lambda *_: False)
    with pytest.raises(CannotWrite, match="Input/output error"):
        make_release(3).write(target, force=True)
    assert Release.read(target).manifest.method == repr(Anatomy(l=2))
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_symlink_is_followed(tmp_path):
    make_release().write(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    make_release(3).write(tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert Release.read(tmp_path / "real").manifest.method == repr(Anatomy(l=3))


def test_file_size_limit_is_reported_and_leaves_nothing(tmp_path):
    """A limit on file sizes stands in for a full disk: the system refuses the write for real."""
    script = (
        "import sys, signal, resource; from tests.runtime.test_atomic import make_release;"
        "release = make_release();"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY));"
        "release.write(sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "release")],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert "CannotWrite" in done.stderr
    assert not list(tmp_path.iterdir())


def test_missing_parent_folder_is_said_before_any_work(tmp_path):
    with pytest.raises(CannotWrite, match="mkdir -p"):
        make_release().write(tmp_path / "no" / "release")


def test_private_file_is_for_its_owner_only_and_reads_back(tmp_path):
    path = tmp_path / "private"
    key = Key(bytes(32))
    publication = Anatomy(l=2).publish(Microdata.read(PATIENTS, PATIENT_SCHEMA), key)
    created = date(2020, 1, 2)
    PrivateFile(key, "anatomy(l=2)", created, publication.mapping).write(path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = PrivateFile.read(path)
    assert (again.key, again.created) == (key, created)
    assert again.mapping.equals(publication.mapping)


def test_private_file_of_another_table_is_refused_though_it_has_the_key(tmp_path):
    key = Key(bytes(32))
    for name, table in (("one", PATIENTS), ("two", PATIENTS.reverse())):
        publication = Anatomy(l=2).publish(Microdata.read(table, PATIENT_SCHEMA), key)
        manifest = publication.release.manifest
        created = date.fromisoformat(manifest.created)
        secrets = PrivateFile(key, manifest.method, created, publication.mapping, manifest.key_salt)
        secrets.write(tmp_path / name)
        secrets.require_for(manifest, name)
    with pytest.raises(InputError, match="one belongs to another release"):
        PrivateFile.read(tmp_path / "one").require_for(manifest, tmp_path / "one")


def test_mapping_leads_every_row_to_itself():
    microdata = Microdata.read(PATIENTS, PATIENT_SCHEMA)
    publication = Anatomy(l=2).publish(microdata, Key(bytes(32)))
    quasi = publication.release.tables["quasi"]
    found = quasi[publication.mapping["row_in_quasi"].to_numpy()]
    assert found.select("age", "sex").equals(PATIENTS.select("age", "sex"))
    assert found["group"].to_list() == publication.mapping["group"].to_list()


@pytest.mark.parametrize("content", [b"", b"PAR1", b"hello"])
def test_what_is_not_a_private_file_is_refused(tmp_path, content):
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(InputError, match="not the private file"):
        PrivateFile.read(tmp_path / "p")
