"""Answers: estimates with the bounds between which the truth lies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar, Self

import polars as pl

from anonagram.shown.outward import lower_end, upper_end
from anonagram.shown.result import Shown
from anonagram.sources.handed_over import HandedOver

NORMAL_95 = 1.959963984540054
"""95 % of a normal distribution lie so many standard deviations around its mean."""


@dataclass(frozen=True)
class Answer:
    """What a release tells about one aggregate.

    lower ≤ truth ≤ upper always holds, where the truth is not NULL. A SUM of nobody counts as 0 in
    the bounds of a SUM.
    """

    estimate: Any
    lower: Any
    upper: Any
    deviation: float | None
    """Of the estimate, over all ways in which the rows of a group can be matched; None where unknown.

    No error bar: the truth is one of these ways, but not a random one, and where the columns of
    people depend on each other more than on their group it is often further away.
    """
    exact: bool
    """Whether the estimate is the truth."""
    told_as: ClassVar[str] = "deviation_over_matchings"
    """What the deviation is called for a program."""

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        content = {name: _plain(value) for name, value in asdict(self).items()}
        return {self.told_as if n == "deviation" else n: value for n, value in content.items()}


@dataclass(frozen=True)
class Likely(Answer):
    """An answer of which is also known between what it lies 95 % of the time, over many releases.

    Where rows of a value are in groups by chance alone; of a count.
    """

    interval: tuple[float, float]
    """Inside the bounds, with the estimate in it."""

    @classmethod
    def of(cls, answer: Answer, ends: tuple[float, float]) -> Self:
        """The answer with an interval that is cut to its bounds, and an estimate inside it.

        >>> Likely.of(Answer(9.0, 0, 40, 1.0, False), (-3.0, 7.5))
        Likely(estimate=7.5, lower=0, upper=40, deviation=1.0, exact=False, interval=(0.0, 7.5))
        """
        least, most = float(answer.lower), float(answer.upper)
        low, high = (min(max(end, least), most) for end in ends)
        estimate = min(max(float(answer.estimate), low), high)
        return cls(estimate, answer.lower, answer.upper, answer.deviation, False, (low, high))

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        return super().to_dict() | {"interval": list(self.interval)}


@dataclass(frozen=True)
class Estimate(Answer):
    """What a release with replaced values tells, read as it stands or corrected for replacements.

    Correcting takes away the bias and costs spread: where many values were replaced, more than it
    takes away. `estimate` is the one of the two with the smaller expected error, within the bounds.
    `lower` and `upper` are what no draw can make untrue, and wide.
    """

    naive: Any
    """The answer of the published rows, read as if nothing had been replaced."""
    corrected: Any
    """The estimate without bias; it may lie beyond the bounds."""
    taken: str
    """Which of them the estimate is: "naive" or "corrected"."""
    told_as = "std_error"

    @property
    def std_error(self) -> float | None:
        """Of the corrected estimate, over all draws of the replacements."""
        return self.deviation

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval, within the bounds: so often the truth is inside.

        Around the corrected estimate, whichever is taken. Over many releases, where enough people
        are asked about; with only a handful it is less.

        >>> low, high = Estimate(10.0, 0, 40, 1.0, False, 7, 10.0, "corrected").interval
        >>> round(low, 2), round(high, 2)
        (8.04, 11.96)
        """
        if self.std_error is None or not isinstance(self.corrected, int | float):
            return None
        reach = NORMAL_95 * self.std_error
        ends = float(self.corrected) - reach, float(self.corrected) + reach
        # the truth is certainly within the bounds, so nothing is lost by staying there
        low, high = max(ends[0], float(self.lower)), min(ends[1], float(self.upper))
        return (low, high) if low <= high else ends

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        interval = self.interval
        return super().to_dict() | {"interval": None if interval is None else list(interval)}


