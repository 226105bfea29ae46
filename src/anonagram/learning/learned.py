"""The intruder's model, fitted to a release alone (Kifer 2009, the deFinetti attack).

He starts from what each group says by itself: every value of it as likely for each of its rows. From
that he counts how often attributes and values are expected together in the whole release, which is a
naive Bayes model; with it some rows of a group fit a value better than others; and so on. Inside a
group every row has one value and every value its count: chances are those over all matchings, summed
exactly where a group is small, else approximated by scaling rows and columns to fit (Sinkhorn).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.errors import CallError
from anonagram.learning.features import Features

if TYPE_CHECKING:
    from anonagram.release import WithGroups

ROUNDS = 20
SMOOTHING = 1.0
"""People added to every cell, so that nothing unseen is impossible."""


@dataclass(frozen=True)
class Learned:
    """For each row of a release the chances of its group's values."""

    domain: pl.Series
    """The sensitive values; a code behind the last stands for a missing one."""
    order: NDArray[np.int64]
    """The rows of the published table by group, as which everything else stands."""
    starts: NDArray[np.int64]
    """Where the rows of each group begin."""
    value_starts: NDArray[np.int64]
    """Where the values of each group begin."""
    values: NDArray[np.int32]
    counts: NDArray[np.float64]
    blocks: NDArray[np.int64]
    """Where the chances of each group begin: a chance for each row and each of its values."""
    chances: NDArray[np.float64]

    def likeliest(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """For each row, in the published table's order, the code he would guess and his belief."""
        from anonagram.kernels.learn import find_likeliest

        guess, belief = np.empty(self.order.size, np.int32), np.empty(self.order.size)
        find_likeliest(
            self.starts, self.value_starts, self.values, self.blocks, self.chances, guess, belief
        )
        back = np.argsort(self.order, kind="stable")
        return guess[back], belief[back]

    def entries(self) -> pl.DataFrame:
        """Columns row (of the published table), code and chance: every value that a row can have."""
        widths, sizes = np.diff(self.value_starts), np.diff(self.starts)
        width_of, first_of = np.repeat(widths, sizes), np.repeat(self.value_starts[:-1], sizes)
        begins = np.repeat(np.cumsum(width_of) - width_of, width_of)
        place = np.repeat(first_of, width_of) + np.arange(self.chances.size) - begins
        return pl.DataFrame(
            {
                "row": np.repeat(self.order, width_of),
                "code": self.values[place],
                "chance": self.chances,
            }
        )


def learn(release: WithGroups, attribute: str, most_rows: int | None = None) -> Learned:
    """Fit the model to a release whose rows stand as they are beside counts of a sensitive column.

    With `most_rows` to the first groups only, about so many rows; groups are numbered at random, so
    they are a sample.

    >>> from anonagram import Anatomy, Key, Microdata
    >>> table = {"sex": ["F", "M"] * 30, "disease": ["a", "b", "c"] * 20}
    >>> data = Microdata.read(table, {"sex": "quasi", "disease": "sensitive"})
    >>> learned = learn(Anatomy(l=3).anonymize(data, Key(bytes(32))), "disease")
    >>> learned.domain.to_list(), learned.starts.size
    (['a', 'b', 'c'], 21)
    """
    if not release.has_exact_rows:
        raise CallError(
            f"A {release.shape} release publishes no exact rows to learn from.",
            "take a release of anatomy or ke.",
        )
    group = release.manifest.layout["group"]
    quasi, counted = release.tables["quasi"], release.sensitive_counts()[attribute]
    if most_rows is not None and quasi.height > most_rows:
        share = most_rows / quasi.height
        last = quasi[group].quantile(share, "lower")
        quasi, counted = (
            quasi.filter(pl.col(group) <= last),
            counted.filter(pl.col("group") <= last),
        )
    counted = counted.sort("group", "value", maintain_order=True)
    codes, domain = dictionary(counted["value"])
    order = quasi[group].arg_sort().to_numpy().astype(np.int64)
    features = Features.of([quasi[n] for n in release.manifest.named("quasi")], len(domain) + 1)
    starts, value_starts = _starts(quasi[group]), _starts(counted["group"])
    blocks = np.concatenate([[0], np.cumsum(np.diff(starts) * np.diff(value_starts))])
    learned = Learned(
        domain, order, starts, value_starts, codes,
        counted["count"].cast(pl.Float64).to_numpy(), blocks, np.empty(int(blocks[-1])),
    )  # fmt: skip
    _fit(learned, features.taken(order))
    return learned


def _starts(groups: pl.Series) -> NDArray[np.int64]:
    """Where each group begins among sorted numbers of groups."""
    sizes = groups.value_counts().sort(groups.name)["count"].to_numpy()
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _fit(learned: Learned, features: Features) -> None:
    """Learn and match in turn; the chances are changed in place."""
    from anonagram.kernels.learn import as_logarithms, count_expected, even_chances, match_groups

    places = (learned.starts, learned.value_starts)
    even_chances(*places, learned.counts, learned.blocks, learned.chances)
    for _ in range(ROUNDS):
        tables = np.zeros((int(features.offsets[-1]), len(learned.domain) + 1))
        count_expected(
            features.codes, features.offsets, *places, learned.values, learned.blocks,
            learned.chances, tables,
        )  # fmt: skip
        as_logarithms(tables, features.offsets, SMOOTHING)
        match_groups(
            features.codes, features.offsets, *places, learned.values, learned.counts,
            learned.blocks, tables, learned.chances,
        )  # fmt: skip
