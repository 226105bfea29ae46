"""Worlds of releases with subdomains: everybody has one of her group's, and any value in it."""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from anonagram.release import SubdomainRelease
from tests.hunt.places import comparable
from tests.hunt.tables import Table


def dealt(
    release: SubdomainRelease, table: Table, original: pl.DataFrame, rng: Random
) -> pl.DataFrame | None:
    """A table that the release may have been made of; None where a value is not in the original."""
    layout = release.manifest.layout
    quasi = release.tables["quasi"].sort(layout["group"], maintain_order=True)
    columns = {name: quasi[name] for name in quasi.columns if name != layout["group"]}
    for name, lines in release.sensitive.items():
        inside = _inside(release, name)
        slots: dict[Any, list[list[Any]]] = {}
        for line in lines.with_columns(pl.selectors.temporal().to_physical()).iter_rows(named=True):
            values = inside[tuple(line[end] for end in release.ends_of(name))]
            slots.setdefault(line[layout["group"]], []).extend([values] * line[layout["count"]])
        own = comparable(original[name])
        places = [
            rng.choice(values)
            for group, size in _sizes(quasi[layout["group"]])
            for values in rng.sample(slots[group], size)
        ]
        if any(value not in own for value in places):
            return None
        columns[name] = original[name].gather([own.index(value) for value in places])
    return pl.DataFrame([columns[column.name] for column in table.published])


def _sizes(groups: pl.Series) -> list[tuple[Any, int]]:
    return [(group, n) for group, n in groups.value_counts().sort(groups.name).iter_rows()]


def _inside(release: SubdomainRelease, name: str) -> dict[tuple[Any, ...], list[Any]]:
    """For each subdomain, by what is told of it, the values of the leaves below it."""
    layout, ends = release.manifest.layout, release.ends_of(name)
    told = release.targets[name].with_columns(pl.selectors.temporal().to_physical())
    lines = {line[layout["node"]]: line for line in told.iter_rows(named=True)}
    parents = {line[layout["parent"]] for line in lines.values()}
    found: dict[tuple[Any, ...], list[Any]] = {}
    for node in lines.keys() - parents:
        above: Any = node
        while above is not None:
            key = tuple(lines[above][end] for end in ends)
            found.setdefault(key, []).append(lines[node][ends[0]])
            above = lines[above][layout["parent"]]
    return {key: list(dict.fromkeys(values)) for key, values in found.items()}
