"""What a recipe says must hold, and what was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonagram.attacks import Attack, AttackResult, Target
from anonagram.errors import InputError
from anonagram.models import PrivacyModel
from anonagram.recipes.reading import EVERYBODY
from anonagram.runtime.progress import step

if TYPE_CHECKING:
    from anonagram.recipes.recipe import Limit, Recipe


@dataclass(frozen=True)
class Kept:
    """A limit of a recipe, and whether it was kept."""

    what: str
    """The check or the intruder, as a call."""
    allowed: str
    found: str
    holds: bool

    def __str__(self) -> str:
        mark = "✓" if self.holds else "✗"
        return f"{mark} {self.what}: {self.allowed}; found {self.found}"


def checks_kept(recipe: Recipe, target: Target) -> Iterator[Kept]:
    """Whether each model holds that the recipe names."""
    release, original = target.release, target.original
    assert release is not None and original is not None  # noqa: PT018, S101
    for call in recipe.checks:
        step(f"Checking {call}")
        finding = PrivacyModel.parse(call).compare(release, original)
        yield Kept(call, "must hold", f"{finding.achieved:g}", finding.holds)


def attacks_kept(recipe: Recipe, target: Target, tried: list[AttackResult[Any]]) -> Iterator[Kept]:
    """Whether each intruder got no more than the recipe allows; those who did not try yet do now."""
    for call, limit in recipe.attacks.items():
        if call == EVERYBODY:
            yield from (_kept(result, limit) for result in tried)
        else:
            yield _kept_by(Attack.parse(call), limit, target, tried)


def _kept_by(
    attack: Attack[Any], limit: Limit, target: Target, tried: list[AttackResult[Any]]
) -> Kept:
    if "others" in attack.needs and not target.others:
        return Kept(repr(attack), _allowed(limit), "no other release", holds=True)
    return _kept(_result(attack, target, tried), limit)


def _result(
    attack: Attack[Any], target: Target, tried: list[AttackResult[Any]]
) -> AttackResult[Any]:
    found = next((each for each in tried if repr(each.attack) == repr(attack)), None)
    if found is not None:
        return found
    if why := attack.unfit(target):
        raise InputError(
            f"The recipe has a limit for {attack!r}, who cannot try: {why}",
            "take the limit out: one that nobody looks at protects nobody.",
        )
    step(f"Attacking: {attack.call}")
    return attack.run(target)


def _kept(result: AttackResult[Any], limit: Limit) -> Kept:
    score, baseline = result.score, result.baseline
    found = f"{score:.1%}, {baseline:.1%} without it"
    if isinstance(limit, str):
        holds, found = result.withstands, f"{result.verdict} ({found})"
    elif isinstance(limit, int | float):
        holds = score <= limit
    else:
        holds = 100 * (score - baseline) <= limit.points
    return Kept(repr(result.attack), _allowed(limit), found, holds)


def _allowed(limit: Limit) -> str:
    """What a limit lets an intruder get, in words."""
    if isinstance(limit, str):
        return "must be withstood"
    if isinstance(limit, int | float):
        return f"at most {limit:.1%}"
    return f"at most {limit.points:g} points more than without it"
