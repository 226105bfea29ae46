"""What the strongest intruder gets, on one scale for all shapes of publication.

Some find people and are then sure of their value; of all others they know what they knew. Some guess
everybody. Either way it is counted how many values they get right in the end, beside how many they
would without any release: of everybody, and of the 1 % of people they are surest of. The second is
not told by the first. Where few stand out, they are given away, and the average hardly moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anonagram.attacks import Attack, AttackResult, AttackResults, Target
from anonagram.comparison.trial import Bench
from anonagram.learning import SUREST

PRESUPPOSING = ("background_knowledge", "minimality", "several_releases")
"""Those who know more of a person than her quasi-identifiers, try few people, or have other releases:
what they would get without the release is not what the others would."""
VALUE, KIND = "value", "kind"


@dataclass(frozen=True)
class Risk:
    """The strongest who find out values, and the strongest who finds people."""

    attack: str
    success: float
    surest_attack: str
    surest: float
    surest_people: int
    finder: str
    found: float
    by_chance: float


def strongest(target: Target, bench: Bench) -> Risk:
    """Let everybody try who can be compared."""
    known: dict[str, type[Attack[Any]]] = Attack.known()
    attacks: list[Attack[Any]] = [
        Attack.parse(_usual(each))
        for name, each in known.items()
        # whoever guesses the kind of a value is right more often than with the value, also without a release
        if name not in PRESUPPOSING and each.about != KIND
    ]
    results = AttackResults.of(attacks, target)
    values = [each for each in results if _is_of_values(each)]
    attack, success = _most(values, bench.baseline, lambda each: _success(each, bench.baseline))
    surest, sure = _most(values, bench.surest, lambda each: _sure(each, bench.baseline))
    others = [each for each in results if not _is_of_values(each)]
    finder = max(others, key=lambda each: each.score - each.baseline, default=None)
    return Risk(
        "" if attack is None else attack.attack.call,
        success,
        "" if surest is None else surest.attack.call,
        sure,
        0 if surest is None else max(1, round(SUREST * surest.records.size)),
        "" if finder is None else finder.attack.call,
        0.0 if finder is None else finder.score,
        0.0 if finder is None else finder.baseline,
    )


def _most(
    results: list[AttackResult[Any]], known: float, score: Callable[[AttackResult[Any]], float]
) -> tuple[AttackResult[Any] | None, float]:
    """Who gets most, if it is more than what is known without a release."""
    best = max(results, key=score, default=None)
    most = known if best is None else score(best)
    return (best, most) if most > known else (None, known)


def _usual(attack: type[Attack[Any]]) -> str:
    """As it is unless told otherwise; who is looked for is then chosen by the size of the tables."""
    return f"{attack.call}()" if "pair" in attack.needs else attack.example


def _is_of_values(result: AttackResult[Any]) -> bool:
    return result.attack.about == VALUE


def _success(result: AttackResult[Any], baseline: float) -> float:
    """How many values he gets right, if he guesses as before wherever he found nobody."""
    if not result.attack.pins:
        return result.score
    return _pinned(max(0.0, result.score - result.baseline), baseline)


def _sure(result: AttackResult[Any], baseline: float) -> float:
    """The same of the people he is surest of; 0 where he cannot tell who they are."""
    if result.surest is None:
        return 0.0
    return _pinned(result.surest, baseline) if result.attack.pins else result.surest


def _pinned(found: float, baseline: float) -> float:
    return found + (1 - found) * baseline
