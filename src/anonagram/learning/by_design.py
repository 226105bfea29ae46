"""Intervals for counts, where rows of a value are in groups by chance alone.

A rule that never looks at quasi-identifiers puts any row of a value into a group as likely as any other
row of it. How many rows of a group meet a condition on quasi-identifiers is then, on average, the sum
over its values of the share of their rows that meet it. A regression of the groups' hits on their counts
of values finds these shares without bias, whatever depends on what, and the draw itself says how far
it can be off: nothing has to be believed about people.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import read_call
from anonagram.columns.encoding import dictionary
from anonagram.errors import AnonagramError
from anonagram.key import PUBLIC
from anonagram.learning.scored import MOST_VALUES
from anonagram.microdata import Microdata
from anonagram.partition import Diversity, Partitioner

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from anonagram.release import GroupedRelease

Floats = NDArray[np.float64]
NORMAL_95 = 1.959963984540054
NOTHING = 1e-9
"""Directions of so small a share of the longest one's square are not told by the groups."""
ROUNDING = 1e-6


@dataclass(frozen=True)
class ByDesign:
    """Groups that were drawn at random given the values of one sensitive column."""

    counts: csr_array
    """Of each value in each group."""
    totals: Floats
    """Of each value in the table."""
    squares: Floats
    """How counts of two values go together over groups."""
    inverse: Floats
    """Of the squares, where they have one."""

    @classmethod
    def of(cls, release: GroupedRelease) -> Self | None:
        """Look at a release with one sensitive column; None where its groups are not known to be such.

        >>> from anonagram import Anatomy, Key, Microdata
        >>> table = {"age": [31, 45, 52, 60] * 9, "ill": ["flu", "cut", "flu", "gout"] * 9}
        >>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
        >>> make = lambda rule: Anatomy(l=2, partition=rule).anonymize(data, Key(bytes(32)))
        >>> ByDesign.of(make("neighbours")) is None, ByDesign.of(make("buckets")) is None
        (True, False)
        """
        from scipy.sparse import csr_array  # takes longer to load than most commands need

        names = release.manifest.named("sensitive")
        if len(names) != 1 or not release.has_exact_rows:
            return None
        counted = release.sensitive_counts()[names[0]].sort("group", "value", maintain_order=True)
        codes, domain = dictionary(counted["value"])
        if len(domain) > MOST_VALUES or not _drawn_by_value(release, counted):
            return None
        shape = (int(counted["group"].max()), len(domain) + 1)  # type: ignore[arg-type]
        places = counted["group"].to_numpy() - 1, codes
        counts = csr_array((counted["count"].cast(pl.Float64).to_numpy(), places), shape=shape)
        squares = (counts.T @ counts).toarray()
        lengths, directions = np.linalg.eigh(squares)
        told = lengths > lengths[-1] * NOTHING
        inverse = directions[:, told] / lengths[told] @ directions[:, told].T
        return cls(counts, counts.sum(axis=0), squares, inverse)

    def interval(self, hits: Floats, counted: Floats) -> tuple[float, float] | None:
        """Between what a count lies, 95 % of the time; None where the groups do not tell.

        hits: how many rows of each group meet the condition on quasi-identifiers; counted: how many
        of its sensitive values meet theirs, which says which values do.
        """
        asked = self.inverse @ (self.counts.T @ counted)
        chosen = self.totals * np.round(asked)
        weights = self.inverse @ chosen
        is_told = np.abs(self.squares @ weights - chosen).max() <= ROUNDING * max(chosen.max(), 1)
        if not is_told or np.abs(asked - np.round(asked)).max() > ROUNDING:
            return None  # values that stand in the same groups, always
        each = self.counts @ weights
        middle, variance = float(each @ hits), self._variance(each, self._shares(hits))
        reach = NORMAL_95 * sqrt(max(variance, 0.0)) + ROUNDING * (1 + abs(middle))
        return middle - reach, middle + reach

    def _shares(self, hits: Floats) -> Floats:
        """Of each value the share of rows that meet the condition, pulled to the whole's by its noise."""
        found = self.inverse @ (self.counts.T @ hits)
        noise = np.diag(self.inverse) * ((hits - self.counts @ found) ** 2).mean()
        share, people = hits.sum() / self.totals.sum(), self.totals / self.totals.sum()
        spread = max(float(((found - share) ** 2 - noise) @ people), 0.0)
        kept = spread / np.maximum(spread + noise, np.finfo(float).tiny)
        return np.asarray(np.clip(share + (found - share) * kept, 0.0, 1.0))

    def _variance(self, weights: Floats, shares: Floats) -> float:
        """Of a weighted sum of hits over all ways to draw the rows of each value."""
        sums, squares = self.counts.T @ weights, self.counts.T @ weights**2
        apart = squares - sums**2 / np.maximum(self.totals, 1)
        again = self.totals / np.maximum(self.totals - 1, 1)
        return float((shares * (1 - shares) * again) @ apart)


def _drawn_by_value(release: GroupedRelease, counted: pl.DataFrame) -> bool:
    """Whether the rule never looks at people, and makes such groups of these values.

    A table that was published block by block has a rule's groups in every block of close people,
    which are others than those of the whole.
    """
    try:
        _, _, named = read_call(release.manifest.method)
        rule = Partitioner.parse(named["partition"])
        if not rule.blind:
            return False
        values = counted["value"].repeat_by(counted["count"]).explode()
        table = pl.DataFrame({"value": values, "row": pl.int_range(values.len(), eager=True)})
        roles = {"value": "sensitive", "row": "quasi"}
        made = rule.divide(Microdata.read(table, roles), Diversity(named["l"]), PUBLIC)
    except (AnonagramError, KeyError):
        return False
    again = table.select("value", group=pl.Series(made.group_of))
    own = counted.select("group", "value", "count")
    # the fewer than l rows left over are put anywhere: a group more and one less of two kinds each
    unlike = _unlike(own, again.group_by("group", "value").agg(count=pl.len()))
    return bool(unlike <= 4 * named["l"])


def _unlike(one: pl.DataFrame, other: pl.DataFrame) -> int:
    """In how many groups two ways to group values differ, however groups are numbered."""
    kinds = []
    for each in (one, other):
        kind = each.with_columns(hashed=pl.struct("value", pl.col("count").cast(pl.Int64)).hash())
        kinds.append(kind.group_by("group").agg(kind=pl.col("hashed").sum(), size=pl.len()))
    counts = [k.group_by("kind", "size").agg(n=pl.len().cast(pl.Int64)) for k in kinds]
    both = counts[0].join(counts[1], on=["kind", "size"], how="full", coalesce=True).fill_null(0)
    return int((both["n"] - both["n_right"]).abs().sum())
