"""Conditions that compare columns of two parts, as in `paid > owed`: no row holds both.

Which rows of the two parts belong together is not known, only that each row of the one belongs to
some row of the other in its group. So no more people meet a condition than rows of either part have
a partner with whom it holds, and no more fail to than have one with whom it does not. Of a range
every value can be anybody's: then only the rows of the other part are counted. Where its values
cannot be listed, a group whose people all have one is looked at; in others anybody may meet it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from sqlglot import exp

from anonagram.queries.reading.question import DIALECT, columns_of
from anonagram.queries.rearranged.listing import MOST_PAIRS, listing_of
from anonagram.queries.sql import places, quote, rows, size_of
from anonagram.release.sheet import RANGES, Part, Sheet

PAIRED = "paired: "
"""Before the names of the parts that a condition is about."""


def paired(sheet: Sheet, node: exp.Expr) -> str | None:
    """The name under which a condition over two parts stands, if it can be looked at."""
    parts = _parts(sheet, node)
    if len(parts) != 2 or not sheet.group:
        return None
    if any(part != RANGES and not _has_rows(sheet, sheet.parts[part]) for part in parts):
        return None
    one, two = (_side(sheet, part, node) for part in parts)
    pairs = min(one.height * two.widest, two.height * one.widest)
    return PAIRED + " and ".join(sorted(parts)) if pairs <= MOST_PAIRS else None


def _parts(sheet: Sheet, node: exp.Expr) -> list[str]:
    return list(dict.fromkeys(sheet.part_of(name) for name in columns_of(node)))


@dataclass(frozen=True)
class _Side:
    """The columns of one part that a condition looks at."""

    columns: tuple[str, ...]
    is_range: bool
    query: str
    """Its different values in every group g, as c0, c1, …, and how many people have them, w."""
    rows: pl.Series
    """How many there are in each group, at most."""
    is_whole: bool = True
    """Whether it has every group."""

    @property
    def height(self) -> float:
        """Those of all groups."""
        return float(self.rows.sum())

    @property
    def widest(self) -> float:
        """The most of a group."""
        return float(self.rows.max() or 0)  # type: ignore[arg-type]


def _side(sheet: Sheet, part: str, node: exp.Expr) -> _Side:
    """A side of a condition."""
    names = tuple(name for name in columns_of(node) if sheet.part_of(name) == part)
    return _listed(sheet, names) if part == RANGES else _of_rows(sheet, sheet.parts[part], names)


def _listed(sheet: Sheet, names: tuple[str, ...]) -> _Side:
    listing = None
    if len(names) == 1:
        listing = listing_of(sheet, sheet.ranges[names[0]], [exp.column(names[0])])
    if listing is None:
        return _single(sheet, names)
    listed = (
        f"SELECT m.g AS g, m.v AS c0, COUNT(*) AS w FROM ({listing.query()}) AS m GROUP BY 1, 2"
    )
    return _Side(names, True, listed, listing.counts())


def _single(sheet: Sheet, names: tuple[str, ...]) -> _Side:
    """Groups whose people all have one value of each column."""
    columns, known = [f"t.{quote(sheet.group)} AS g"], ["TRUE"]
    for place, name in enumerate(names):
        ends = sheet.ranges[name].ends
        low, high, missing = (f"t.{quote(end)}" for end in ends or ("", "", ""))
        columns.append(f"{low if ends else 'NULL'} AS c{place}")
        known.append(f"{low} = {high} AND NOT {missing}" if ends else "FALSE")
    table = quote(sheet.size_table)
    query = f"SELECT {', '.join(columns)}, 1 AS w FROM {table} AS t WHERE {' AND '.join(known)}"
    return _Side(names, True, query, pl.Series([1.0]).new_from_index(0, sheet.sizes.len()), False)


def _has_rows(sheet: Sheet, part: Part) -> bool:
    """Whether rows of a part stand in groups, and are not values of a tree."""
    return sheet.group in sheet.tables[part.table].columns


def _of_rows(sheet: Sheet, part: Part, names: tuple[str, ...]) -> _Side:
    shown = ", ".join(f"t.{quote(name)} AS c{place}" for place, name in enumerate(names))
    query = (
        f"SELECT t.{quote(sheet.group)} AS g, {shown}, {rows(part.weight)} AS w "
        f"FROM {quote(part.table)} AS t GROUP BY {places(1 + len(names))}"
    )
    counts = sheet.tables[part.table][sheet.group].value_counts()["count"].cast(pl.Float64)
    return _Side(names, False, query, counts)


def write_pairs(parts: dict[str, str], name: str, sheet: Sheet, condition: exp.Expr) -> None:
    """The query of this name: low, high and share of the rows of each group g that meet it."""
    found = (_side(sheet, part, condition) for part in _parts(sheet, condition))
    sides = dict(zip("ab", found, strict=True))
    met = f"COALESCE({_placed(condition, sides)}, FALSE)"
    columns = ["a.g AS g"]
    for letter, side in sides.items():
        parts[f"{name}_{letter}"] = side.query
        columns += [f"{letter}.c{place} AS {letter}{place}" for place in range(len(side.columns))]
        columns.append(f"{letter}.w AS w{letter}")
    parts[f"{name}_met"] = (
        f"SELECT {', '.join(columns)}, CASE WHEN {met} THEN 1 ELSE 0 END AS met "
        f"FROM {name}_a AS a JOIN {name}_b AS b ON b.g = a.g"
    )
    counted = [letter for letter, side in sides.items() if not side.is_range]
    for letter in counted:
        _write_side(parts, name, letter, len(sides[letter].columns))
    known, size = f"{name}_known", size_of(sheet)
    if all(side.is_whole for side in sides.values()):
        parts[name] = _bounds(name, counted)
        return
    parts[known] = _bounds(name, counted)
    parts[name] = (
        f"SELECT t.{quote(sheet.group)} AS g, COALESCE({known}.low, 0) AS low, "
        f"COALESCE({known}.high, {size}) AS high, COALESCE({known}.share, 0.5) AS share "
        f"FROM {quote(sheet.size_table)} AS t LEFT JOIN {known} ON {known}.g = t.{quote(sheet.group)}"
    )


def _write_side(parts: dict[str, str], name: str, letter: str, columns: int) -> None:
    """How many rows of a side have a partner with whom the condition holds, and does not."""
    shown = ", ".join(f"m.{letter}{place} AS {letter}{place}" for place in range(columns))
    other = "b" if letter == "a" else "a"
    parts[f"{name}_{letter}_each"] = (
        f"SELECT m.g AS g, {shown}, MIN(m.w{letter}) AS w, MAX(m.met) AS can, "
        f"MAX(1 - m.met) AS cannot, SUM(m.met * m.w{other}) * 1.0 / SUM(m.w{other}) AS share "
        f"FROM {name}_met AS m GROUP BY {places(1 + columns)}"
    )
    parts[f"{name}_{letter}_all"] = (
        "SELECT e.g AS g, SUM(e.w) AS n, SUM(e.w * e.can) AS can, SUM(e.w * e.cannot) AS cannot, "
        f"SUM(e.w * e.share) / SUM(e.w) AS share FROM {name}_{letter}_each AS e GROUP BY 1"
    )


def _bounds(name: str, counted: Sequence[str]) -> str:
    """A query for what the sides together say of every group that both have."""
    first, *others = (f"{name}_{letter}_all" for letter in counted)
    joins = "".join(f" JOIN {other} ON {other}.g = {first}.g" for other in others)
    can = ", ".join(f"{each}.can" for each in (first, *others))
    cannot = ", ".join(f"{each}.cannot" for each in (first, *others))
    if others:
        can, cannot = f"LEAST({can})", f"LEAST({cannot})"
    return (
        f"SELECT {first}.g AS g, {first}.n - {cannot} AS low, {can} AS high, "
        f"{first}.share AS share FROM {first}{joins}"
    )


def _placed(condition: exp.Expr, sides: dict[str, _Side]) -> str:
    """The condition with its columns where they stand in the pairs."""
    where = {
        name: (letter, place)
        for letter, side in sides.items()
        for place, name in enumerate(side.columns)
    }

    def put(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        letter, place = where[node.name]
        return exp.column(f"c{place}", table=letter, quoted=True)

    return condition.transform(put).sql(DIALECT)
