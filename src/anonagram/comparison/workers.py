"""Trials in processes of their own: as many at once as there are processors, each ended in time."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from anonagram.comparison.bench import Cut
from anonagram.comparison.trial import Bench, Skipped, Trial
from anonagram.comparison.yardsticks import attempt

LATE = "It took more than {:.0f} seconds of a processor, or its process ended."
NO_TIME = "There was no time left; the same command goes on where this one ended."
PAUSE = 0.1
SERVE = "from anonagram.comparison.workers import serve; serve()"


@dataclass
class Team:
    """Processes, each with a thread that waits for it."""

    cut: Cut
    bench: Bench
    each: float
    """Seconds of a processor for one trial: what else the machine does is not its fault."""
    is_empty: bool = False
    """Whether nothing was measured yet: until something is, nobody is ended."""
    todo: SimpleQueue[str] = field(default_factory=SimpleQueue)
    done: SimpleQueue[Trial | Skipped] = field(default_factory=SimpleQueue)
    processes: list[Any] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    is_over: bool = False

    def begin(self, workers: int) -> None:
        """Let so many processes work."""
        self.threads += [Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self.threads:
            thread.start()

    def _work(self) -> None:
        """Give one call after the other to a process; one that was ended is replaced."""
        process = None
        while not self.is_over:
            try:
                call = self.todo.get_nowait()
            except Empty:
                return
            if process is None or process.poll() is not None:
                process = self._start()
            self.done.put(self._ask(process, call))

    def _ask(self, process: Any, call: str) -> Trial | Skipped:
        try:
            _send(process.stdin, (call, math.inf if self.is_empty else self.each))
            found: Trial | Skipped = pickle.load(process.stdout)  # noqa: S301
            return found
        except (EOFError, OSError, pickle.UnpicklingError):
            process.wait()
            why = NO_TIME if self.is_over else LATE.format(self.each)
            return Skipped(call, why, is_final=False)

    def _start(self) -> Any:
        words = [sys.executable, "-c", SERVE]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self.processes.append(process)
        with suppress(OSError):  # whoever asks it next sees that it is gone
            _send(process.stdin, (self.cut, self.bench))
        return process

    def end(self) -> None:
        """End every process, whatever it does; nobody waits for one any more."""
        self.is_over = True
        while any(thread.is_alive() for thread in self.threads):
            for process in list(self.processes):
                process.kill()
            for thread in self.threads:
                thread.join(PAUSE)
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdout.close()
            with suppress(OSError):
                process.stdin.close()


def try_all(
    calls: list[str],
    cut: Cut,
    bench: Bench,
    workers: int,
    seconds: float,
    each: float,
    *,
    is_empty: bool = False,
) -> Iterator[Trial | Skipped]:
    """What comes of each call, as it comes; after the time is over the rest is left for next time.

    Where nothing was measured yet, one call is, however long it takes.
    """
    end, left = time.monotonic() + seconds, dict.fromkeys(calls)
    team = Team(cut, bench, each, is_empty)
    for call in calls:
        team.todo.put(call)
    team.begin(min(workers, len(calls)))
    try:
        while left and (team.is_empty or time.monotonic() < end):
            rest = None if team.is_empty else max(end - time.monotonic(), 0.0)
            try:
                result = team.done.get(timeout=rest)
            except Empty:
                break
            team.is_empty = team.is_empty and not isinstance(result, Trial)
            left.pop(result.call)
            yield result
    finally:
        team.end()
    yield from (Skipped(call, NO_TIME, is_final=False) for call in left)


def serve() -> None:
    """The other side: try what is asked for until nobody asks any more.

    A thread listens while a trial runs: whoever asked may be killed and could not end this process.
    """
    os.environ["ANONAGRAM_THREADS"] = "1"
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    cut, bench = pickle.load(sys.stdin.buffer)  # noqa: S301
    asked: SimpleQueue[tuple[str, float]] = SimpleQueue()
    limit = Limit()
    for work in (lambda: _listen(asked), limit.watch):
        Thread(target=work, daemon=True).start()
    while True:
        call, limit.seconds = asked.get()
        with limit:
            result = attempt(call, cut, bench)
        _send(answers, result)


def _listen(asked: SimpleQueue[tuple[str, float]]) -> None:
    """Take calls as they come; when nobody is there any more, end everything at once."""
    while True:
        try:
            asked.put(pickle.load(sys.stdin.buffer))  # noqa: S301
        except (EOFError, OSError):
            os._exit(0)


@dataclass
class Limit:
    """Ends this process where one trial takes more of a processor than it may."""

    seconds: float = math.inf
    end: float = math.inf

    def __enter__(self) -> None:
        self.end = time.process_time() + self.seconds

    def __exit__(self, *_: object) -> None:
        self.end = math.inf

    def watch(self) -> None:
        """Look again and again."""
        while time.process_time() <= self.end:
            time.sleep(PAUSE)
        os._exit(1)


def _send(stream: Any, content: Any) -> None:
    pickle.dump(content, stream)
    stream.flush()
