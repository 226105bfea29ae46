"""Estimates from worlds: the question is put to tables drawn as a model of the release says.

Every world is consistent with the release, so its answer lies between the bounds, and so does the mean.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from anonagram.engines import Engine
from anonagram.errors import CallError
from anonagram.learning import ByDesign, can_learn, draw_worlds
from anonagram.queries.answers import Answer, Answers, Likely
from anonagram.queries.ask import Asked
from anonagram.queries.databases import database_with
from anonagram.queries.reading.question import Question
from anonagram.queries.rearranged.counting import hits_of_two
from anonagram.release import Release
from anonagram.runtime.progress import step
from anonagram.shown.wording import option

WORLDS = 20
COUNTED = ("COUNT", "SUM")
"""Of nobody they are 0; other aggregates of nobody are none."""


@dataclass(frozen=True)
class World:
    """A world that can be asked as a release can, and leaves no doubt."""

    release: Release
    engine: Engine

    def ask(self, sql: str) -> Answers:
        """What is true in it."""
        asked = Asked.of(self.release, sql)
        if not isinstance(asked, Asked):
            raise CallError("Learned worlds have groups.", "a release of anatomy or ke.")
        return asked.run(self.engine)


def learned_worlds(release: Release) -> list[World]:
    """Worlds as a model says that is fitted to the release."""
    groups = release.grouped
    if groups is None or not can_learn(groups):
        raise CallError(
            f"This {release.shape} release publishes neither exact rows nor columns beside one sensitive "
            "column to learn from.",
            f"ask without {option('--learn', 'learned=True')}.",
        )
    step("Learning")
    worlds = [groups.of_world(world) for world in draw_worlds(release, WORLDS, learned=True)]
    return [World(each, database_with(each)) for each in worlds]


def ask_learned(release: Release, sql: str, engine: Engine, worlds: Iterable[World]) -> Answers:
    """The bounds of a question, and estimates from worlds."""
    asked = Asked.of(release, sql)
    if not isinstance(asked, Asked):
        raise CallError("Values that were replaced are undone, not learned.", "ask without it.")
    question = asked.statement.question
    _refuse_choice(question)
    answers = asked.run(engine)
    step("Answering")
    found = [_by_key(world.ask(sql)) for world in worlds]
    functions = {each.name: each.function for each in question.aggregates}
    intervals = _intervals(asked, engine)
    rows = []
    for row in answers:
        there = [each.get(_key(row, answers)) for each in found]
        learned = {
            name: _learned(
                row[name],
                [None if each is None else each[name] for each in there],
                functions.get(name),
            )
            for name in answers.aggregates
        }
        rows.append(row | learned | _likely(learned, intervals.get(_key(row, answers)), functions))
    return replace(answers, rows=tuple(rows), learned=True)


def _intervals(asked: Asked, engine: Engine) -> dict[tuple[Any, ...], tuple[float, float]]:
    """For keys of a count that is about people and values: between what it lies 95 % of the time."""
    groups, question = asked.release.grouped, asked.statement.question
    hits = hits_of_two(asked.statement, engine, asked.release.sorted_groups)
    design = None if groups is None or hits is None else ByDesign.of(groups)
    if design is None or hits is None or not {k.name for k in question.keys} <= set(question.shown):
        return {}
    names = [key.name for key in question.keys]
    order = [names.index(name) for name in question.shown if name in names]
    found = {}
    for key, of_people, of_values in hits:
        interval = design.interval(of_people, of_values)
        if interval is not None:
            found[tuple(key[place] for place in order)] = interval
    return found


def _likely(
    learned: Mapping[str, Answer],
    interval: tuple[float, float] | None,
    functions: Mapping[str, str],
) -> dict[str, Answer]:
    """The counts among the answers of a row, with their interval."""
    if interval is None:
        return {}
    return {
        name: Likely.of(answer, interval)
        for name, answer in learned.items()
        if functions.get(name) == "COUNT" and not answer.exact and answer.lower is not None
    }


def _refuse_choice(question: Question) -> None:
    """Worlds would choose other rows than the bounds are about."""
    for word, part in (("HAVING", question.having), ("LIMIT", question.limit)):
        if part is not None:
            question.refuse(
                word,
                f"{word} chooses rows by estimates, and every world would choose others.",
                "ask for all rows, and choose among the answers.",
            )


def _key(row: Mapping[str, Any], answers: Answers) -> tuple[Any, ...]:
    return tuple(row[name] for name in answers.keys)


def _by_key(answers: Answers) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {_key(row, answers): row for row in answers}


def _learned(answer: Answer, there: list[Answer | None], function: str | None) -> Answer:
    """The mean over worlds, where it is a number in most of them."""
    if answer.exact or answer.lower is None:
        return answer
    none = 0 if function in COUNTED else None
    told = [none if each is None else each.estimate for each in there]
    numbers = [float(v) for v in told if isinstance(v, int | float | Decimal)]
    if len(numbers) * 2 <= len(told) or not isinstance(answer.lower, int | float | Decimal):
        return answer
    estimate = min(max(statistics.fmean(numbers), float(answer.lower)), float(answer.upper))
    return replace(answer, estimate=estimate, deviation=statistics.stdev(numbers))
