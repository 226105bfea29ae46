"""Worlds of generalized releases: any values within the ranges and sets of each group."""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from anonagram.release import GeneralizedRelease
from tests.hunt.places import comparable
from tests.hunt.tables import Column, Table


def spread(
    release: GeneralizedRelease, table: Table, original: pl.DataFrame, rng: Random
) -> pl.DataFrame | None:
    """Any values within each group's ranges and sets, every end and every member taken by somebody."""
    layout = release.manifest.layout
    rows = release.rows.sort(layout["group"], maintain_order=True)
    groups = release.groups.sort(layout["group"]).with_columns(
        pl.selectors.temporal().to_physical()
    )
    columns = {name: rows[name] for name in rows.columns if name != layout["group"]}
    for column in table.with_role("quasi"):
        values = comparable(original[column.name])
        pieces = [
            _one_group(column, values, line, layout, rng) for line in groups.iter_rows(named=True)
        ]
        if any(piece is None for piece in pieces):
            return None
        columns[column.name] = original[column.name].gather(
            [p for piece in pieces for p in piece or ()]
        )
    return pl.DataFrame([columns[column.name] for column in table.published])


def _one_group(
    column: Column, values: list[Any], line: dict[str, Any], layout: Any, rng: Random
) -> list[int] | None:
    """Row numbers of the original whose values the group's people get in this world."""
    size, low = line[layout["rows"]], layout.get(f"{column.name}_low")
    if low is None:
        return _members(values, line[column.name], size, rng)
    nulls = [place for place, value in enumerate(values) if value is None]
    if line[low] is None:
        return nulls[:1] * size if nulls else None
    inside = _between(column, values, line[low], line[layout[f"{column.name}_high"]])
    if not inside:
        return None
    ends = [inside[0], inside[-1]][: 1 if values[inside[0]] == values[inside[-1]] else 2]
    needed = ends + (nulls[:1] if line[layout[f"{column.name}_missing"]] else [])
    allowed = inside + (nulls if line[layout[f"{column.name}_missing"]] else [])
    return _filled(needed, allowed, size, rng)


def _members(values: list[Any], members: list[Any], size: int, rng: Random) -> list[int] | None:
    needed = [values.index(member) for member in members if member in values]
    return _filled(needed, needed, size, rng) if len(needed) == len(members) else None


def _filled(needed: list[int], allowed: list[int], size: int, rng: Random) -> list[int] | None:
    if len(needed) > size:
        return None
    chosen = needed + [rng.choice(allowed) for _ in range(size - len(needed))]
    rng.shuffle(chosen)
    return chosen


def _between(column: Column, values: list[Any], low: Any, high: Any) -> list[int]:
    """The rows whose value is in a range, from its lower to its upper end."""
    if column.kind == "ordinal":
        order = list(column.order or ())
        ranks = {text: rank for rank, text in enumerate(order)}
        if low not in ranks or high not in ranks:
            return []
        numbers = {p: ranks[str(v)] for p, v in enumerate(values) if v is not None}
        ends = ranks[low], ranks[high]
    else:
        numbers = {p: v for p, v in enumerate(values) if v is not None}
        ends = low, high
    found = [p for p, number in numbers.items() if ends[0] <= number <= ends[1]]
    found.sort(key=lambda p: numbers[p])
    return found if found and numbers[found[0]] == ends[0] and numbers[found[-1]] == ends[1] else []
