"""Conditions on generalized quasi-identifiers: met by all of a group, by none, or by some.

A group is told as ranges and sets, so a condition gives three things: whether every row meets it
for certain, whether a row can meet it at all, and which share does if values are spread evenly.
Conditions on different columns are taken as independent for the share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NoReturn

import polars as pl
from sqlglot import exp

from anonagram.errors import UnsupportedQuery
from anonagram.queries.kinds import DATE, MOMENT, WHOLE
from anonagram.queries.reading.kinds import kind_of
from anonagram.queries.reading.question import DIALECT, columns_of
from anonagram.queries.rearranged.listing import Listing, listing_of
from anonagram.queries.rearranged.monotone import direction, of_present
from anonagram.queries.sql import quote, size_of, with_column
from anonagram.release.sheet import RangeColumn, Sheet

DAY = 86400
EPOCH_TYPES: dict[type[pl.DataType], str] = {
    pl.Date: "DATE", pl.Time: "TIME",
}  # fmt: skip
TURNED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE,
}  # fmt: skip
OPPOSITE: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT, exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
}  # fmt: skip
"""What holds where a comparison does not; both are untrue of missing values."""
FEW_NAMED = 20
"""Values of an IN that are compared with the ends of a range one by one."""
COMPARISONS = (*OPPOSITE, exp.Between, exp.In)


@dataclass(frozen=True)
class Reach:
    """SQL for how far a condition reaches into a group."""

    certain: str
    possible: str
    share: str


@dataclass
class RangeReader:
    """Reads conditions on the table of groups; `t` is that table, `members` are joined to it."""

    sheet: Sheet
    refuse: Callable[[exp.Expr, str, str], NoReturn]
    keys: dict[str, str]
    """Columns that are grouped by, and where each key stands."""
    members: dict[str, str] = field(default_factory=dict)
    """Queries that count a group's possible values, by the name they are joined under."""
    told: dict[int, tuple[exp.Expr, Reach | None]] = field(default_factory=dict)
    """What the ends of a range tell of conditions, by identity; these are kept, or others get theirs."""

    @property
    def size(self) -> str:
        """SQL for a group's rows."""
        return size_of(self.sheet)

    def reach(self, node: exp.Expr) -> Reach:
        """How far a condition reaches."""
        node = node.unnest()
        names = columns_of(node)
        if not names:
            text = f"COALESCE({node.sql(DIALECT)}, FALSE)"
            return Reach(text, text, f"CASE WHEN {text} THEN 1.0 ELSE 0.0 END")
        column = self.sheet.ranges[names[0]]
        if len(names) == 1 and column.name in self.keys:
            place = self.keys[column.name]
            text = f"COALESCE({with_column(node, column.name, place)}, FALSE)"
            return Reach(text, text, f"CASE WHEN {text} THEN 1.0 ELSE 0.0 END")
        is_apart = column.is_listed or _is_long(node)
        if len(names) == 1 and (is_apart or not self._is_read(node, column)):
            listing = listing_of(self.sheet, column, [node])
            if listing is not None:
                return self._of_members(node, listing)
        if isinstance(node, exp.And | exp.Or):
            return self._combine(node, same=len(names) == 1)
        found = self._by_ends(node, column) if len(names) == 1 else None
        return found or self._of_points(node, names)

    def _is_read(self, node: exp.Expr, column: RangeColumn) -> bool:
        """Whether the ends of a range alone tell how far a condition reaches."""
        if isinstance(node, exp.And | exp.Or):
            return all(self._is_read(each.unnest(), column) for each in node.flatten())
        return self._by_ends(node, column) is not None

    def _by_ends(self, node: exp.Expr, column: RangeColumn) -> Reach | None:
        """How far a condition reaches, where the ends of a range alone tell."""
        if id(node) not in self.told:
            try:
                self.told[id(node)] = node, self._of_range(node, column)
            except UnsupportedQuery:
                self.told[id(node)] = node, None
        return self.told[id(node)][1]

    def _combine(self, node: exp.Expr, *, same: bool) -> Reach:
        one, two = self.reach(node.this), self.reach(node.expression)
        if isinstance(node, exp.And):
            share = f"({one.share}) * ({two.share})"
            if same and _direction(node.this) == _direction(node.expression) != 0:
                share = f"LEAST({one.share}, {two.share})"
            elif same:  # two half-lines that together cover everything
                share = f"GREATEST(0.0, {one.share} + {two.share} - 1.0)"
            return Reach(
                f"({one.certain} AND {two.certain})", f"({one.possible} AND {two.possible})", share
            )
        share = (
            f"LEAST(1.0, {one.share} + {two.share})"
            if same
            else f"(1.0 - (1.0 - ({one.share})) * (1.0 - ({two.share})))"
        )
        return Reach(
            f"({one.certain} OR {two.certain})", f"({one.possible} OR {two.possible})", share
        )

    # whatever else

    def _of_points(self, node: exp.Expr, names: list[str]) -> Reach:
        """Where a group's people all have one value it decides; elsewhere anybody may meet it."""
        known, swapped = [], node
        for column in (self.sheet.ranges[name] for name in names):
            if column.ends is None:  # a set beside another column
                return Reach("FALSE", "TRUE", "0.5")
            low, high, missing = self._ends(column)
            known.append(f"({low} IS NULL OR ({low} = {high} AND NOT {missing}))")
            swapped = _swapped(swapped, column.name, exp.column(column.ends[0], "t", quoted=True))
        point, met = " AND ".join(known), f"COALESCE({swapped.sql(DIALECT)}, FALSE)"
        share = f"CASE WHEN NOT ({point}) THEN 0.5 WHEN {met} THEN 1.0 ELSE 0.0 END"
        return Reach(f"({point} AND {met})", f"(NOT ({point}) OR {met})", share)

    # sets

    def _of_members(self, node: exp.Expr, listing: Listing) -> Reach:
        name = f"members_{len(self.members)}"
        condition = with_column(node, listing.column.name, "m.v")
        self.members[name] = (
            f"SELECT m.g AS g, COUNT(*) FILTER (WHERE {condition}) AS met, "
            f"COUNT(*) AS listed FROM ({listing.query()}) AS m GROUP BY 1"
        )
        return Reach(
            f"({name}.met = {name}.listed)", f"({name}.met > 0)", f"({name}.met / {name}.listed)"
        )

    # ranges

    def _of_range(self, node: exp.Expr, column: RangeColumn) -> Reach:
        negated, atom = False, node
        while isinstance(atom, exp.Not):
            negated, atom = not negated, atom.this.unnest()
        side = atom.args.get("this")
        if isinstance(side, exp.Expr) and isinstance(side.unnest(), exp.Nullif):
            return self._of_nullif(atom, column, negated=negated)
        is_null = isinstance(atom, exp.Is) and isinstance(atom.expression, exp.Null)
        if is_null and direction(atom.this, column.dtype):
            return self._missing(column, negated=negated)
        if isinstance(atom, exp.Between):
            return self._between(atom, column, negated=negated)
        if isinstance(atom, exp.In):
            return self._in(atom, column, negated=negated)
        if isinstance(atom, exp.NullSafeEQ | exp.NullSafeNEQ):
            differs = isinstance(atom, exp.NullSafeNEQ) != negated
            return self._distinct(atom, column, differs=differs)
        if isinstance(atom, exp.EQ | exp.NEQ | exp.LT | exp.LTE | exp.GT | exp.GTE):
            kind = OPPOSITE[type(atom)] if negated else type(atom)
            return self._compare(kind(this=atom.this, expression=atom.expression), column)
        return self._refuse_atom(atom, column)

    def _of_nullif(self, atom: exp.Expr, column: RangeColumn, *, negated: bool) -> Reach:
        """A comparison of NULLIF(x, 3) is one of x where that is not 3."""
        given = atom.this.unnest()
        if isinstance(atom, exp.Is) and isinstance(atom.expression, exp.Null) and negated:
            return self._compare(exp.NEQ(this=given.this, expression=given.expression), column)
        if not isinstance(atom, COMPARISONS):
            self._refuse_atom(atom, column)
        plain = atom.copy()
        plain.set("this", given.this.copy())
        one = self._of_range(exp.Not(this=plain) if negated else plain, column)
        two = self._compare(exp.NEQ(this=given.this, expression=given.expression), column)
        return Reach(
            f"({one.certain} AND {two.certain})",
            f"({one.possible} AND {two.possible})",
            f"({one.share}) * ({two.share})",
        )

    def _distinct(self, node: exp.Expr, column: RangeColumn, *, differs: bool) -> Reach:
        """IS [NOT] DISTINCT FROM a value that is there: missing ones differ from it."""
        sides = [node.this.unnest(), node.expression.unnest()]
        side, other = sides if columns_of(sides[0]) else reversed(sides)
        if not _is_there(other) or not direction(side, column.dtype):
            self._refuse_atom(node, column)
        if not differs:
            return self._compare(exp.EQ(this=side, expression=other), column)
        one = self._compare(exp.NEQ(this=side, expression=other), column)
        none = self._missing(column, negated=False)
        certain = self._compare(exp.EQ(this=side, expression=other), column).possible
        return Reach(
            f"(NOT {certain})",
            f"({one.possible} OR {none.possible})",
            f"LEAST(1.0, {one.share} + {none.share})",
        )

    def _refuse_atom(self, node: exp.Expr, column: RangeColumn) -> NoReturn:
        self.refuse(
            node,
            f"{column.name} is told as a range; who of a group meets this cannot be bounded.",
            f"{column.name} BETWEEN … AND …, {column.name} >= … or {column.name} IN (…)",
        )

    def _missing(self, column: RangeColumn, *, negated: bool) -> Reach:
        low, _, missing = self._ends(column)
        all_missing, some = f"({low} IS NULL)", missing
        if negated:
            share = f"CASE WHEN {all_missing} THEN 0.0 WHEN {some} THEN 1.0 - 1.0 / {self.size} ELSE 1.0 END"
            return Reach(f"(NOT {some})", f"(NOT {all_missing})", share)
        share = f"CASE WHEN {all_missing} THEN 1.0 WHEN {some} THEN 1.0 / {self.size} ELSE 0.0 END"
        return Reach(all_missing, some, share)

    def _between(self, node: exp.Between, column: RangeColumn, *, negated: bool) -> Reach:
        low, high = node.args["low"], node.args["high"]
        if negated:
            return self._not_between(node, column)
        f = self._function(node.this, column)
        a, b = self._constant(low, column), self._constant(high, column)
        # BETWEEN compares all three in one type, which may round them: the ends as they stand are
        # then not enough
        ends = [f"{end} BETWEEN {a} AND {b}" for end in (f.low, f.high)]
        return self._present(
            column,
            " AND ".join(ends),
            f"({f.high} >= {a} AND {f.low} <= {b}) OR {' OR '.join(ends)}",
            f"GREATEST(0.0, {f.below(b)} - {f.below(a)})",
            self._of_nobody(node, column),
        )

    def _not_between(self, node: exp.Between, column: RangeColumn) -> Reach:
        low, high = node.args["low"], node.args["high"]
        if node.find(exp.Coalesce):
            self._refuse_atom(node, column)
        below = self._compare(exp.LT(this=node.this, expression=low), column)
        above = self._compare(exp.GT(this=node.this, expression=high), column)
        f = self._function(node.this, column)
        a, b = self._constant(low, column), self._constant(high, column)
        outside = [f"COALESCE({end} NOT BETWEEN {a} AND {b}, FALSE)" for end in (f.low, f.high)]
        return Reach(
            f"(({below.certain} OR {above.certain}) AND {' AND '.join(outside)})",
            f"({below.possible} OR {above.possible} OR {' OR '.join(outside)})",
            f"LEAST(1.0, {below.share} + {above.share})",
        )

    def _in(self, node: exp.In, column: RangeColumn, *, negated: bool) -> Reach:
        f = self._function(node.this, column)
        values = [self._constant(value, column) for value in node.expressions]
        listed = ", ".join(values)
        inside = _any_between(f, _in_order(node.expressions, values))
        # IN compares all of them in one type, which may round them
        inside += f" OR {f.low} IN ({listed}) OR {f.high} IN ({listed})"
        point = f"({f.low} = {f.high})"
        if negated:  # a NULL in the list makes NOT IN never true, as SQL has it
            return self._present(
                column,
                f"NOT ({inside})",
                f"NOT ({point} AND {f.low} IN ({listed}))"
                + "".join(
                    f" AND {self._constant(value, column)} IS NOT NULL"
                    for value in node.expressions
                    if not _is_there(value)
                ),
                f"GREATEST(0.0, 1.0 - {len(values)} * {f.point()})",
                self._of_nobody(exp.Not(this=node.copy()), column),
            )
        return self._present(
            column,
            f"{point} AND {f.low} IN ({listed})",
            f"({inside})",
            f"LEAST(1.0, {len(values)} * {f.point()})",
            self._of_nobody(node, column),
        )

    def _compare(self, node: exp.Expr, column: RangeColumn) -> Reach:
        kind, side, other = type(node), node.this.unnest(), node.expression.unnest()
        if not columns_of(side):
            side, other = other, side
            kind = TURNED.get(kind, kind)
        f, c = self._function(side, column), self._constant(other, column)
        low, high = f.low, f.high
        rules: dict[type[exp.Expr], tuple[str, str, str]] = {
            exp.LT: (f"{high} < {c}", f"{low} < {c}", f.below(c)),
            exp.LTE: (f"{high} <= {c}", f"{low} <= {c}", f.below(c)),
            exp.GT: (f"{low} > {c}", f"{high} > {c}", f"1.0 - {f.below(c)}"),
            exp.GTE: (f"{low} >= {c}", f"{high} >= {c}", f"1.0 - {f.below(c)}"),
            exp.EQ: (f"{low} = {c} AND {high} = {c}", f"{c} BETWEEN {low} AND {high}", f.point()),
            exp.NEQ: (
                f"NOT ({c} BETWEEN {low} AND {high})",
                f"NOT ({low} = {c} AND {high} = {c})",
                f"1.0 - {f.point()}",
            ),
        }
        return self._present(column, *rules[kind], self._of_nobody(node, column))

    def _present(
        self, column: RangeColumn, certain: str, possible: str, share: str, nobody: str = ""
    ) -> Reach:
        """A comparison is never true where the value is missing, unless another stands for it.

        `nobody` is the condition on a missing value; in a group without any other both ends are.
        """
        low, _, missing = self._ends(column)
        certain = f"COALESCE({certain}, FALSE)"
        possible = f"COALESCE({possible}, FALSE)"
        there = f"CASE WHEN {missing} THEN 1.0 - 1.0 / {self.size} ELSE 1.0 END"
        spread = f"CASE WHEN {certain} THEN 1.0 WHEN {possible} THEN {share} ELSE 0.0 END"
        if not nobody:
            sure = f"({certain} AND NOT {missing})"
            return Reach(sure, f"({possible})", f"(({spread}) * ({there}))")
        least = f"({certain} AND (NOT {missing} OR {nobody}))"
        most = f"(({missing} AND {nobody}) OR ({low} IS NOT NULL AND {possible}))"
        return Reach(least, most, f"(({spread}) * ({there}))")

    def _of_nobody(self, node: exp.Expr, column: RangeColumn) -> str:
        """SQL for whether a missing value meets a condition; nothing where it never does."""
        if not node.find(exp.Coalesce) or column.ends is None:
            return ""
        low = exp.column(column.ends[0], "t", quoted=True)
        # missing, and of the column's type
        none = exp.Nullif(this=low, expression=low.copy())
        return f"COALESCE({_swapped(node, column.name, none).sql(DIALECT)}, FALSE)"

    def _ends(self, column: RangeColumn) -> tuple[str, str, str]:
        low, high, missing = (f"t.{quote(end)}" for end in column.ends or ())
        return low, high, missing

    def _constant(self, node: exp.Expr, column: RangeColumn) -> str:
        if columns_of(node):
            self._refuse_atom(node, column)
        return f"({node.sql(DIALECT)})"

    def _function(self, node: exp.Expr, column: RangeColumn) -> _Function:
        node = node.unnest()
        turned = direction(of_present(node), column.dtype)
        if not turned:
            self._refuse_atom(node, column)
        ends = [with_column(node, column.name, f"t.{end}") for end in (column.ends or ())[:2]]
        low, high = ends if turned > 0 else reversed(ends)
        return _Function(f"({low})", f"({high})", _type_of(node, column), self.size)


