"""Worlds of releases with replaced values: people who changed values, as far as replacing hides it."""

from __future__ import annotations

from random import Random

import polars as pl

from anonagram.release import PerturbedRelease
from tests.hunt.places import comparable
from tests.hunt.tables import Table

Row = tuple[int, ...]


def exchanged(
    release: PerturbedRelease, table: Table, original: pl.DataFrame, rng: Random, sample: int
) -> list[pl.DataFrame | None]:
    """Originals in which values of two people changed places, as far as replacing could hide it."""
    quasi = [column.name for column in table.with_role("quasi")]
    names = quasi + [column.name for column in table.published if column.name not in quasi]
    world, published = _coded(original, release.tables["rows"], names)
    most = release.transition.attributes
    partner = _partners(world, published, len(quasi), most)
    found: list[pl.DataFrame | None] = []
    for _ in range(sample if partner is not None else 0):
        for _ in range(20):
            world = _one_exchange(rng, world, published, partner or [], len(quasi), most)
        columns = {
            name: original[name].gather([row[place] for row in world])
            for place, name in enumerate(names)
        }
        found.append(pl.DataFrame([columns[column.name] for column in table.published]))
    return found


def _coded(
    original: pl.DataFrame, published: pl.DataFrame, names: list[str]
) -> tuple[list[Row], list[Row]]:
    """Rows of the original and of the release, each value as the first original row that has it."""
    both = []
    for name in names:
        own, other = (comparable(frame[name]) for frame in (original, published))
        first = {value: number for number, value in reversed(list(enumerate(own)))}
        both.append(([first[value] for value in own], [first.get(value, -1) for value in other]))
    return list(zip(*(own for own, _ in both), strict=True)), list(
        zip(*(other for _, other in both), strict=True)
    )


def _differs(one: Row, two: Row, quasi: int) -> int:
    """In how many quasi-identifiers two rows differ; too many where the rest does."""
    if one[quasi:] != two[quasi:]:
        return len(one) + 1
    return sum(a != b for a, b in zip(one[:quasi], two[:quasi], strict=True))


def _partners(world: list[Row], published: list[Row], quasi: int, most: int) -> list[int] | None:
    """For each original row a published one that may have come from it."""
    near = [
        [p for p, row in enumerate(published) if _differs(one, row, quasi) <= most] for one in world
    ]
    taken: dict[int, int] = {}

    def find(row: int, seen: set[int]) -> bool:
        for place in near[row]:
            if place not in seen:
                seen.add(place)
                if place not in taken or find(taken[place], seen):
                    taken[place] = row
                    return True
        return False

    if not all(find(row, set()) for row in range(len(world))):
        return None
    back = {row: place for place, row in taken.items()}
    return [back[row] for row in range(len(world))]


def _one_exchange(
    rng: Random, world: list[Row], published: list[Row], partner: list[int], quasi: int, most: int
) -> list[Row]:
    one, two, column = rng.randrange(len(world)), rng.randrange(len(world)), rng.randrange(quasi)
    changed = list(world)
    for here, there in ((one, two), (two, one)):
        row = list(world[here])
        row[column] = world[there][column]
        changed[here] = tuple(row)
    fits = all(_differs(changed[r], published[partner[r]], quasi) <= most for r in (one, two))
    return changed if fits else list(world)
