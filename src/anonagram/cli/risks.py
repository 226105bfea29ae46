"""What is known to be wrong with a release when it is made: shown before anything else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from anonagram.cli import previous as earlier
from anonagram.cli import screen

if TYPE_CHECKING:
    from anonagram.attacks import Intersection
    from anonagram.learning import Scored
    from anonagram.measures import Guesses
    from anonagram.methods import Publication
    from anonagram.microdata import Microdata
    from anonagram.release import Release


@dataclass(frozen=True)
class Risks:
    """What intruders get of a new release, as far as its maker can tell at once."""

    together: Intersection | None
    """With earlier releases."""
    learned: list[Scored]
    """By learning from all groups, where rows stand as they are."""
    guesses: Guesses | None
    """Of where replaced values come from."""

    @classmethod
    def of(cls, microdata: Microdata, publication: Publication, releases: list[Release]) -> Self:
        """Let them try."""
        from anonagram.measures import row_guesses

        replaced = publication.release.replaced
        return cls(
            _compare(microdata, publication, releases),
            _learned(microdata, publication),
            None if replaced is None else row_guesses(replaced, microdata),
        )

    def show(self, folders: list[Path]) -> None:
        """The worst first."""
        if self.together is not None:
            earlier.show(self.together, folders)
        for each in (*self.learned, *([self.guesses] if self.guesses else [])):
            screen.say(f"{each}")

    def summary(self, folders: list[Path]) -> dict[str, Any]:
        """For a program."""
        told: dict[str, Any] = {"learned": [asdict(each) for each in self.learned]}
        if self.together is not None:
            told["previous"] = earlier.summary(self.together, folders)
        return told


def _compare(
    microdata: Microdata, publication: Publication, releases: list[Release]
) -> Intersection | None:
    from anonagram.attacks import SeveralReleases, Target

    if not releases:
        return None
    target = Target(publication.release, microdata, others=tuple(releases))
    return SeveralReleases().run(target).figures


def _learned(microdata: Microdata, publication: Publication) -> list[Scored]:
    from anonagram.learning import score_learner
    from anonagram.runtime.progress import step

    release = publication.release.with_groups
    if release is None or not release.has_exact_rows:
        return []
    step("Learning from all groups")
    return score_learner(release, microdata, publication.mapping["row_in_quasi"].to_numpy())
