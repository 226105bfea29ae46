"""Hunts for answers that are wrong: python -m tests.hunt --minutes 60 --seed 1"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from tests.hunt.case import random_case
from tests.hunt.hunter import Hunter
from tests.hunt.jobs import from_all, make_hunter
from tests.hunt.report import Sighting, Tally, snippet
from tests.hunt.shrink import shrink
from tests.postgres_server import find_programs, running_server

TOLD_EVERY = 60.0
"""Seconds between two lines in a file; a terminal has a line that changes."""


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser("python -m tests.hunt", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("duckdb", "postgres", "both"), default="duckdb")
    parser.add_argument("--cells", type=int, default=0, help="stop after so many cells")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--case", type=int, help="the seed of one case, to be tried again")
    parser.add_argument(
        "--shrink", type=float, default=20.0, help="seconds to make each kind of miss small"
    )
    return parser.parse_args()


def progress(total: Tally, seconds: float) -> str:
    """One line about how the hunt goes."""
    missed, speed = sum(total.missed.values()), total.total / seconds
    return f"{seconds / 60:6.1f} min {total.total:12,} cells {speed:6.0f}/s {missed:6,} misses"


def hunt(given: argparse.Namespace, url: str | None) -> Tally:
    """Hunt as long as was asked for, tell how it goes, and keep what was found when stopped."""
    total, start, told = Tally(), time.monotonic(), 0.0
    with suppress(KeyboardInterrupt):
        for tally in from_all(given, url):
            tell_new(total, tally)
            total.merge(tally)
            seconds = time.monotonic() - start
            if sys.stdout.isatty() or seconds - told > TOLD_EVERY:
                told, ends = seconds, ("\r", "") if sys.stdout.isatty() else ("", "\n")
                print(f"{ends[0]}{progress(total, seconds)}", end=ends[1], flush=True)
            if given.cells and total.total >= given.cells:
                break
    print()
    return total


def tell_new(total: Tally, tally: Tally) -> None:
    """The first miss of each kind at once: an hour is long."""
    for sign in tally.misses.keys() - total.misses.keys():
        seen = tally.misses[sign][0]
        print(f"\n--case {seen.seed}: {' | '.join(sign)}: {seen.detail[:300]!r}", flush=True)


def show(sighting: Sighting, hunter: Hunter, seconds: float) -> None:
    """A miss again from its seed, as small as it gets."""
    for miss in hunter.run(random_case(sighting.seed)).misses:
        if miss.sign == sighting.sign:
            print(
                f"\n--case {sighting.seed}: {' | '.join(miss.sign)}\n{snippet(shrink(miss, hunter, seconds))}"
            )
            return
    print(f"\n--case {sighting.seed} did not miss again: {sighting}")


@contextmanager
def server_for(engine: str) -> Iterator[str | None]:
    """The address of a PostgreSQL server, where one is asked for."""
    programs = find_programs() if engine != "duckdb" else None
    if engine != "duckdb" and programs is None:
        sys.exit("No PostgreSQL server is installed; hunt with --engine duckdb.")
    with running_server(programs) if programs else nullcontext() as url:
        yield url


def main() -> int:
    """0 without a miss, 1 with one."""
    given = options()
    for stop in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # a shell lets what runs behind it ignore the first
        signal.signal(stop, signal.default_int_handler)
    with server_for(given.engine) as url:
        if given.case is not None:
            case, hunter, total = (
                random_case(given.case),
                make_hunter(given.engine, url, 0),
                Tally(),
            )
            total.add(case, hunter.run(case))
        else:
            total = hunt(given, url)
        print(total.summary(), flush=True)
        hunter = make_hunter(given.engine, url, given.jobs)
        for seen in total.misses.values():
            show(seen[0], hunter, given.shrink)
    return 1 if total.missed else 0


if __name__ == "__main__":
    sys.exit(main())
