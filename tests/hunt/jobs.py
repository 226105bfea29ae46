"""A hunt in one process or in several."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from multiprocessing import get_context
from queue import Empty
from typing import Any

from tests.hunt.case import random_case
from tests.hunt.hunter import Hunter
from tests.hunt.report import Tally

APART = 10**7
"""Seeds of cases: those of one hunt follow each other, and hunts do not meet."""
TOLD_EVERY = 2.0


def make_hunter(engine: str, url: str | None, job: int) -> Hunter:
    """A hunter with the engines that were asked for; each job has a schema of its own."""
    return Hunter(duckdb=engine != "postgres", postgres=f"{url}?schema=hunt_{job}" if url else None)


def tallies(given: argparse.Namespace, url: str | None, job: int) -> Iterator[Tally]:
    """What one job finds, every few seconds, until the time is over."""
    until, number = time.monotonic() + 60 * given.minutes, job
    hunter, tally, told = make_hunter(given.engine, url, job), Tally(), time.monotonic()
    while time.monotonic() < until:
        case, start = random_case(given.seed * APART + number), time.monotonic()
        tally.add(case, hunter.run(case), time.monotonic() - start)
        number += given.jobs
        if time.monotonic() - told > TOLD_EVERY:
            yield tally
            tally, told = Tally(), time.monotonic()
    yield tally


def work(given: argparse.Namespace, url: str | None, job: int, results: Any) -> None:
    """A job in a process of its own."""
    for tally in tallies(given, url, job):
        results.put(tally)
    results.put(None)


def next_of(results: Any, workers: list[Any]) -> Tally | None:
    """What a worker has to say; that one died is said too."""
    while True:
        try:
            found: Tally | None = results.get(timeout=TOLD_EVERY)
            return found
        except Empty:
            if any(worker.exitcode for worker in workers):
                raise SystemExit("A job of the hunt died.") from None


def from_all(given: argparse.Namespace, url: str | None) -> Iterator[Tally]:
    """What all jobs find, as it comes."""
    if given.jobs == 1:
        yield from tallies(given, url, 0)
        return
    context = get_context("spawn")
    results = context.Queue()
    workers = [
        context.Process(target=work, args=(given, url, job, results), daemon=True)
        for job in range(given.jobs)
    ]
    for worker in workers:
        worker.start()
    try:
        done = 0
        while done < len(workers):
            tally = next_of(results, workers)
            done += tally is None
            if tally is not None:
                yield tally
    finally:
        for worker in workers:
            worker.terminate()
