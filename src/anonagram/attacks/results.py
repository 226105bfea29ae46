"""The results of several attacks on one target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from anonagram.attacks.attack import Attack, AttackResult, F, Target, Verdict
from anonagram.errors import CallError, InternalError


@dataclass(frozen=True)
class AttackResults:
    """What several intruders find, in the order in which they tried."""

    each: tuple[AttackResult[Any], ...]

    @classmethod
    def of(cls, attacks: Iterable[Attack[Any]], target: Target) -> AttackResults:
        """Let those try who can."""
        return cls(tuple(attack.run(target) for attack in attacks if not attack.unfit(target)))

    @classmethod
    def of_everybody(cls, target: Target) -> AttackResults:
        """Let every attack try that can, with what it does unless told otherwise."""
        known: dict[str, type[Attack[Any]]] = Attack.known()
        return cls.of([Attack.parse(member.example) for member in known.values()], target)

    def __iter__(self) -> Iterator[AttackResult[Any]]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def by(self, kind: type[Attack[F]]) -> AttackResult[F] | None:
        """What one kind of intruder found; None where he did not try."""
        return next((each for each in self.each if isinstance(each.attack, kind)), None)

    @property
    def worst(self) -> AttackResult[Any]:
        """The first of those with the worst verdict."""
        if not self.each:
            raise CallError("Nobody could try.", "give more of what an intruder may have.")
        order = list(Verdict)
        return max(self.each, key=lambda each: order.index(each.verdict))

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all."""
        return self.worst.verdict


def tried_by(results: AttackResults, kind: type[Attack[F]]) -> AttackResult[F]:
    """What an intruder found who always tries."""
    found = results.by(kind)
    if found is None:
        raise InternalError(f"{kind.call} was not tried.")
    return found
