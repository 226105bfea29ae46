"""k-anonymity: nobody looks like fewer than k people in what is published about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.model import GroupModel
from anonagram.release import WithGroups


@dataclass(frozen=True, repr=False)
class KAnonymity(GroupModel, call="k_anonymity", example="k_anonymity(k=3)"):
    """At least k people are alike in all published quasi-identifiers (Samarati and Sweeney 1998).

    In a release that publishes rows as they are those are equal rows, whatever its groups are.

    >>> KAnonymity(k=3)
    k_anonymity(k=3)
    """

    in_words = "at least {k} people look alike in all that is published and may be known to others"

    k: Annotated[int, AtLeast(1)]
    about_sensitive = False
    not_promised = (
        "anything about sensitive values. People who look alike can have the same one, and then it is "
        "known of all of them."
    )

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:  # noqa: ARG002
        """For searches, of the rows of a group."""
        return [Test(goals.SIZE, first=self.k, grows=True)]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """How many people look alike."""
        return release.look_alikes().select(
            "group",
            pl.lit(None, pl.String).alias("attribute"),
            "rows",
            pl.col("rows").cast(pl.Float64).alias("level"),
            (pl.col("rows") >= self.k).alias("holds"),
        )

    def explain(self, release: WithGroups) -> str:
        """Who looks alike in this shape, and what the release promises instead."""
        claims = [claim.model for claim in release.manifest.claims if claim.model != repr(self)]
        if not release.who_looks_alike:
            return ""
        instead = f" What this release promises is {', '.join(claims)}." if claims else ""
        return f"{release.who_looks_alike}.{instead}"
