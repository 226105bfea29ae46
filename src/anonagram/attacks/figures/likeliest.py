"""Which masked record is most likely a person's, to somebody who knows how values were changed.

Fellegi and Sunter (1969): what is seen of a pair of cells (equal, so many ranks apart, inside an
interval, suppressed) counts by how much more often it is seen of a person and her own image than of
a person and anybody. How often it is of her own is learned from all who have an image; the method and
its parameters tell an intruder as much, and they are no secret. Which value becomes which is learned
on other people than those who are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.attacks.figures.asked import SCORED, affordable, asked_records
from anonagram.attacks.figures.relations import Floats, Related
from anonagram.attacks.figures.shares import Share, Surest, surest_of
from anonagram.attacks.figures.value_tables import ValueTable, has_few_values
from anonagram.kernels.likely import POWERS, find_likeliest
from anonagram.key import PUBLIC
from anonagram.runtime.threads import in_threads

PIECE = 64


@dataclass(frozen=True)
class Likeliest:
    """For everybody looked for, whether her own image is the likeliest, and how sure that seems."""

    asked: NDArray[np.int64]
    right: Floats
    """1 where only her own is the likeliest, 1/2 where another is as likely, and so on."""
    sure: Floats
    """What somebody believes in the likeliest, for whom all rows were equally likely before."""
    people: int
    """How many people have an image."""

    @property
    def share(self) -> Share:
        """The share of people who are found."""
        return Share(float(self.right.sum()), self.asked.size, self.people)

    @cached_property
    def surest(self) -> Surest:
        """The matches he is surest of."""
        return surest_of(self.sure, self.right)


def find_images(pair: Aligned, records: int = 0) -> Likeliest:
    """Look for people's images; for as many as said, or as can be done in a few seconds.

    By how far values were moved; and where columns have few values, also by which becomes which.
    The better of both is what he finds.

    >>> rows = {name: [i * k % 101 for i in range(200)] for name, k in (("a", 7), ("b", 13))}
    >>> float(find_images(Aligned.read(rows, rows, in_order=True)).share.value)
    0.505
    """
    most = affordable(SCORED, pair.masked_rows * len(pair.attributes))
    points, asked = _Points.of(pair), asked_records(pair, records, most)
    everybody = np.arange(pair.paired)
    found = [points.look(asked, [Related.of(each, everybody) for each in pair.attributes])]
    if any(has_few_values(each) for each in pair.attributes):
        found.append(_by_values(pair, points, asked))
    right, sure = max(found, key=lambda each: float(each[0].sum()))
    return Likeliest(asked, right, sure, pair.paired)


def _by_values(pair: Aligned, points: _Points, asked: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Learn from one half of the people which value becomes which and look for the other, both ways."""
    is_first = np.zeros(pair.paired, np.bool_)
    is_first[PUBLIC.permutation("halves", pair.paired)[: pair.paired // 2]] = True
    right, sure = np.empty(asked.size), np.empty(asked.size)
    for half in (is_first, ~is_first):
        others, looked = np.flatnonzero(~half), half[asked]
        columns = [_learned(each, others) for each in pair.attributes]
        right[looked], sure[looked] = points.look(asked[looked], columns)
    return right, sure


def _learned(attribute: Attribute, people: NDArray[np.int64]) -> Related | ValueTable:
    return (ValueTable if has_few_values(attribute) else Related).of(attribute, people)


@dataclass(frozen=True)
class _Points:
    """The different masked records."""

    first: NDArray[np.int64]
    """A row that is each of them."""
    own: NDArray[np.int64]
    """Which of them each row is."""
    weight: Floats
    """How many rows each has."""

    @classmethod
    def of(cls, pair: Aligned) -> Self:
        """Found by their codes."""
        names = [str(place) for place in range(len(pair.attributes))]
        codes = {n: a.masked.codes for n, a in zip(names, pair.attributes, strict=True)}
        frame = pl.DataFrame(codes).with_row_index("row")
        alike = frame.group_by(names, maintain_order=True).agg("row")
        sizes = alike["row"].list.len().to_numpy()
        own = np.empty(pair.masked_rows, np.int64)
        own[alike["row"].explode().to_numpy()] = np.repeat(np.arange(sizes.size), sizes)
        first = alike["row"].list.first().to_numpy().astype(np.int64)
        return cls(first, own, sizes.astype(np.float64))

    def look(
        self, asked: NDArray[np.int64], columns: Sequence[Related | ValueTable]
    ) -> tuple[Floats, Floats]:
        """For each person whether her own is the likeliest, and how sure that is."""
        ordered = sorted(columns, key=lambda column: -column.information)
        cells = np.ascontiguousarray(np.stack([column.told[self.first].T for column in ordered]))
        kinds = np.array([column.kind for column in ordered])
        edges = np.stack([column.edges for column in ordered])
        right, sure = np.empty(asked.size), np.empty(asked.size)

        def look(start: int) -> None:
            part = slice(start, start + PIECE)
            people = asked[part]
            table = _side_by_side([column.worth(people) for column in ordered])
            code = np.column_stack([column.code[people] for column in ordered])
            rank = np.column_stack([column.rank[people] for column in ordered])
            best = table.max(axis=2)
            left = best[:, ::-1].cumsum(axis=1)[:, ::-1] - best
            find_likeliest(
                cells, kinds, self.weight, code, rank, edges, table, left, self.own[people], POWERS,
                right[part], sure[part],
            )  # fmt: skip

        look(0)  # compiled once, not by every thread
        in_threads(look, [(start,) for start in range(PIECE, asked.size, PIECE)])
        return right, sure


def _side_by_side(worths: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """What relations and values are worth, in rows of one length."""
    width = max(each.shape[1] for each in worths)
    table = np.full((len(worths[0]), len(worths), width), -np.inf, np.float32)
    for column, worth in enumerate(worths):
        table[:, column, : worth.shape[1]] = worth
    return table
