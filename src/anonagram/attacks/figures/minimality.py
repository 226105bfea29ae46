"""What the rule by which groups were made tells of who has which value, on tables small enough to try.

Whoever knows the rule asks of every way to give a group's values to its people whether the rule would
have made these very groups. Ways for which it would not are none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.figures.group_values import Floats
from anonagram.errors import CannotAnonymize
from anonagram.key import PUBLIC, Key
from anonagram.microdata import Column, Microdata
from anonagram.partition import Partitioner, Requirement
from anonagram.partition.partitioner import RowPartitioner, Rows

WORLDS = 24
"""How many ways to give a group's values to its people are tried."""
KEYS = 4
"""How often the rule is followed for each; what it draws is not known to the intruder."""
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Weighed:
    """The people of small tables, and what is believed of their own values."""

    people: Places
    """By their place in the original."""
    believed: Floats
    """With the worlds weighed by how often the rule makes these groups of them."""
    by_group: Floats
    """With the same worlds, each as likely."""
    tables: int

    @property
    def gain(self) -> float:
        """How much more is believed on average."""
        return float((self.believed - self.by_group).mean())

    @property
    def error(self) -> float:
        """The standard error of the gain, over tables."""
        each = (self.believed - self.by_group).reshape(self.tables, -1).mean(axis=1)
        return float(each.std(ddof=1) / np.sqrt(self.tables)) if self.tables > 1 else np.inf


def looks_at_rows(partitioner: Partitioner) -> bool:
    """Whether rows are all that a partitioner of rows looks at, and not what a table predicts of them."""
    kind, own = type(partitioner), ("make", "look")
    return isinstance(partitioner, RowPartitioner) and all(
        getattr(kind, name) is getattr(RowPartitioner, name) for name in own
    )


def weigh_worlds(
    partitioner: Partitioner, requirement: Requirement, original: Microdata, size: int, tables: int
) -> Weighed | None:
    """Try small tables of people who are near each other; None where no such table can be divided."""
    found: list[tuple[Places, Floats, Floats]] = []
    for rows in _neighbourhoods(original, size, 4 * tables):
        rule = Rule(partitioner, requirement, _taken(original, rows))
        weighed = _weigh(rule, PUBLIC.at("minimality", len(found)))
        if weighed is not None:
            found.append((rows, *weighed))
        if len(found) == tables:
            break
    if not found:
        return None
    people, believed, by_group = (np.concatenate(each) for each in zip(*found, strict=True))
    return Weighed(people, believed, by_group, len(found))


def _neighbourhoods(original: Microdata, size: int, most: int) -> list[Places]:
    """Runs of people who follow each other when sorted by quasi-identifiers, in random order."""
    telling = sorted(original.with_role("quasi"), key=lambda c: c.cardinality)
    order = np.lexsort([column.codes for column in telling][::-1])
    chosen = PUBLIC.permutation("neighbourhoods", original.rows // size)[:most]
    return [order[run * size : (run + 1) * size] for run in chosen.tolist()]


def _taken(original: Microdata, rows: Places) -> Microdata:
    part = original.take(rows.astype(np.int32))
    return replace(part, columns=[replace(each, table_counts=None) for each in part.columns])


@dataclass(frozen=True)
class Rule:
    """How a small table is divided."""

    partitioner: Partitioner
    requirement: Requirement
    table: Microdata

    def groups(self, world: Places, key: Key) -> Places:
        """For each person the first of her group, if people have these others' values.

        The same for the same groups, however they are numbered.
        """
        rows = self._rows
        if rows is None:
            columns = [_moved(column, world) for column in self.table.columns]
            other = replace(self.table, columns=columns)
            group_of = self.partitioner.divide(other, self.requirement, key).group_of
        else:
            order = key.permutation("partition/rows", world.size)
            drawn = replace(
                rows, codes=rows.codes[order], sensitive=rows.sensitive[world][order], rows=order
            )
            made = cast("RowPartitioner", self.partitioner).group(drawn, key)
            group_of = drawn.partition(made).group_of
        _, first, group = np.unique(group_of, return_index=True, return_inverse=True)
        return np.asarray(first[group])

    @cached_property
    def _rows(self) -> Rows | None:
        """The rows as a partitioner of rows wants them: encoding them once is most of the work."""
        if not looks_at_rows(self.partitioner) or len(self.table.with_role("sensitive")) > 1:
            return None
        everybody = np.arange(self.table.rows, dtype=np.int32)
        return Rows.ordered(self.table, self.requirement, everybody)


def _weigh(rule: Rule, key: Key) -> tuple[Floats, Floats] | None:
    """What is believed of everybody in a small table; None where it cannot be divided so."""
    truth = rule.table.with_role("sensitive")[0].codes
    try:
        rule.requirement.require_possible(rule.table)
        made = rule.groups(np.arange(truth.size), key.at("made"))
    except CannotAnonymize:
        return None
    worlds = _worlds(made, key)
    weights = np.array(
        [
            sum((rule.groups(world, key.at(number)) == made).all() for number in range(KEYS))
            for world in worlds
        ],
        np.float64,
    )
    if not weights.any():
        return None
    is_true = np.stack([truth[world] == truth for world in worlds]).astype(np.float64)
    return weights @ is_true / weights.sum(), is_true.mean(axis=0)


def _worlds(made: Places, key: Key) -> list[Places]:
    """The truth, and random ways to give the values of each group to its people."""
    order = np.argsort(made, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(made[order])) + 1, [made.size]])
    worlds = [np.arange(made.size)]
    for number in range(WORLDS):
        world = np.empty(made.size, np.int64)
        world[order] = key.shuffle(f"world {number}", order, starts.astype(np.int64))
        worlds.append(world)
    return worlds


def _moved(column: Column, world: Places) -> Column:
    return column if column.role != "sensitive" else replace(column, codes=column.codes[world])
