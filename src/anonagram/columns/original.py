"""How a column stands in the original, where a release cannot be compared without knowing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.coarsening import Finer, Steps, read_steps, steps_text
from anonagram.columns.hierarchy import value_texts
from anonagram.errors import SchemaError
from anonagram.schema import FORMATS, KINDS

COMMON = 20
"""A value of fewer people is not told beside its coarser one: that it occurs would point at them."""


@dataclass(frozen=True)
class Original:
    """How values are read, and what they become before anything is published."""

    kind: str
    publish: tuple[str, ...] = ()
    """The steps that made them coarser."""
    format: str | None = None
    """How dates or numbers are written."""
    missing: tuple[str, ...] = ()
    """Values that stand for a missing one."""
    coarser: Mapping[str, str] = field(default_factory=dict)
    """For labels of a hierarchy, which nobody can compute: those of frequent values."""

    def __post_init__(self) -> None:
        """Refuse what nothing can be read by."""
        if self.kind not in KINDS or self.format not in (None, *FORMATS):
            raise ValueError(f"an original that is {self.kind} and written {self.format}")
        try:
            self.steps  # noqa: B018
        except SchemaError as error:
            raise ValueError(error.what) from error

    @property
    def steps(self) -> Steps:
        """What makes values coarser."""
        return read_steps(self.publish)

    @property
    def needs_schema(self) -> bool:
        """Whether only the schema knows what values became: the hierarchy, or an order, is there."""
        return bool(self.publish) and (
            self.kind == "ordinal" or any(step.alone for step in self.steps)
        )

    @property
    def told(self) -> str | None:
        """What a published value stands for."""
        return steps_text(self.steps) if self.publish else None


def labels_of_many(finer: Finer, published: list[str], counts: NDArray[np.int64]) -> dict[str, str]:
    """The labels of values that many people have, where no function of a value gives its label."""
    if not any(step.alone for step in finer.steps):
        return {}
    return {
        text: published[finer.code_of[code]]
        for code, text in enumerate(value_texts(finer.domain))
        if counts[code] >= COMMON
    }
