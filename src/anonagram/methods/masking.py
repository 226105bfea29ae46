"""What masking methods have in common: one masked table, its rows in a random order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import NotEmpty, Words
from anonagram.columns.places import is_measured
from anonagram.columns.ranks import Codes, by_frequency
from anonagram.columns.recoding import inverse
from anonagram.columns.spans import TICKS_A_SECOND
from anonagram.errors import CannotAnonymize, SchemaError, suggest
from anonagram.key import Key
from anonagram.methods.method import Method
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.models import PrivacyModel
from anonagram.partition import AnyRows, Division
from anonagram.release import MOVED, Manifest, MaskedColumns, MaskedRelease, Masking
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.schema import Role

Columns = (
    Literal["quasi", "sensitive", "both"]
    | Annotated[list[str], NotEmpty(), Words("a list of names")]
)
CHOICES: dict[str, tuple[Role, ...]] = {
    "quasi": ("quasi",),
    "sensitive": ("sensitive",),
    "both": ("quasi", "sensitive"),
}
DIGITS = 12
"""Significant digits of masked numbers that have no natural step."""
MOST_DECIMALS = 9
MOST_DIGITS = 200
"""Numbers so small are not rounded; their last digits matter to nobody."""
MOST_EXACT = 2**53
"""Whole numbers up to here are exact in floating-point arithmetic."""
LARGEST = 1e150
"""Larger ones have no square, and no variance."""
LONGEST = 2**62
EPOCH, FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(1, 1, 1), date(9999, 12, 31)


class MaskingMethod(Method):
    """A method that masks some columns and leaves the others as they are."""

    shape = MaskedRelease
    strength: ClassVar[str | None] = None
    """The parameter that masks more the larger it is."""
    strengths: ClassVar[tuple[float, ...]] = ()
    """Values of it worth trying, from weak to strong."""
    how: ClassVar[Literal["moved", "changed"]] = MOVED
    """What becomes of values."""
    needs_numbers: ClassVar[bool] = False
    columns: Columns

    @abstractmethod
    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> Sequence[pl.Series]:
        """The masked columns, in the order of the original's rows."""

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:  # noqa: ARG002
        """Nothing that a release alone could prove; an audit measures it."""
        return ()

    def chosen(self, microdata: Microdata) -> list[Column]:
        """The columns to mask."""
        if isinstance(self.columns, str):
            found = microdata.with_role(*CHOICES[self.columns])
            if not found:
                raise CannotAnonymize(
                    f"{self.call} masks columns with the role {self.columns}; there are none.",
                    f'give a column that role, or: {self.call}(columns=["NAME"]).',
                )
        else:
            names = [column.name for column in microdata.columns]
            for name in self.columns:
                if name not in names:
                    raise SchemaError(f"There is no column {name!r} to mask.", suggest(name, names))
            found = [column for column in microdata.columns if column.name in self.columns]
        if self.needs_numbers:
            self._require_numbers(found)
        return found

    def require_fit(self, microdata: Microdata) -> None:
        """Before the table is looked at for what columns tell of each other."""
        self.chosen(microdata)

    def _require_numbers(self, found: list[Column]) -> None:
        fit = [column.name for column in found if is_measured(column.kind)]
        for column in found:
            if not is_measured(column.kind):
                listed = ", ".join(f'"{name}"' for name in fit)
                raise CannotAnonymize(
                    f"{self.call} needs numbers or dates; column {column.name!r} is {column.kind}.",
                    (f"columns=[{listed}], or " if fit else "") + 'give it the role "drop", or take '
                    "rank_swapping or data_swapping.",
                )  # fmt: skip

    def division(self, table: Microdata) -> Division:
        """Any rows: of all others a block knows how often each value occurs, and needs no more."""
        if self.undivided:
            return super().division(table)
        self.chosen(table)
        return AnyRows()

    def masking(self, column: Column) -> Masking:  # noqa: ARG002
        """What the release tells about a column that was masked."""
        return Masking(self.how)

    def fits(self, strength: float, microdata: Microdata) -> bool:  # noqa: ARG002
        """Whether a value of the parameter makes sense for a table."""
        return True

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Mask the chosen columns, and put the rows into a random order."""
        chosen = self.chosen(microdata)
        step("Masking")
        masked = dict(zip((c.name for c in chosen), self.mask(chosen, microdata, key), strict=True))
        step("Shuffling rows")
        order = key.permutation(f"{self!r}/rows", microdata.rows)

        def publish(column: Column) -> pl.Series:
            if column.name in masked:
                return masked[column.name].gather(order).alias(column.name)
            return column.decode(column.codes[order])

        rows = pl.DataFrame(in_threads(publish, [(column,) for column in microdata.columns]))
        told = replace(manifest, section=MaskedColumns({c.name: self.masking(c) for c in chosen}))
        return Publication(MaskedRelease(told, rows), pl.DataFrame({"row_in_rows": inverse(order)}))


def tells_alike(column: Column) -> bool:
    """Whether a hierarchy says which values of a column are alike."""
    return column.hierarchy is not None and column.hierarchy.tells_alike


def by_rank(column: Column) -> tuple[Codes, Codes]:
    """Codes whose order is the column's ranking, and the column's own code of each.

    Without a natural order, the hierarchy's, or that of frequency in the whole table.
    """
    of_rank = np.arange(column.cardinality, dtype=np.int32)
    if column.kind == "nominal" and not tells_alike(column):
        of_rank[: len(column.domain)] = by_frequency(column.counts_in_table[: len(column.domain)])
    return inverse(of_rank)[column.codes], of_rank


def numbers_of(column: Column) -> NDArray[np.float64]:
    """The values of a column as numbers, NaN where one is missing."""
    places = _places(column)
    largest = np.abs(places).max(initial=0.0)
    is_whole = not column.domain.dtype.is_float()
    if largest > (MOST_EXACT if is_whole and not column.domain.dtype.is_temporal() else LARGEST):
        raise CannotAnonymize(
            f"Column {column.name!r} has values as large as {largest:.3g}: too large to compute with.",
            'give it the role "drop", or take rank_swapping or data_swapping.',
        )
    if 0 < largest < 1 / LARGEST:
        raise CannotAnonymize(
            f"Column {column.name!r} has no value above {largest:.3g}: too small to compute with.",
            "use another unit, or take rank_swapping or data_swapping.",
        )
    return np.append(places, np.nan)[column.codes]


def mean_and_deviation(
    column: Column, places: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Of the known values of a column in the whole table; 0 where all are missing.

    `places` says what number each value of its domain counts as, if not that of `numbers_of`.
    """
    places = _places(column) if places is None else places
    counts = column.counts_in_table[: places.size]
    total = int(counts.sum())
    if not total:
        return 0.0, 0.0
    mean = float((places * counts).sum() / total)
    return mean, float(np.sqrt(((places - mean) ** 2 * counts).sum() / total))