def _type_of(node: exp.Expr, column: RangeColumn) -> pl.DataType:
    """What a function of a column is, for the share of a range that lies below a value."""
    kind = kind_of(node, {column.name: column.dtype})
    if isinstance(node, exp.Column) or kind is None:
        return column.dtype if not isinstance(node, exp.TimestampTrunc) else pl.Datetime("us")
    return {WHOLE: pl.Int64(), DATE: pl.Date(), MOMENT: pl.Datetime("us")}.get(kind, pl.Float64())


def _swapped(node: exp.Expr, name: str, value: exp.Expr) -> exp.Expr:
    """A condition with something else in place of a column."""

    def swap(part: exp.Expr) -> exp.Expr:
        is_column = isinstance(part, exp.Column) and part.name == name and not part.table
        return value.copy() if is_column else part

    return node.transform(swap)


def _is_there(node: exp.Expr) -> bool:
    """Whether a constant is a value for certain, and not NULL."""
    node = node.unnest()
    if isinstance(node, exp.Neg | exp.Cast):
        return _is_there(node.this)
    return isinstance(node, exp.Literal | exp.Boolean | exp.Interval)


def _is_long(node: exp.Expr) -> bool:
    """Whether a condition names so many values that those of a range are rather looked up in them."""
    return any(len(each.expressions) > FEW_NAMED for each in node.find_all(exp.In))


