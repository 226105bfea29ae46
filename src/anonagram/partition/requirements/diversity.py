"""l-diversity by frequency: no sensitive value fills more than 1/l of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from anonagram.calls import AtLeast
from anonagram.errors import CannotAnonymize
from anonagram.kernels.needs import Diverse
from anonagram.microdata import Column, Microdata
from anonagram.partition.requirements.requirement import Counted, Requirement, require_rows
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class Diversity(Requirement, call="diversity", example="diversity(l=4)"):
    """No value of any sensitive column fills more than 1/l of a group (Li et al. 2015).

    Without a sensitive column groups have at least l rows.

    >>> Diversity(l=4)
    diversity(l=4)
    """

    l: Annotated[int, AtLeast(1)]
    makes = "l-diverse"

    @property
    def least(self) -> int:
        """A group of fewer than l rows has a value in more than 1/l of them."""
        return self.l

    def require_possible(self, microdata: Microdata) -> None:
        """Refuse when a value is too frequent, or there are too few rows."""
        # the most frequent value first: what works for it works for all columns
        for column in sorted(microdata.with_role("sensitive"), key=lambda c: -int(c.counts.max())):
            require_rare(column, self.l)
        require_rows(microdata, self.l, "l")

    def needs(self, columns: Sequence[Column]) -> Diverse:  # noqa: ARG002
        """The share, the same for every column."""
        return Diverse(self.l)

    def is_met(self, needs: Any, rows: int, counted: Sequence[Counted]) -> bool:  # noqa: ARG002
        """No value may be too frequent; without a sensitive column there must be l rows."""
        return rows >= self.l and all(each.counts.max() * self.l <= rows for each in counted)


def require_rare(column: Column, l: int) -> None:
    """Refuse when a value is too frequent for l.

    An l-diverse partition exists exactly when no value fills more than 1/l of the rows
    (Li et al. 2015, Theorem 3; their Algorithm 1 prints ≥ and would refuse the boundary case).
    """
    rows, most = int(column.counts.sum()), int(column.counts.max())
    if most * l <= rows:
        return
    value = column.text(int(column.counts.argmax()))
    largest = rows // most
    raise CannotAnonymize(
        f"{column.name} = {value!r} is in {most:,} of {how_many(rows, 'row')} ({most / rows:.1%}), more than "
        f"1/{l}, so no partition can hide it with l = {l}.",
        f"l = {largest} is the largest that works."
        if largest >= 2
        else f"more than half of the rows share that value, so no l works. What can be done: "
        "mondrian(k_anonymity(k=5), t_closeness(t=0.2)) makes groups that are like the whole table; "
        'distributional(target="source", groups=[…]) lets groups that you name tell no more than it; '
        f'with the role "quasi" for {column.name}, permutation(l=4) rearranges it too; '
        'data_swapping(columns="sensitive") moves it to other people.',
    )
