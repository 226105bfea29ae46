"""Runs cases: asks the release, asks the truth, and keeps what went wrong."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from anonagram import Answers, Release
from anonagram.engines import Engine
from anonagram.errors import AnonagramError, InternalError
from anonagram.queries import load
from tests.hunt.case import Case
from tests.hunt.judge import Read, Wrong, judge, read_answers
from tests.hunt.question import Question
from tests.hunt.same import differences
from tests.hunt.truth import Found, NoTruth, Oracle, as_asked, changed_values
from tests.hunt.worlds import Worlds, worlds_of
from tests.hunt.worlds_judge import Tightness, judge_worlds

LARGEST = 60
"""Rows of tables that PostgreSQL is asked about: it joins keys that may be missing one by one."""


@dataclass(frozen=True)
class Miss:
    """Something that must not be, with the case it comes from."""

    case: Case
    engine: str
    what: str
    detail: str

    @property
    def sign(self) -> tuple[str, str, str]:
        """What misses of one kind have in common."""
        return self.what, self.case.shape, self.engine

    @property
    def seed(self) -> int:
        """The seed of its case."""
        return self.case.seed


@dataclass
class Outcome:
    """What a case gave."""

    cells: Counter[str] = field(default_factory=Counter)
    """By engine."""
    world_cells: int = 0
    asked: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By engine, sort of question, and whether it was answered, refused or has no truth."""
    refused: Counter[str] = field(default_factory=Counter)
    """By reason."""
    tightness: Tightness = field(default_factory=Tightness)
    misses: list[Miss] = field(default_factory=list)
    released: bool = False


MOST_GROUPS = 1_000
"""Answers with more are compared with the truth, but not asked for again in PostgreSQL."""
CASE_SECONDS = 30.0
"""Of the processor for the questions of a case: answers with 80,000 possible groups say little more."""