def _in_order(nodes: Sequence[exp.Expr], values: list[str]) -> list[list[str]]:
    """Constants in runs from the least to the greatest: all in one where they are plain numbers."""
    numbers = [_number(node) for node in nodes]
    known = {
        value: number for value, number in zip(values, numbers, strict=True) if number is not None
    }
    others = [[value] for value in values if value not in known]
    return [sorted(known, key=known.__getitem__), *others] if known else others


def _number(node: exp.Expr) -> Decimal | None:
    node = node.unnest()
    if isinstance(node, exp.Neg):
        number = _number(node.this)
        return None if number is None else -number
    is_number = isinstance(node, exp.Literal) and not node.is_string
    return Decimal(node.name) if is_number else None


def _any_between(f: _Function, runs: Sequence[Sequence[str]]) -> str:
    """SQL for whether one of some constants lies between both ends."""
    return " OR ".join(_found_between(f, run) for run in runs)


def _found_between(f: _Function, run: Sequence[str]) -> str:
    """The first constant of a run that is not below the range is looked for by halves."""
    if len(run) == 1:
        return f"{run[0]} BETWEEN {f.low} AND {f.high}"
    half = len(run) // 2
    one, two = _found_between(f, run[:half]), _found_between(f, run[half:])
    return f"CASE WHEN {f.low} <= {run[half - 1]} THEN {one} ELSE {two} END"


