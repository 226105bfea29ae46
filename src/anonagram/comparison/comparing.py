"""Trying many methods on one table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from anonagram.comparison.bench import MOST_PEOPLE, Cut
from anonagram.comparison.comparison import Comparison
from anonagram.comparison.grid import calls_for
from anonagram.comparison.kept import Kept
from anonagram.comparison.trial import PURPOSES, Purpose, Skipped, Trial
from anonagram.comparison.workers import try_all
from anonagram.comparison.yardsticks import attempt
from anonagram.errors import CallError, suggest
from anonagram.methods import Method
from anonagram.microdata import Microdata
from anonagram.runtime.progress import step
from anonagram.runtime.threads import thread_count

LEAST_SECONDS, MOST_SECONDS = 60, 900
ROWS_A_SECOND = 100
SHARE_OF_ONE = 4
"""No method takes more than this part of the time."""
USUAL_SHARE = 12
"""About so many trials are to end one after the other: people are drawn where they would not."""
A_PERSON = 6e-4
"""Seconds of a processor that a trial takes for one of many people, as measured."""
FEWEST_DRAWN = 2_000


def usual_seconds(rows: int) -> int:
    """How long a comparison of a table may take, unless told otherwise.

    >>> usual_seconds(3_000), usual_seconds(30_162), usual_seconds(10**7)
    (60, 301, 900)
    """
    return max(LEAST_SECONDS, min(MOST_SECONDS, rows // ROWS_A_SECOND))


def people_within(seconds: float, calls: int) -> int:
    """Of how many people that many calls can be tried in so much time.

    >>> people_within(60, 33), people_within(60, 2), people_within(715, 33)
    (8333, 50000, 99305)
    """
    share = seconds / min(USUAL_SHARE, max(calls, 1))
    return min(MOST_PEOPLE, max(FEWEST_DRAWN, int(share / A_PERSON)))


def compare(
    microdata: Microdata,
    methods: Sequence[str] | None = None,
    purpose: Purpose = "counting",
    *,
    seconds: float | None = None,
    workers: int | None = None,
    kept: str | Path | None = None,
) -> Comparison:
    """Try methods on a table, and measure what each risks and what is left to analyse.

    Every release is made of the same four fifths of the people. Results go into the file `kept` as
    they come, and are taken from there if the same table is compared again. Without `workers`
    as many processes work as there are processors; with 0 this one does, which heeds no time. One
    method is measured whatever the time. Of a table for which the time is short, people are drawn.

    >>> table = {"age": [20 + i * 7 % 40 for i in range(200)], "ill": [f"d{i % 5}" for i in range(200)]}
    >>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    >>> found = compare(data, ["anatomy(l=2)", "anatomy(l=3)", "anatomy(l=6)"], workers=0)
    >>> print(*(trial.call for trial in found.trials))
    anatomy(l=2, partition="neighbours") anatomy(l=3, partition="neighbours")
    >>> found.skipped[0].why
    "ill = 'd2' is in 34 of 160 rows (21.2%), more than 1/6, so no partition can hide it with l = 6."
    """
    if purpose not in PURPOSES:
        raise CallError(f"There is no purpose {purpose!r}.", suggest(str(purpose), PURPOSES))
    began = time.monotonic()
    calls = calls_for(microdata) if methods is None else [repr(Method.parse(m)) for m in methods]
    limit = usual_seconds(microdata.rows) if seconds is None else seconds
    cut = Cut.of(microdata, people_within(limit, len(calls)))
    if purpose == "averages" and cut.sums is None:
        raise CallError(
            f"{microdata.label} has no sensitive column of numbers without missing values, of which "
            "averages could be compared.",
            "another purpose: counting, learning or open_data.",
        )
    store, table = Kept(None if kept is None else Path(kept)), cut.released.digest.hex()
    bench, known = store.read(table)
    if bench is None:
        bench = cut.measured()
        store.add(table, bench=bench)
    known = {call: each for call, each in known.items() if _is_done(each)}
    todo = [call for call in calls if call not in known]
    number = thread_count() if workers is None else workers
    rest = limit - (time.monotonic() - began)
    is_empty = not any(isinstance(each, Trial) for each in known.values())
    results = (
        try_all(
            todo, cut, bench, number, rest, limit / min(SHARE_OF_ONE, len(calls)), is_empty=is_empty
        )
        if number
        else (attempt(call, cut, bench) for call in todo)
    )
    for done, result in enumerate(results, len(calls) - len(todo) + 1):
        step(f"Compared {done} of {len(calls)}: {result.call}")
        known[result.call] = result
        if _is_done(result):
            store.add(table, **_named(result))
    return Comparison.of(microdata.label, purpose, bench, [known[call] for call in calls])


def _is_done(result: Trial | Skipped) -> bool:
    return isinstance(result, Trial) or result.is_final


def _named(result: Trial | Skipped) -> dict[str, Trial | Skipped]:
    return {"trial" if isinstance(result, Trial) else "skipped": result}
