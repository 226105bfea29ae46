"""The intruder who knows how often every combination occurs, and undoes random replacements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl

from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict, given
from anonagram.calls import Between
from anonagram.errors import InternalError
from anonagram.measures.guessing import Guesses, row_guesses
from anonagram.microdata import Microdata

ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class Inversion(Attack[Guesses], call="inversion", example="inversion()"):
    """For every row the likeliest quasi-identifiers it came from (Yang and Qiao 2010, Proposition 10).

    He scores what he believes of the likeliest origin; the baseline is that of somebody who names
    the most frequent combination of the table. A row whose origin is nearly certain is as good as
    one that nothing was done to.
    """

    knows = (
        "how often every combination of quasi-identifiers occurs, and how likely each is replaced"
    )
    needs = ("release", "original")
    about = "row"

    sure: Annotated[float, Between(0, 1)] = 0.9
    """What he may believe at most of any row's origin."""

    def unfit(self, target: Target) -> str:
        """One replaced attribute a row is what there is a formula for."""
        release = target.release
        if release is not None and release.replaced is None:
            return f"{self.call} undoes replacements, and the shape {release.shape} has none."
        if release is not None and given(release.replaced).transition.attributes > 1:
            return f"{self.call} undoes one replacement a row, and this release has several."
        return super().unfit(target)

    def attempt(self, target: Target) -> AttackResult[Guesses]:
        """Guess the origin of every row."""
        release, original = given(given(target.release).replaced), given(target.original)
        found = row_guesses(release, original)
        if found is None:
            raise InternalError("Replacements of several attributes were to be undone.")
        is_sure = found.probability > self.sure + ROUNDING
        share = float(is_sure.mean())
        return AttackResult(
            attack=self,
            verdict=Verdict.DOES_NOT_WITHSTAND if is_sure.any() else Verdict.WITHSTANDS,
            sentence=(
                "Somebody who knows how often every combination occurs guesses the origin of "
                f"{found.probability.mean():.1%} of the rows right, and is more than {self.sure:.0%} sure "
                f"of {share:.1%} of them."
            ),
            records=np.arange(found.probability.size),
            scores=found.probability,
            baseline=_most_frequent(original, list(release.marginals)),
            figures=found,
            details=(f"No row's origin can be guessed with more than {found.bound.max():.1%}.",),
            reason="replacements that can be undone" if is_sure.any() else "",
        )


def _most_frequent(original: Microdata, names: list[str]) -> float:
    codes = pl.DataFrame({str(j): original.column(name).codes for j, name in enumerate(names)})
    most = codes.group_by(codes.columns).agg(n=pl.len())["n"].max()
    return float(most) / original.rows  # type: ignore[arg-type]
