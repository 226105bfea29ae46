"""What is known to be wrong with a release when it is made: shown before anything else."""

from __future__ import annotations

import functools
import operator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from anonagram.cli import previous as earlier
from anonagram.cli import screen
from anonagram.runtime.threads import beside
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.attacks import Intersection
    from anonagram.learning import Foretold, Ranked, Scored
    from anonagram.measures import Guesses
    from anonagram.methods import Publication
    from anonagram.microdata import Microdata
    from anonagram.models.nearness import Narrowest
    from anonagram.profile.given_away import GivenAway
    from anonagram.release import Release, Replaced

MOST_WARNED = 3


@dataclass(frozen=True)
class Risks:
    """What intruders get of a new release, as far as its maker can tell at once."""

    together: Intersection | None
    """With earlier releases."""
    learned: list[Scored]
    """By learning from all groups, where rows or columns stand as they are beside counted values."""
    ranked: list[Ranked]
    """By sorting amounts inside groups, where that is more than allowed and more than by learning."""
    guesses: Guesses | None
    """Of where replaced values come from."""
    beside: tuple[str, ...]
    """Sensitive columns that stand as they are beside replaced values."""
    foretold: list[Foretold]
    """Without any release, by a model of all quasi-identifiers."""
    given_away: list[GivenAway]
    """By a quasi-identifier for some, and by two together; one that does so alone for many is refused."""
    near: list[Narrowest]
    """Amounts that a promise takes for different, and that may lie near each other."""
    headline: str | None
    """What the published tables say by themselves."""
    rows: int
    unmasked: int
    """Of a masked table: rows that are published as they are."""

    @classmethod
    def of(cls, microdata: Microdata, publication: Publication, releases: list[Release]) -> Self:
        """Let them try."""
        from anonagram.measures.published import headline_of

        # what needs the table alone, while the learner's threads wait for each other
        foretold = beside(lambda: _foretold(microdata))
        given_away = beside(lambda: _given_away(microdata))
        replaced = publication.release.replaced
        learned = _learned(microdata, publication)
        return cls(
            _compare(microdata, publication, releases),
            learned,
            [each for each in _ranked(microdata, publication) if _is_news(each, learned)],
            None if replaced is None else _guesses(replaced, microdata),
            () if replaced is None else _beside(publication.release),
            foretold(),
            given_away(),
            _near(publication.release),
            headline_of(publication.release.manifest),
            microdata.rows,
            _unmasked(microdata, publication),
        )

    def show(self, folders: list[Path]) -> None:
        """The worst first."""
        from anonagram.models.nearness import near_told

        if self.together is not None:
            earlier.show(self.together, folders)
        if self.unmasked:
            share = f"{self.unmasked / self.rows:.1%}".replace("%", " %")
            screen.say(
                f"Warning: {self.unmasked:,} of {how_many(self.rows, 'row')} ({share}) are published as "
                "they are: masking moved nothing in them."
            )
        for ranked in self.ranked[:MOST_WARNED]:
            screen.say(f"Warning: {ranked} {ranked.remedy}")
        for pair in self.given_away[:MOST_WARNED]:
            screen.say(f"Warning: {pair.told(self.rows)}. {pair.remedy}")
        strongest = [*self.learned, *([self.guesses] if self.guesses else [])]
        if not strongest and not self.ranked and self.headline is not None:
            screen.say(self.headline)
        near = [near_told(self.near)] if self.near else []
        for each in (*strongest, *near, *self.foretold):
            screen.say(f"{each}")
        if self.beside:
            names = " and ".join(self.beside)
            screen.say(
                f"Whoever knows which row is a person's reads {names} in it: it stands there as it was. "
                "How often that is guessed right, anonagram attack finds out (weighed_rows)."
            )

    def summary(self, folders: list[Path]) -> dict[str, Any]:
        """For a program."""
        told: dict[str, Any] = {
            "headline": self.headline,
            "unmasked_rows": self.unmasked,
            "learned": [asdict(each) for each in self.learned],
            "ranked": [asdict(each) for each in self.ranked],
            "foretold": [asdict(each) for each in self.foretold],
            "given_away": [asdict(each) for each in self.given_away],
            "stands_beside": list(self.beside),
            "narrowest": [asdict(each) for each in self.near],
        }
        if self.together is not None:
            told["previous"] = earlier.summary(self.together, folders)
        return told


def _unmasked(microdata: Microdata, publication: Publication) -> int:
    """Rows of a masked table that are equal to the original in every column."""
    people = publication.release.people
    if not publication.release.masked or people is None:
        return 0
    published = people[publication.mapping["row_in_rows"].to_numpy()]
    original = microdata.frame()
    equal = [published[name].eq_missing(original[name]) for name in original.columns]
    return int(functools.reduce(operator.and_, equal).sum())


def _compare(
    microdata: Microdata, publication: Publication, releases: list[Release]
) -> Intersection | None:
    if not releases:
        return None
    from anonagram.attacks import SeveralReleases, Target
    from anonagram.methods.remembered import who_was_in

    present = tuple(who_was_in(microdata, release, publication.series) for release in releases)
    target = Target(publication.release, microdata, others=tuple(releases), present=present)
    return SeveralReleases().run(target).figures


def _learned(microdata: Microdata, publication: Publication) -> list[Scored]:
    from anonagram.learning import score_apart, score_learner, stands_apart

    release = publication.release.with_groups
    if release is None or release.subdomains is not None:
        return []
    if release.has_whole_rows:
        return score_learner(release, microdata, publication.mapping["row_in_quasi"].to_numpy())
    if release.grouped is None or not stands_apart(release.grouped):
        return []
    return score_apart(release.grouped, microdata, publication.mapping["group"].to_numpy())


def _ranked(microdata: Microdata, publication: Publication) -> list[Ranked]:
    from anonagram.learning import rank_all

    release, mapping = publication.release, publication.mapping
    return rank_all(release, microdata, mapping["group"].to_numpy()) if release.grouped else []


def _is_news(ranked: Ranked, learned: list[Scored]) -> bool:
    """Whether sorting finds more than it should, and more than a learner does."""
    return ranked.gain > 0 and not any(
        each.column == ranked.column
        and each.right >= ranked.found.everybody
        and each.surest >= ranked.found.surest
        for each in learned
    )


def _foretold(microdata: Microdata) -> list[Foretold]:
    from anonagram.learning import foretell

    return foretell(microdata)


def _given_away(microdata: Microdata) -> list[GivenAway]:
    from anonagram.profile.given_away import given_away_of

    return given_away_of(microdata)


def _beside(release: Release) -> tuple[str, ...]:
    from anonagram.release.told import Told

    named = release.manifest.named("sensitive")
    return tuple(name for name in named if release.how_told(name) is Told.EXACT)


def _near(release: Release) -> list[Narrowest]:
    from anonagram.models import PrivacyModel
    from anonagram.models.nearness import narrowest_of

    groups = release.with_groups
    promised = [PrivacyModel.parse(claim.model) for claim in release.manifest.claims]
    if groups is None or not any(each.counts_differing for each in promised):
        return []
    return narrowest_of(groups)


def _guesses(replaced: Replaced, microdata: Microdata) -> Guesses | None:
    from anonagram.measures.guessing import row_guesses

    return row_guesses(replaced, microdata)
