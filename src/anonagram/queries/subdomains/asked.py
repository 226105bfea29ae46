"""A question about subdomains: people are counted by a database, and slots by compiled passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sqlglot import exp

from anonagram.queries.dialects import in_dialect
from anonagram.queries.reading.conditions import Leaf, components
from anonagram.queries.reading.question import Aggregate, Question, both, columns_of
from anonagram.queries.rearranged.plan import Plan, condition_tree
from anonagram.queries.rearranged.rewrite import Statement, last_step, rewrite
from anonagram.queries.sql import by, on_table, quote, where, with_column
from anonagram.release import Release, WithSubdomains
from anonagram.release.sheet import Sheet

ROWS = "quasi"
"""The part whose rows stand whole."""
ANSWERED = ("COUNT", "SUM", "AVG", "MIN", "MAX")
COUNTS = ("COUNT", "DISTINCT")
"""0 of nobody."""
Fields = Sequence[Sequence[Any]]
"""Of an aggregate, in the order of FIELDS: a value each key."""


@dataclass(frozen=True)
class Selection:
    """Who an aggregate is about: conditions on exact columns, and on each sensitive one."""

    rows: exp.Expr | None
    sensitive: dict[str, exp.Expr]


@dataclass(frozen=True)
class AskedSubdomains:
    """A question that was understood, ready to be run."""

    question: Question
    sheet: Sheet
    release: WithSubdomains
    key_parts: tuple[str, ...]
    """The part that each key is of."""
    selections: tuple[Selection, ...]
    """For each aggregate."""

    @classmethod
    def of(cls, question: Question, release: Release) -> AskedSubdomains | None:
        """Take a question apart; None where it is about exact columns alone."""
        subdomains = release.subdomains
        names = {name for each in question.expressions for name in columns_of(each)}
        if subdomains is None or not names & set(subdomains.sensitive):
            return None
        sheet = release.sheet
        plan = Plan(question, sheet, {}, [], {})
        plan.refuse_ambiguous_texts()
        plan.refuse_divisions()
        plan.refuse_nanoseconds()
        key_parts = tuple(plan.part_of(key.expression) for key in question.keys)
        asked = cls(question, sheet, subdomains, key_parts, ())
        return replace(asked, selections=tuple(asked.select(each) for each in question.aggregates))

    def select(self, aggregate: Aggregate) -> Selection:
        """Who an aggregate is about."""
        question = self.question
        about = {self.sheet.part_of(name) for name in columns_of(aggregate.argument)}
        found = self.conditions(
            replace(question, condition=both(question.condition, aggregate.only))
        )
        is_exact = about == {ROWS} and not found.sensitive
        is_bounded = aggregate.function in ANSWERED or is_exact
        if not is_bounded or aggregate.of_none == "zero" or len(about) > 1:
            question.refuse(
                aggregate.argument or aggregate.function,
                "This is not bounded where values are told as subdomains.",
                "COUNT, SUM, AVG, MIN or MAX of one column.",
            )
        if about == {ROWS} and found.sensitive:
            there = exp.Not(this=exp.Is(this=aggregate.argument, expression=exp.Null()))
            return replace(found, rows=both(found.rows, there))
        return found

    def conditions(self, question: Question) -> Selection:
        """Conditions by what they are about; of a key that is sensitive, at least that it is met."""
        attribute_of = {self.sheet.part_of(n): n for n in self.release.sensitive}
        keys = [attribute_of[part] for part in self.key_parts if part != ROWS]
        rows, sensitive = None, {name: _anything() for name in keys}
        for each in components(condition_tree(question, self.sheet)):
            if not isinstance(each, Leaf) or each.part not in {ROWS, *attribute_of}:
                question.refuse(
                    "OR",
                    "Alternatives of columns that were rearranged apart are not bounded here.",
                    "a question for each alternative.",
                )
            if each.part == ROWS:
                rows = both(rows, each.expression)
            else:
                sensitive[attribute_of[each.part]] = each.expression
        return Selection(rows, sensitive)

    @cached_property
    def exact_keys(self) -> list[int]:
        """Places of the keys of exact columns."""
        return [place for place, part in enumerate(self.key_parts) if part == ROWS]

    @cached_property
    def told_keys(self) -> dict[str, list[int]]:
        """Places of the keys of each sensitive column."""
        found: dict[str, list[int]] = {}
        for place, key in enumerate(self.question.keys):
            if self.key_parts[place] != ROWS:
                found.setdefault(columns_of(key.expression)[0], []).append(place)
        return found

    # Statements

    def people_sql(self, condition: exp.Expr | None, amount: exp.Expr | None = None) -> str:
        """How many people of each group and key meet a condition, and have each amount of something."""
        keys = [on_table(self.question.keys[place].expression) for place in self.exact_keys]
        columns = [f"{key} AS k{place}" for place, key in enumerate(keys)]
        columns += [f"t.{quote(self.sheet.group)} AS g"]
        columns += [] if amount is None else [f"{on_table(amount)} AS x"]
        table = quote(self.sheet.parts[ROWS].table)
        return (
            f"SELECT {', '.join([*columns, 'COUNT(*) AS m'])} FROM {table} AS t{where(condition)}"
            f"{by(len(columns))}"
        )

    def exact_sql(self, aggregate: Aggregate, condition: exp.Expr | None) -> str:
        """The fields of an aggregate of an exact column, for each key: those of any exact rows."""
        asked = replace(
            self.question,
            aggregates=(replace(aggregate, only=None, of_none=""),),
            shown=(*(key.name for key in self.question.keys), aggregate.name),
            condition=condition,
            having=None,
            order=(),
            limit=None,
            offset=None,
            combined={},
        )
        return rewrite(asked, self.sheet).text

    def values_sql(self, name: str, condition: exp.Expr | None, value: exp.Expr | None) -> str:
        """Of every value of a tree whether it meets a condition, and what an expression makes of it."""
        low = f"t.{self.release.ends_of(name)[0]}"
        met = (
            "TRUE" if condition is None else f"COALESCE({with_column(condition, name, low)}, FALSE)"
        )
        made = "NULL" if value is None else with_column(value, name, low)
        node = f"t.{quote(self.release.manifest.layout['node'])}"
        table = quote(self.release.target_of(name))
        return f"SELECT {node} AS node, {met} AS met, {made} AS x FROM {table} AS t"

    @property
    def texts(self) -> list[str]:
        """The statements that are sent."""
        found = [
            self.values_sql(name, None, self.question.keys[place].expression)
            for name, places in self.told_keys.items()
            for place in places
        ]
        for aggregate, selection in zip(self.question.aggregates, self.selections, strict=True):
            found.append(self.people_sql(selection.rows))
            found += [self.values_sql(n, c, None) for n, c in selection.sensitive.items()]
            own = self.attribute(aggregate)
            if own is not None:
                condition = selection.sensitive.get(own)
                found.append(self.values_sql(own, condition, aggregate.argument))
            elif aggregate.argument is not None and not selection.sensitive:
                found.append(self.exact_sql(aggregate, selection.rows))
            elif aggregate.argument is not None and aggregate.function != "COUNT":
                found.append(self.people_sql(selection.rows, aggregate.argument))
        return list(dict.fromkeys(found))

    def explain(self, dialect: str) -> str:
        """The statements in the words of a database."""
        asked = self.question, self.sheet
        return ";\n\n".join(in_dialect(text, dialect, *asked, pretty=True) for text in self.texts)

    @cached_property
    def statement(self) -> Statement:
        """What is shown of the answers."""
        return Statement("", last_step(self.question), self.question, self.sheet, self._whole)

    @cached_property
    def _whole(self) -> tuple[bool, ...]:
        plan = Plan(self.question, self.sheet, {}, [], {})
        return tuple(plan.is_whole(each) for each in self.question.aggregates)

    def attribute(self, aggregate: Aggregate) -> str | None:
        """The sensitive column that an aggregate is of, if it is."""
        names = [n for n in columns_of(aggregate.argument) if n in self.release.sensitive]
        return names[0] if names else None


def _anything() -> exp.Expr:
    """The condition that every value meets."""
    return exp.true()
