"""What methods that publish subdomains have in common: targets, sorted values, and the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.distribution import Distribution, Values
from anonagram.columns.places import is_measured
from anonagram.columns.recoding import codes_among
from anonagram.columns.trees import Tree, balanced, node_masses, of_hierarchy, planted, weighted
from anonagram.errors import CannotAnonymize
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.kernels.subdomains import Pushed
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.partition import Arrangement
from anonagram.release import Manifest, SubdomainRelease, Subdomains
from anonagram.release.with_subdomains import EVERYBODY, part_texts
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many


@dataclass(frozen=True)
class Part:
    """Rows that have a target of their own."""

    text: str
    rows: NDArray[np.bool_]


@dataclass(frozen=True)
class Told:
    """What is told of a column in a part of the table: a tree whose weights follow a target."""

    part: Part
    tree: Tree
    ranges: NDArray[np.float64]
    code_of: NDArray[np.int32]
    """For each code of the column its place in the tree; -1 where it has none."""
    rounding: float
    """How far a share of siblings is from the target's, since weights are small whole numbers."""


def parts_of(microdata: Microdata, name: str | None) -> list[Part]:
    """The parts of a table by a column's values, or the whole."""
    if name is None:
        return [Part(EVERYBODY, np.ones(microdata.rows, np.bool_))]
    column = microdata.column(name)
    if column.role == "sensitive":
        raise CannotAnonymize(f"Parts by {name!r} would tell it.", "parts by a quasi-identifier.")
    texts = part_texts(column.decode(np.arange(column.cardinality, dtype=np.int32)))
    return [Part(text, column.codes == code) for code, text in enumerate(texts)]


def tell(column: Column, part: Part, target: str, arity: int | None, cap: int) -> Told:
    """The tree of a column whose weights are nearest to a target's."""
    distribution = Distribution.parse(target)
    counts = np.bincount(column.codes[part.rows], minlength=column.cardinality)
    values = _domain(column, distribution, counts)
    masses = distribution.masses(values)
    _require_possible(column, values, masses, target)
    is_kept = masses > 0
    values = replace(values, domain=values.domain.filter(is_kept), counts=values.counts[is_kept])
    tree = _plain_tree(column, values, arity)
    wished = weighted(tree, masses[is_kept], cap)
    return Told(
        part,
        wished,
        wished.ranges(column.kind),
        _places(column, values),
        rounding_of(wished, masses[is_kept]),
    )


def _domain(column: Column, target: Distribution, counts: NDArray[np.int64]) -> Values:
    """The column's values and those that the target knows beside them."""
    domain = column.decode(np.arange(column.cardinality, dtype=np.int32))
    values = Values(column.name, column.kind, domain, counts)
    further = target.further(values)
    if further is None or not is_measured(column.kind):
        return values
    present = pl.concat([column.domain, further.alias(column.domain.name)]).unique().sort()
    places = codes_among(present, column.domain, -1)
    more = np.zeros(len(present) + column.has_missing, np.int64)
    more[places] = counts[: len(column.domain)]
    if column.has_missing:
        more[-1], present = counts[-1], present.extend_constant(None, 1)
    return Values(column.name, column.kind, present, more)


def _require_possible(
    column: Column, values: Values, masses: NDArray[np.float64], target: str
) -> None:
    impossible = np.flatnonzero((values.counts > 0) & ~(masses > 0))
    if impossible.size:
        code = int(impossible[0])
        value = [*values.texts, "a missing value"][code]
        raise CannotAnonymize(
            f"Column {column.name!r}: the target {target} gives {value!r} no probability, but "
            f"{how_many(int(values.counts[code]), 'row has', 'rows have')} it.",
            "a target in which every value that occurs is possible.",
        )


def _plain_tree(column: Column, values: Values, arity: int | None) -> Tree:
    if arity is not None:
        return balanced(values.domain, arity)
    if column.hierarchy is None:
        raise CannotAnonymize(
            f"Column {column.name!r} has no hierarchy to make a tree of.",
            'arity=2, or hierarchy = "…" in the schema.',
        )
    return of_hierarchy(values.domain, column.hierarchy)


