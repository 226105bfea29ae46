"""What killed writers leave behind: nothing that was whole is lost, nothing secret stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anonagram import Anatomy, Release
from anonagram.errors import CannotWrite, ReleaseDamaged
from tests.release.kills import kill_commands, kill_writers
from tests.runtime.test_atomic import make_release
from tests.tables import PATIENTS

BEFORE, AFTER = repr(Anatomy(l=2)), repr(Anatomy(l=3))
# argument 2: after which move to die; 3: whether the system can exchange names
KILLED_WHILE_MOVING = """
import os, signal, sys
from pathlib import Path
from anonagram.runtime import atomic
from tests.runtime.test_atomic import make_release
plain, exchange, moves = Path.rename, getattr(atomic, "exchange", None), []
def die_after(moved):
    moves.append(1)
    if len(moves) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return moved
Path.rename = lambda self, other: die_after(plain(self, other))
able = sys.argv[3] == "True"
atomic.exchange = lambda one, two: able and die_after(exchange(one, two))
make_release(3).write(sys.argv[1], force=True)
"""
KILLED_WHILE_PACKING = """
import os, signal, sys
from anonagram.release import bundle
from tests.runtime.test_atomic import make_release
bundle.pack = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
make_release().write(sys.argv[1])
"""
KILLED_WITH_A_PRIVATE_FILE = """
import os, signal, sys
from anonagram import release
from anonagram.runtime import atomic
from anonagram.cli import main
write = release.PrivateFile.write
def deadly(*arguments):
    write(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
release.PrivateFile.write = deadly
sys.argv[0] = "anonagram"
main()
"""
WAITS_WHILE_WRITING = """
import sys
from pathlib import Path
from anonagram.runtime.atomic import replacing
with replacing(Path(sys.argv[1]), is_ours=lambda _: True) as partial:
    partial.write_text("late")
    print("writing", flush=True)
    sys.stdin.readline()
"""


def run_killed(script: str, *words: object) -> None:
    command = [sys.executable, "-c", script, *map(str, words)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_kill_after_the_exchange_leaves_the_new_bundle(tmp_path):
    make_release(2).write(tmp_path / "release")
    run_killed(KILLED_WHILE_MOVING, tmp_path / "release", 1, True)
    assert Release.read(tmp_path / "release").manifest.method == AFTER


def test_old_bundle_is_put_back_where_names_cannot_be_exchanged(tmp_path):
    target = tmp_path / "release"
    make_release(2).write(target)
    run_killed(KILLED_WHILE_MOVING, target, 1, False)
    with pytest.raises(ReleaseDamaged, match="was killed") as told:
        Release.read(target)
    assert "mv " in told.value.remedy
    # whoever writes next, be it to another name, finds the old one and does not take it for free
    make_release(3).write(tmp_path / "other")
    assert Release.read(target).manifest.method == BEFORE
    with pytest.raises(CannotWrite, match="exists already"):
        make_release(3).write(target)
    assert names_in(tmp_path) == ["other", "release"]


def test_kill_after_the_second_move_leaves_the_new_bundle(tmp_path):
    target = tmp_path / "release"
    make_release(2).write(target)
    run_killed(KILLED_WHILE_MOVING, target, 2, False)
    assert Release.read(target).manifest.method == AFTER
    make_release(2).write(target, force=True)
    assert names_in(tmp_path) == ["release"]


def test_only_copy_stays_where_its_place_was_taken_meanwhile(tmp_path):
    target = tmp_path / "release"
    make_release(2).write(target)
    run_killed(KILLED_WHILE_MOVING, target, 1, False)
    target.write_text("somebody's notes")
    make_release(3).write(tmp_path / "other")
    (kept,) = tmp_path.glob(".anonagram-*/old/release")
    assert Release.read(kept).manifest.method == BEFORE
    assert target.read_text() == "somebody's notes"


@pytest.mark.parametrize("name", ["release.zip", "r[1].zip", "r[1]"])
def test_leftovers_are_cleared_whatever_the_name(tmp_path, name):
    target = tmp_path / name
    if target.suffix:
        run_killed(KILLED_WHILE_PACKING, target)
    else:
        make_release(2).write(target)
        run_killed(KILLED_WHILE_MOVING, target, 1, True)
    assert len(names_in(tmp_path)) > 1 - target.exists()
    make_release(3).write(target, force=True)
    assert names_in(tmp_path) == [name]


def test_private_file_of_a_killed_writer_does_not_stay(tmp_path):
    """Nor its key, even if the next release goes to other names without a private file."""
    PATIENTS.write_csv(tmp_path / "p.csv")
    (tmp_path / "p.toml").write_text(
        '[columns]\nname = "identifier"\nage = "quasi"\nsex = "quasi"\ndisease = "sensitive"\n'
    )
    (tmp_path / "key").write_text("ab" * 32)
    words = ["anonymize", tmp_path / "p.csv", "--schema", tmp_path / "p.toml"]
    words += ["--method", "anatomy(l=2)", "--key", tmp_path / "key"]
    run_killed(
        KILLED_WITH_A_PRIVATE_FILE, *words, "-o", tmp_path / "r", "--private", tmp_path / "mine"
    )
    make_release().write(tmp_path / "another")
    found = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "key"]
    assert not [path for path in found if b"ab" * 32 in path.read_bytes()]
    assert names_in(tmp_path) == ["another", "key", "p.csv", "p.toml"]


def wait_while_writing(target: Path, *prefix: str) -> subprocess.Popen[str]:
    writer = subprocess.Popen(
        [*prefix, sys.executable, "-c", WAITS_WHILE_WRITING, str(target)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert writer.stdout is not None
    if writer.stdout.readline() != "writing\n":
        pytest.skip("this system allows no process namespaces")
    return writer


# a process number that hardly anybody has outside
ELSEWHERE = (
    *("unshare", "--user", "--map-root-user", "--pid", "--fork", "sh", "-c"),
    "echo $(($(cat /proc/sys/kernel/pid_max) - 9)) > /proc/sys/kernel/ns_last_pid;"
    ' "$0" "$@"; exit $?',
)


@pytest.mark.parametrize("prefix", [(), ELSEWHERE])
def test_living_writer_is_left_alone_wherever_it_lives(tmp_path, prefix):
    """In another process namespace its number says nothing here, or stands for somebody else."""
    if prefix and not shutil.which(prefix[0]):
        pytest.skip("unshare is not installed")
    with wait_while_writing(tmp_path / "late", *prefix) as writer:
        make_release().write(tmp_path / "late", force=True)
        shutil.rmtree(tmp_path / "late")
        writer.communicate("go\n")
    assert writer.returncode == 0
    assert (tmp_path / "late").read_text() == "late"
    assert names_in(tmp_path) == ["late"]


def test_nothing_but_our_own_leftovers_is_touched(tmp_path):
    for name in (".anonagram-notes", ".anonagram-0123456789abcdef", ".release.partial-1-ab"):
        (tmp_path / name).mkdir()
    make_release().write(tmp_path / "release")
    assert len(names_in(tmp_path)) == 4


@pytest.mark.parametrize("can_exchange", [True, False])
def test_any_kill_leaves_the_old_or_the_new_bundle(tmp_path, can_exchange):
    seen = kill_writers(tmp_path, kills=25, seed=os.getpid(), can_exchange=can_exchange)
    assert sum(seen.values()) == 25


def test_any_kill_of_the_command_leaves_the_old_or_the_new_bundle(tmp_path):
    assert sum(kill_commands(tmp_path, kills=4, seed=os.getpid()).values()) == 4
