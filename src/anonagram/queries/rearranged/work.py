"""How much work a statement is, counted before it is run: what would take minutes is refused at once.

In each group every combination of keys stands beside every value that can belong to it. Groups of
few rows make that little more than the table; one group with thousands of keys and values makes
millions, whatever the database. Those are counted from what each query alone gives a group, which
is never more than the tables and what is listed of ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import mul

import polars as pl

from anonagram.engines import Engine
from anonagram.queries.dialects import in_dialect
from anonagram.queries.reading.question import Aggregate, Question
from anonagram.queries.rearranged.hits import Event
from anonagram.queries.rearranged.listing import listing_of
from anonagram.queries.rearranged.plan import Plan
from anonagram.release.sheet import RANGES, Sheet

MOST_WORK = 100_000_000
"""Values beside keys: about half a minute of one core."""
SORTED = 10
"""A value that is sorted among those of its key costs as much as so many that are added up."""
ADDED_UP = ("COUNT", "SUM", "DISTINCT")


@dataclass(frozen=True)
class Taken:
    """Values of one argument beside the keys of their groups."""

    pool: str
    """The query that gives them."""
    is_range: bool
    """Whether a group has one row, from its lowest to its highest value."""
    own: int | None
    """The event whose keys the values have themselves, so that they stand beside no other."""
    cost: int

    @staticmethod
    def cost_of(aggregates: Sequence[Aggregate]) -> int:
        """What each value costs."""
        return sum(1 if each.function in ADDED_UP else SORTED for each in aggregates)


@dataclass
class Work:
    """The work of one question, from its events and what is taken for its aggregates."""

    plan: Plan
    events: Sequence[Event] = ()
    taken: list[Taken] = field(default_factory=list)

    def query(self) -> str | None:
        """SQL that counts the work from a statement's named queries; None where it is little."""
        if not self._keyed() or self._at_most() <= MOST_WORK:
            return None
        names = {f"e{place}": self.events[place].source for place in self._keyed()}
        names |= {f"p{place}": each.pool for place, each in enumerate(self.taken)}
        counted = [
            f"(SELECT w.g AS g, COUNT(*) AS c FROM {source} AS w GROUP BY 1) AS {name}"
            for name, source in names.items()
        ]
        first, *others = names
        joins = [
            f"{kind} JOIN {each} ON {name}.g = {first}.g"
            for each, name, kind in zip(
                counted[1:], others, ("" if n[0] == "e" else "LEFT" for n in others), strict=True
            )
        ]
        return f"SELECT SUM({self._formula()}) AS work FROM {counted[0]} {' '.join(joins)}"

    def _keyed(self) -> list[int]:
        """The places of events with keys."""
        return [place for place, event in enumerate(self.events) if event.keys]

    def _formula(self) -> str:
        """SQL for a group's work, from what was counted."""
        terms = [self._beside(None)]
        terms += [
            f"{self._beside(each.own)} * {each.cost} * COALESCE(p{place}.c, 0)"
            for place, each in enumerate(self.taken)
        ]
        return " + ".join(terms)

    def _beside(self, own: int | None) -> str:
        counted = [f"e{place}.c" for place in self._keyed() if place != own]
        return " * ".join(["1.0", *counted])

    def _at_most(self) -> float:
        """What it can be, from the sizes of groups alone."""
        sizes, keys = self.plan.sheet.sizes, self._most_keys()
        total = _product(sizes, keys.values())
        for each in self.taken:
            beside = _product(sizes, [n for place, n in keys.items() if place != each.own])
            total += each.cost * (beside if each.is_range else beside * sizes)
        return float(total.sum())

    def _most_keys(self) -> dict[int, pl.Series]:
        """The most keys of each group: as many as it has rows, or as are listed."""
        return {
            place: self._listed() if self.events[place].part == RANGES else self.plan.sheet.sizes
            for place in self._keyed()
        }

    def _listed(self) -> pl.Series:
        sheet = self.plan.sheet
        found = (
            listing_of(sheet, sheet.ranges[name], keys)
            for name, keys in self.plan.range_keys.items()
        )
        return reduce(mul, (each.counts() for each in found if each is not None))


def _product(sizes: pl.Series, counts: Iterable[pl.Series]) -> pl.Series:
    return reduce(mul, counts, pl.Series([1.0]).new_from_index(0, sizes.len()))


def require_little(counts: Sequence[str], question: Question, sheet: Sheet, engine: Engine) -> None:
    """Refuse a question that would take minutes, with what makes it so and what would not."""
    for text in counts:
        ((work,),) = engine.run(in_dialect(text, engine.dialect, question, sheet), question.sql)
        if work is not None and work > MOST_WORK:
            question.refuse(
                question.keys[0].expression,
                f"There are too many keys beside too many values in the same groups: about "
                f"{work:,.0f} steps; {MOST_WORK:,} are the most.",
                "coarser keys (a year instead of a day), fewer keys or aggregates, or conditions in "
                "place of keys.",
            )
