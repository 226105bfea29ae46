"""A question about subdomains: people are counted by a database, and slots by compiled passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from typing import NoReturn

from sqlglot import exp

from anonagram.queries.dialects import in_dialect
from anonagram.queries.reading.conditions import (
    MAX_TERMS,
    All,
    Leaf,
    Tree,
    components,
    given,
    leaves_on,
    parts_in,
)
from anonagram.queries.reading.filters import as_filter
from anonagram.queries.reading.question import Aggregate, Question, both, columns_of
from anonagram.queries.rearranged.plan import Plan, condition_tree
from anonagram.queries.rearranged.rewrite import Statement, last_step, rewrite
from anonagram.queries.sql import by, on_table, quote, where, with_column
from anonagram.release import Release, WithSubdomains
from anonagram.release.sheet import Sheet

ROWS = "quasi"
"""The part whose rows stand whole."""
ANSWERED = ("COUNT", "SUM", "AVG", "MIN", "MAX")


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
    selections: tuple[tuple[Selection, ...], ...]
    """For each aggregate; more than one where conditions on some people are others than on the rest."""

    @classmethod
    def of(cls, question: Question, release: Release) -> AskedSubdomains | None:
        """Take a question apart; None where it is about exact columns alone."""
        subdomains = release.subdomains
        names = {name for each in question.expressions for name in columns_of(each)}
        if subdomains is None or not names & set(subdomains.sensitive):
            return None
        sheet = release.sheet
        aggregates = tuple(as_filter(each, sheet) for each in question.aggregates)
        question = replace(question, aggregates=aggregates)
        plan = Plan(question, sheet, {}, [], {})
        plan.refuse_ambiguous_texts()
        plan.refuse_divisions()
        plan.refuse_nanoseconds()
        key_parts = tuple(plan.part_of(key.expression) for key in question.keys)
        asked = cls(question, sheet, subdomains, key_parts, ())
        return replace(asked, selections=tuple(asked.select(each) for each in question.aggregates))

    def select(self, aggregate: Aggregate) -> tuple[Selection, ...]:
        """Who an aggregate is about."""
        question = self.question
        about = {self.sheet.part_of(name) for name in columns_of(aggregate.argument)}
        found = self.conditions(
            replace(question, condition=both(question.condition, aggregate.only))
        )
        is_told = any(each.sensitive for each in found)
        is_bounded = aggregate.function in ANSWERED or (about == {ROWS} and not is_told)
        if not is_bounded or len(about) > 1:
            question.refuse(
                aggregate.argument or aggregate.function,
                "This is not bounded where values are told as subdomains.",
                "COUNT, SUM, AVG, MIN or MAX of one column.",
            )
        if about == {ROWS} and (is_told or aggregate.function == "COUNT"):
            argument = exp.Paren(
                this=aggregate.argument
            )  # NOT x IS NULL would mean the other order
            there = exp.Not(this=exp.Is(this=argument, expression=exp.Null()))
            return tuple(replace(each, rows=both(each.rows, there)) for each in found)
        return found

    def conditions(self, question: Question) -> tuple[Selection, ...]:
        """Conditions by what they are about, for people who are told apart by their exact columns.

        Of a key that is sensitive, the condition is at least that it is met.
        """
        attribute_of = {self.sheet.part_of(n): n for n in self.release.sensitive}
        keys = [attribute_of[part] for part in self.key_parts if part != ROWS]
        found = []
        for rows, left in _cases(question, condition_tree(question, self.sheet)):
            sensitive: dict[str, exp.Expr] = dict.fromkeys(keys, exp.true())
            for each in components(left):
                if not isinstance(each, Leaf) or each.part not in attribute_of:
                    _refuse_alternatives(question)
                sensitive[attribute_of[each.part]] = each.expression
            found.append(Selection(rows, sensitive))
        return tuple(found)

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
        for aggregate, selections in zip(self.question.aggregates, self.selections, strict=True):
            for selection in selections:
                found += self._texts_of(aggregate, selection)
        return list(dict.fromkeys(found))

    def _texts_of(self, aggregate: Aggregate, selection: Selection) -> list[str]:
        found = [self.people_sql(selection.rows)]
        found += [self.values_sql(n, c, None) for n, c in selection.sensitive.items()]
        own = self.attribute(aggregate)
        if own is not None:
            found.append(self.values_sql(own, selection.sensitive.get(own), aggregate.argument))
        elif aggregate.function != "COUNT" and selection.sensitive:
            found.append(self.people_sql(selection.rows, aggregate.argument))
        elif aggregate.function != "COUNT":
            found.append(self.exact_sql(aggregate, selection.rows))
        return found

    def explain(self, dialect: str) -> str:
        """The statements in the words of a database."""
        asked = self.question, self.sheet
        return ";\n\n".join(in_dialect(text, dialect, *asked, pretty=True) for text in self.texts)

    @cached_property
    def statement(self) -> Statement:
        """What is shown of the answers."""
        return Statement(
            "", last_step(self.question, self.sheet), self.question, self.sheet, self._whole
        )

    @cached_property
    def _whole(self) -> tuple[bool, ...]:
        plan = Plan(self.question, self.sheet, {}, [], {})
        return tuple(plan.is_whole(each) for each in self.question.aggregates)

    def attribute(self, aggregate: Aggregate) -> str | None:
        """The sensitive column that an aggregate is of, if it is."""
        names = [n for n in columns_of(aggregate.argument) if n in self.release.sensitive]
        return names[0] if names else None


def _cases(question: Question, tree: Tree | None) -> Iterator[tuple[exp.Expr | None, Tree | None]]:
    """Conditions on exact columns that exclude each other, and what is left to be met in each case.

    A condition that needs no such cases is one case.
    """
    exact = [each for each in components(tree) if parts_in(each) == {ROWS}]
    others = [each for each in components(tree) if parts_in(each) != {ROWS}]
    always = reduce(both, [e.expression for e in exact if isinstance(e, Leaf)], None)
    left: Tree | None = All(tuple(others)) if others else None
    leaves = {} if left is None else leaves_on(left, ROWS)
    if len(leaves) > MAX_TERMS:
        _refuse_alternatives(question)
    for held in product((True, False), repeat=len(leaves)):
        known = dict(zip(leaves, held, strict=True))
        rest = True if left is None else given(left, ROWS, known)
        if rest is False:
            continue
        rows = always
        for text, holds in known.items():
            rows = both(rows, _is_true(leaves[text], holds=holds))
        yield rows, None if rest is True else rest


def _is_true(condition: exp.Expr, *, holds: bool) -> exp.Expr:
    """That a condition holds, or does not because it is false or unknown."""
    known = exp.Coalesce(this=condition.copy(), expressions=[exp.false()])
    return known if holds else exp.Not(this=known)


def _refuse_alternatives(question: Question) -> NoReturn:
    question.refuse(
        "OR",
        "Alternatives of two columns that are told as subdomains are not bounded here.",
        "a question for each alternative.",
    )
