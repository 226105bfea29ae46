"""Learning from a release tells hardly more about anybody than learning on other people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.errors import CallError
from anonagram.learning import MOST_VALUES, Strongest, score_strongest
from anonagram.models.model import Finding, PrivacyModel, refuse_shape
from anonagram.release import Release
from anonagram.shown.wording import option

if TYPE_CHECKING:
    from anonagram.microdata import Microdata


@dataclass(frozen=True, repr=False)
class WithstandsLearning(
    PrivacyModel, call="withstands_learning", example="withstands_learning(points=3)"
):
    """Values are guessed at most so many points better with the release than without it.

    Of everybody, and of the one per cent of people of whom the learner is surest, whichever gains
    more. With the release: the best of naive Bayes and of logistic models with pairs of attributes,
    fitted to it by matching people and values inside groups. Without it: the better of both kinds of
    models learned on other people's true values. It is measured and not proved: a learner that is
    better than ours may gain more, and somebody with knowledge of his own too.

    >>> WithstandsLearning(points=3)
    withstands_learning(points=3)
    """

    points: Annotated[float, Between(0, 100)] = 3
    needs_original: ClassVar[bool] = True
    not_promised = (
        "that better learners than ours, or people with knowledge of their own, gain as little."
    )

    def check(self, release: Release) -> Finding:  # noqa: ARG002
        """Nothing can be said without knowing who is guessed right."""
        raise CallError(
            f"{self.call} counts who is guessed right, which only the original tells.",
            f"{option('--original DATA', 'model.compare(release, original)')}.",
        )

    def compare(
        self,
        release: Release,
        original: Microdata,
        group_of: NDArray[np.int32] | None = None,  # noqa: ARG002
    ) -> Finding:
        """Let all learners try, with the release and without."""
        groups = getattr(release, "with_groups", None)
        if groups is None or not groups.has_whole_rows:
            refuse_shape(self, release, "learns from exact rows beside counted values")
        names = [each.name for each in original.with_role("sensitive")]
        few = [name for name in names if original.column(name).cardinality <= MOST_VALUES]
        if not few:
            raise CallError(
                f"{self.call} guesses values, and no sensitive column has {MOST_VALUES:,} or fewer.",
                "of an amount rank_matching, an attack, finds the exact one; ke_anonymity is about ranges.",
            )
        columns = [score_strongest(groups, original, name) for name in few]
        worst = max(columns, key=lambda each: each.gain)
        points = round(100 * worst.gain, 2)
        return Finding(
            model=self,
            holds=points <= self.points,
            achieved=points,
            worst=tuple(_told(each) for each in sorted(columns, key=lambda each: -each.gain)),
            violating_groups=0,
            violating_rows=0,
            note=f"{worst}.{_left_out([name for name in names if name not in few])}",
            needed="the original",
        )


def _left_out(names: list[str]) -> str:
    if not names:
        return ""
    return f" Not guessed, of more than {MOST_VALUES:,} values: {', '.join(names)}."


def _told(column: Strongest) -> dict[str, object]:
    return {
        "attribute": column.column,
        "points": round(100 * column.gain, 2),
        "released": round(column.released.everybody, 4),
        "without": round(column.without.everybody, 4),
        "surest_released": round(column.released.surest, 4),
        "surest_without": round(column.without.surest, 4),
    }
