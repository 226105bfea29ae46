"""What a protector can do where an attack succeeds: changes that are tried, the smallest first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.attack import Attack, AttackResult, Target, given
from anonagram.attacks.figures.told_entries import sample_of
from anonagram.attacks.results import AttackResults
from anonagram.errors import AnonagramError, CallError
from anonagram.key import PUBLIC
from anonagram.methods import Method
from anonagram.methods.group_method import GroupMethod
from anonagram.microdata import Microdata
from anonagram.partition import Diversity, Partitioner
from anonagram.release import Release
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many, option

PEOPLE = 50_000
"""Of a larger table a sample of so many people is published again."""
SECONDS = 60.0
"""Of all processors together; after so many no further change is begun."""
FEW = 0.05
"""A larger share of people is not left out."""
STRENGTHS = ("l", "k", "attributes")
"""Parameters of methods of which more is stronger."""


@dataclass(frozen=True)
class Change:
    """Something a protector could do."""

    words: str
    method: Method
    without: NDArray[np.int64]
    """People who are left out, by their place in the original."""


@dataclass(frozen=True)
class Tried:
    """What became of a change."""

    change: Change
    result: AttackResult[Any] | None
    """What the intruder finds then; None where no such release can be made."""
    still: tuple[str, ...] = ()
    """Other intruders who then get more than they should."""
    why: str = ""
    """Why no such release can be made."""

    @property
    def helped(self) -> bool:
        """Whether it was shown that the intruder gets no more than he should."""
        return self.result is not None and self.result.withstands

    @property
    def gain(self) -> float:
        """How much better he is than without the release."""
        return np.inf if self.result is None else self.result.score - self.result.baseline


@dataclass(frozen=True)
class Defence(Shown):
    """Changes against the worst intruder, in the order in which they were tried."""

    shown_by = "defence"

    against: AttackResult[Any]
    people: int
    """Of how many people releases were made."""
    tried: tuple[Tried, ...]
    not_tried: tuple[Change, ...]
    """Those for which there was no time, or no original."""

    @property
    def best(self) -> Tried | None:
        """The smallest change that helped; None where none did."""
        return next((each for each in self.tried if each.helped), None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to do, as far as it was tried."""
        call = self.against.attack.call
        if not self.tried:
            could = "; ".join(each.words for each in self.not_tried)
            need = option("--original DATA", "an original")
            return (f"Could be tried against {call} ({need} tries it): {could or 'nothing'}.",)
        told = [self._best_told(call)]
        if self.not_tried:
            words = "; ".join(each.words for each in self.not_tried)
            told.append(f"Not tried: {words}.")
        return tuple(told)

    def _best_told(self, call: str) -> str:
        best, before = self.best, self.against
        if best is None or best.result is None:
            tried = "; ".join(each.change.words for each in self.tried)
            return (
                f"Nothing that was tried on {how_many(self.people, 'person', 'people')} helped against "
                f"{call}: {tried}."
            )
        still = (
            f" {', '.join(best.still)} still get{'s' if len(best.still) == 1 else ''} more."
            * bool(best.still)
        )
        return (
            f"The smallest change that helped against {call}, tried on "
            f"{how_many(self.people, 'person', 'people')}: {best.change.words}. It then finds "
            f"{best.result.score:.1%} instead of {before.score:.1%}; "
            f"{best.result.baseline:.1%} {best.result.compared}.{still}"
        )

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram attack --json` prints of it."""
        best = self.best
        return {
            "against": repr(self.against.attack),
            "people": self.people,
            "helped": None if best is None else best.change.words,
            "method": None if best is None else repr(best.change.method),
            "tried": [
                {
                    "change": each.change.words,
                    "method": repr(each.change.method),
                    "left_out": each.change.without.size,
                    "helped": each.helped,
                    "score": None if each.result is None else each.result.score,
                    "baseline": None if each.result is None else each.result.baseline,
                    "still_broken": list(each.still),
                    "why_not": each.why,
                }
                for each in self.tried
            ],
            "not_tried": [each.words for each in self.not_tried],
            "sentences": list(self.sentences),
        }


def defend_release(
    results: AttackResults, target: Target, seconds: float = SECONDS
) -> Defence | None:
    """Publish the original again with changes, the smallest first, until the worst intruder fails.

    None where nobody gets more than he should, or where nothing says how the release was made.
    """
    method = _method_of(target.release)
    if not results.broken or method is None:
        return None
    worst = results.broken[0]
    changes = list(_changes(method, worst, given(target.release)))
    if target.original is None:
        return Defence(worst, 0, (), tuple(changes))
    table, changes = _sampled(target.original, changes)
    others = [each.attack for each in results if each.attack != worst.attack]
    began = time.process_time()
    tried: list[Tried] = []
    for number, change in enumerate(changes):
        if tried and (tried[-1].helped or time.process_time() - began > seconds):
            rest = () if tried[-1].helped else tuple(changes[number:])
            return Defence(worst, table.rows, tuple(tried), rest)
        step(f"Trying: {change.words}")
        tried.append(_try(change, replace(target, original=table), worst.attack, others))
    return Defence(worst, table.rows, tuple(tried), ())


def _method_of(release: Release | None) -> Method | None:
    """The method that a release says it was made with, where it is one of those we know."""
    try:
        return None if release is None else Method.parse(release.manifest.method)
    except CallError:
        return None


def _changes(method: Method, worst: AttackResult[Any], release: Release) -> Iterator[Change]:
    """From the smallest to the largest."""
    nobody = np.empty(0, np.int64)
    if 0 < worst.exposed.size <= FEW * release.manifest.rows.original:
        yield Change(
            f"leaving out {how_many(worst.exposed.size, 'person', 'people')}", method, worst.exposed
        )
    if isinstance(method, GroupMethod):
        for other in _other_partitions(method):
            yield Change(f"{other!r}", other, nobody)
    for stronger in _stronger(method):
        yield Change(f"{stronger!r}", stronger, nobody)
    if isinstance(method, GroupMethod) and release.has_exact_rows:
        for partition in dict.fromkeys((method.partition, "buckets")):
            moved = Method.parse(f"permutation(l={method.l}, partition={partition!r})")
            yield Change(f"{moved!r}", moved, nobody)


def _other_partitions(method: GroupMethod) -> Iterator[Method]:
    own = Partitioner.parse(method.partition).call
    for name in Partitioner.makers(Diversity):
        if name != own:
            yield replace(method, partition=name)


def _stronger(method: Method) -> Iterator[Method]:
    """One more of what makes it stronger, half as much more, and twice as much."""
    for name in STRENGTHS:
        if name in {field.name for field in fields(method)}:  # type: ignore[arg-type]
            own = int(getattr(method, name))
            for value in sorted({own + 1, -(-3 * own // 2), 2 * own}):
                # several replaced attributes are chosen evenly
                more = {"p": "uniform"} if name == "attributes" else {}
                yield replace(method, **{name: value}, **more)  # type: ignore[type-var]
            return


def _sampled(original: Microdata, changes: list[Change]) -> tuple[Microdata, list[Change]]:
    """A table of not too many people, and changes whose people are found in it."""
    if original.rows <= PEOPLE:
        return original, changes
    kept = sample_of(original.rows, PEOPLE)
    place = np.full(original.rows, -1, np.int64)
    place[kept] = np.arange(kept.size)
    found = [replace(each, without=_there(place[each.without])) for each in changes]
    return original.only(kept), found


def _there(places: NDArray[np.int64]) -> NDArray[np.int64]:
    return places[places >= 0]


def _try(change: Change, target: Target, attack: Attack[Any], others: list[Attack[Any]]) -> Tried:
    """Publish with the change, and let the intruder try; the others too, where he fails."""
    table = given(target.original)
    kept = np.setdiff1d(np.arange(table.rows), change.without)
    table = table.only(kept) if change.without.size else table
    try:
        made = replace(target, release=change.method.anonymize(table, PUBLIC), original=table)
    except AnonagramError as error:
        return Tried(change, None, why=error.what)
    if attack.unfit(made):  # what he attacks is not published any more
        return Tried(change, None, why=attack.unfit(made))
    found = Tried(change, attack.run(made))
    return replace(found, still=_broken(made, others)) if found.helped else found


def _broken(target: Target, attacks: list[Attack[Any]]) -> tuple[str, ...]:
    return tuple(each.attack.call for each in AttackResults.of(attacks, target).broken)
