"""Worlds of generalized releases: any values within the ranges and sets of each group."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import polars as pl

from anonagram.release import GeneralizedRelease
from tests.hunt.places import comparable
from tests.hunt.tables import Table


def spread(
    release: GeneralizedRelease, table: Table, original: pl.DataFrame, rng: Random
) -> pl.DataFrame | None:
    """Any values within each group's ranges and sets, and any at all of rows that were left out.

    Where these are the group's own, every end and every member is taken by somebody.
    """
    layout = release.manifest.layout
    is_own = release.manifest.method.startswith("generalize(")
    rows = release.rows.sort(layout["group"], maintain_order=True)
    groups = release.groups.sort(layout["group"]).with_columns(
        pl.selectors.temporal().to_physical()
    )
    columns = {name: rows[name] for name in rows.columns if name != layout["group"]}
    for column in table.with_role("quasi"):
        values = comparable(original[column.name])
        order = release.manifest.column(column.name).order
        pieces = [
            _one_group(column.name, order, values, line, layout, rng, is_own=is_own)
            for line in groups.iter_rows(named=True)
        ]
        if any(piece is None for piece in pieces):
            return None
        columns[column.name] = original[column.name].gather(
            [p for piece in pieces for p in piece or ()]
        )
    world = pl.DataFrame([columns[column.name] for column in table.published])
    return world.vstack(_left_out(release, world, original, rng))


def _left_out(
    release: GeneralizedRelease, world: pl.DataFrame, original: pl.DataFrame, rng: Random
) -> pl.DataFrame:
    """The rows that were left out: their sensitive values are what totals have more, all else is open."""
    number = release.manifest.rows.suppressed
    columns = []
    for name in world.columns:
        drawn = original[name].sample(number, with_replacement=True, seed=rng.randrange(2**32))
        if name in release.totals:
            table, rows = release.totals[name], release.manifest.layout["rows"]
            every = table.select(pl.col(name).repeat_by(rows).explode()).to_series()
            drawn = _without(every, release.rows[name]).shuffle(rng.randrange(2**32))
        columns.append(drawn.cast(world.schema[name]).alias(name))
    return pl.DataFrame(columns)


def _without(every: pl.Series, some: pl.Series) -> pl.Series:
    """What is left of values when others are taken away, each as often as it occurs."""
    left = Counter(comparable(some))
    kept = []
    for place, value in enumerate(comparable(every)):
        kept += [] if left[value] else [place]
        left[value] -= left[value] > 0
    return every.gather(kept)


def _one_group(
    column: str,
    order: tuple[str, ...] | None,
    values: list[Any],
    line: dict[str, Any],
    layout: Any,
    rng: Random,
    *,
    is_own: bool,
) -> list[int] | None:
    """Row numbers of the original whose values the group's people get in this world."""
    size, low = line[layout["rows"]], layout.get(f"{column}_low")
    if low is None:
        return _members(values, line[column], size, rng, is_own=is_own)
    nulls = [place for place, value in enumerate(values) if value is None]
    if line[low] is None:
        return nulls[:1] * size if nulls else None
    inside = _between(order, values, line[low], line[layout[f"{column}_high"]])
    if not inside:
        return None
    ends = [inside[0], inside[-1]][: 1 if values[inside[0]] == values[inside[-1]] else 2]
    needed = ends + (nulls[:1] if line[layout[f"{column}_missing"]] else [])
    allowed = inside + (nulls if line[layout[f"{column}_missing"]] else [])
    return _filled(needed if is_own else [], allowed, size, rng)


def _members(
    values: list[Any], members: list[Any], size: int, rng: Random, *, is_own: bool
) -> list[int] | None:
    needed = [values.index(member) for member in members if member in values]
    found = _filled(needed if is_own else [], needed, size, rng)
    return found if len(needed) == len(members) else None


def _filled(needed: list[int], allowed: list[int], size: int, rng: Random) -> list[int] | None:
    if len(needed) > size:
        return None
    chosen = needed + [rng.choice(allowed) for _ in range(size - len(needed))]
    rng.shuffle(chosen)
    return chosen


def _between(order: tuple[str, ...] | None, values: list[Any], low: Any, high: Any) -> list[int]:
    """The rows whose value is in a range, from its lower to its upper end."""
    if order is not None:
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
