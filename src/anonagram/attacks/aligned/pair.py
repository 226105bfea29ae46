"""Two tables as ranks, and which of their rows belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned.evidence import refuse_moved_keys, rows_belong_together
from anonagram.attacks.aligned.order import Order, Rows, by_id, together_by_id
from anonagram.attacks.aligned.scale import Attribute, Both, attribute_of
from anonagram.attacks.aligned.tables import (
    as_published,
    compared_columns,
    probably_same,
    read_masked,
)
from anonagram.errors import CallError, InputError
from anonagram.key import PUBLIC, Key
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.schema import ColumnRule, Schema
from anonagram.shown.wording import how_many, option
from anonagram.sources import Table, load


@dataclass(frozen=True)
class Aligned:
    """Two tables; the first rows of one belong to the first of the other, as far as is known."""

    labels: tuple[str, str]
    rows: int
    """How many records the original has."""
    masked_rows: int
    attributes: tuple[Attribute, ...]
    paired: int
    """How many of the first rows belong together; 0 where the order is not known."""
    order: Order = Order.TOLD
    """How that is known."""
    stood: tuple[Rows, Rows] | None = None
    """Where each row stood in the tables as they were read; None where nothing was moved."""
    left_out: tuple[str, ...] = ()
    """Columns that only one of the tables has."""
    probably_same: tuple[tuple[str, str], ...] = ()
    """Of these, what is probably one column under two names."""

    @classmethod
    def read(
        cls,
        original: Any,
        masked: Any,
        schema: Any = None,
        *,
        id_column: str | None = None,
        columns: Sequence[str] = (),
        private: str | Path | None = None,
        in_order: bool = False,
        key: Key = PUBLIC,
    ) -> Self:
        """Read two tables that anything made, and map the masked values back.

        Which rows belong together an id column tells; or the private file of a release, whose rows
        are in a random order; or the caller says that they are in order. Otherwise their values have
        to show that rows at the same place do.

        >>> pair = Aligned.read({"pay": [30, 10, 20]}, {"pay": [31, 19, 22]})
        >>> pair.attributes[0].mapped.tolist(), str(pair.order)
        ([2, 0, 1], 'unknown')
        """
        step("Reading")
        if (id_column is not None) + (private is not None) + in_order > 1:
            raise CallError(
                "It is said twice whose row is whose.",
                f"leave all but one of {option('--id and --private', 'id_column, private and in_order')} "
                "out.",
            )
        one, two = load(original), read_masked(masked, private)
        schema = None if schema is None else Schema.given(schema)
        folder = Path() if schema is None else schema.folder
        one, coarser = as_published(one, masked, schema)
        rules = compared_columns(one, two, schema, id_column, columns)
        rules |= {name: rule for name, rule in coarser.items() if name in rules}
        told: dict[str, Any] = {}
        if schema is None:
            left_out = sorted(set(one.frame.columns) ^ set(two.frame.columns))
            told = {"left_out": tuple(left_out), "probably_same": probably_same(one, two)}
        if id_column is not None:
            found = together_by_id(one, two, id_column)
            pair = cls.of(*found.tables, rules, folder, key, found.paired)
            return replace(pair, order=Order.ID, stood=found.rows, **told)
        if private is not None or in_order:
            _require_equal_length(one, two)
            return replace(cls.of(one, two, rules, folder, key), **told)
        pair = cls.of(one, two, rules, folder, key, 0)
        identifiers = [] if schema is None else schema.named("identifier")
        refuse_moved_keys(one, two, pair.attributes, identifiers)
        if rows_belong_together(pair.attributes):
            if any(each.is_open for each in pair.attributes):
                pair = cls.of(one, two, rules, folder, key)
            pair = replace(pair, paired=pair.rows, order=Order.POSITION)
        return replace(pair, **told)

    @classmethod
    def of(
        cls,
        one: Table,
        two: Table,
        rules: Mapping[str, ColumnRule],
        folder: Path = Path(),
        key: Key = PUBLIC,
        paired: int | None = None,
    ) -> Self:
        """Rank tables of which so many first rows belong together; all unless told otherwise."""
        step("Ranking")
        known = one.frame.height if paired is None else paired
        attributes = in_threads(
            lambda name, rule: attribute_of(Both(one, two, name, rule, folder, known), key),
            list(rules.items()),
        )
        return cls(
            (one.label, two.label),
            one.frame.height,
            two.frame.height,
            tuple(attributes),
            known,
            Order.TOLD if known else Order.UNKNOWN,
        )

    @property
    def original_ranks(self) -> NDArray[np.int64]:
        """Twice the ranks of the original records, a column each attribute."""
        return np.column_stack([each.original.ranks for each in self.attributes])

    @property
    def mapped_ranks(self) -> NDArray[np.int64]:
        """Twice the ranks of the masked records after reverse mapping."""
        return np.column_stack([each.mapped_ranks for each in self.attributes])


def _require_equal_length(one: Table, two: Table) -> None:
    if one.frame.height != two.frame.height:
        raise InputError(
            f"{one.label} has {how_many(one.frame.height, 'row')}, {two.label} {two.frame.height:,}: "
            "their rows cannot be in the same order.",
            f"name a column that identifies rows: {by_id('NAME')}.",
        )
