"""Trials in processes of their own: as many at once as there are processors, each ended in time."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread, Timer
from typing import Any

from anonagram.comparison.bench import Cut
from anonagram.comparison.trial import Bench, Skipped, Trial
from anonagram.comparison.yardsticks import attempt

LATE = "It took longer than {:.0f} seconds, or its process ended."
NO_TIME = "There was no time left; the same command goes on where this one ended."
PAUSE = 0.1
SERVE = "from anonagram.comparison.workers import serve; serve()"


@dataclass
class Team:
    """Processes, each with a thread that waits for it."""

    cut: Cut
    bench: Bench
    each: float
    """Seconds for one trial."""
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
        late = Timer(self.each, process.kill)
        try:
            pickle.load(process.stdout)  # noqa: S301 - it is ready: only the trial is timed
            late.start()
            _send(process.stdin, call)
            found: Trial | Skipped = pickle.load(process.stdout)  # noqa: S301
            return found
        except (EOFError, OSError, pickle.UnpicklingError):
            process.wait()
            why = NO_TIME if self.is_over else LATE.format(self.each)
            return Skipped(call, why, is_final=False)
        finally:
            late.cancel()

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
    calls: list[str], cut: Cut, bench: Bench, workers: int, seconds: float, each: float
) -> Iterator[Trial | Skipped]:
    """What comes of each call, as it comes; after the time is over the rest is left for next time."""
    team, end, left = Team(cut, bench, each), time.monotonic() + seconds, dict.fromkeys(calls)
    for call in calls:
        team.todo.put(call)
    team.begin(min(workers, len(calls)))
    try:
        while left and (rest := end - time.monotonic()) > 0:
            try:
                result = team.done.get(timeout=rest)
            except Empty:
                break
            left.pop(result.call)
            yield result
    finally:
        team.end()
    yield from (Skipped(call, NO_TIME, is_final=False) for call in left)


def serve() -> None:
    """The other side: try what is asked for until nobody asks any more."""
    os.environ["ANONAGRAM_THREADS"] = "1"
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    cut, bench = pickle.load(sys.stdin.buffer)  # noqa: S301
    while True:
        _send(answers, None)  # ready for the next
        try:
            call = pickle.load(sys.stdin.buffer)  # noqa: S301
        except EOFError:
            return
        _send(answers, attempt(call, cut, bench))


def _send(stream: Any, content: Any) -> None:
    pickle.dump(content, stream)
    stream.flush()
