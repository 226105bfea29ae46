"""What came of a recipe: a release that may be written, or limits that were passed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anonagram.comparison import Comparison
from anonagram.methods import Publication
from anonagram.microdata import Microdata
from anonagram.recipes.limits import Kept
from anonagram.recipes.recipe import Recipe
from anonagram.reports import Report
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many


@dataclass(frozen=True)
class Outcome(Shown):
    """A release as a recipe makes it, with what was found about it."""

    shown_by = "outcome"

    recipe: Recipe
    original: Microdata
    publication: Publication
    report: Report
    limits: tuple[Kept, ...]
    earlier: tuple[Path, ...] = ()
    """The releases of the same people that were taken into account."""
    comparison: Comparison | None = None
    """Of other methods on the same table, where the recipe asks for it."""

    @property
    def passed(self) -> list[Kept]:
        """The limits that were not kept."""
        return [limit for limit in self.limits if not limit.holds]

    @property
    def holds(self) -> bool:
        """Whether every promise holds, and every limit was kept."""
        return self.report.is_kept and not self.passed

    @property
    def headline(self) -> str:
        """The worst true thing."""
        if self.passed:
            passed, number = len(self.passed), len(self.limits)
            return (
                f"{passed} of {how_many(number, 'limit')} of the recipe passed: {self.passed[0]}."
            )
        return self.report.headline

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram run --json` prints."""
        return {
            "holds": self.holds,
            "headline": self.headline,
            "limits": [asdict(each) for each in self.limits],
            "earlier": [str(each) for each in self.earlier],
            "report": self.report.to_dict(),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
        }
