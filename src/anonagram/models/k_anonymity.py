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
from anonagram.models.model import WORST_SHOWN, GroupModel, Seen
from anonagram.release import Manifest, Release, WithGroups


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

    def look(self, release: Release) -> Seen:
        """The fewest who look alike: in a group, or among equal rows wherever these are."""
        groups = self.groups_of(release)
        if not groups.equal_parts:
            return super().look(release)
        return self.look_at(groups.look_alikes().group_by("rows").agg(times=pl.len()))

    def look_at(self, alike: pl.DataFrame) -> Seen:
        """The same from how often so many rows are equal: columns rows and times."""
        alike = alike.sort("rows").cast(pl.Int64)
        few = alike.filter(pl.col("rows") < self.k)
        fewest = alike.head(WORST_SHOWN).select(
            pl.col("rows").repeat_by(pl.col("times").clip(upper_bound=WORST_SHOWN)).explode()
        )
        sizes = fewest["rows"].head(WORST_SHOWN).to_list()
        return Seen(
            achieved=float(sizes[0]),
            violating_groups=int(few["times"].sum()),
            violating_rows=int((few["rows"] * few["times"]).sum()),
            # equal rows have no number that anything published tells
            worst=tuple({"attribute": None, "rows": n, "level": float(n)} for n in sizes),
            smallest=sizes[0],
        )

    def explain(self, seen: Seen, manifest: Manifest, shape: type[Release]) -> str:  # noqa: ARG002
        """Who looks alike in this shape, and what the release promises instead."""
        claims = [claim.model for claim in manifest.claims if claim.model != repr(self)]
        who = getattr(shape, "who_looks_alike", "")
        if not who:
            return ""
        instead = f" What this release promises is {', '.join(claims)}." if claims else ""
        return f"{who}.{instead}"
