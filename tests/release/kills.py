"""Kills at random moments while a release is replaced: the old or the new one stands afterwards.

    python -m tests.release --kills 1000 --commands 50 --seed 1

A writer replaces a bundle and its private file over and over, as `anonymize --force --private`
does, until it is killed; whoever comes next must find both readable. With --commands the command
itself is killed; with --without-exchange two moves stand for the exchange of names, and what a
kill between them left must come back.
"""

from __future__ import annotations

import itertools
import multiprocessing
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
from anonagram.methods import Publication
from anonagram.release import PrivateFile
from anonagram.runtime import atomic
from anonagram.runtime.workspace import clear_leftovers

METHODS = (Anatomy(l=2), Anatomy(l=3))
TIMES = 2.5
"""How often a writer can replace everything until it is killed, at most."""


def kill_writers(
    folder: Path, kills: int, seed: int, *, can_exchange: bool = True, name: str = "release"
) -> Counter[str]:
    """Kill so many writers; count which release stood at the place afterwards."""
    longest = TIMES * _make_sources(folder, name)
    chance, seen = random.Random(seed), Counter[str]()
    # forked from a process that has the libraries but no threads yet
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    for number in range(kills):
        reader, sender = context.Pipe(duplex=False)
        words = (folder, name, number, can_exchange, sender)
        writer = context.Process(target=_replace, args=words)
        writer.start()
        reader.recv()
        time.sleep(chance.random() * longest)
        writer.kill()
        writer.join()
        if not can_exchange:
            clear_leftovers(folder)
        seen[_require_whole(folder / name, folder / "private")] += 1
    clear_leftovers(folder)
    left = {path.name for path in folder.iterdir() if path.name.startswith(".")}
    assert not left, left
    return seen


def kill_commands(folder: Path, kills: int, seed: int, name: str = "release") -> Counter[str]:
    """Kill so many commands, each at a random moment of its run."""
    hospital_table().write_csv(folder / "hospital.csv")
    (folder / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    chance, seen = random.Random(seed), Counter[str]()
    began = time.monotonic()
    for method in METHODS:
        assert _start(folder, name, method).wait() == 0
    longest = (time.monotonic() - began) / len(METHODS)
    for _, method in zip(range(kills), itertools.cycle(METHODS), strict=False):
        command = _start(folder, name, method)
        # most of the time goes by before anything is written: kill late rather than early
        time.sleep(longest * (0.5 + 0.5 * chance.random()))
        command.send_signal(signal.SIGKILL)
        command.wait()
        seen[_require_whole(folder / name, folder / "private")] += 1
    return seen


def _start(folder: Path, name: str, method: Anatomy) -> subprocess.Popen[bytes]:
    words = ["anonymize", "hospital.csv", "--schema", "hospital.toml", "--method", repr(method)]
    words += ["-o", name, "--private", "private", "--force"]
    return subprocess.Popen(
        [sys.executable, "-m", "anonagram", *words], cwd=folder, stdout=subprocess.DEVNULL
    )


def _make_sources(folder: Path, name: str) -> float:
    """Two releases with their private files, for writers to take turns with; seconds to put one."""
    (folder / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    microdata = Microdata.read(hospital_table(), folder / "hospital.toml")
    for number, method in enumerate(METHODS):
        made = method.publish(microdata, Key(bytes([number]) * 32))
        made.write(folder / f"source-{number}", folder / f"source-{number}.private")
    _put(folder, name, _source(folder, 0))
    began = time.monotonic()
    _put(folder, name, _source(folder, 1))
    return time.monotonic() - began


def _replace(folder: Path, name: str, first: int, can_exchange: bool, sender: Connection) -> None:
    """Replace the bundle and the private file for ever."""
    if not can_exchange:
        atomic.exchange = lambda *_: False
    sources = [_source(folder, (first + number) % len(METHODS)) for number in range(len(METHODS))]
    sender.send("beginning")
    for source in itertools.cycle(sources):
        _put(folder, name, source)


def _source(folder: Path, number: int) -> Publication:
    private = PrivateFile.read(folder / f"source-{number}.private")
    release = Release.read(folder / f"source-{number}")
    return Publication(release, private.mapping, private.key)


def _put(folder: Path, name: str, made: Publication) -> None:
    # without the page, so that more of the time goes into what can be interrupted
    made.write(folder / name, folder / "private", force=True, page=False)


def _require_whole(target: Path, private: Path) -> str:
    PrivateFile.read(private)
    return Release.read(target).manifest.method
