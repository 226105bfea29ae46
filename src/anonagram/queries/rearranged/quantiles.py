"""Bounds of medians and other quantiles, from how many hits lie below each value.

Let A of the hits be at most v and B above it. The quantile of share q is at most v exactly if
A(1-q) - Bq reaches a certain figure: 0 for the discrete quantile, and for the two values between
which the continuous one lies, just above -q and 1-q. In each group A is greatest (and B least) where
the smallest values are hits, and least where the largest are, so the first v at which the greatest
(least) difference reaches the figure is the least (greatest) possible quantile. That holds for any
number of hits, and is tight where it is known.

Names inside: a and b hits up to x, must and may the least and most hits, p and q as in totals.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from anonagram.queries.kinds import DATE, DECIMAL, DOUBLE, MOMENT, WHOLE
from anonagram.queries.reading.question import Aggregate
from anonagram.queries.sql import UNKNOWN, by

HAS_QUANTILES = {WHOLE, DOUBLE, DECIMAL, DATE, MOMENT}
"""Kinds of values between which there are others."""
DOUBLE_OFF, SINGLE_OFF = 2.0**-50, 2.0**-20
"""By which share of itself a number between two others may have been rounded."""
DOUBLE_LEAST, SINGLE_LEAST = 1e-322, 1e-44
"""By which a number near 0 may have been rounded: a few of the smallest there are."""
HALVED_LEAST, HALVED_MOST = 1e-290, 1e300
"""Halves of numbers between them are not rounded, and their differences are not too large."""
QUARTERS = 4
NEARLY = 1 - 2.0**-30
"""Expected hits that reach this share of a figure reach it: the order of adding must not decide."""
SMALL = 2**40
FINE = 2**10
"""Whole numbers up to the one, in shares of one to the other, are not rounded at all."""


@dataclass(frozen=True)
class Quantile:
    """Writes the queries for a quantile of values that can be taken."""

    parts: dict[str, str]
    """Named queries of the statement."""
    taken: str
    """Values xl to xh that w people have, ranked inside groups of which lo to hi are hits."""
    keys: tuple[str, ...]
    aggregate: Aggregate
    kind: str | None
    is_single: bool = False
    """Whether numbers have 32 bits."""
    digits: int | None = None
    """Of decimals: how many stand behind the point; None where a double does not hold them all."""

    @property
    def _share(self) -> tuple[int, int]:
        share = self.aggregate.share
        return (1, 1) if share is None else (share.numerator, share.denominator)

    def write(self, name: str) -> list[str]:
        """The fields of the quantile, in the query of this name."""
        self._write_sizes(name)
        self._write_ends(name)
        keys = "".join(f"z.{key} AS {key}, " for key in self.keys)
        lower, upper, estimate = self._bounds()
        estimate = f"GREATEST({lower}, LEAST({upper}, {estimate}))"
        self.parts[name] = (
            f"SELECT {keys}{estimate} AS estimate, {lower} AS lower, {upper} AS upper, "
            f"z.must AS sure FROM {name}_sizes AS z "
            f"LEFT JOIN {name}_least AS least ON {self._same('least', 'z')} "
            f"LEFT JOIN {name}_most AS most ON {self._same('most', 'z')}"
        )
        return [f"{name}.{each}" for each in ("estimate", "lower", "upper")] + [
            UNKNOWN,
            f"{name}.sure",
        ]

    def _same(self, one: str, two: str) -> str:
        on = [f"{one}.{key} IS NOT DISTINCT FROM {two}.{key}" for key in self.keys]
        return " AND ".join(on) or "TRUE"

    def _write_sizes(self, name: str) -> None:
        """How many hits there are, and how large their values can be."""
        once = "SUM(CASE WHEN t.before = 0 THEN {} ELSE 0 END)"
        largest = "0.0"
        if self.kind in (WHOLE, DOUBLE, DECIMAL):
            largest = "MAX(GREATEST(ABS(CAST(t.xl AS DOUBLE)), ABS(CAST(t.xh AS DOUBLE))))"
        self.parts[f"{name}_sizes"] = (
            f"SELECT {''.join(f't.{key} AS {key}, ' for key in self.keys)}"
            f"{once.format('t.lo')} AS must, {once.format('t.hi')} AS may, "
            "MAX(CASE WHEN t.hi > 0 THEN t.xh END) AS greatest, "
            f"SUM(t.p * t.w) AS expected, {largest} AS largest "
            f"FROM {self.taken} AS t{by(len(self.keys))}"
        )

    def _write_ends(self, name: str) -> None:
        """The first values at which the difference of hits reaches each figure."""
        p, s = self._share
        least = f"({s - p} * r.a - {p} * (z.must - r.b))"
        most = f"({s - p} * r.a - {p} * (z.may - r.b))"
        self._write_steps(f"{name}_low", "xl", _low("t.hi"), _low("t.lo"))
        self._write_steps(f"{name}_high", "xh", _high("t.lo"), _high("t.hi"))
        for end, steps, difference, reached in (
            ("least", "low", least, "r.a >= 1 AND "),
            ("most", "high", most, ""),
        ):
            figures = {"f": f"{difference} > {-p}", "c": f"{difference} >= {s - p}"}
            figures |= {
                "d": f"{difference} >= 0",
                "m": f"r.e * {s} >= z.expected * {p} * {NEARLY!r}",
            }
            columns = [f"z.{key} AS {key}" for key in self.keys]
            columns += [
                f"MIN(CASE WHEN {reached if each != 'm' else ''}{figure} THEN r.x END) AS {each}"
                for each, figure in figures.items()
            ]
            self.parts[f"{name}_{end}"] = (
                f"SELECT {', '.join(columns)} FROM {name}_{steps} AS r "
                f"JOIN {name}_sizes AS z ON {self._same('r', 'z')}{by(len(self.keys))}"
            )

    def _write_steps(self, name: str, x: str, a: str, b: str) -> None:
        inside = ", ".join(f"t.{key}" for key in self.keys)
        over = f"OVER ({f'PARTITION BY {inside} ' if inside else ''}ORDER BY t.{x})"
        self.parts[name] = (
            f"SELECT {''.join(f't.{key} AS {key}, ' for key in self.keys)}t.{x} AS x, "
            f"SUM({a}) {over} AS a, SUM({b}) {over} AS b, SUM(t.p * t.w) {over} AS e "
            f"FROM {self.taken} AS t"
        )

    def _bounds(self) -> tuple[str, str, str]:
        """SQL for the least and the greatest quantile, and for what is expected."""
        if self.aggregate.function == "QUANTILE_DISC":
            return "least.d", "COALESCE(most.d, z.greatest)", "least.m"
        low, high, middle = "least.f", "COALESCE(most.c, z.greatest)", "least.m"
        if self.kind in (DATE, MOMENT):
            return self._of_moments(low, high, middle)
        if self.kind == DECIMAL:
            return self._of_decimals(low, high, middle)
        slack = self._slack()
        known = "z.must = z.may"
        lower = (
            f"(CASE WHEN {known} THEN {self._between('least')} ELSE {_double(low)} END - {slack})"
        )
        upper = (
            f"(CASE WHEN {known} THEN {self._between('most')} ELSE {_double(high)} END + {slack})"
        )
        if self._is_halved:
            lower = self._as_written(lower, low, "LEAST")
            upper = self._as_written(upper, high, "GREATEST")
        return lower, upper, _double(middle)

    def _as_written(self, rounded: str, end: str, least: str) -> str:
        """A bound without room for rounding, where halves of two doubles need none.

        The half of a double is one, unless it is among the smallest, and rounding keeps order: what
        lies between two numbers is never rounded beyond them. Where both are known, databases take
        one of two ways from the one to the other.
        """
        f, c, rest = _double("least.f"), _double("least.c"), self._rest
        ways = f"{f} * (1.0 - {rest}) + {c} * {rest}", f"{f} + ({c} - {f}) * {rest}"
        usual = f"ABS({{}}) BETWEEN {HALVED_LEAST!r} AND {HALVED_MOST!r}"
        is_open = f"z.must <> z.may AND ({end} = 0 OR {usual.format(_double(end))})"
        are_usual = f"{usual.format(f)} AND {usual.format(c)}"
        settled = f"z.must = z.may AND least.f = most.f AND least.c = most.c AND {are_usual}"
        return (
            f"(CASE WHEN {is_open} THEN {_double(end)} "
            f"WHEN {settled} THEN {least}({', '.join(ways)}) ELSE {rounded} END)"
        )

    @property
    def _is_halved(self) -> bool:
        """Whether it lies halfway between two doubles, or is one of them."""
        return self.kind == DOUBLE and not self.is_single and self._share == (1, 2)

    def _of_moments(self, low: str, high: str, middle: str) -> tuple[str, str, str]:
        """Databases interpolate in doubles: microseconds are off, and a place that is none.

        Days are whole numbers of microseconds of which doubles hold a quarter too.
        """
        ends = [f"CAST({each} AS TIMESTAMP)" for each in (low, high, middle)]
        if self.kind == DATE and self._is_placed and self._share[1] <= QUARTERS:
            return ends[0], ends[1], ends[2]
        off = "CAST(1 + z.may / 10000 AS BIGINT)"
        if self._is_placed:
            off = f"CASE WHEN z.must = z.may AND {self._rest} = 0 THEN 0 ELSE {off} END"
        off = f"INTERVAL '1 second' * {off}"
        return f"({ends[0]} - {off})", f"({ends[1]} + {off})", ends[2]

    def _of_decimals(self, low: str, high: str, middle: str) -> tuple[str, str, str]:
        """As decimals where their digits allow it: off by a last digit for each value, at most."""
        if self.digits is None:
            off = f"(z.largest * {DOUBLE_OFF!r} * (z.may + 1) + 1)"
            return f"({_double(low)} - {off})", f"({_double(high)} + {off})", _double(middle)
        if self._is_placed:
            return low, high, middle
        off = f"(z.may + 1) * CAST({Decimal(1).scaleb(-self.digits)} AS DECIMAL(18, {self.digits}))"
        return f"({low} - {off})", f"({high} + {off})", middle

    @property
    def _is_placed(self) -> bool:
        """Whether a double holds the share, and so the place of the quantile among the values."""
        denominator = self._share[1]
        return denominator & (denominator - 1) == 0

    @property
    def _rest(self) -> str:
        """How far the quantile is on its way from one value to the next, where hits are known."""
        p, s = self._share
        return f"(CAST(MOD((z.may - 1) * {p}, {s}) AS DOUBLE) / {s})"

    def _between(self, end: str) -> str:
        rest = self._rest
        return f"({_double(f'{end}.f')} * (1.0 - {rest}) + {_double(f'{end}.c')} * {rest})"

    def _slack(self) -> str:
        """What rounding can do; shares that a double does not hold miss the place itself."""
        _, s = self._share
        share, least = DOUBLE_OFF, DOUBLE_LEAST
        if self.is_single:
            share, least = SINGLE_OFF, SINGLE_LEAST
        rounding = f"CASE WHEN z.largest = 0 THEN 0.0 ELSE z.largest * {share!r} + {least!r} END"
        if not self._is_placed:
            return f"(({rounding}) * (z.may + 1))"
        if self.kind == WHOLE and s <= FINE:
            return f"CASE WHEN z.largest < {SMALL} THEN 0.0 ELSE {rounding} END"
        return f"CASE WHEN z.must = z.may AND {self._rest} = 0 THEN 0.0 ELSE {rounding} END"


def _double(value: str) -> str:
    return f"CAST({value} AS DOUBLE)"


def _low(hits: str) -> str:
    """How many of a row's values are among so many smallest of its group."""
    return f"GREATEST(0, LEAST(t.w, {hits} - t.before))"


def _high(hits: str) -> str:
    """How many of a row's values are among so many largest of its group."""
    return f"GREATEST(0, LEAST(t.w, {hits} - (t.total - t.before - t.w)))"
