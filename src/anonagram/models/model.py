"""A checkable promise, and what checking it finds."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.errors import CallError
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.nearness import narrowest_of, near_told
from anonagram.release import Release, WithGroups
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.microdata import Microdata

WORST_SHOWN = 5
SOURCE = re.compile(r" \([^()]*[0-9]{4}[^()]*\)\.?$")
"""The paper behind a sentence."""
REMEDY = "take a model for this shape: docs/models.md says which."


@dataclass(frozen=True)
class Finding(Shown):
    """Whether a promise holds on a release, and how close it is."""

    shown_by = "finding"

    model: PrivacyModel
    holds: bool
    achieved: float
    """The strongest level that holds for every group."""
    worst: tuple[dict[str, Any], ...]
    """The weakest groups: their number, sensitive attribute, rows and level."""
    violating_groups: int
    violating_rows: int
    note: str = ""
    """What to know about this model on this shape; empty where nothing needs saying."""
    needed: str = ""
    """What it took beside the release; empty where anybody who has the release finds the same."""

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram check --json` prints."""
        return {
            "model": repr(self.model),
            "holds": self.holds,
            "achieved": _finite(self.achieved),
            "worst": [
                {name: _finite(value) for name, value in each.items()} for each in self.worst
            ],
            "violating_groups": self.violating_groups,
            "violating_rows": self.violating_rows,
            "note": self.note,
            "needed": self.needed,
            "not_promised": self.model.not_promised if self.holds else "",
        }

    def __str__(self) -> str:
        if self.holds:
            return f"{self.model!r} holds; achieved {self.achieved:g}"
        failed = f"{self.model!r} does not hold; achieved {self.achieved:g}"
        if not self.violating_rows:
            return failed
        if not self.violating_groups:
            return f"{failed}, {how_many(self.violating_rows, 'row violates', 'rows violate')} it"
        rows, groups = (
            how_many(self.violating_rows, "row"),
            how_many(self.violating_groups, "group"),
        )
        return f"{failed}, {rows} in {groups} violate it"


def _finite(value: Any) -> Any:
    """JSON knows no infinity: a level beyond all numbers is told as none."""
    return None if value in (math.inf, -math.inf) else value


class PrivacyModel(Call, home="anonagram.models"):
    """A promise about a release, checked from what is published alone."""

    noun = "privacy model"

    needs_original: ClassVar[bool] = False
    """Whether only the protector can check it, who has the original."""
    counts_differing: ClassVar[bool] = False
    """Whether it counts values that differ, however near they are."""
    in_words: ClassVar[str] = ""
    """The promise for somebody who decides, parameters in braces; else what the class says first."""
    not_promised: ClassVar[str] = ""
    """What people may take it to promise, and it does not; ends a sentence that says so."""

    @property
    def words(self) -> str:
        """The promise in plain words, without a source.

        >>> PrivacyModel.parse("l_diversity(l=4)").words
        'in no group does a sensitive value belong to more than one in 4 people'
        """
        if self.in_words:
            return self.in_words.format(**vars(self))
        return SOURCE.sub("", (type(self).__doc__ or "").splitlines()[0]).rstrip(".")

    @abstractmethod
    def check(self, release: Release) -> Finding:
        """Recompute the promise on the release."""

    def compare(
        self,
        release: Release,
        original: Microdata,  # noqa: ARG002
        group_of: NDArray[np.int32] | None = None,  # noqa: ARG002
    ) -> Finding:
        """The same for the protector, who may know everybody's group; most promises need no original."""
        return self.check(release)


def refuse_shape(model: PrivacyModel, release: Any, needs: str) -> NoReturn:
    """Say that a model is not about this kind of release."""
    what = getattr(release, "shape", type(release).__name__)
    raise CallError(f"{model.call} {needs}, and {what!r} has none.", REMEDY)


class GroupModel(PrivacyModel):
    """A promise about every group of a release."""

    about_sensitive: ClassVar[bool] = True
    """Whether it is a promise about sensitive values, and not only about the groups."""
    less_is_stronger: ClassVar[bool] = False
    """Whether the promise is that a level is not too high."""
    not_promised = (
        "that nobody guesses better. It is about what one group shows; who learns from all groups "
        "together how attributes go with values, or knows it from elsewhere, is right more often."
    )

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:  # noqa: ARG002
        """What methods that look for groups test of each, in compiled code apart from `levels`.

        Whatever passes must hold, and two groups that pass apart must pass together.
        """
        raise CallError(
            f"{self.call} can be checked, but nothing looks for groups that keep it.",
            "k_anonymity(k=…), l_diversity(l=…) and t_closeness(t=…) can be goals.",
        )

    @abstractmethod
    def levels(self, release: WithGroups) -> pl.DataFrame:
        """One row a group and sensitive attribute: group, attribute, rows, level, holds."""

    def check(self, release: Release) -> Finding:
        """Recompute the promise on the release."""
        # whoever hands over a table that is no release is told so
        groups: WithGroups | None = getattr(release, "with_groups", None)
        if groups is None:
            refuse_shape(self, release, "looks at the groups of a release")
        if self.about_sensitive and not groups.sensitive_counts():
            raise CallError(
                f"{self.call} is about sensitive columns, and the release has none.",
                "k_anonymity is about groups alone.",
            )
        levels = self.levels(groups)
        broken = levels.filter(~pl.col("holds"))
        weakest = [name for name in ("level", "range", "group") if name in levels.columns]
        high = [self.less_is_stronger and name == "level" for name in weakest]
        worst = levels.bottom_k(WORST_SHOWN, by=weakest, reverse=high)
        worst = worst.sort(weakest, descending=high).drop("holds")
        achieved = levels["level"].max() if self.less_is_stronger else levels["level"].min()
        return Finding(
            model=self,
            holds=broken.is_empty(),
            achieved=achieved,  # type: ignore[arg-type]
            worst=tuple(worst.to_dicts()),
            violating_groups=broken["group"].n_unique(),
            violating_rows=int(broken.unique("group")["rows"].sum()),
            note=self.explain(groups),
        )

    def explain(self, release: WithGroups) -> str:
        """What to know about the promise on this release: how near amounts are that only differ."""
        if not self.counts_differing:
            return ""
        return near_told(narrowest_of(release))


def levels_by_attribute(release: WithGroups, level: pl.Expr, required: float) -> pl.DataFrame:
    """The level of every group for each sensitive attribute; level is computed on its counts."""
    frames = [
        counts.group_by("group")
        .agg(pl.col("count").sum().alias("rows"), level.alias("level"))
        .select(
            "group",
            pl.lit(attribute).alias("attribute"),
            "rows",
            "level",
            (pl.col("level") >= required).alias("holds"),
        )
        for attribute, counts in release.promised_counts().items()
    ]
    return pl.concat(frames)
