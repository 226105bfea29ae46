"""The intruder who looks for masked rows that one person alone fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.asked import Looked
from anonagram.attacks.figures.sole import Sole, find_people
from anonagram.attacks.group_attack import people
from anonagram.attacks.pair_attack import nothing_found
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class SoleFit(Attack[Sole], call="sole_fit", example="sole_fit(records=1000)"):
    """He takes intervals, labels and suppressed cells for sets of values, and needs no order of rows.

    >>> from anonagram.attacks import Aligned
    >>> rows = {"age": [31, 38, 45, 52, 59, 66], "town": ["Ulm", "Ulm", "Pisa", "Rome", "Bonn", "Nice"]}
    >>> masked = {"age": ["60+", "50-59", "50-59", "40-49", "30-39", "30-39"], "town": rows["town"][::-1]}
    >>> str(SoleFit().run(Target(pair=Aligned.read(rows, masked))).verdict)
    'cannot tell'
    """

    knows = "the whole original and the whole release, in whatever order its rows stand"
    needs = ("pair",)

    records: Looked = 0
    """How many masked rows to look at; 0 chooses by the size of the tables."""

    def attempt(self, target: Target) -> AttackResult[Sole]:
        """Look which rows fit one person."""
        step("Looking for rows that fit one person")
        pair = given(target.pair)
        found = find_people(pair, self.records)
        scores = np.zeros(pair.rows)
        if found.is_telling:
            scores[found.people] = 1.0
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if found.is_telling else nothing_found(pair),
            sentence=_told(found, pair.rows),
            records=np.arange(pair.rows),
            scores=scores,
            baseline=1 / pair.masked_rows,
            figures=found,
            reason="masked rows that one person fits" if found.is_telling else "",
            exposed=found.people if found.is_telling else np.empty(0, np.int64),
        )


def _told(found: Sole, everybody: int) -> str:
    sample = (
        "" if found.rows == found.all_rows else f" Of the masked rows {found.rows:,} were tried."
    )
    nobody = how_many(found.none, "row fits", "rows fit")
    if not found.is_telling:
        one = how_many(found.one, "masked row fits", "masked rows fit")
        return f"{one} one person alone and {nobody} nobody, as in a table of others.{sample}"
    return (
        f"{people(found.people.size, everybody)} are the only ones who fit a masked row, and {nobody} "
        f"nobody: such a row is hers, in whatever order rows stand.{sample}"
    )
