"""One method, measured by the yardsticks of all."""

from __future__ import annotations

import time

import polars as pl

from anonagram.attacks import Target
from anonagram.attacks.aligned import Aligned
from anonagram.attacks.aligned.published import aligned_with
from anonagram.columns.places import is_measured
from anonagram.comparison.bench import Cut
from anonagram.comparison.risk import strongest
from anonagram.comparison.trained import trained_on
from anonagram.comparison.trial import Bench, Skipped, Trial
from anonagram.errors import AnonagramError
from anonagram.key import PUBLIC
from anonagram.measures import Ncp, Workload, WorkloadResult, run_workload
from anonagram.measures.workload import compared, true_answers
from anonagram.methods import Method, Publication
from anonagram.microdata import Microdata
from anonagram.release import Release
from anonagram.runtime.progress import step


def attempt(call: str, cut: Cut, bench: Bench) -> Trial | Skipped:
    """Make the release of a call and measure it, or say why it cannot be made."""
    began = time.process_time()
    step(f"Trying {call}")
    try:
        method = Method.parse(call)
        publication = method.publish(cut.released, PUBLIC)
    except AnonagramError as error:
        return Skipped(call, error.what)
    release = publication.release
    pair = _linked_by_what_is_known(cut.released, publication)
    risk = strongest(Target(release, cut.released, pair), bench)
    counted = _asked(release, cut, cut.counts)
    summed = None if cut.sums is None else _asked(release, cut, cut.sums)
    learned = trained_on(release, cut.held_out, bench.sensitive) if bench.sensitive else None
    return Trial(
        call=call,
        brief=method.brief,
        promises=tuple(claim.model for claim in release.manifest.claims),
        attack=risk.everybody.attack,
        success=risk.everybody.right,
        surest_attack=risk.surest.attack,
        surest=risk.surest.right,
        surest_people=risk.surest.people,
        finder=risk.finder,
        found=risk.found,
        found_by_chance=risk.by_chance,
        error=_median(counted, "error"),
        width=_median(counted, "width"),
        sum_error=_median(summed, "error"),
        ncp=None if release.grouped is None else Ncp.of(release.grouped).per_cell,
        learned=learned,
        seconds=time.process_time() - began,
        guessed=risk.everybody.column,
        surest_guessed=risk.surest.column,
    )


def _linked_by_what_is_known(released: Microdata, publication: Publication) -> Aligned | None:
    """Masked rows beside quasi-identifiers: whoever knew the secret would not look for it."""
    known = [column.name for column in released.with_role("quasi")]
    if not known or not publication.release.masked:
        return None
    return aligned_with(released, publication, known)


def _asked(release: Release, cut: Cut, workload: Workload) -> WorkloadResult | None:
    """What answers are worth; None where the shape cannot be asked so."""
    try:
        if release.masked and release.people is not None:
            return _asked_as_it_stands(release.people, cut, workload)
        return run_workload(release, cut.released, workload)
    except AnonagramError:
        return None


def _asked_as_it_stands(rows: pl.DataFrame, cut: Cut, workload: Workload) -> WorkloadResult:
    """A masked table is read as if it were the original; such answers have no bounds."""
    estimates = [_answer(rows, workload, number) for number in range(len(workload))]
    answers = pl.DataFrame(
        {
            "truth": true_answers(cut.released, workload),
            "estimate": pl.Series(estimates, dtype=pl.Float64),
            "lower": pl.Series([None] * len(workload), dtype=pl.Float64),
            "upper": pl.Series([None] * len(workload), dtype=pl.Float64),
        }
    )
    return compared("masked", workload.aggregate, answers)


def _answer(rows: pl.DataFrame, workload: Workload, number: int) -> float:
    conditions = []
    for column, first, stop in workload.ask(number):
        if is_measured(column.kind):
            low, high = column.domain[first], column.domain[stop - 1]
            conditions.append(pl.col(column.name).is_between(low, high))
        else:
            conditions.append(pl.col(column.name).is_in(column.domain[first:stop].implode()))
    met = pl.all_horizontal(conditions)
    if workload.target is None:
        return float(rows.select(met.sum()).item() or 0)
    return float(rows.filter(met)[workload.target.name].sum() or 0)


def _median(result: WorkloadResult | None, what: str) -> float | None:
    spread = None if result is None else getattr(result, what)
    return None if spread is None else float(spread.median)
