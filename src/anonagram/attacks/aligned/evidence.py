"""Whether values show that rows at the same place belong together.

A row's image has to be nearer to it than the rows that stand a little before and after it do. Rows
further away would not do to compare with: where both tables are sorted by region, rows at the same
place are alike whoever they are. For the same reason columns that rise or fall along the rows of a
table show nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned.order import by_id
from anonagram.columns.ranks import rank_correlation
from anonagram.errors import InputError
from anonagram.key import PUBLIC
from anonagram.sources import Table

if TYPE_CHECKING:
    from anonagram.attacks.aligned.scale import Attribute

MOST_ROWS = 20_000
SHIFTS = 32
FEWEST = 12
"""Among fewer rows anything may be near by chance."""
SHOWN = 5.0
"""So many standard deviations nearer than rows before and after."""
SERIAL = 0.8
"""A column is related along rows where neighbours differ by less than this share of any two."""
BLOCKS = 10
UNLIKE = 4.0
UNRELATED = 0.2
"""A rank correlation below this says nothing about a single row."""
RELATED = 0.5

Floats = NDArray[np.float64]


def rows_belong_together(attributes: Sequence[Attribute]) -> bool:
    """Whether rows at the same place are shown to belong together, everywhere in the tables."""
    rows = attributes[0].original.codes.size
    if rows < FEWEST or attributes[0].masked.codes.size != rows:
        return False
    asked = np.sort(PUBLIC.permutation("evidence", rows)[:MOST_ROWS]).astype(np.int64)
    found = [_nearer(each, asked) for each in attributes if not _is_serial(each)]
    if not found:
        return False
    found.append(np.sum(found, axis=0))
    return any(_is_shown(away) and _is_so_everywhere(away) for away in found)


def _nearer(attribute: Attribute, asked: NDArray[np.int64]) -> Floats:
    """For each asked row, how far the masked rows at its place and around it are, in deviations."""
    ranks, mapped = attribute.original.ranks, attribute.mapped_ranks
    reach = min(SHIFTS // 2, (ranks.size - 1) // 2)
    shifts = [0, *(s for s in range(-reach, reach + 1) if s)]
    away = [np.abs(ranks[asked] - mapped[(asked + shift) % ranks.size]) for shift in shifts]
    return np.column_stack(away) / max(float(ranks.std()), 1.0)


def _is_shown(away: Floats) -> bool:
    """Whether rows at the same place are nearer than any around them, far beyond chance."""
    here, *around = away.mean(axis=0)
    spread = float(np.std(around, ddof=1))
    return float(np.mean(around) - here) > SHOWN * max(spread, 1e-12) and here < min(around)


def _is_so_everywhere(away: Floats) -> bool:
    """Whether no stretch of rows is without it, as where a row is left out and all move up."""
    gains = away[:, 1:].mean(axis=1) - away[:, 0]
    blocks = [block for block in np.array_split(gains, BLOCKS) if block.size >= FEWEST]
    if not blocks:
        return True
    usual = float(np.quantile([block.mean() for block in blocks], 0.75))
    return all(
        block.mean() > usual / 2 - UNLIKE * block.std() / np.sqrt(block.size) for block in blocks
    )


def _is_serial(attribute: Attribute) -> bool:
    """Whether a column of either table is related along its rows, as a sorted one is."""
    for ranks in (attribute.original.ranks, attribute.mapped_ranks):
        usual = np.abs(ranks - np.roll(ranks, ranks.size // 2)).mean()
        if np.abs(np.diff(ranks)).mean() < SERIAL * usual:
            return True
    return False


def refuse_moved_keys(
    one: Table, two: Table, attributes: Sequence[Attribute], identifiers: Sequence[str]
) -> None:
    """Refuse tables whose rows belong together by a column that names them, and not by position."""
    for name in one.frame.columns:
        if name not in two.frame.columns:
            continue
        left, right = (table.frame[name].cast(pl.String) for table in (one, two))
        is_amount = left.str.contains(r"\.[0-9]").any() and name not in identifiers
        if (
            is_amount  # that all amounts differ names nobody
            or left.n_unique() < len(left)
            or not left.sort().equals(right.sort())
            or left.equals(right)
        ):
            continue
        place = pl.DataFrame({"id": right}).with_row_index("row")
        found = pl.DataFrame({"id": left}).join(place, on="id", how="left", maintain_order="left")
        order = found["row"].to_numpy()
        own = [each.original.ranks for each in attributes if each.name == name]
        ranks = own[0] if own else left.rank("ordinal").to_numpy().astype(np.int64)
        others = [each for each in attributes if each.name != name]
        if name in identifiers or any(_gains(each, order, ranks) for each in others):
            row = int((left != right).arg_max() or 0)
            raise InputError(
                f"{two.label} has its rows in another order than {one.label}: "
                f"row {row + 1} is {name} {right[row]!r} there and {left[row]!r} here.",
                f"match them by that column: {by_id(name)}.",
            )


def _gains(attribute: Attribute, order: NDArray[np.int64], key: NDArray[np.int64]) -> bool:
    """Whether a column is related to its image in the order of a key, and hardly in this one.

    More than the key itself tells of the column: masking that keeps correlations gives that much.
    """
    ranks, mapped = attribute.original.ranks, attribute.mapped_ranks
    here, there, told = (
        abs(rank_correlation(ranks, each) or 0.0) for each in (mapped, mapped[order], key)
    )
    return here < UNRELATED and there > max(RELATED, told + UNRELATED / 2)
