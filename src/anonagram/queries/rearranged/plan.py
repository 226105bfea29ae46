"""What a question is about: which parts of a release, under which conditions, by which keys."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard

import polars as pl
from sqlglot import exp

from anonagram.queries.kinds import TEXT, WHOLE
from anonagram.queries.reading.conditions import (
    MAX_TERMS,
    Leaf,
    Tree,
    alternatives,
    components,
    tree_of,
)
from anonagram.queries.reading.kinds import kind_of
from anonagram.queries.reading.question import Aggregate, Question, columns_of
from anonagram.queries.rearranged.pairs import PAIRED, paired
from anonagram.queries.sql import on_table, where
from anonagram.release.sheet import RANGES, Part, Sheet

OFFSET = re.compile(r":\d\d(\.\d+)?\s*([+-]\d|[A-Za-z])")
"""Behind a time of day: an offset, or the name of a zone."""


COUNTING = ("COUNT", "DISTINCT")
COARSER = (
    exp.Predicate, exp.Extract, exp.DateTrunc, exp.TimestampTrunc, exp.Cast, exp.TimeToStr,
)  # fmt: skip
"""What makes something else of a moment or a time."""


@dataclass(frozen=True)
class Plan:
    """A question taken apart."""

    question: Question
    sheet: Sheet
    plain: dict[str, exp.Expr]
    """The condition on each part that has one of its own."""
    mixed: list[Tree]
    """Conditions that join several parts by OR, or compare two of them."""
    keys_in: dict[str, list[int]]
    """The keys that each part holds."""

    @classmethod
    def of(cls, question: Question, sheet: Sheet) -> Plan:
        """Take a question about a release apart, refusing what cannot be bounded."""
        keys_in: dict[str, list[int]] = {}
        for place, key in enumerate(question.keys):
            keys_in.setdefault(_one_part(question, sheet, key.expression), []).append(place)
        conditions = components(condition_tree(question, sheet))
        plan = cls(
            question,
            sheet,
            {tree.part: tree.expression for tree in conditions if _is_plain(tree)},
            [tree for tree in conditions if not _is_plain(tree)],
            keys_in,
        )
        plan._refuse_mixtures()
        plan.refuse_ambiguous_texts()
        plan.refuse_divisions()
        plan.refuse_nanoseconds()
        return plan

    @property
    def touched(self) -> list[str]:
        """The parts with a condition of their own or a key."""
        return list(dict.fromkeys([*self.plain, *self.keys_in]))

    @property
    def all_keys(self) -> range:
        """The places of all keys."""
        return range(len(self.question.keys))

    @property
    def range_keys(self) -> dict[str, list[exp.Expr]]:
        """The keys that are told as ranges, by their columns."""
        found: dict[str, list[exp.Expr]] = {}
        for key in self.keys_in.get(RANGES, ()):
            expression = self.question.keys[key].expression
            found.setdefault(columns_of(expression)[0], []).append(expression)
        return found

    def part_of(self, expression: exp.Expr) -> str:
        """The part in which all columns of an expression are."""
        return _one_part(self.question, self.sheet, expression)

    def some_part(self) -> Part:
        """The part that the question touches, or any."""
        name = self.touched[0] if self.touched else next(iter(self.sheet.parts))
        return self.sheet.parts[name]

    def key_columns(self, keys: Iterable[int]) -> list[str]:
        """Keys as columns k0, k1, … of a query on their table."""
        return [f"{on_table(self.question.keys[k].expression)} AS k{k}" for k in keys]

    def where(self, part: Part) -> str:
        """The clause for the condition on a part."""
        return where(self.plain.get(part.name))

    def is_known(self, part: str | None) -> bool:
        """Whether the rows that are asked about are known, and their values in a part with them."""
        concerned = {*self.touched, *([] if part is None else [part])}
        return not self.mixed and len(concerned) <= 1 and RANGES not in concerned

    def can_miss(self, argument: exp.Expr) -> bool:
        """Whether an expression can be NULL."""
        bare = isinstance(argument.unnest(), exp.Column)
        return not bare or columns_of(argument)[0] in self.sheet.with_missing

    def is_summed(self, argument: exp.Expr) -> bool:
        """Whether a SUM or AVG of an expression is asked for."""
        return any(
            a.argument == argument and a.function in ("SUM", "AVG")
            for a in self.question.aggregates
        )

    def is_float(self, argument: exp.Expr) -> bool:
        """Whether sums of an expression may be rounded."""
        if not isinstance(argument.unnest(), exp.Column):
            return not self.is_integer(argument)
        return self.sheet.dtypes[columns_of(argument)[0]].is_float()

    def is_integer(self, argument: exp.Expr) -> bool:
        """Whether an expression is a whole number."""
        return self.kind_of(argument) == WHOLE

    def kind_of(self, expression: exp.Expr) -> str | None:
        """What kind of value an expression has, where that is known."""
        return kind_of(expression, self.sheet.dtypes)

    def is_whole(self, aggregate: Aggregate) -> bool:
        """Whether the bounds of an aggregate are whole numbers."""
        if aggregate.function in ("COUNT", "DISTINCT"):
            return True
        if aggregate.function != "SUM" or aggregate.argument is None:
            return False
        return self.is_integer(aggregate.argument)

    def refuse_ambiguous_texts(self) -> None:
        """Texts that depend on the database: of rounded numbers, and of moments elsewhere."""
        question = self.question
        for expression in question.expressions:
            dtypes = {name: self.sheet.dtypes[name] for name in columns_of(expression)}
            for cast in expression.find_all(exp.Cast):
                floats = [name for name in columns_of(cast.this) if dtypes[name].is_float()]
                is_short = self.kind_of(cast.this) in (WHOLE, TEXT)
                if floats and not is_short and cast.to.this in exp.DataType.TEXT_TYPES:
                    question.refuse(
                        cast.this, "Databases write such numbers differently.", f"{floats[0]} = 1.5"
                    )
            zoned = [n for n, d in dtypes.items() if isinstance(d, pl.Datetime) and d.time_zone]
            for literal in expression.find_all(exp.Literal):
                if zoned and literal.is_string and OFFSET.search(literal.name):
                    question.refuse(
                        literal,
                        f"{zoned[0]} is asked by the clocks of its own zone.",
                        "a time without an offset.",
                    )

    def refuse_divisions(self) -> None:
        """What // makes of fractions is another thing in every database."""
        for expression in self.question.expressions:
            for node in expression.find_all(exp.IntDiv):
                odd = [s for s in (node.this, node.expression) if not self.is_integer(s)]
                if odd:
                    self.question.refuse(odd[0], "// divides whole numbers.", "FLOOR(a / 10)")

    def refuse_nanoseconds(self) -> None:
        """Answers are told to the microsecond, so finer ones would be wrong in their last digits."""
        extremes = [a for a in self.question.aggregates if a.function not in COUNTING]
        shown = [
            *(key.expression for key in self.question.keys),
            *(a.argument for a in extremes if a.argument),
        ]
        for expression in shown:
            for column in expression.find_all(exp.Column):
                is_coarser = column.find_ancestor(*COARSER) is not None
                if not is_coarser and self.sheet.has_nanoseconds(column.name):
                    self.question.refuse(
                        column,
                        f"{column.name} is finer than microseconds, which is all that answers tell.",
                        f"DATE_TRUNC('second', {column.name})",
                    )

    def _refuse_mixtures(self) -> None:
        for tree in self.mixed:
            if len(alternatives(tree)) > MAX_TERMS:
                self.question.refuse(
                    "OR",
                    f"More than {MAX_TERMS} alternatives mix columns that were rearranged apart.",
                    "fewer alternatives in one question.",
                )


