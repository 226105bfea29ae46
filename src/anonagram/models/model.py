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
from anonagram.models.nearness import Narrowest, narrowest_among, narrowest_of, near_told
from anonagram.release import Manifest, Release, WithGroups
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


@dataclass(frozen=True)
class Seen:
    """What a promise comes to in a release, or in a part of one that has whole groups.

    What is seen in all parts is what is seen in the whole: no group is in two of them.
    """

    achieved: float
    violating_groups: int
    violating_rows: int
    worst: tuple[dict[str, Any], ...] = ()
    """The weakest groups, the weakest first."""
    smallest: int = 0
    """The rows of the smallest group."""
    near: tuple[Narrowest, ...] = ()
    """Where amounts lie nearest, if the promise only counts that they differ."""


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


class PartwiseModel(PrivacyModel):
    """A promise that holds on a release where it holds on every part of it that has whole groups."""

    @abstractmethod
    def look(self, release: Release) -> Seen:
        """What it comes to in a release, or in a part of one."""

    @abstractmethod
    def conclude(self, seen: Sequence[Seen], manifest: Manifest, shape: type[Release]) -> Finding:
        """What was found in a release of a shape, from what was seen in all of its parts."""

    def check(self, release: Release) -> Finding:
        """Recompute the promise on the release."""
        seen = self.look(release)
        return self.conclude([seen], release.manifest, type(release))


def refuse_shape(model: PrivacyModel, release: Any, needs: str) -> NoReturn:
    """Say that a model is not about this kind of release."""
    what = getattr(release, "shape", type(release).__name__)
    raise CallError(f"{model.call} {needs}, and {what!r} has none.", REMEDY)


class GroupModel(PartwiseModel):
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

    def look(self, release: Release) -> Seen:
        """The weakest groups, and how many do not keep it."""
        groups = self.groups_of(release)
        levels = self.levels(groups)
        broken = levels.filter(~pl.col("holds"))
        worst, high = levels, self._by_weakness(levels.columns)
        worst = worst.bottom_k(WORST_SHOWN, by=list(high), reverse=list(high.values()))
        worst = worst.sort(*high, descending=list(high.values())).drop("holds")
        achieved = levels["level"].max() if self.less_is_stronger else levels["level"].min()
        return Seen(
            achieved=achieved,  # type: ignore[arg-type]
            violating_groups=broken["group"].n_unique(),
            violating_rows=int(broken.unique("group")["rows"].sum()),
            worst=tuple(worst.to_dicts()),
            smallest=int(levels["rows"].min()),  # type: ignore[arg-type]
            near=tuple(narrowest_of(groups)) if self.counts_differing else (),
        )

    def groups_of(self, release: Release) -> WithGroups:
        """The release, if it has the groups that this is about."""
        # whoever hands over a table that is no release is told so
        groups: WithGroups | None = getattr(release, "with_groups", None)
        if groups is None:
            refuse_shape(self, release, "looks at the groups of a release")
        if self.about_sensitive and not groups.sensitive_counts():
            raise CallError(
                f"{self.call} is about sensitive columns, and the release has none.",
                "k_anonymity is about groups alone.",
            )
        return groups

    def _by_weakness(self, columns: Sequence[str]) -> dict[str, bool]:
        """What tells weaker groups from stronger ones, and whether a high one is weak."""
        names = [name for name in ("level", "range", "group") if name in columns]
        return {name: self.less_is_stronger and name == "level" for name in names}

    def conclude(self, seen: Sequence[Seen], manifest: Manifest, shape: type[Release]) -> Finding:
        """The weakest groups of all parts."""
        levels = [each.achieved for each in seen]
        found = Seen(
            max(levels) if self.less_is_stronger else min(levels),
            sum(each.violating_groups for each in seen),
            sum(each.violating_rows for each in seen),
            self._weakest([group for each in seen for group in each.worst]),
            min(each.smallest for each in seen),
            narrowest_among([each.near for each in seen]),
        )
        return Finding(
            model=self,
            holds=not found.violating_groups,
            achieved=found.achieved,
            worst=found.worst,
            violating_groups=found.violating_groups,
            violating_rows=found.violating_rows,
            note=self.explain(found, manifest, shape),
        )

    def _weakest(self, groups: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
        high = self._by_weakness(list(groups[0]) if groups else [])

        def weakness(group: dict[str, Any]) -> list[Any]:
            return [-group[name] if is_high else group[name] for name, is_high in high.items()]

        return tuple(sorted(groups, key=weakness)[:WORST_SHOWN])

    def explain(self, seen: Seen, manifest: Manifest, shape: type[Release]) -> str:  # noqa: ARG002
        """What to know about the promise on this release: how near amounts are that only differ."""
        return near_told(seen.near)


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
