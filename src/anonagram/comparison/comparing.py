"""Trying many methods on one table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from anonagram.comparison.bench import Cut
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


def usual_seconds(rows: int) -> int:
    """How long a comparison of a table may take, unless told otherwise.

    >>> usual_seconds(3_000), usual_seconds(30_162), usual_seconds(10**7)
    (60, 301, 900)
    """
    return max(LEAST_SECONDS, min(MOST_SECONDS, rows // ROWS_A_SECOND))


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
    method is measured whatever the time.

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
    began, cut = time.monotonic(), Cut.of(microdata)
    if purpose == "averages" and cut.sums is None:
        raise CallError(
            f"{microdata.label} has no sensitive column of numbers without missing values, of which "
            "averages could be compared.",
            "another purpose: counting, learning or open_data.",
        )
    calls = calls_for(cut.released) if methods is None else [repr(Method.parse(m)) for m in methods]
    store, table = Kept(None if kept is None else Path(kept)), cut.released.digest.hex()
    bench, known = store.read(table)
    if bench is None:
        bench = cut.measured()
        store.add(table, bench=bench)
    known = {call: each for call, each in known.items() if _is_done(each)}
    todo = [call for call in calls if call not in known]
    limit = usual_seconds(microdata.rows) if seconds is None else seconds
    number = thread_count() if workers is None else workers
    rest = limit - (time.monotonic() - began)
    is_empty = not any(isinstance(each, Trial) for each in known.values())
    results = (
        try_all(todo, cut, bench, number, rest, limit / SHARE_OF_ONE, is_empty=is_empty)
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
