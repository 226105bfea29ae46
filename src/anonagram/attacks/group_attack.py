"""What all intruders have in common who look at one group at a time, and know whose it is."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, OfColumn, Target, Verdict, given
from anonagram.attacks.figures.group_values import Floats, GroupValues
from anonagram.errors import CallError
from anonagram.learning import Success
from anonagram.release import GroupedRelease, Release
from anonagram.release.manifest import PublishedColumn
from anonagram.shown.wording import how_many


@dataclass(frozen=True)
class Seen:
    """What he sees of one sensitive column."""

    column: str
    scores: Floats
    """For each row, by group, what he believes of the truth."""
    baseline: float
    """What he would believe on average by the whole table's shares."""
    exposed: int
    """How many people's groups tell more than they should."""
    most: float
    """How much the worst of them tells."""
    sentence: str


class GroupAttack(Attack[tuple[Seen, ...]]):
    """An intruder who knows which group a person is in, and looks no further.

    To know the group is the most that quasi-identifiers can tell him, in every shape.
    """

    knows = "which group everybody is in, and how often each value occurs in the whole table"
    needs = ("release",)

    def unfit(self, target: Target) -> str:
        """Without groups that hide something there is nothing to look at."""
        return super().unfit(target) or why_no_groups(self, target)

    def attempt(self, target: Target) -> AttackResult[tuple[Seen, ...]]:
        """Look at each sensitive column, the worst first."""
        release = groups_of(target)
        passed_over = self.passed_over(release)
        seen = sorted(
            (
                self.look(values, release.manifest.column(values.column))
                for values in GroupValues.all_of(release)
                if values.column not in passed_over
            ),
            key=lambda each: (-min(each.exposed, 1), -each.most),
        )
        worst, *others = seen
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if worst.exposed else Verdict.WITHSTANDS,
            sentence=worst.sentence,
            records=np.arange(worst.scores.size),
            scores=worst.scores,
            baseline=worst.baseline,
            figures=tuple(seen),
            details=(*(each.sentence for each in others), *passed_over.values()),
            reason=f"what groups tell of {worst.column}" if worst.exposed else "",
            # whom he does not pin he only believes something of, and not the same of everybody
            surest=self._surest(worst),
            by_column=tuple(
                OfColumn(
                    each.column,
                    float(each.scores.mean()),
                    each.baseline,
                    self._surest(each),
                    each.scores.size,
                )
                for each in seen
            ),
        )

    def _surest(self, seen: Seen) -> float | None:
        return Success.of(seen.scores, seen.scores).surest if self.pins else None

    def passed_over(self, release: Release) -> dict[str, str]:  # noqa: ARG002
        """The sensitive columns that he cannot look at, and a sentence that says why."""
        return {}

    @abstractmethod
    def look(self, values: GroupValues, about: PublishedColumn) -> Seen:
        """What he sees of one column."""


def why_no_groups(attack: Attack[Any], target: Target) -> str:
    """Why a release has no groups with sensitive values; empty where it has."""
    release = given(target.release)
    if release.grouped is None:
        return f"{attack.call} looks at groups, and the shape {release.shape} has none that hide values."
    if not release.manifest.named("sensitive"):
        return (
            f"{attack.call} is about sensitive values, and no column of the release is sensitive."
        )
    try:
        release.grouped.require_apart()
        release.grouped.sensitive_counts()
    except CallError as error:
        return error.what
    return ""


def groups_of(target: Target) -> GroupedRelease:
    """The release of a target that was found to have groups."""
    return given(given(target.release).grouped)


def people(number: int, of: int) -> str:
    """So many of so many people, in words.

    >>> people(1, 8), people(2400, 3000)
    ('1 of 8 people (12.5%)', '2,400 of 3,000 people (80.0%)')
    """
    return f"{number:,} of {how_many(of, 'person', 'people')} ({number / of:.1%})"
