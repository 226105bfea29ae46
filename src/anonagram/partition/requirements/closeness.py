"""t-closeness: what a group tells about its values is hardly more than what the table tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from anonagram.calls import Between
from anonagram.errors import CannotAnonymize
from anonagram.kernels.needs import Close
from anonagram.microdata import Column, Microdata
from anonagram.partition.requirements.requirement import Requirement


@dataclass(frozen=True, repr=False)
class Closeness(Requirement, call="closeness", example="closeness(t=0.2)"):
    """The distribution of each sensitive column in a group is at most t from the whole table's.

    Li, Li and Venkatasubramanian (2007): the least share of a group that must change its value,
    times how far it moves. All values are equally far from each other, or ordered: as far as they
    are apart in the order of the domain, 1 from end to end. A missing value is the last one.

    >>> Closeness(t=0.2)
    closeness(t=0.2, distance="equal")
    """

    t: Annotated[float, Between(0, 1)]
    distance: Literal["equal", "ordered"] = "equal"
    makes = "t-close"

    @property
    def least(self) -> int:
        """A single row can be close enough."""
        return 1

    def require_possible(self, microdata: Microdata) -> None:
        """The table is as close to itself as can be, if only something is sensitive."""
        if not microdata.with_role("sensitive"):
            raise CannotAnonymize(
                "t-closeness is about sensitive columns; the schema has none.",
                'give a column the role "sensitive".',
            )

    def needs(self, columns: Sequence[Column]) -> Close:
        """How many rows of the table have lower values, column behind column."""
        upto = [np.concatenate([[0], np.cumsum(column.counts)]) for column in columns]
        area = [np.concatenate([[0], np.cumsum(each[:-1])]) for each in upto]
        offset = np.cumsum([0, *(each.size for each in upto)])
        return Close(
            float(self.t),
            self.distance == "ordered",
            np.concatenate(upto),
            np.concatenate(area),
            offset,
        )