def _is_plain(tree: Tree) -> TypeGuard[Leaf]:
    """Whether a condition is on one part."""
    return isinstance(tree, Leaf) and not tree.part.startswith(PAIRED)


def condition_tree(question: Question, sheet: Sheet) -> Tree | None:
    """The condition of a question, taken apart until every leaf concerns one part."""
    if question.condition is None:
        return None

    def parts_of(node: exp.Expr) -> frozenset[str]:
        return frozenset(sheet.part_of(name) for name in columns_of(node))

    def mixing(node: exp.Expr) -> str:
        name = paired(sheet, node)
        if name is None:
            names = columns_of(node)
            question.refuse(
                node,
                f"{' and '.join(names)} {sheet.apart}.",
                " AND ".join(f"a condition on {name}" for name in names),
            )
        return name

    any_part = next(iter(sheet.parts), RANGES)
    return tree_of(question.condition, parts_of, any_part, mixing)


def _one_part(question: Question, sheet: Sheet, expression: exp.Expr) -> str:
    names = columns_of(expression)
    parts = {sheet.part_of(name) for name in names}
    if len(parts) > 1:
        question.refuse(
            expression,
            f"{' and '.join(names)} {sheet.apart}.",
            f"one of them at a time: {names[0]}",
        )
    return parts.pop()
