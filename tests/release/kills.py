"""Kills at random moments while a release is replaced: the old or the new one stands afterwards.

    python -m tests.release --kills 1000 --commands 50 --seed 1

A writer replaces a bundle and its private file over and over, as `anonymize --force --private`
does, until it is killed; whoever comes next must find both readable. With --commands the command
itself is killed while it writes; with --without-exchange two moves stand for the exchange of names,
and what a kill between them left must come back.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.cli import main
from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
from anonagram.methods import Publication
from anonagram.release import PrivateFile
from anonagram.runtime import atomic
from anonagram.runtime.workspace import clear_leftovers

METHODS = (Anatomy(l=2), Anatomy(l=3))
LATER = ("anonagram.attacks", "anonagram.learning", "anonagram.verify")
"""What the command imports when it comes to it: no kill shall wait for that."""
ROWS = 200
"""Of the table: what is done before anything is written is not what is tried."""
TOLD_EVERY = 100
TIMES = 2.5
"""How often a writer can replace everything until it is killed, at most."""


def kill_writers(
    folder: Path, kills: int, seed: int, *, can_exchange: bool = True, name: str = "release"
) -> Counter[str]:
    """Kill so many writers; count which release stood at the place afterwards."""
    longest = TIMES * _make_sources(folder, name)
    chance, seen = random.Random(seed), Counter[str]()
    for number in range(kills):
        writer = _writing(_replace, folder, name, number, can_exchange)
        assert _is_killed(writer, chance.random() * longest)
        seen[_left(folder, name, can_exchange)] += 1
        _tell(seen)
    _require_clear(folder)
    return seen


def kill_commands(
    folder: Path, kills: int, seed: int, *, can_exchange: bool = True, name: str = "release"
) -> Counter[str]:
    """Kill so many commands while they write; those that ended before do not count."""
    hospital_table(ROWS).write_csv(folder / "hospital.csv")
    (folder / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    chance, seen, methods = random.Random(seed), Counter[str](), itertools.cycle(METHODS)
    # the first ones may have code to compile: kills after that long would find nothing to kill
    *_, longest = sorted(_seconds(folder, name, method, can_exchange) for method in METHODS * 3)[:3]
    while sum(seen.values()) < kills:
        command = _writing(_command, folder, name, next(methods), can_exchange)
        is_killed = _is_killed(command, chance.random() * longest)
        left = _left(folder, name, can_exchange)
        seen[left] += is_killed
        if is_killed:
            _tell(seen)
    _require_clear(folder)
    return seen


def _writing(work: Callable[..., None], *words: Any) -> Any:
    """A process that has just begun to write."""
    # forked from a process that has the libraries but no threads yet
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *LATER])
    reader, sender = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(*words, sender))
    process.start()
    reader.recv()
    return process


def _is_killed(process: Any, seconds: float) -> bool:
    """Whether a process was still there to be killed after so many seconds."""
    time.sleep(seconds)
    process.kill()
    process.join()
    return bool(process.exitcode == -signal.SIGKILL)


def _seconds(folder: Path, name: str, method: Anatomy, can_exchange: bool) -> float:
    """How long a command writes if nobody kills it."""
    command = _writing(_command, folder, name, method, can_exchange)
    began = time.monotonic()
    command.join()
    assert command.exitcode == 0
    return time.monotonic() - began


def _left(folder: Path, name: str, can_exchange: bool) -> str:
    """What stands at the place after a kill: a whole release and a whole private file."""
    if not can_exchange:
        clear_leftovers(folder)
    PrivateFile.read(folder / "private")
    return Release.read(folder / name).manifest.method


def _tell(seen: Counter[str]) -> None:
    """How it goes, now and then: on a busy machine a thousand kills take hours."""
    if seen.total() and seen.total() % TOLD_EVERY == 0:
        print(dict(seen), file=sys.stderr, flush=True)


def _require_clear(folder: Path) -> None:
    clear_leftovers(folder)
    left = {path.name for path in folder.iterdir() if path.name.startswith(".")}
    assert not left, left


def _command(
    folder: Path, name: str, method: Anatomy, can_exchange: bool, sender: Connection
) -> None:
    """The command as the shell starts it, but for Python's start, telling when it begins to write."""
    if not can_exchange:
        atomic.exchange = lambda *_: False
    write = Publication.write

    def telling(*words: Any, **more: Any) -> None:
        sender.send("writing")
        write(*words, **more)

    Publication.write = telling  # type: ignore[method-assign]
    os.chdir(folder)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.argv = ["anonagram", "anonymize", "hospital.csv", "--schema", "hospital.toml"]
    sys.argv += ["--method", repr(method), "-o", name, "--private", "private", "--force"]
    main()


def _make_sources(folder: Path, name: str) -> float:
    """Two releases with their private files, for writers to take turns with; seconds to put one."""
    (folder / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    microdata = Microdata.read(hospital_table(ROWS), folder / "hospital.toml")
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
