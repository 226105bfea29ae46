"""What the strongest intruder gets, on one scale for all shapes of publication.

Some find people and are then sure of their value; of all others they know what they knew. Some guess
everybody. Either way it is counted how many values they get right in the end, beside how many they
would without any release: of everybody, and of the 1 % of people they are surest of. The second is
not told by the first. Where few stand out, they are given away, and the average hardly moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonagram.attacks import Attack, AttackResult, AttackResults, OfColumn, Target
from anonagram.comparison.trial import Bench
from anonagram.learning import SUREST

PRESUPPOSING = ("background_knowledge", "minimality", "several_releases")
"""Those who know more of a person than her quasi-identifiers, try few people, or have other releases:
what they would get without the release is not what the others would."""
VALUE, KIND = "value", "kind"


@dataclass(frozen=True)
class Gain:
    """How many values of a column somebody gets right, beside what is known of that column."""

    attack: str
    column: str
    right: float
    known: float
    people: int = 0

    @property
    def size(self) -> float:
        """How many more than without the release."""
        return self.right - self.known


@dataclass(frozen=True)
class Risk:
    """The strongest who find out values, and the strongest who finds people."""

    everybody: Gain
    """Who gains most of everybody; nobody where it is nothing."""
    surest: Gain
    """Who gains most of the 1 % of people he is surest of."""
    finder: str
    found: float
    by_chance: float


def strongest(target: Target, bench: Bench) -> Risk:
    """Let everybody try who can be compared, and set each column beside what is known of itself."""
    known: dict[str, type[Attack[Any]]] = Attack.known()
    attacks: list[Attack[Any]] = [
        Attack.parse(_usual(each))
        for name, each in known.items()
        # whoever guesses the kind of a value is right more often than with the value, also without a release
        if name not in PRESUPPOSING and each.about != KIND
    ]
    results = AttackResults.of(attacks, target)
    finders = [each for each in results if _finds_people(each)]
    finder = max(finders, key=lambda each: each.score - each.baseline, default=None)
    return Risk(
        *most_gained([each for each in results if _is_of_values(each)], bench),
        "" if finder is None else finder.attack.call,
        0.0 if finder is None else finder.score,
        0.0 if finder is None else finder.baseline,
    )


def most_gained(results: Sequence[AttackResult[Any]], bench: Bench) -> tuple[Gain, Gain]:
    """The largest gain of everybody, and of the 1 % of people somebody is surest of."""
    first = bench.known[0]
    everybody = [Gain("", first.column, first.baseline, first.baseline)]
    surest = [Gain("", first.column, first.surest, first.surest)]
    for known in bench.known:
        for result in results:
            part = _part(result, known.column)
            if part is None:
                continue
            call, pins = result.attack.call, result.attack.pins
            right, sure = _success(part, known.baseline, pins), _sure(part, known.baseline, pins)
            few = max(1, round(SUREST * part.people))
            everybody.append(Gain(call, known.column, right, known.baseline))
            surest.append(Gain(call, known.column, max(sure, known.surest), known.surest, few))
    return max(everybody, key=_size), max(surest, key=_size)


def _size(gain: Gain) -> float:
    return gain.size


def _part(result: AttackResult[Any], column: str) -> OfColumn | None:
    """What is found of a column; whose row it is says as much of each, and some guess only others."""
    if not result.by_column:
        return OfColumn(column, result.score, result.baseline, result.surest, result.records.size)
    return next((each for each in result.by_column if each.column == column), None)


def _usual(attack: type[Attack[Any]]) -> str:
    """As it is unless told otherwise; who is looked for is then chosen by the size of the tables."""
    return f"{attack.call}()" if "pair" in attack.needs else attack.example


def _is_of_values(result: AttackResult[Any]) -> bool:
    return result.attack.about == VALUE


def _finds_people(result: AttackResult[Any]) -> bool:
    """Whether he looks for people; whoever links masked rows does, and the value stands beside."""
    return not _is_of_values(result) or "pair" in result.attack.needs


def _success(part: OfColumn, baseline: float, pins: bool) -> float:
    """How many values he gets right, if he guesses as before wherever he found nobody."""
    return _pinned(max(0.0, part.score - part.baseline), baseline) if pins else part.score


def _sure(part: OfColumn, baseline: float, pins: bool) -> float:
    """The same of the people he is surest of; 0 where he cannot tell who they are."""
    if part.surest is None:
        return 0.0
    return _pinned(part.surest, baseline) if pins else part.surest


def _pinned(found: float, baseline: float) -> float:
    return found + (1 - found) * baseline