@dataclass(frozen=True)
class _Function:
    """A column, or a function of it that keeps the order, at both ends of a group's range."""

    low: str
    high: str
    dtype: pl.DataType
    size: str
    """SQL for the group's rows."""

    def below(self, constant: str) -> str:
        """The share of the range below a value."""
        low, high, place = self._place(self.low), self._place(self.high), self._place(constant)
        return f"LEAST(1.0, GREATEST(0.0, COALESCE(({place} - {low}) / NULLIF({high} - {low}, 0), 0.5)))"

    def point(self) -> str:
        """The share of the range that is one value."""
        if self.dtype.is_integer() or self.dtype == pl.Date:
            unit = DAY if self.dtype == pl.Date else 1
            return f"(1.0 / (1.0 + ({self._place(self.high)} - {self._place(self.low)}) / {unit}))"
        return f"(1.0 / {self.size})"

    def _place(self, value: str) -> str:
        if self.dtype.is_numeric():
            return f"CAST({value} AS DOUBLE)"
        if self.dtype == pl.Duration:
            return f"CAST(EXTRACT(EPOCH FROM {value}) AS DOUBLE)"
        kind = EPOCH_TYPES.get(type(self.dtype), "TIMESTAMP")
        return f"CAST(EXTRACT(EPOCH FROM CAST({value} AS {kind})) AS DOUBLE)"


def _direction(node: exp.Expr) -> int:
    """1 for a condition that holds above some value, -1 below, 0 otherwise."""
    node = node.unnest()
    above = isinstance(node, exp.GT | exp.GTE)
    if not above and not isinstance(node, exp.LT | exp.LTE):
        return 0
    return 1 if above == bool(columns_of(node.this)) else -1
