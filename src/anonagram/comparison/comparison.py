"""What a comparison shows: risk beside utility, which methods no other beats, and which to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Self

import msgspec

from anonagram.comparison.trial import PURPOSES, Bench, Purpose, Skipped, Trial
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many, option

TOLERATED = 0.03
"""Intruders who guess so much better than without a release get practically no more."""
ALIKE = 0.01
"""Shares of people that differ by less are taken for the same: another key would change their order."""
NO_PROMISE = "It promises nothing: it withstood those who tried here, which says nothing of others."
NOTHING_AT_ALL = "It promises nothing, and did not withstand those who tried here."
NEAR = "Guesses are of exact amounts: how near those of a group lie, anonagram check tells of the release."
UTILITY = {
    "counting": "Half of the counts are off by at most {:.1%}",
    "averages": "Half of the sums are off by at most {:.1%}",
    "learning": "A model trained on it guesses {:.1%} of people held out wrong",
    "open_data": "Half of the counts are off by at most {:.1%}",
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
        """How much more the strongest intruder gets than without it.

        Of the sensitive column of which he gains most, beside what is known of that column. Of
        everybody, or of the 1 % of people he is surest of, whichever is more, beyond two standard
        errors of so few people. In open data also who finds people counts; where no column is
        sensitive, nothing else does.
        """
        if not self.bench.has_secret:
            return trial.finding
        gained = max(self._gained_of_everybody(trial), self._gained_of_surest(trial))
        return max(gained, trial.finding) if self.purpose == "open_data" else gained

    def _gained_of_everybody(self, trial: Trial) -> float:
        return trial.success - self.bench.known_of(trial.guessed).baseline

    def _gained_of_surest(self, trial: Trial) -> float:
        known = self.bench.known_of(trial.surest_guessed).surest
        chance = 2 * sqrt(known * (1 - known) / max(1, trial.surest_people))
        return max(0.0, trial.surest - known - chance)

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
        """The best of the safe ones; where none is, of those with the least risk.

        Open data cannot be called back, and who tries later is not known: where something safe also
        promises something, what only withstood those who tried here is left out. None where nothing
        safe was found and there was no time for others: those that are soon measured are not the best.
        """
        if not self.useful or (self.left and not self.safe):
            return None
        return min(self._alike(self._fit), key=lambda trial: trial.error or 0.0)

    @property
    def _fit(self) -> list[Trial]:
        """Those of which the one that loses least is taken."""
        least = self.risk(self.useful[0])
        among = self.safe or [t for t in self.useful if self.risk(t) <= least + ALIKE]
        if self.purpose == "open_data":
            among = [trial for trial in among if trial.promises] or among
        return among

    def _alike(self, trials: list[Trial]) -> list[Trial]:
        """Those that lose least; models that are right as often but for chance lose the same."""
        least = min(self.loss(trial) or 0.0 for trial in trials)
        by = ALIKE if self.purpose == "learning" else 0.0
        return [trial for trial in trials if (self.loss(trial) or 0.0) <= least + by]

    @property
    def left(self) -> int:
        """How many there was no time for."""
        return sum(not each.is_final for each in self.skipped)

    @property
    def headline(self) -> str:
        """The worst true thing."""
        if not self.trials:
            return f"Nothing was measured: {self._why_nothing}."
        if not self.useful:
            return f"Nothing that was tried serves {PURPOSES[self.purpose]}."
        tried = len(self.useful)
        if not self.safe:
            return self._none_is_safe(tried)
        if len(self.safe) < tried:
            return self._some_are_safe(tried)
        one = (
            "The only release tried"
            if tried == 1
            else f"None of {how_many(tried, 'release')} tried"
        )
        if not self.bench.has_secret:
            return f"{one} lets {'nobody' if tried == 1 else 'anybody'} be found more often than by chance."
        return f"{one} gives intruders {'no more' if tried == 1 else 'more'} than they know."

    def _none_is_safe(self, tried: int) -> str:
        kept = (
            "The only release tried does not keep"
            if tried == 1
            else f"None of {how_many(tried, 'release')} tried keeps"
        )
        worst = self._worst_of(self.useful[0])
        if not self.bench.has_secret:
            return f"{kept} people from being found: with the least risky one {worst}."
        return f"{kept} intruders at what they know without it: with the least risky one they get {worst}."

    def _some_are_safe(self, tried: int) -> str:
        open_, safe = tried - len(self.safe), len(self.safe)
        keep = f"{safe} keep{'s' * (safe == 1)}"
        releases = how_many(tried, "release")
        if not self.bench.has_secret:
            return (
                f"With {open_} of {releases} tried people are found more often than by chance; {keep} them "
                "from it."
            )
        return f"With {open_} of {releases} tried intruders get more than without one; {keep} them there."

    @property
    def _why_nothing(self) -> str:
        """Of methods none of which was measured."""
        if self.left:
            more = option("--seconds N", "seconds=N")
            return f"there was no time for any of {how_many(len(self.skipped), 'method')}; give more ({more})"
        return (
            f"none of {how_many(len(self.skipped), 'method')} can be made of this table, the first because "
            + (self.skipped[0].why.rstrip(".") if self.skipped else "none was named")
        )

    @property
    def reason(self) -> str:
        """Why this one, in figures that stand in the table."""
        chosen = self.recommended
        if not self.trials:
            return "Which method suits cannot be told."
        if chosen is None and self.useful:
            others = how_many(self.left, "other method", "other methods")
            return f"Nothing is recommended yet: there was no time for {others}, which may be safe."
        if chosen is None:
            return "There is nothing to recommend."
        return " ".join(
            [
                f"For {PURPOSES[self.purpose]}: {self._why(chosen)}.",
                *self._risks(chosen),
                self._use(chosen),
                *([NEAR] if self.bench.is_amount else []),
                *([] if chosen.promises else [NO_PROMISE if self.safe else NOTHING_AT_ALL]),
            ]
        )

    def _why(self, chosen: Trial) -> str:
        """Of how many it is the best, and in what."""
        fit, few = self._fit, f"{100 * ALIKE:.0f} point"
        best = "it loses least"
        if chosen.error != min(fit, key=lambda trial: self.loss(trial) or 0.0).error:
            best = f"none loses less by more than {few}, and of those its counts are best"
        if not self.safe:
            return f"of the {len(fit)} with the least risk (to {few}) {best}, and is still not safe"
        promising = " and which promise something" * (len(fit) < len(self.safe))
        most = f"at most {100 * TOLERATED:.0f} points more"
        kept = (
            f"intruders get {most} than without them"
            if self.bench.has_secret
            else f"people found are {most} than by chance"
        )
        return f"of the {len(fit)} tried with which {kept}{promising} {best}"

    def _risks(self, chosen: Trial) -> list[str]:
        """What intruders get of it."""
        if not self.bench.has_secret:
            return [f"No column is sensitive, so that counts: {self._found(chosen)}."]
        got = f"Intruders get {self._everybody(chosen)}, and {self._surest(chosen)}."
        return [got, *self._people_found(chosen)]

    def _use(self, trial: Trial) -> str:
        told, bench = UTILITY[self.purpose].format(self.loss(trial)), self.bench
        if self.purpose != "learning" or bench.learned is None or bench.usual is None:
            return f"{told}."
        return (
            f"{told}; trained on the original it is {1 - bench.learned:.1%}, and whoever always names "
            f"the most frequent value is wrong of {1 - bench.usual:.1%}."
        )

    def _worst_of(self, trial: Trial) -> str:
        """What makes its risk."""
        if not self.bench.has_secret:
            return self._found(trial)
        risk = self.risk(trial)
        if risk == self._gained_of_everybody(trial):
            return self._everybody(trial)
        if risk == self._gained_of_surest(trial):
            return self._surest(trial)
        return f"{trial.found:.1%} of people found ({trial.finder}; {trial.found_by_chance:.1%} by chance)"

    def _found(self, trial: Trial) -> str:
        """How many people somebody finds."""
        if not trial.finder:
            return "nobody tried to find people"
        return f"{trial.finder} finds {trial.found:.1%} of people ({trial.found_by_chance:.1%} by chance)"

    def _everybody(self, trial: Trial) -> str:
        known = self.bench.known_of(trial.guessed)
        return f"{trial.success:.1%} of {known.column or 'values'} right ({known.baseline:.1%} without it)"

    def _surest(self, trial: Trial) -> str:
        known = self.bench.known_of(trial.surest_guessed)
        of = f" in {known.column}" if self.bench.others else ""
        return (
            f"{trial.surest:.1%} of the 1 % of people they are surest of{of} "
            f"({known.surest:.1%} without it)"
        )

    def _people_found(self, trial: Trial) -> list[str]:
        """Who finds somebody without a value of hers: it is for the owner to say whether that harms."""
        if not trial.finding:
            return []
        harm = "" if self.purpose == "open_data" else "; where that alone harms, ask for open_data"
        return [f"Besides, {self._found(trial)}{harm}."]

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