class Hunter:
    """Has a database for the truth, and the engines that are tried."""

    def __init__(self, *, duckdb: bool = True, postgres: str | None = None) -> None:
        self.duckdb, self.postgres = duckdb, postgres
        self.oracle = Oracle()

    def run(self, case: Case) -> Outcome:
        """Try one case."""
        outcome = Outcome()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            release = self._made(case, outcome)
            if release is not None:
                outcome.released = True
                wrong = [
                    Wrong("values changed", name) for name in changed_values(case.table, release)
                ]
                self._note(case, "none", wrong, outcome)
                self._ask(case, release, outcome)
        return outcome

    def _made(self, case: Case, outcome: Outcome) -> Release | None:
        with _watched(case, "none", outcome, "release"):
            return case.release()
        return None

    def _ask(self, case: Case, release: Release, outcome: Outcome) -> None:
        original = case.table.asked()
        has_truth = True
        try:
            self.oracle.hold("data", as_asked(case.table, original))
        except NoTruth:
            has_truth = False
        worlds = worlds_of(release, case.table, original, Random(case.seed)) if has_truth else None
        if worlds is not None:
            self._hold_worlds(case, worlds)
        engines = self._engines(case, release, outcome)
        until = time.process_time() + CASE_SECONDS
        for question in case.questions:
            if time.process_time() > until:
                break
            only = replace(case, questions=(question,))
            truth = self._truth(question) if has_truth else None
            self._ask_one(only, release, engines, truth, worlds, outcome)

    def _hold_worlds(self, case: Case, worlds: Worlds) -> None:
        asked = as_asked(case.table, worlds.frame)
        self.oracle.hold("worlds", asked.with_columns(worlds.frame.select("__world").to_series()))

    def _engines(self, case: Case, release: Release, outcome: Outcome) -> dict[str, Engine | None]:
        is_large = case.table.rows > LARGEST
        engines: dict[str, Engine | None] = {"duckdb": None} if self.duckdb or is_large else {}
        if self.postgres is not None and not is_large:
            with _watched(case, "postgres", outcome, "load"):
                engines["postgres"] = load(release, self.postgres, force=True)
        return engines

    def _truth(self, question: Question) -> Found | None:
        try:
            return self.oracle.answer(question)
        except NoTruth:
            return None

    def _ask_one(
        self, case: Case, release: Release, engines: dict[str, Engine | None], truth: Found | None,
        worlds: Worlds | None, outcome: Outcome,
    ) -> None:  # fmt: skip
        (question,) = case.questions
        reads: dict[str, Read] = {}
        for name, engine in engines.items():
            if any(len(read.rows) > MOST_GROUPS for read in reads.values()):
                break
            answers = _answers(case, release, name, engine, outcome)
            told = "no truth" if truth is None else "refused" if answers is None else "answered"
            outcome.asked[name, _sort(case), told] += 1
            if answers is not None and truth is not None:
                # rows that were left out may be in groups that nobody knows of
                tells_all = question.tells_all and not release.manifest.rows.suppressed
                reads[name] = read_answers(question, answers, tells_all=tells_all)
                cells, wrong = judge(question, reads[name], truth)
                outcome.cells[name] += cells
                self._note(case, name, wrong, outcome)
        for name, read in list(reads.items())[:1] if worlds is not None else ():
            self._try_worlds(case, name, read, worlds, outcome)
        if len(reads) == 2:
            self._note(case, "both", differences(question, *reads.values()), outcome)

    def _try_worlds(
        self, case: Case, engine: str, read: Read, worlds: Worlds | None, outcome: Outcome
    ) -> None:
        (question,) = case.questions
        if worlds is None:
            return
        try:
            found = self.oracle.answer_worlds(question)
        except NoTruth:
            return
        cells, wrong = judge_worlds(question, read, found, worlds, outcome.tightness)
        outcome.world_cells += cells
        self._note(case, engine, wrong, outcome)

    def _note(self, case: Case, engine: str, wrong: list[Wrong], outcome: Outcome) -> None:
        outcome.misses += [Miss(case, engine, one.what, one.detail) for one in wrong[:3]]


def _sort(case: Case) -> str:
    """The sort of a case's question; what is sensible of a table such as people have counts apart."""
    (question,) = case.questions
    is_odd = question.sort != "wild" and not case.table.everyday
    return f"{question.sort}, odd table" if is_odd else question.sort


def _answers(
    case: Case, release: Release, name: str, engine: Engine | None, outcome: Outcome
) -> Answers | None:
    with _watched(case, name, outcome, f"{case.shape} {name} {_sort(case)}"):
        return release.query(case.questions[0].sql(), engine)
    return None


@contextmanager
def _watched(case: Case, engine: str, outcome: Outcome, stage: str) -> Iterator[None]:
    """Counts refusals, and keeps every error that is not one as a miss."""
    try:
        yield
    except InternalError as error:
        outcome.misses.append(Miss(case, engine, f"internal error: {_reason(error)}", str(error)))
    except AnonagramError as error:
        names = [column.name for column in case.table.columns]
        outcome.refused[f"{stage}: {_reason(error, names)}"] += 1
    except Exception as error:
        what = f"{type(error).__name__} in {_origin(error)}"
        outcome.misses.append(Miss(case, engine, what, f"{error}"[:300]))


def _reason(error: AnonagramError, names: Sequence[str] = ()) -> str:
    """The message without what is special about this case."""
    line = error.what.split("\n", 1)[0]
    for name in sorted(names, key=len, reverse=True):
        line = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", line)
    line = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9][0-9.,e+-]*", "…", line)
    return f"{type(error).__name__}: {line[:70]}"


def _origin(error: Exception) -> str:
    """The innermost line of the project on the way to an error."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "anonagram" in f.filename]
    if not frames:
        return "the hunt itself"
    return f"{Path(frames[-1].filename).name}:{frames[-1].name}"
