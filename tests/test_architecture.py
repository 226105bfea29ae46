"""docs/architecture.md tells the house as it is: journeys, layers, folders and file names."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
from tests.conftest import ROOT
from tests.test_layers import DOORS, LAYERS, PACKAGE

PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("docs/architecture.md", "CONTRIBUTING.md")
}
PAGE = PAGES["docs/architecture.md"]
MOST = 12
"""Files that somebody opens to follow data through the house."""
JOURNEY = re.compile(r"`anonagram (\w+ .*)`\n\n\| file \|.*\n\|---\|---\|\n((?:\|.*\n)+)")
JOURNEYS = {
    words.split()[0]: (words, re.findall(r"^\| `(.+?)` \|", rows, re.MULTILINE))
    for words, rows in JOURNEY.findall(PAGE)
}
WATCH = """
import json, sys, threading
from pathlib import Path

import anonagram
from anonagram.cli import main
from anonagram.kernels.compiled import Kernel

home = str(Path(anonagram.__file__).parent) + "/"
entered = set()


def is_imported(frame):
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(home)


def watch(frame, event, _):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(home):
        return
    if code is Kernel.__call__.__code__:  # what is compiled has no frame of its own
        code = frame.f_locals["self"].function.__code__
    name = code.co_filename.removeprefix(home)
    if name not in entered and not is_imported(frame):
        entered.add(name)


threading.setprofile(watch)
sys.setprofile(watch)
try:
    main()
finally:
    sys.setprofile(None)
    Path("entered.json").write_text(json.dumps(sorted(entered)))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, a release and a masked one of it, as the journeys name them."""
    here = tmp_path_factory.mktemp("journeys")
    hospital_table(600).write_csv(here / "hospital.csv")
    (here / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    words, _ = JOURNEYS["anonymize"]
    entered(here, words.replace("-o release", "-o masked --private masked.private").replace(
        "anatomy(l=4)", "rank_swapping(p=20)"
    ))  # fmt: skip
    return here


def entered(here: Path, words: str) -> set[str]:
    """The files whose functions run with these words on the command line."""
    command = [sys.executable, "-c", WATCH, *shlex.split(words)]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    # 1: somebody gets more than he should; 4: it cannot be told whether he does
    assert done.returncode in (0, 1, 4), done.stderr
    return set(json.loads((here / "entered.json").read_text()))


def test_the_journeys_are_told():
    assert set(JOURNEYS) == {
        "anonymize", "query", "verify", "attack", "audit", "measure", "workload",
    }  # fmt: skip
    for _, files in JOURNEYS.values():
        assert files[0].startswith("cli/")
        assert len(files) == len(set(files)) <= MOST


def test_every_file_of_a_journey_is_entered(folder):
    for words, files in JOURNEYS.values():  # in their order: what is published is asked
        missing = set(files) - entered(folder, words)
        assert not missing, f"{words} does not enter {missing}"


def test_layers_are_drawn_as_they_are_checked():
    drawing = re.search(r"^## Layers.*\n\n((?:    .+\n)+)", PAGE, re.MULTILINE)
    assert drawing is not None
    assert [set(line.split()) for line in drawing[1].splitlines()] == LAYERS[::-1]
    for door in DOORS:
        assert f"`{door}`" in PAGE


def test_every_folder_stands_in_the_table():
    _, _, table = PAGE.partition("| folder | holds |\n")
    named = re.findall(r"`([\w.]+)/?`", "".join(
        row.split("|")[1] for row in table.partition("\n\n")[0].splitlines()
    ))  # fmt: skip
    assert sorted(name.removesuffix(".py") for name in named) == sorted(set().union(*LAYERS))


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_is_there(page):
    before = re.sub(r"(\| .+? \|) .+? (\| \d.* \|)", r"\1 \2", PAGES[page])  # lists of long ago
    for name in re.findall(r"`([\w/]+\.pyi?)`", before):
        homes = (ROOT, PACKAGE, PACKAGE.parent, ROOT / "tests/contracts", PACKAGE / "release")
        assert any((home / name).is_file() for home in homes), f"{page} names {name}"
