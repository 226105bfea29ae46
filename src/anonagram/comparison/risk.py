"""What the strongest intruder gets, on one scale for all shapes of publication.

Some find people and are then sure of their value; of all others they know what they knew. Some guess
everybody. Either way it is counted how many values they get right in the end, beside how many they
would without any release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anonagram.attacks import Attack, AttackResult, AttackResults, Target

PRESUPPOSING = ("background_knowledge", "minimality", "several_releases")
"""Those who know more of a person than her quasi-identifiers, try few people, or have other releases:
what they would get without the release is not what the others would."""
VALUES = ("value", "kind")


@dataclass(frozen=True)
class Risk:
    """The strongest who finds out values, and the strongest who finds people."""

    attack: str
    success: float
    finder: str
    found: float
    by_chance: float


def strongest(target: Target, baseline: float) -> Risk:
    """Let everybody try who can be compared."""
    known: dict[str, type[Attack[Any]]] = Attack.known()
    attacks: list[Attack[Any]] = [
        Attack.parse(_usual(each)) for name, each in known.items() if name not in PRESUPPOSING
    ]
    results = AttackResults.of(attacks, target)
    values = {each.attack.call: _success(each, baseline) for each in results if _is_of_values(each)}
    values = {call: each for call, each in values.items() if each > baseline}
    attack = max(values, key=lambda call: values[call], default="")
    others = [each for each in results if not _is_of_values(each)]
    finder = max(others, key=lambda each: each.score - each.baseline, default=None)
    return Risk(
        attack,
        max([baseline, *values.values()]),
        "" if finder is None else finder.attack.call,
        0.0 if finder is None else finder.score,
        0.0 if finder is None else finder.baseline,
    )


def _usual(attack: type[Attack[Any]]) -> str:
    """As it is unless told otherwise; who is looked for is then chosen by the size of the tables."""
    return f"{attack.call}()" if "pair" in attack.needs else attack.example


def _is_of_values(result: AttackResult[Any]) -> bool:
    return result.attack.about in VALUES


def _success(result: AttackResult[Any], baseline: float) -> float:
    """How many values he gets right, if he guesses as before wherever he found nobody."""
    if not result.attack.pins:
        return result.score
    sure = max(0.0, result.score - result.baseline)
    return sure + (1 - sure) * baseline
