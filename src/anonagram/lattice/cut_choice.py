"""The cuts that were chosen, and what each is worth: for the protector's eyes, never part of a release."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anonagram.columns.hierarchy import value_texts
from anonagram.kernels.cut_sets import HEAD, OUT
from anonagram.kernels.lattice import Rule
from anonagram.lattice.cut_sets import CutSet, CutSets
from anonagram.lattice.outcome import costs_told
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many

MOST_TRIED = 500
"""Cuts that are left out one by one, to see what each is worth."""
MISSING = "missing values"


@dataclass(frozen=True)
class OneCut:
    """A cut that was made, and what the others cost without it."""

    column: str
    before: str
    """The value before which it is."""
    without: float | None
    """None where the others alone do not hold."""

    def __str__(self) -> str:
        costs = "does not hold" if self.without is None else f"costs {self.without:.4g}"
        return f"Without the cut of {self.column} before {self.before}: {costs}."


@dataclass(frozen=True)
class CutChoice(Shown):
    """A set of cuts, and how far the search for it went."""

    shown_by = "cut_choice"

    sets: CutSets
    rule: Rule
    found: CutSet
    method: str
    cost: str

    @property
    def columns(self) -> list[str]:
        """The quasi-identifiers."""
        return [order.ladder.column.name for order in self.sets.orders]

    @property
    def search(self) -> str:
        """How far the search went, in words."""
        found = self.found
        looked = (
            f"{how_many(found.looked_at, 'subtree')} of all sets of "
            f"{how_many(self.sets.cuts, 'cut was', 'cuts were')} looked at"
        )
        if found.is_best:
            return f"{looked}; none costs less."
        return (
            f"The search was ended: {looked}. What was found costs {found.cost:.4g}; a set that costs "
            f"less, but no less than {found.least:.4g}, may exist."
        )

    @property
    def told(self) -> list[str]:
        """Whom it costs what, and how many runs each column has, of how many values."""
        counted = zip(self.begins.items(), self.sets.orders, strict=True)
        named = ", ".join(f"{name} {len(runs)}/{len(o.codes)}" for (name, runs), o in counted)
        costs = costs_told(self.found, self.cost, self.rule, self.sets.lattice.rows)
        return [costs, f"Runs of values: {named}"]

    @cached_property
    def begins(self) -> dict[str, list[str]]:
        """For each column the values with which its runs begin."""
        return {
            name: [texts[place] for place in range(len(texts)) if place == 0 or cuts[place]]
            for name, texts, cuts in self._by_column()
        }

    def _by_column(self) -> list[tuple[str, list[str], list[bool]]]:
        """The name of each column, its values in their order, and before which a cut was made."""
        found, first = [], self.sets.runs.first
        for i, order in enumerate(self.sets.orders):
            texts = [*value_texts(order.ladder.column.domain), MISSING]
            cuts = self.found.cuts[first[i] : first[i + 1]] == HEAD
            named = [texts[code] for code in order.codes]
            found.append((order.ladder.column.name, named, cuts.tolist()))
        return found

    @cached_property
    def made(self) -> list[OneCut]:
        """Cuts that were made, not more than can be tried, those first without which most is lost."""
        every, at = [], 0
        for name, texts, cuts in self._by_column():
            every += [(name, texts[p], at + p) for p in range(len(texts)) if cuts[p]]
            at += len(texts)
        found = [OneCut(name, text, self._without(p)) for name, text, p in every[:MOST_TRIED]]
        return sorted(found, key=lambda cut: -(np.inf if cut.without is None else cut.without))

    def _without(self, place: int) -> float | None:
        flags = self.found.cuts.copy()
        flags[place] = OUT
        cost, _ = self.sets.judge(flags, self.rule)
        return cost if np.isfinite(cost) else None

    def to_dict(self) -> dict[str, Any]:
        """The runs, what they cost, and what the search proved."""
        found = self.found
        return {
            "columns": self.columns,
            "begins": self.begins,
            "cuts": self.sets.cuts,
            "cost": self.cost,
            "costs": found.cost,
            "suppressed": found.suppressed,
            "looked_at": found.looked_at,
            "is_best": found.is_best,
            "least": found.least,
        }

    def explored(self) -> dict[str, Any]:
        """The same with what every cut is worth."""
        return {**self.to_dict(), "made": [asdict(each) for each in self.made]}
