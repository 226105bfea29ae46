"""The intruder who looks whether somebody's record is still there, wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.attacks.figures.asked import Looked
from anonagram.attacks.figures.copies import Copies, find_copies
from anonagram.attacks.figures.shares import percent
from anonagram.attacks.pair_attack import nothing_found
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False)
class NearCopies(Attack[Copies], call="near_copies", example="near_copies(records=1000)"):
    """He compares how near masked records come to people with how near other people come.

    >>> from anonagram.attacks import Aligned
    >>> rows = {"a": [i * 7 % 101 for i in range(101)], "b": [i * 13 % 101 for i in range(101)]}
    >>> moved = {name: values[::-1] for name, values in rows.items()}
    >>> found = NearCopies().run(Target(pair=Aligned.read(rows, moved)))
    >>> found.score, str(found.verdict)
    (1.0, 'does not withstand')
    """

    knows = "the whole original and the whole release, in whatever order its rows stand"
    needs = ("pair",)

    records: Looked = 0
    """How many people to look for; 0 chooses by the size of the tables."""

    def attempt(self, target: Target) -> AttackResult[Copies]:
        """Compare distances to masked records with distances to other people."""
        step("Looking for near copies")
        pair = given(target.pair)
        found = find_copies(pair, self.records)
        far = float(found.is_far.mean())
        is_it = (
            "equal in every column, and no other person nearly is"
            if found.how == "equal"
            else f"{found.how} than any other person is"
        )
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if found.are_there else nothing_found(pair),
            sentence=(
                f"To {found.share.text} of the people some masked record is {is_it}; chance would give "
                f"about {percent(far)}."
            ),
            records=found.asked,
            scores=found.is_near.astype(np.float64),
            baseline=far,
            figures=found,
            reason="near copies" if found.are_there else "",
        )
