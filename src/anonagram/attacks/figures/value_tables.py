"""Which value of a column becomes which, learned from some people: what a masked value tells of a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Attribute
from anonagram.attacks.figures.relations import Floats, Ints, Related, relations_of
from anonagram.kernels.likely import VALUES

MOST_VALUES = 256
"""Of more values nobody sees often enough what becomes of each."""
AS_MUCH_AS = 10
"""What distances say of a value counts as so many people who had it."""


def has_few_values(attribute: Attribute) -> bool:
    """Whether it can be learned which value becomes which."""
    return max(attribute.original.places.size, attribute.masked.places.size) <= MOST_VALUES


@dataclass(frozen=True)
class ValueTable:
    """One attribute, and how much more often each value becomes each other than anybody's does."""

    related: Related
    """The same by distances: where few people had a value, that says more."""
    codes: Ints
    """Of every original row, from 0."""
    told: Ints
    """Of every masked row its code."""
    table: NDArray[np.float32]
    kind: ClassVar[int] = VALUES

    @classmethod
    def of(cls, attribute: Attribute, people: NDArray[np.int64]) -> ValueTable:
        """Learned from some people who have an image; what distances say is added to what is counted."""
        original, masked = attribute.original, attribute.masked
        size = original.places.size, masked.places.size
        related = Related.of(attribute, people)
        both = original.codes[people].astype(np.int64) * size[1] + masked.codes[people]
        counts = np.bincount(both, minlength=size[0] * size[1]).reshape(size).astype(np.float64)
        of_anybody = masked.counts / masked.codes.size
        chances = counts + AS_MUCH_AS * of_anybody * _by_distance(attribute, related)
        chances /= chances.sum(axis=1, keepdims=True)
        table = np.zeros(size)  # what nobody has is compared with nothing
        np.log(chances / np.maximum(of_anybody, 1 / masked.codes.size), table, where=of_anybody > 0)
        told = np.zeros((masked.codes.size, 4), np.int32)
        told[:, 0] = masked.codes
        return cls(related, original.codes, told, table.astype(np.float32))

    @property
    def code(self) -> Ints:
        """Of every original row, as distances have it."""
        return self.related.code

    @property
    def rank(self) -> Ints:
        """The same."""
        return self.related.rank

    @property
    def edges(self) -> Ints:
        """The same."""
        return self.related.edges

    @property
    def information(self) -> float:
        """How much the attribute tells of who is whose, on average over some people."""
        return self.related.information

    def worth(self, people: NDArray[np.int64]) -> NDArray[np.float32]:
        """For each person and masked value, how much more often it is seen of her own image."""
        return self.table[self.codes[people]]


def _by_distance(attribute: Attribute, related: Related) -> Floats:
    """How much more often each masked value is seen of each original one than of any, by distances."""
    here, first = np.unique(attribute.original.codes, return_index=True)
    there, cell = np.unique(attribute.masked.codes, return_index=True)
    relation, _ = relations_of(
        related.code[first, None],
        related.rank[first, None],
        related.cells[None, cell],
        related.edges,
    )
    found = np.ones((attribute.original.places.size, attribute.masked.places.size))
    worth = np.take_along_axis(related.worth(first).astype(np.float64), relation, axis=1)
    found[np.ix_(here, there)] = np.exp(worth)
    return found
