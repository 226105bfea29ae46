"""An intruder with stated knowledge: what he is given, and what comes of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, Literal, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.calls import Call
from anonagram.errors import CallError, InternalError
from anonagram.microdata import Microdata
from anonagram.release import Release
from anonagram.shown.result import Shown
from anonagram.shown.wording import option

F = TypeVar("F")
T = TypeVar("T")
PARTS = {
    "release": "a release",
    "original": "the original table",
    "pair": "the original and what became of it, row by row",
    "others": "other releases of the same people",
}
"""What a target may have, in words."""


class Verdict(StrEnum):
    """What an attack shows; only the first is good news."""

    WITHSTANDS = "withstands"
    CANNOT_TELL = "cannot tell"
    DOES_NOT_WITHSTAND = "does not withstand"


@dataclass(frozen=True)
class Target:
    """What an attack is given; what is not there, an attack that needs it refuses to do without."""

    release: Release | None = None
    original: Microdata | None = None
    pair: Aligned | None = None
    """Original and masked table, row by row."""
    others: tuple[Release, ...] = ()
    """Earlier releases, or others that are about the same people."""
    present: tuple[NDArray[np.bool_] | None, ...] = ()
    """Who of the original's people is in each of them, where that is known."""

    def has(self, part: str) -> bool:
        """Whether it has a part, which is one of `PARTS`."""
        return getattr(self, part) not in (None, ())


@dataclass(frozen=True)
class OfColumn:
    """What an intruder gets of one sensitive column."""

    column: str
    score: float
    baseline: float
    surest: float | None
    """What he scores of the 1 % of people he is surest of; None where he cannot tell who they are."""
    people: int
    """How many he guessed."""


@dataclass(frozen=True)
class AttackResult(Shown, Generic[F]):
    """What an intruder finds, in figures and in words."""

    shown_by = "attack_result"

    attack: Attack[F]
    verdict: Verdict
    sentence: str
    """The worst that is true."""
    records: NDArray[np.int64] = field(repr=False)
    """The records that were attacked, a sample of many: by their place in the original from 0, or in
    the release by group where an intruder needs no original."""
    scores: NDArray[np.float64] = field(repr=False)
    """For each of them how sure he is of the truth: 1 or 0, or what he believes in it."""
    baseline: float
    """What he is compared with: what somebody scores on average who knows less."""
    figures: F
    """What this attack measures besides."""
    details: tuple[str, ...] = ()
    """What else is worth saying."""
    reason: str = ""
    """What gives people away, in a few words; empty where nothing does."""
    exposed: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    """The people who are given away, by their place in the original, where that can be told."""
    compared: str = "without the release"
    """Whose the baseline is, in words that go behind the figure."""
    surest: float | None = None
    """What he scores of the 1 % of people he is surest of; None where he cannot tell who they are."""
    by_column: tuple[OfColumn, ...] = ()
    """The same of each sensitive column; empty where what he finds is not about one of them."""

    @property
    def score(self) -> float:
        """What he scores on average."""
        return float(self.scores.mean())

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything that is said, the worst first."""
        return (self.sentence, *self.details)

    @property
    def withstands(self) -> bool:
        """Whether it was shown that nobody is found."""
        return self.verdict is Verdict.WITHSTANDS

    def to_dict(self) -> dict[str, Any]:
        """The result for a program."""
        return {
            "attack": repr(self.attack),
            "knows": self.attack.knows,
            "about": self.attack.about,
            "records": self.records.size,
            "score": self.score,
            "baseline": self.baseline,
            "compared": self.compared,
            "surest": self.surest,
            "verdict": str(self.verdict),
            "sentences": list(self.sentences),
        }


class Attack(Call, Generic[F], home="anonagram.attacks"):
    """An intruder: a frozen dataclass of how closely he looks."""

    noun = "attack"

    knows: ClassVar[str]
    """What he knows, as the end of the sentence "the intruder knows …"."""
    needs: ClassVar[tuple[str, ...]]
    """The parts of a target without which he cannot try."""
    about: ClassVar[Literal["value", "kind", "presence", "order", "row"]] = "value"
    """What he finds out, from the worst, a sensitive value, to the least, whose a row is."""

    pins: ClassVar[bool] = False
    """Whether whoever he finds he is sure of, so that of all others he still knows what he knew."""

    def unfit(self, target: Target) -> str:
        """Why he cannot try this target; empty where he can."""
        missing = [PARTS[part] for part in self.needs if not target.has(part)]
        return f"{self.call} needs {' and '.join(missing)}." if missing else ""

    @final
    def run(self, target: Target) -> AttackResult[F]:
        """Try a target, or say why not."""
        if why := self.unfit(target):
            missing = [_given_by(part) for part in self.needs if not target.has(part)]
            knows = f"{self.call} is for an intruder who knows {self.knows}."
            raise CallError(why, "; ".join([*missing, knows]))
        return self.attempt(target)

    @abstractmethod
    def attempt(self, target: Target) -> AttackResult[F]:
        """The attack itself, on a target that has what it needs."""


def _given_by(part: str) -> str:
    """How whoever asks gives a part of a target."""
    given_as = f"Target({part}=…)"
    return {
        "release": option("the folder of a release", given_as),
        "original": option("--original DATA", given_as),
        "pair": option("anonagram audit ORIGINAL MASKED", given_as),
        "others": option("--other FOLDER", given_as),
    }[part]


def given(part: T | None) -> T:
    """A part of a target that an attack needs, after `run` has seen that it is there."""
    if part is None:
        raise InternalError("An attack was tried without what it needs.")
    return part
