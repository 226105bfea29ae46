"""From what people ask for to the nodes of a tree: each on the way from her own value to the root."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.places import is_measured
from anonagram.columns.wishes import EVERYTHING, Wishes, read_wishes
from anonagram.errors import CannotAnonymize, SchemaError, suggest
from anonagram.kernels.subdomains import Nodes
from anonagram.methods.subdomains import Told
from anonagram.microdata import Column, Microdata

HOW = "a width such as 20, values such as [30, 40], or all; docs/methods.md says what can be asked for"
Ints = NDArray[np.int64]


def guard_of(microdata: Microdata, name: str | None) -> str | None:
    """The column that says what people ask for: the one that is named, or the only one."""
    guards = list(microdata.guards)
    if name is None and len(guards) > 1:
        raise SchemaError(
            f"{microdata.label} has several guards: {', '.join(guards)}.", f'guard="{guards[0]}".'
        )
    if name is not None and name not in guards:
        raise SchemaError(
            f"There is no column {name!r} with the role guard.",
            suggest(name, guards) if guards else f'{name} = "guard" in the schema.',
        )
    return name or (guards[0] if guards else None)


def nodes_asked(microdata: Microdata, column: Column, told: Told, guard: str | None) -> Ints:
    """For each row the narrowest node above its value that is as wide as its guard asks."""
    if guard is None:
        return np.zeros(microdata.rows, np.int64)
    texts = microdata.guards[guard]
    distinct = texts.unique(maintain_order=True)
    wish_of = distinct.to_frame("text").with_row_index("place")
    place = texts.to_frame("text").join(wish_of, on="text", maintain_order="left")["place"]
    wishes = read_wishes(distinct, told.tree.values, column.kind, column.hierarchy)
    codes = told.code_of[column.codes].astype(np.int64)
    if wishes.wrong is not None:
        row = int(texts.index_of(wishes.wrong) or 0)
        _refuse(microdata, guard, row, "which says nothing about " + repr(column.name), HOW)
    # people of equal value and wish have one node
    pairs, pair_of = np.unique(
        place.to_numpy().astype(np.int64) * len(told.tree.values) + codes, return_inverse=True
    )
    asked, value = np.divmod(pairs, len(told.tree.values))
    nodes = _climb(told, is_measured(column.kind), wishes, asked, value)
    found: Ints = nodes[pair_of]
    _require_possible(microdata, column, told, guard, found, (wishes, asked[pair_of], codes))
    return found


def widths_of(told: Told, *, measured: bool) -> NDArray[np.float64]:
    """What a width is compared with: the range of a node, or its number of values."""
    return told.ranges if measured else (told.tree.nodes.high - told.tree.nodes.low).astype(float)


def _climb(told: Told, measured: bool, wishes: Wishes, asked: Ints, value: Ints) -> Ints:
    """From leaves upwards until there is what is asked for; -1 where not even the root has it."""
    nodes: Nodes = told.tree.nodes
    wide = widths_of(told, measured=measured)
    leaf_of = np.empty(len(told.tree.values), np.int64)
    leaves = np.flatnonzero(nodes.children == 0)
    leaf_of[nodes.low[leaves]] = leaves
    at = leaf_of[value]
    while True:
        short = wide[at] < wishes.width[asked]
        short |= (nodes.low[at] > wishes.low[asked]) | (nodes.high[at] <= wishes.high[asked])
        short &= at >= 0
        if not short.any():
            return at
        at = np.where(short, nodes.parent[at], at)


def _require_possible(
    microdata: Microdata,
    column: Column,
    told: Told,
    guard: str,
    nodes: Ints,
    asked: tuple[Wishes, Ints, Ints],
) -> None:
    wishes, wish, codes = asked
    is_named = wishes.high[wish] >= 0
    off = is_named & ((wishes.low[wish] > codes) | (wishes.high[wish] < codes))
    if off.any():
        row = int(np.argmax(off))
        own = column.text(int(column.codes[row]))
        _refuse(
            microdata, guard, row, f"but {column.name} is {own} there",
            "values among which the row's own is, or a width.",
        )  # fmt: skip
    if (nodes < 0).any():
        wide = widths_of(told, measured=is_measured(column.kind))[0]
        _refuse(
            microdata, guard, int(np.argmax(nodes < 0)),
            f"but all values of {column.name} together are only {wide:g} wide",
            f"{EVERYTHING}, for as wide as can be.",
        )  # fmt: skip


def _refuse(microdata: Microdata, guard: str, row: int, why: str, remedy: str) -> None:
    text = microdata.guards[guard][row]
    raise CannotAnonymize(
        f"{microdata.label}, row {row + 1}: column {guard!r} asks for {text!r}, {why}.", remedy
    )
