"""The intruder who knows by which rule groups were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.minimality import Weighed, looks_at_rows, weigh_worlds
from anonagram.attacks.group_attack import groups_of, why_no_groups
from anonagram.calls import Between
from anonagram.errors import CallError
from anonagram.learning import POINTS
from anonagram.methods import Method
from anonagram.methods.group_method import GroupMethod
from anonagram.methods.ke import Ke
from anonagram.microdata import Microdata
from anonagram.partition import Diversity, Partitioner, Requirement
from anonagram.partition.partitioner import RowPartitioner
from anonagram.release import Release
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class Minimality(
    Attack[Weighed | None], call="minimality", example="minimality(people=8, tables=8)"
):
    """He knows the rule, and asks which tables it would have made into these groups (Wong et al. 2007).

    All tables of a large release cannot be tried. Small ones of people near each other can: of each,
    ways to give a group's values to its people are weighed by how often the rule makes the same
    groups of them. The baseline gives every way the same weight.
    """

    knows = "which group everybody is in, and by which rule groups are made"
    needs = ("release", "original")

    people: Annotated[int, Between(2, 64)] = 8
    """How many people a small table has; at least twice what a group needs."""
    tables: Annotated[int, Between(1, 100)] = 8
    """How many small tables are tried."""

    def unfit(self, target: Target) -> str:
        """The rule must be known."""
        if why := super().unfit(target) or why_no_groups(self, target):
            return why
        if _rule_of(given(target.release), given(target.original)) is None:
            return (
                f"{self.call} needs to know how groups were made, and the manifest names no rule."
            )
        return ""

    def attempt(self, target: Target) -> AttackResult[Weighed | None]:
        """Nothing to learn from a rule that never looks at people; else try small tables."""
        release, original = groups_of(target), given(target.original)
        partitioner, requirement, least = given(_rule_of(release, original))
        if partitioner.blind:
            return self._blind(partitioner, original)
        if isinstance(partitioner, RowPartitioner) and not looks_at_rows(partitioner):
            return self._result(
                original, None, Verdict.CANNOT_TELL,
                f"The rule {partitioner.call} looks at what the whole table predicts of people, so "
                "small tables say nothing about it.",
            )  # fmt: skip
        size = max(self.people, 2 * least)
        found = weigh_worlds(partitioner, requirement, original, size, self.tables)
        if found is None:
            return self._result(
                original, None, Verdict.CANNOT_TELL,
                f"No table of {how_many(size, 'person', 'people')} who are near each other can be divided by "
                f"{partitioner.call}, so what it tells cannot be tried.",
            )  # fmt: skip
        failed = found.gain > POINTS + 2 * found.error
        told = (
            f"The rule {partitioner.call} looks at people and values. On "
            f"{how_many(found.tables, 'table')} of {how_many(size, 'person', 'people')} near each "
            f"other, whoever knows the rule believes {found.believed.mean():.1%} of their own "
            f"values, {found.by_group.mean():.1%} by groups "
            f"alone (gain {100 * found.gain:.1f} ± {100 * found.error:.1f} points)."
        )
        verdict = Verdict.DOES_NOT_WITHSTAND if failed else Verdict.CANNOT_TELL
        more = "" if failed else " What it tells in a large table is not shown by that."
        return self._result(original, found, verdict, told + more)

    def _blind(self, partitioner: Partitioner, original: Microdata) -> AttackResult[Weighed | None]:
        return self._result(
            original, None, Verdict.WITHSTANDS,
            f"The rule {partitioner.call} never looks at quasi-identifiers: it makes these groups as often, "
            "whoever of a group has which of its values, so the rule tells nothing.",
        )  # fmt: skip

    def _result(
        self, original: Microdata, found: Weighed | None, verdict: Verdict, sentence: str
    ) -> AttackResult[Weighed | None]:
        everybody = np.arange(original.rows)
        failed = verdict is Verdict.DOES_NOT_WITHSTAND
        return AttackResult(
            attack=self,
            verdict=verdict,
            sentence=sentence,
            records=everybody if found is None else found.people,
            scores=np.zeros(original.rows) if found is None else found.believed,
            baseline=0.0 if found is None else float(found.by_group.mean()),
            compared="by the groups alone",
            figures=found,
            reason="the rule that made the groups" if failed else "",
        )


def _rule_of(release: Release, original: Microdata) -> tuple[Partitioner, Requirement, int] | None:
    """The partitioner, what its groups must fulfil, and how many people they need at least."""
    try:
        method = Method.parse(release.manifest.method)
    except CallError:
        return None
    if isinstance(method, GroupMethod):
        return Partitioner.parse(method.partition), Diversity(method.l), method.l
    if isinstance(method, Ke):
        return Partitioner.parse(method.partition), method.requirement(original), method.k
    return None
