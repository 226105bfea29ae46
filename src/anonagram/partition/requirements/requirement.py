"""What a requirement says of itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.errors import CannotAnonymize
from anonagram.microdata import Column, Microdata
from anonagram.shown.wording import how_many


class Counted(NamedTuple):
    """Which codes of a column some rows have, and how often each."""

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]


class Requirement(Call, home="anonagram.partition.requirements"):
    """What every group must fulfil.

    A table can be divided when it fulfils the requirement as one group, and so can each part of it:
    this holds for every requirement here, and partitioners rely on it.
    """

    noun = "requirement"

    makes: ClassVar[str] = ""
    """What its groups are called, where messages tell partitioners apart."""
    about_values: ClassVar[bool] = True
    """Whether it looks at sensitive values, and not at rows alone."""

    @property
    @abstractmethod
    def least(self) -> int:
        """A group has at least so many rows."""

    @abstractmethod
    def require_possible(self, microdata: Microdata) -> None:
        """Refuse a table that cannot be divided, and say what could be asked of it."""

    @abstractmethod
    def needs(self, columns: Sequence[Column]) -> Any:
        """What kernels test, about these sensitive columns; without any, each row has its value."""

    def is_met(self, needs: Any, rows: int, counted: Sequence[Counted]) -> bool:  # noqa: ARG002
        """Whether so many rows fulfil it as one group, by their counts of each sensitive column.

        What kernels test of rows, for rows that are elsewhere.
        """
        raise CannotAnonymize(
            f"Whether {self!r} is fulfilled cannot be told by counts.", "leave the table whole."
        )


def require_rows(microdata: Microdata, least: int, parameter: str) -> None:
    """Refuse a table with fewer rows than a group needs."""
    if microdata.rows < least:
        raise CannotAnonymize(
            f"{microdata.label} has {how_many(microdata.rows, 'row')}; a group needs {least}.",
            f"{parameter} = {microdata.rows} is the largest that works.",
        )
