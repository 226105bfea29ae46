"""What a comparison shows: risk beside utility, which methods no other beats, and which to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import msgspec

from anonagram.comparison.trial import PURPOSES, Bench, Purpose, Skipped, Trial
from anonagram.shown.result import Shown

TOLERATED = 0.03
"""Intruders who guess so much better than without a release get practically no more."""
UTILITY = {
    "counting": "half of the counts are off by at most {:.1%}",
    "averages": "half of the sums are off by at most {:.1%}",
    "learning": "a model trained on it guesses {:.1%} of people held out wrong",
    "open_data": "half of the counts are off by at most {:.1%}",
}


@dataclass(frozen=True)
class Comparison(Shown):
    """Methods that were tried on a table, for a purpose."""

    shown_by = "comparison"

    label: str
    purpose: Purpose
    bench: Bench
    trials: tuple[Trial, ...]
    skipped: tuple[Skipped, ...]

    @classmethod
    def of(
        cls, label: str, purpose: Purpose, bench: Bench, results: Sequence[Trial | Skipped]
    ) -> Self:
        """From what came of each call."""
        trials = tuple(each for each in results if isinstance(each, Trial))
        skipped = tuple(each for each in results if isinstance(each, Skipped))
        return cls(label, purpose, bench, trials, skipped)

    def risk(self, trial: Trial) -> float:
        """How much more intruders get than without it; of open data also who finds people counts."""
        gained = trial.success - self.bench.baseline
        return max(gained, trial.finding) if self.purpose == "open_data" else gained

    def loss(self, trial: Trial) -> float | None:
        """What the purpose loses, from 0; None where such a release does not serve it."""
        if self.purpose == "learning":
            return None if trial.learned is None else 1 - trial.learned
        return trial.sum_error if self.purpose == "averages" else trial.error

    @property
    def useful(self) -> list[Trial]:
        """Those that serve the purpose, the least risk first."""
        served = [trial for trial in self.trials if self.loss(trial) is not None]
        return sorted(served, key=lambda trial: (self.risk(trial), self.loss(trial)))

    @property
    def frontier(self) -> list[Trial]:
        """Those that no other beats in risk and loss both."""
        best: list[Trial] = []
        for trial in self.useful:
            if not best or (self.loss(trial) or 0.0) < (self.loss(best[-1]) or 0.0):
                best.append(trial)
        return best

    @property
    def safe(self) -> list[Trial]:
        """Those with which intruders get practically no more than without them."""
        return [trial for trial in self.useful if self.risk(trial) <= TOLERATED]

    @property
    def recommended(self) -> Trial | None:
        """The best of the safe ones; where none is, the one with the least risk."""
        if not self.useful:
            return None
        return min(self.safe or self.useful[:1], key=lambda trial: self.loss(trial) or 0.0)

    @property
    def headline(self) -> str:
        """The worst true thing."""
        if not self.useful:
            return f"Nothing that was tried serves {PURPOSES[self.purpose]}."
        tried, known = len(self.useful), f"{self.bench.baseline:.1%}"
        if not self.safe:
            return (
                f"None of {tried} releases tried keeps intruders at what they know without it "
                f"({known}): with the least risky one they get {self._got(self.useful[0])}."
            )
        if len(self.safe) < tried:
            return (
                f"With {tried - len(self.safe)} of {tried} releases tried intruders get more than "
                f"without one ({known}); {len(self.safe)} keep them there."
            )
        return f"None of {tried} releases tried gives intruders more than they know ({known})."

    @property
    def reason(self) -> str:
        """Why this one, in figures that stand in the table."""
        chosen = self.recommended
        if chosen is None:
            return "There is nothing to recommend."
        use = UTILITY[self.purpose].format(self.loss(chosen))
        among = (
            f"of the {len(self.safe)} tried with which intruders get at most {100 * TOLERATED:.0f} points "
            "more than without them it loses least"
            if self.safe
            else "it has the least risk, and is still not safe"
        )
        return f"For {PURPOSES[self.purpose]}: {among}. Intruders get {self._got(chosen)}; {use}."

    def _got(self, trial: Trial) -> str:
        values = f"{trial.success:.1%} of {self.bench.sensitive or 'values'} right"
        if self.purpose == "open_data" and trial.finder:
            values += f", and {trial.finder} finds {trial.found:.1%} ({trial.found_by_chance:.1%} by chance)"
        return values

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram compare --json` prints."""
        best, chosen = {trial.call for trial in self.frontier}, self.recommended
        return {
            "table": self.label,
            "purpose": self.purpose,
            "headline": self.headline,
            "recommended": None if chosen is None else chosen.call,
            "reason": self.reason,
            "bench": msgspec.to_builtins(self.bench),
            "trials": [
                msgspec.to_builtins(trial)
                | {
                    "risk": self.risk(trial),
                    "loss": self.loss(trial),
                    "undominated": trial.call in best,
                }
                for trial in self.trials
            ],
            "skipped": [{"call": each.call, "why": each.why} for each in self.skipped],
        }