def _places(column: Column, values: Values) -> NDArray[np.int32]:
    """The place of each of the column's codes in a domain that may have other values."""
    domain = values.domain.head(values.present)
    places = codes_among(domain, column.domain, -1)
    missing = np.int32(values.present if values.present < len(values.domain) else -1)
    return np.append(places, missing)[: column.cardinality].astype(np.int32)


def rounding_of(tree: Tree, masses: NDArray[np.float64]) -> float:
    """The largest difference between a share among siblings and that of the masses."""
    below = np.flatnonzero(tree.nodes.parent >= 0)
    if not below.size:
        return 0.0
    parents = tree.nodes.parent[below]
    both = []
    for amounts in (tree.weights.astype(np.float64), node_masses(tree, masses)):
        sums = np.bincount(parents, amounts[below], tree.size)
        both.append(amounts[below] / sums[parents])
    return float(np.abs(both[0] - both[1]).max())


def sorted_codes(
    column: Column, arrangement: Arrangement
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The codes of every group in ascending order, and where each group begins."""
    codes = column.codes[arrangement.order]
    rows = np.arange(codes.size, dtype=np.int32)
    by_code = sort_by_group(rows, codes, count_starts(codes, column.cardinality))
    by_group = sort_by_group(by_code, arrangement.group_ids - 1, arrangement.starts)
    return codes[by_group], arrangement.starts


def publish_subdomains(
    microdata: Microdata,
    arrangement: Arrangement,
    manifest: Manifest,
    told: dict[str, list[Told]],
    slots: dict[str, Pushed],
    parts: str | None = None,
) -> Publication:
    """Publish exact rows with a group number, and the subdomains of each group, in their own order."""
    step("Rearranging")
    group = manifest.layout["group"]
    kept = microdata.with_role("quasi", "plain")
    coded = {column.name: (column.codes[arrangement.order], column.values) for column in kept}
    quasi = pl.DataFrame(
        {group: arrangement.group_ids}
        | {column.name: column.decode(coded[column.name][0]) for column in kept}
    )
    mapping = pl.DataFrame(
        {
            "group": arrangement.group_ids[arrangement.position_of],
            "row_in_quasi": arrangement.position_of,
        }
    )
    trees = {name: planted([each.tree for each in of]) for name, of in told.items()}
    fakes = {name: int(each.count.sum()) - microdata.rows for name, each in slots.items()}
    release = SubdomainRelease(
        replace(manifest, section=Subdomains(fakes, parts)),
        quasi,
        {name: _slot_table(name, trees[name], each, manifest) for name, each in slots.items()},
        {name: _tree_table(name, told[name], trees[name], manifest) for name in told},
        coded=coded,
    )
    return Publication(release, mapping)


def _slot_table(name: str, tree: Tree, slots: Pushed, manifest: Manifest) -> pl.DataFrame:
    layout = manifest.layout
    table = {layout["group"]: (slots.group + 1).astype(np.int32)}
    table |= _end_columns(name, tree, slots.node, manifest)
    return pl.DataFrame(table | {layout["count"]: slots.count.astype(np.int32)})


def _tree_table(name: str, told: list[Told], tree: Tree, manifest: Manifest) -> pl.DataFrame:
    layout = manifest.layout
    texts = pl.Series([each.part.text for each in told], dtype=pl.String)
    part = texts.gather(np.repeat(np.arange(len(told)), [each.tree.size for each in told]))
    parent = pl.Series(tree.nodes.parent + np.int32(1))
    table = {
        layout["part"]: part,
        layout["node"]: np.arange(1, tree.size + 1, dtype=np.int32),
        layout["parent"]: parent.set(parent == 0, None),
    }
    table |= _end_columns(name, tree, np.arange(tree.size), manifest)
    return pl.DataFrame(table | {layout["weight"]: tree.weights})


def _end_columns(
    name: str, tree: Tree, nodes: NDArray[np.int64], manifest: Manifest
) -> dict[str, pl.Series]:
    names = [manifest.layout[f"{name}_{end}"] for end in ("low", "high", "missing")]
    return {name: end.alias(name) for name, end in zip(names, tree.ends(nodes), strict=True)}
