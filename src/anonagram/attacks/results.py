"""The results of several attacks on one target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from anonagram.attacks.attack import Attack, AttackResult, F, Target, Verdict
from anonagram.errors import CallError, InternalError
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown
from anonagram.shown.wording import option

KINDS = ("value", "kind", "presence", "order", "row")
"""What intruders find out, the worst first."""
NEEDED = {"original": "the original table", "pair": "to know which row became which"}
"""Parts that only the publisher can give."""


@dataclass(frozen=True)
class NotTried:
    """An intruder who could not try."""

    attack: Attack[Any]
    why: str
    lacks: str = ""
    """What is missing with which he could have tried, as `needs` calls it; empty where nothing would help."""


def together(not_tried: Iterable[NotTried]) -> list[str]:
    """Reasons in a line each, those together who have the same."""
    lines: dict[str, list[str]] = {}
    for each in not_tried:
        reason = each.why.removeprefix(f"{each.attack.call} ")
        lines.setdefault(reason, []).append(each.attack.call)
    return [f"{', '.join(calls)}: {reason}" for reason, calls in lines.items()]


@dataclass(frozen=True)
class AttackResults(Shown):
    """What several intruders find, in the order in which they tried."""

    shown_by = "attack_results"

    each: tuple[AttackResult[Any], ...]
    not_tried: tuple[NotTried, ...] = ()
    """Those who cannot try this target, and why."""

    @classmethod
    def of(cls, attacks: Iterable[Attack[Any]], target: Target) -> AttackResults:
        """Let those try who can."""
        tried, not_tried = [], []
        for attack in attacks:
            if why := attack.unfit(target):
                not_tried.append(NotTried(attack, why, _lacks(attack, why, target)))
            else:
                step(f"Attacking: {attack.call}")
                tried.append(attack.run(target))
        return cls(tuple(tried), tuple(not_tried))

    @classmethod
    def of_everybody(cls, target: Target, family: type[Attack[Any]] = Attack) -> AttackResults:
        """Let every attack of a family try that can, with what it does unless told otherwise."""
        known: dict[str, type[Attack[Any]]] = family.known()
        return cls.of([family.parse(member.example) for member in known.values()], target)

    def __iter__(self) -> Iterator[AttackResult[Any]]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram attack --json` prints: the worst first."""
        return {
            "verdict": str(self.verdict),
            "worst": self.worst.sentence,
            "headline": self.headline,
            "attacks": [each.to_dict() for each in self.worst_first],
            "not_tried": [
                {"attack": repr(each.attack), "why": each.why} for each in self.not_tried
            ],
        }

    def by(self, kind: type[Attack[F]]) -> AttackResult[F] | None:
        """What one kind of intruder found; None where he did not try."""
        return next((each for each in self.each if isinstance(each.attack, kind)), None)

    @property
    def worst(self) -> AttackResult[Any]:
        """That with the worst verdict; of several who find values first, and who gains most."""
        if not self.each:
            raise CallError("Nobody could try.", "give more of what an intruder may have.")
        return self.worst_first[0]

    @property
    def worst_first(self) -> list[AttackResult[Any]]:
        """All of them, in this order."""
        return sorted(self.each, key=_harm, reverse=True)

    @property
    def broken(self) -> list[AttackResult[Any]]:
        """Those who get more than they should, the worst first."""
        return [each for each in self.worst_first if each.verdict is Verdict.DOES_NOT_WITHSTAND]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all; nothing withstands whom nobody let try."""
        worst = self.worst.verdict
        return Verdict.CANNOT_TELL if worst is Verdict.WITHSTANDS and self.untried else worst

    @property
    def untried(self) -> list[NotTried]:
        """Those who would have tried, had the original been given, or which row became which."""
        return [each for each in self.not_tried if each.lacks]

    @property
    def headline(self) -> str:
        """The worst that is true of all: what somebody found, or who was not let try."""
        worst = self.worst
        found = f"{worst.attack.call}, who knows {worst.attack.knows}: {worst.sentence}"
        if worst.verdict is not Verdict.WITHSTANDS or not self.untried:
            return found
        missing = " ".join(filter(None, (_asked_for(self.untried, part) for part in NEEDED)))
        return (
            f"Whether it withstands cannot be told: {missing} "
            f"The worst of those who tried is {found}"
        )


def _lacks(attack: Attack[Any], why: str, target: Target) -> str:
    """The one thing with which he could have tried; empty where he would not fit with it either."""
    missing = [part for part in attack.needs if not target.has(part)]
    if len(missing) != 1 or missing[0] not in NEEDED or why != Attack.unfit(attack, target):
        return ""
    # a row becomes a row in masked tables alone
    is_masked = target.release is not None and bool(target.release.masked)
    return missing[0] if missing[0] != "pair" or is_masked else ""


def _asked_for(untried: list[NotTried], part: str) -> str:
    """Who did not try for want of a part, and how to give it; empty where nobody."""
    calls = ", ".join(each.attack.call for each in untried if each.lacks == part)
    give = {
        "original": option("--original DATA", "Target(release, original=…)"),
        "pair": option("anonagram audit ORIGINAL RELEASE --private FILE", "Target(pair=…)"),
    }[part]
    return f"{calls} did not try, as they need {NEEDED[part]}: {give}." if calls else ""


def _harm(result: AttackResult[Any]) -> tuple[int, int, float]:
    verdict, about = list(Verdict).index(result.verdict), KINDS.index(result.attack.about)
    return verdict, -about, result.score - result.baseline


def tried_by(results: AttackResults, kind: type[Attack[F]]) -> AttackResult[F]:
    """What an intruder found who always tries."""
    found = results.by(kind)
    if found is None:
        raise InternalError(f"{kind.call} was not tried.")
    return found
