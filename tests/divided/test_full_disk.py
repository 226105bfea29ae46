"""A disk that is full: nothing is left that reads as a release, and it is said in words."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from anonagram import Method
from anonagram.divided import publish
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.errors import CannotWrite
from anonagram.release import is_bundle
from anonagram.runtime.progress import listening
from tests.divided.tables import BLOCK, KEY, ROLES, table_for

SIZE = 4 << 20


@pytest.fixture
def small_disk(tmp_path):
    """A disk of its own in memory, which only root can make."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can make a disk that is small")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=False
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(folder: Path) -> None:
    """Leave no room on a disk."""
    with (folder / "filler").open("ab", buffering=0) as handle:
        while True:
            try:
                handle.write(bytes(4096))
            except OSError:
                return


@pytest.mark.parametrize("stage", ["Encoding", "Rearranging", "Writing"])
def test_a_full_disk_leaves_nothing(stage, small_disk, tmp_path):
    method = Method.parse("anatomy(l=3)")
    table_for(method).write_parquet(tmp_path / "table.parquet")
    rows = RowsOnDisk.at(tmp_path / "table.parquet", 4 << 30)
    to = small_disk / "release"
    with (
        listening(lambda name: fill(small_disk) if name == stage else None),
        pytest.raises(CannotWrite, match="not written") as told,
    ):
        publish(rows, ROLES, method, KEY, to, block=BLOCK)
    assert "disk" in told.value.remedy
    assert [each.name for each in small_disk.iterdir()] == ["filler"]
    (small_disk / "filler").unlink()
    publish(rows, ROLES, method, KEY, to, block=BLOCK)
    assert is_bundle(to)