def _places(column: Column) -> NDArray[np.float64]:
    domain = column.domain
    return (
        (domain if domain.dtype.is_numeric() else domain.to_physical()).cast(pl.Float64).to_numpy()
    )


def from_numbers(values: NDArray[np.float64], column: Column) -> pl.Series:
    """Masked numbers as values of a column, in its steps: whole numbers stay whole.

    Rounding also makes the last digits of the arithmetic, which differ between machines, vanish.
    """
    dtype, is_missing = column.domain.dtype, ~np.isfinite(values)
    values = np.where(is_missing, 0.0, values)
    if dtype.is_temporal():
        first, step_size = _steps(column)
        low, high = _limits(dtype)
        ticks = np.rint((values - first) / step_size)
        ticks = np.clip(
            ticks, np.ceil((low - first) / step_size), np.floor((high - first) / step_size)
        )
        whole = ticks.astype(np.int64) * step_size + first
        result = pl.Series(whole).cast(column.domain.to_physical().dtype).cast(dtype)
    elif dtype.is_float():
        decimals = _decimals(column)
        rounded = values if decimals > MOST_DIGITS else np.round(values, decimals)
        result = pl.Series(rounded).cast(dtype)
    elif isinstance(dtype, pl.Decimal):
        result = pl.Series(np.round(values, dtype.scale)).cast(pl.Decimal(38, dtype.scale))
    else:
        result = pl.Series(np.rint(np.clip(values, -MOST_EXACT, MOST_EXACT))).cast(pl.Int64)
    shown = pl.when(~pl.lit(pl.Series(is_missing))).then(pl.lit(result))
    return pl.select(shown.alias(column.name)).to_series()


def _limits(dtype: pl.DataType) -> tuple[int, int]:
    """The first and the last time that a column of times can hold and others can read."""
    match dtype:
        case pl.Date():
            return (FIRST_DAY - EPOCH).days, (LAST_DAY - EPOCH).days
        case pl.Datetime():
            ticks = 86_400 * TICKS_A_SECOND[dtype.time_unit]
            low, high = (FIRST_DAY - EPOCH).days * ticks, (LAST_DAY - EPOCH).days * ticks
            return max(low, -LONGEST), min(high, LONGEST)
        case pl.Time():
            return 0, 86_400 * TICKS_A_SECOND["ns"] - 1
    return -LONGEST, LONGEST


def _steps(column: Column) -> tuple[int, int]:
    """A time of a column, and the largest span of which all others are whole multiples away."""
    ticks = column.domain.to_physical().to_numpy().astype(np.int64)
    if not ticks.size:
        return 0, 1
    return int(ticks[0]), max(1, int(np.gcd.reduce(ticks - ticks[0])))


def _decimals(column: Column) -> int:
    """How many decimals the values of a column have; of many, as many as its spread deserves."""
    places = _places(column)
    for decimals in range(MOST_DECIMALS):
        if np.array_equal(np.round(places, decimals), places):
            return decimals
    size = float(np.std(places)) or 1.0
    return DIGITS - int(np.floor(np.log10(size)))
