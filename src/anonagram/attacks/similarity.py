"""The intruder who is content with the kind of a value: not which cancer, but that it is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.attack import Target, given
from anonagram.attacks.figures.group_values import GroupValues
from anonagram.attacks.group_attack import GroupAttack, Seen, people
from anonagram.calls import AtLeast, Between
from anonagram.columns.hierarchy import Hierarchy, hierarchy_for, value_texts
from anonagram.columns.places import is_measured, on_scale
from anonagram.errors import CallError
from anonagram.release import Release
from anonagram.release.manifest import PublishedColumn
from anonagram.shown.wording import how_many

PARTS = 10
"""Into how many intervals of the same width numbers and dates are put unless told otherwise."""
ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class Similarity(GroupAttack, call="similarity", example='similarity(classes="")'):
    """All values of her group differ, and all of them are of one kind (Li et al. 2007).

    He scores what he believes of the class of everybody's value; the baseline is its share of the
    table. A group tells a class where it fills more than he may be sure of.
    """

    knows = "which group everybody is in, and which values are of one kind"
    about = "kind"

    classes: str | dict[str, str] = ""
    """A hierarchy's CSV file, or a call such as "intervals(width=1000)"; a dictionary if sensitive
    columns differ. Unless told otherwise the hierarchy that the release tells of; numbers and dates
    without one are put into ten intervals."""
    level: Annotated[int, AtLeast(1)] = 1
    """Which level of the hierarchy makes the classes."""
    sure: Annotated[float, Between(0, 1)] = 0.9
    """What he may believe at most of anybody's class."""

    def unfit(self, target: Target) -> str:
        """Values that are no amounts need somebody to say which are of one kind."""
        if why := super().unfit(target):
            return why
        release = given(target.release)
        unknown = self._unknown(release)
        if len(unknown) < len(release.manifest.named("sensitive")):
            return ""
        return (
            f"{self.call} needs classes of the values of {', '.join(unknown)}, such as "
            'similarity(classes="kinds.csv").'
        )

    def passed_over(self, release: Release) -> dict[str, str]:
        """Those of whose values nobody said which are of one kind."""
        return {
            name: (
                f"The kind of {name} was not tried: nobody said which of its values are of one kind "
                f"(classes in {self.call})."
            )
            for name in self._unknown(release)
        }

    def _unknown(self, release: Release) -> list[str]:
        """The sensitive columns whose values nobody put into classes."""
        sensitive = release.manifest.columns_of("sensitive")
        if isinstance(self.classes, str) and self.classes and len(sensitive) == 1:
            return []
        given_for = self.classes if isinstance(self.classes, dict) else {}
        for name in given_for:
            release.require_published(name)
        return [
            column.name
            for column in sensitive
            if not is_measured(column.kind)
            and column.hierarchy is None
            and column.name not in given_for
        ]

    def look(self, values: GroupValues, about: PublishedColumn) -> Seen:
        """Groups in which one class is nearly all there is."""
        classes = self._classes(values, about)
        told = classes.shares > self.sure + ROUNDING
        is_news = told & (classes.priors <= self.sure + ROUNDING)
        groups = np.zeros(classes.sizes.size, np.bool_)
        groups[classes.group_of[is_news]] = True
        exposed = classes.rows_in(groups)
        return Seen(
            column=values.column,
            scores=classes.by_row(classes.shares),
            baseline=float(((classes.totals / classes.rows) ** 2).sum()),
            exposed=exposed,
            most=float(classes.shares.max()),
            sentence=self._sentence(classes, exposed, is_news),
        )

    def _classes(self, values: GroupValues, about: PublishedColumn) -> GroupValues:
        given_for = self.classes
        if isinstance(given_for, dict):
            given_for = given_for.get(values.column, "")
        if not given_for and about.hierarchy is None:
            return values.merged(*_intervals(values))
        return values.merged(*self._from_hierarchy(values, given_for or _published(about)))

    def _from_hierarchy(
        self, values: GroupValues, given_for: str | Hierarchy
    ) -> tuple[NDArray[np.int64], pl.Series]:
        hierarchy = hierarchy_for(values.column, given_for, values.domain, Path())
        if self.level > hierarchy.height:
            raise CallError(
                f"similarity: the hierarchy of {values.column!r} has "
                f"{how_many(hierarchy.height, 'level')} above the values, not {self.level}.",
                f"level={hierarchy.height}.",
            )
        return _numbered(values, hierarchy, self.level)

    def _sentence(self, classes: GroupValues, exposed: int, is_news: NDArray[np.bool_]) -> str:
        kinds = f"{how_many(len(classes.domain), 'kind')} of {classes.column}"
        if exposed:
            worst = int(np.flatnonzero(is_news)[np.argmax(classes.counts[is_news])])
            return (
                f"For {people(exposed, classes.rows)} a group tells the kind of {classes.column} "
                f"({kinds}) with more than {self.sure:.0%}; of {classes.counts[worst]:,} in one group "
                f"it is {classes.text(int(classes.codes[worst]))}."
            )
        most = int(np.argmax(classes.shares))
        return (
            f"Of {kinds} none fills more than {self.sure:.0%} of a group without filling as much of "
            f"the table; the fullest is {classes.text(int(classes.codes[most]))}, {classes.shares[most]:.1%}."
        )


def _published(about: PublishedColumn) -> Hierarchy:
    """The hierarchy that a release tells of a column."""
    rows = ((value, *labels) for value, labels in (about.hierarchy or {}).items())
    return Hierarchy(about.name, tuple(zip(*rows, strict=True)))


def _numbered(
    values: GroupValues, hierarchy: Hierarchy, level: int
) -> tuple[NDArray[np.int64], pl.Series]:
    """The class of each code by its label, and the labels; a missing value is a class of its own."""
    labels = [hierarchy.label(text, level) for text in value_texts(values.domain)]
    names = sorted(set(labels))
    place = {name: number for number, name in enumerate(names)}
    return np.array([*(place[label] for label in labels), len(names)]), pl.Series(names)


def _intervals(values: GroupValues) -> tuple[NDArray[np.int64], pl.Series]:
    """Ten intervals of the same width, from the lowest to the highest value."""
    places = on_scale(values.domain).to_numpy()
    parts = np.minimum((places * PARTS).astype(np.int64), PARTS - 1)
    used, place = np.unique(parts, return_inverse=True)
    texts = value_texts(values.domain)
    ends = [np.flatnonzero(place == number)[[0, -1]] for number in range(used.size)]
    names = pl.Series([f"{texts[low]} to {texts[high]}" for low, high in ends], dtype=pl.String)
    return np.append(place, used.size), names
