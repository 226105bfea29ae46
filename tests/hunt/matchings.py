"""Worlds of releases whose groups consist of parts: all ways in which the parts can belong together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from random import Random

import polars as pl

from anonagram.release import AnatomizedRelease, CounterfeitedRelease, PermutedRelease
from tests.hunt.tables import Table

MOST = 150
"""All worlds are tried where there are not more."""


def _parts(release: AnatomizedRelease | PermutedRelease) -> list[pl.DataFrame]:
    """Tables of group and whole rows, a row each person."""
    group, quasi = release.manifest.layout["group"], release.quasi
    if isinstance(release, AnatomizedRelease):
        count, tables = release.manifest.layout["count"], list(release.sensitive.values())
        if isinstance(release, CounterfeitedRelease):  # which rows are people's is one more part
            tables.append(release.real)
        counted = [
            table.select(pl.all().exclude(count).repeat_by(pl.col(count))).explode(pl.all())
            for table in tables
        ]
        return [quasi, *counted]
    tables = [quasi, *([] if release.sensitive is None else [release.sensitive])]
    return [
        table.select(group, name) for table in tables for name in table.columns if name != group
    ]


def matchings(
    release: AnatomizedRelease | PermutedRelease, table: Table, rng: Random, sample: int
) -> tuple[list[pl.DataFrame | None], bool]:
    """Every way to match the parts of the groups, and whether these are all; else a sample."""
    group = release.manifest.layout["group"]
    parts = [part.sort(group, maintain_order=True) for part in _parts(release)]
    sizes = parts[0].group_by(group, maintain_order=True).len()["len"].to_list()
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    blocks = [
        (part, start, size) for part in parts[1:] for start, size in zip(starts, sizes, strict=True)
    ]
    number = math.prod(_ways(part.drop(group), start, size) for part, start, size in blocks)
    if number <= MOST:
        orders = product(
            *(list(_orders(part.drop(group), start, size)) for part, start, size in blocks)
        )
    else:
        orders = (
            tuple(_shuffled(rng, start, size) for _, start, size in blocks) for _ in range(sample)
        )
    real = release.manifest.layout.get("real")
    frames = [_assembled(parts, group, len(sizes), chosen, table, real) for chosen in orders]
    return list(frames), number <= MOST


def _ways(part: pl.DataFrame, start: int, size: int) -> int:
    """In how many different orders rows can stand."""
    twins = part.slice(start, size).group_by(pl.all()).len()["len"].to_list()
    return math.factorial(size) // math.prod(math.factorial(n) for n in twins)


def _orders(part: pl.DataFrame, start: int, size: int) -> Iterator[tuple[int, ...]]:
    """Row numbers of a block in every order that looks different."""
    ids = (
        part.slice(start, size).select(pl.struct(pl.all()).rank("dense").alias("id"))["id"]
        if size
        else []
    )
    seen: set[tuple[int, ...]] = set()
    if size > 8:  # few ways although many rows: nearly all are alike
        yield from _orders_of_alike(list(ids), start)
        return
    for order in permutations(range(size)):
        look = tuple(ids[place] for place in order)
        if look not in seen:
            seen.add(look)
            yield tuple(start + place for place in order)


def _orders_of_alike(ids: list[int], start: int) -> Iterator[tuple[int, ...]]:
    places: dict[int, list[int]] = {}
    for number, one in enumerate(ids):
        places.setdefault(one, []).append(start + number)

    def deal(left: Counter[int], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == len(ids):
            yield chosen
            return
        for one in list(left):
            if left[one]:
                used = len(places[one]) - left[one]
                yield from deal(left - Counter([one]), (*chosen, places[one][used]))

    yield from deal(Counter(ids), ())


def _shuffled(rng: Random, start: int, size: int) -> tuple[int, ...]:
    return tuple(rng.sample(range(start, start + size), size))


def _assembled(
    parts: list[pl.DataFrame],
    group: str,
    groups: int,
    orders: tuple[tuple[int, ...], ...],
    table: Table,
    real: str | None,
) -> pl.DataFrame:
    columns = {name: parts[0][name] for name in parts[0].columns if name != group}
    for number, part in enumerate(parts[1:]):
        order = [
            place for block in orders[number * groups : (number + 1) * groups] for place in block
        ]
        columns |= {name: part[name].gather(order) for name in part.columns if name != group}
    world = pl.DataFrame([columns[column.name] for column in table.published])
    return world if real is None else world.filter(columns[real])