@dataclass(frozen=True)
class Answers(Shown, HandedOver):
    """The rows of an answer; each has the group keys and an `Answer` for every aggregate.

    `to_polars`, `to_pandas` and `to_arrow` make a table of them.
    """

    shown_by = "answers"

    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()
    """What whoever reads them should know about the columns that were asked about."""
    learned: bool = False
    """Whether estimates come from worlds that a model of the release drew."""
    coarser: bool = False
    """Whether a column that was asked about is published coarser: what is exact is so of that."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, position: int) -> dict[str, Any]:
        return self.rows[position]

    def to_dicts(self) -> list[dict[str, Any]]:
        """What `anonagram query --json` prints; what should be known stands beside every answer."""
        notes = {"notes": list(self.notes)} if self.notes else {}
        return [
            {
                name: value.to_dict() | notes if isinstance(value, Answer) else _plain(value)
                for name, value in row.items()
            }
            for row in self.rows
        ]

    def to_polars(self) -> pl.DataFrame:
        """A table with the keys, and five columns for every aggregate, or eight."""
        fields = {"estimate": "estimate", "lower": "lower", "upper": "upper"}
        answers = [row[name] for row in self.rows for name in self.aggregates]
        is_estimated = any(isinstance(answer, Estimate) for answer in answers)
        fields |= {(Estimate if is_estimated else Answer).told_as: "deviation", "exact": "exact"}
        if is_estimated:
            fields |= {name: name for name in ("naive", "corrected", "taken")}
        if any(isinstance(answer, Likely) for answer in answers):
            fields["interval"] = "interval"
        columns: dict[str, list[Any]] = {
            name: [row[name] for row in self.rows] for name in self.keys
        }
        for name in self.aggregates:
            for told, field in fields.items():
                columns[f"{name} {told}"] = [getattr(row[name], field, None) for row in self.rows]
        return pl.DataFrame(columns, strict=False)

    def __repr__(self) -> str:
        """Keys, and between what each aggregate lies: `to_polars` has all there is."""
        columns = {name: [row[name] for row in self.rows] for name in self.keys} | {
            name: [_told(row[name]) for row in self.rows] for name in self.aggregates
        }
        with pl.Config(
            tbl_cols=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True,
            fmt_str_lengths=60, tbl_width_chars=100,
        ):  # fmt: skip
            return "\n".join([repr(pl.DataFrame(columns, strict=False)), *self.notes])

    __str__ = object.__str__


def _told(answer: Answer) -> str | None:
    """Between what it lies.

    >>> _told(Answer(48.1234567, 45, 55, 1.0, False)), _told(Answer(7, 7, 7, 0.0, True))
    ('45 to 55, about 48.1235', '7')
    >>> _told(Answer(48.1234567, 45.6789012, 55.4321012, 1.0, False))
    '45.6789 to 55.4322, about 48.1235'
    """
    if answer.estimate is None:
        return None
    estimate, lower, upper = (
        f"{end:.6g}" if isinstance(end, float) else str(end)
        for end in (answer.estimate, lower_end(answer.lower), upper_end(answer.upper))
    )
    return estimate if answer.exact else f"{lower} to {upper}, about {estimate}"


def make_answer(fields: Sequence[Any], *, is_whole: bool) -> Answer:
    """The answer behind estimate, lower, upper, variance and the number of sure values."""
    estimate, lower, upper, variance, sure = fields
    if is_whole:
        lower, upper = (None if end is None else int(end) for end in (lower, upper))
    if lower is None or upper is None:
        return Answer(None, None, None, None, exact=True)
    if lower == upper and sure:
        return Answer(lower, lower, upper, 0.0, exact=True)
    if estimate is None or (isinstance(estimate, float) and math.isnan(estimate)):
        # nobody is expected, but somebody possible; or a sum on the way was too large
        estimate = float(lower) / 2 + float(upper) / 2
    if isinstance(estimate, float | Decimal):
        # rounding must not put the estimate outside of its bounds
        estimate = min(max(float(estimate), lower), upper)
    return Answer(estimate, lower, upper, root(variance), exact=False)


def root(variance: Any) -> float | None:
    """The standard deviation; None where the variance is not known, or larger than a float.

    >>> root(4), root(-1e-20), root(float("inf"))
    (2.0, 0.0, None)
    """
    if variance is None or not math.isfinite(variance):
        return None
    return math.sqrt(max(0.0, float(variance)))


def is_endless(value: Any) -> bool:
    """Whether a number is infinite or none at all, as sums become that are too large."""
    return isinstance(value, float) and not math.isfinite(value)


def as_whole(value: Any) -> Any:
    """A decimal without places as the whole number that it is; others as they are.

    >>> as_whole(Decimal(18446744073709551614)), as_whole(Decimal("2.0"))
    (18446744073709551614, Decimal('2.0'))
    """
    is_whole = isinstance(value, Decimal) and value.is_finite() and value.as_tuple().exponent == 0
    return int(value) if is_whole else value


def _plain(value: Any) -> Any:
    """Numbers, texts and None as they are, durations in seconds; anything else as its text."""
    value = as_whole(value)
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
