"""(d,v,f)-permuted privacy: how far records went, and among how different values.

Domingo-Ferrer and Muralidhar (2016), Section 4. For a record x, y* has the released values closest
to its own; d is how many ranks its image f(x) lies from them, v the diversity of the released
values no further away than that. The protector takes the true image; a subject, who does not know
it, the record whose largest difference of ranks is least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.columns.diversity import Criterion, diversity
from anonagram.columns.nearest import Records

Viewer = Literal["protector", "subject"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PermutedPrivacy:
    """For each record (a row) and attribute (a column)."""

    view: Viewer
    criterion: Criterion
    image: NDArray[np.int64]
    """The number of f(x) in the release, a record each."""
    d: Floats
    """Permutation distances."""
    v: Floats
    """Diversities. Closeness is a distance from the whole column: less is more diverse."""

    @property
    def largest_d(self) -> Floats:
        """The largest d that every record satisfies, an attribute each."""
        return np.asarray(self.d.min(axis=0))

    @property
    def largest_v(self) -> Floats:
        """The strictest v that every record satisfies, an attribute each."""
        return np.asarray(
            self.v.max(axis=0) if self.criterion == "closeness" else self.v.min(axis=0)
        )

    def satisfied(self, d: Floats, v: Floats) -> NDArray[np.bool_]:
        """Which records satisfy the model with these vectors."""
        enough = self.v <= v if self.criterion == "closeness" else self.v >= v
        return np.asarray(((self.d >= d) & enough).all(axis=1))


def permuted_privacy(
    pair: Aligned,
    view: Viewer = "protector",
    criterion: Criterion = "variance",
    asked: NDArray[np.int64] | None = None,
) -> PermutedPrivacy:
    """Measure every record that has an image, or those asked about.

    >>> pair = Aligned.read({"pay": [10, 20, 30]}, {"pay": [21, 29, 12]}, in_order=True)
    >>> found = permuted_privacy(pair)
    >>> found.d[:, 0].tolist(), found.largest_d.tolist()
    ([1.0, 1.0, 2.0], [1.0])
    """
    image = np.arange(pair.paired or pair.rows) if asked is None else asked
    closest = [each.masked.closest(each.original.values[image]) for each in pair.attributes]
    wanted = np.column_stack(
        [each.masked.middles[codes] for each, codes in zip(pair.attributes, closest, strict=True)]
    )
    released = np.column_stack([each.masked.ranks for each in pair.attributes])
    if view == "subject":
        image = Records(released).nearest(wanted).record
    twice = np.abs(released[image] - wanted)
    v = [
        diversity(each.masked, wanted[:, j], twice[:, j], criterion)
        for j, each in enumerate(pair.attributes)
    ]
    return PermutedPrivacy(view, criterion, image, twice / 2, np.column_stack(v))
