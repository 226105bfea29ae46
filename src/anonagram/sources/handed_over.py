"""Tables handed over to other libraries, each of which is imported when it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import polars as pl

from anonagram.errors import MissingExtra


class HandedOver(ABC):
    """Something that is a table, and can be one of another library's."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """A Polars frame."""

    def to_pandas(self) -> Any:
        """A pandas frame; needs `pip install 'anonagram[frames]'`."""
        return _as("pandas", self.to_polars().to_pandas)

    def to_arrow(self) -> Any:
        """An Arrow table; needs `pip install 'anonagram[frames]'`."""
        return _as("pyarrow", self.to_polars().to_arrow)


def _as(library: str, hand_over: Callable[[], Any]) -> Any:
    """What Polars hands over, which imports the library itself."""
    try:
        return hand_over()
    except ModuleNotFoundError as error:
        raise MissingExtra(library, "frames") from error
