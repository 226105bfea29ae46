"""Reading a question: SQL text in, a checked `Question` out, or an error that points at the word.

Nothing of the text reaches a database but what stands on the lists of `allowed`, so a question
cannot call a function that reads files, waits or changes anything. And nothing of the text is
passed over: what is on none of the lists is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import NoReturn

from sqlglot import exp

from anonagram.errors import suggest
from anonagram.queries.reading.aggregates import read_aggregate
from anonagram.queries.reading.allowed import AGGREGATES, CLAUSES, COMBINED, REASONS, SCALAR
from anonagram.queries.reading.expressions import TABLE, Expressions
from anonagram.queries.reading.limits import require_short
from anonagram.queries.reading.parsing import EXAMPLE, is_whole_number, parse, texts_of_items
from anonagram.queries.reading.question import DIALECT, Aggregate, GroupKey, Question, columns_of

WRAPPED = (*AGGREGATES, exp.Filter, exp.WithinGroup)
"""What an aggregate looks like from outside."""
MOST_DIGITS = 12
"""To which an answer is rounded."""


def read_question(sql: str, columns: Sequence[str]) -> Question:
    """Read a question about a release with these columns."""
    require_short(sql)
    return _Reader(sql, columns).read()


class _Reader:
    """Turns a text into a question, noting every name that is given."""

    def __init__(self, sql: str, columns: Sequence[str]) -> None:
        self.sql = sql
        self.columns = columns
        self.expressions = Expressions(sql, columns)
        self.refuse = self.expressions.refuse
        self.keys: list[GroupKey] = []
        self.aggregates: list[Aggregate] = []
        self.combined: dict[str, exp.Expr] = {}

    def read(self) -> Question:
        select = parse(self.sql, self.columns)
        self._require_plain(select)
        self._require_data(select)
        self.expressions.require_read(select)
        self.items = select.expressions
        self.texts = texts_of_items(self.sql)
        where = select.args.get("where")
        if where is not None and where.find(exp.AggFunc):
            at = where.find(exp.AggFunc)
            self.refuse(at, "A condition on an aggregate belongs into HAVING.", "HAVING …")
        condition = None if where is None else self.expressions.scalar(where.this)
        self._read_keys(select.expressions, self._grouped(select))
        shown = [self._read_shown(item) for item in select.expressions]
        having = select.args.get("having")
        order = select.args.get("order")
        return Question(
            sql=self.sql,
            condition=condition,
            having=None if having is None else self._over_answers(having.this, shown),
            order=tuple(
                self._ordered(each, shown) for each in (order.expressions if order else [])
            ),
            limit=self._whole(select, "limit"),
            offset=self._whole(select, "offset"),
            keys=tuple(self.keys),
            aggregates=tuple(self.aggregates),
            shown=tuple(shown),
            combined=self.combined,
        )

    # the question as a whole

    def _require_plain(self, select: exp.Select) -> None:
        inner = next((n for n in select.find_all(exp.Query) if n is not select), None)
        if inner is not None:
            self.refuse("(", "A question has no other question inside.", EXAMPLE)
        for node in (*select.find_all(exp.Placeholder), *select.find_all(exp.Parameter)):
            self.refuse(
                node.sql(DIALECT), "A question has no parameters.", "write the value into the text."
            )
        star = next((e for e in select.expressions if e.is_star), None)
        if star is not None and not isinstance(star, exp.Count):
            self.refuse(
                "*", "A release has no rows of people to list.", "SELECT COUNT(*) FROM data"
            )

    def _require_data(self, select: exp.Select) -> None:
        source = select.args.get("from_")
        if source is None:
            self.refuse(None, "The question does not say which table.", f"… FROM {TABLE}")
        table = source.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            self.refuse("FROM", "A question is asked of one table.", f"FROM {TABLE}")
        if table.name.lower() != TABLE or table.args.get("db"):
            self.refuse(table.this, f"The table is called {TABLE}.", f"FROM {TABLE}")
        self.expressions.tables.add((table.alias or TABLE).lower())

    def _grouped(self, select: exp.Select) -> list[exp.Expr]:
        """What is grouped by; the different values of some expressions are the keys of groups."""
        group = select.args.get("group")
        if not select.args.get("distinct"):
            return group.expressions if group else []
        aggregate = select.find(exp.AggFunc)
        if group or aggregate or select.args["distinct"].expressions:
            self.refuse(
                "DISTINCT",
                "A release tells how often values occur, not which rows are alike.",
                "SELECT sex, COUNT(*) FROM data GROUP BY sex",
            )
        return [item.unalias() for item in select.expressions]

    # keys, aggregates, and what is said about the answers

    def _read_keys(self, items: list[exp.Expr], group: list[exp.Expr]) -> None:
        aliases = {i.alias.lower(): i.this for i in items if isinstance(i, exp.Alias)}
        known = {name.lower() for name in self.columns}
        for place_of_key, node in enumerate(group):
            chosen = node
            if isinstance(node, exp.Literal) and not node.is_string:
                place = int(node.name) if is_whole_number(node) else 0
                if not 1 <= place <= len(items):
                    self.refuse(node, f"There is no item {node.name} to group by.", "GROUP BY 1")
                chosen = items[place - 1].unalias()
            elif isinstance(node, exp.Column) and node.name.lower() in set(aliases) - known:
                chosen = aliases[node.name.lower()]
            if isinstance(chosen, exp.Rollup | exp.Cube | exp.GroupingSets):
                self.refuse("GROUP", "Only a list of columns can be grouped by.", "GROUP BY sex")
            if chosen.find(exp.AggFunc):
                self.refuse(node, "An aggregate cannot be grouped by.", "GROUP BY a column")
            expression = self.expressions.scalar(chosen)
            if not columns_of(expression):
                self.refuse(node, "A group key needs a column.", "GROUP BY a column")
            if any(key.expression == expression for key in self.keys):
                continue
            self.keys.append(GroupKey(f"\0key {place_of_key + 1}", expression, shown=False))

    def _read_shown(self, item: exp.Expr) -> str:
        node, name = item.unalias(), item.alias
        if isinstance(node, WRAPPED):
            return self._aggregate(node, name or self._text(item), shown=True).name
        if node.find(exp.AggFunc) or node.find(exp.Window):
            return self._read_combined(node, name or self._text(item))
        expression = self.expressions.scalar(node)
        for place, key in enumerate(self.keys):
            if key.expression == expression:
                name = name or (node.name if isinstance(node, exp.Column) else self._text(item))
                if key.shown:
                    self.refuse(node, f"{self._text(item)} is shown already.", "name it once.")
                self._require_new(name, item)
                self.keys[place] = GroupKey(name, expression)
                return name
        self.refuse(
            next(node.find_all(exp.Identifier), node),
            f"{self._text(item)} is one value for each person; a release has only totals.",
            f"SELECT {self._text(item)}, COUNT(*) FROM data GROUP BY {self._text(item)}",
        )
        return None

    def _read_combined(self, node: exp.Expr, name: str) -> str:
        """Arithmetic with aggregates: each gets a name of its own, the rest is numbers."""
        self._require_new(name, node)

        def replace(part: exp.Expr) -> exp.Expr:
            if isinstance(part, WRAPPED):
                return self._hidden(part)
            self._require_combined(part)
            return part

        self.combined[name] = _replace_top_down(node.copy(), replace)
        return name

    def _require_combined(self, part: exp.Expr) -> None:
        if type(part) not in COMBINED or (isinstance(part, exp.Literal) and part.is_string):
            self._refuse_compound(part)
        digits = part.args.get("decimals") if isinstance(part, exp.Round) else None
        if digits is not None and (not is_whole_number(digits) or int(digits.name) > MOST_DIGITS):
            self.refuse("ROUND", "ROUND takes a number of digits.", "ROUND(AVG(age), 2)")
        if isinstance(part, exp.Nullif) and part.expression != exp.Literal.number(0):
            self.refuse("NULLIF", "Among aggregates NULLIF leaves out 0.", "NULLIF(COUNT(*), 0)")

    def _refuse_compound(self, node: exp.Expr) -> NoReturn:
        if node.find(exp.Window):
            self.refuse("OVER", REASONS["windows"][1], EXAMPLE)
        inner = next(node.find_all(exp.AggFunc), None)
        if inner is not None and type(inner) not in AGGREGATES:
            self.expressions.refuse_aggregate(inner)
        self.refuse(
            inner or node,
            "Bounds are known for aggregates joined by + - * / and ROUND, for nothing else.",
            f"SELECT {(inner or exp.Count(this=exp.Star())).sql(DIALECT)} FROM data …",
        )

    def _hidden(self, node: exp.Expr) -> exp.Column:
        name = f"\0answer {len(self.aggregates) + 1}"
        return exp.column(self._aggregate(node, name, shown=False).name, quoted=True)

    def _aggregate(self, node: exp.Expr, name: str, *, shown: bool) -> Aggregate:
        aggregate = read_aggregate(node, name, self.expressions)
        for known in self.aggregates:
            same = dataclasses.replace(known, name=name) == aggregate
            if same and (not shown or known.name == name):
                return known
        self._require_new(name, node)
        self.aggregates.append(aggregate)
        return aggregate

    def _require_new(self, name: str, node: exp.Expr) -> None:
        taken = [k.name for k in self.keys if k.shown] + [a.name for a in self.aggregates]
        if name in [*taken, *self.combined]:
            self.refuse(node, f"Two columns of the answer are called {name!r}.", "… AS another")

    def _over_answers(self, node: exp.Expr, shown: list[str]) -> exp.Expr:
        """An expression over the answers: aggregates and keys become columns with their names."""
        if node.find(exp.Window):
            self.refuse("OVER", REASONS["windows"][1], EXAMPLE)

        def replace(part: exp.Expr) -> exp.Expr:
            if isinstance(part, WRAPPED):
                return self._hidden(part)
            if isinstance(part, exp.AggFunc):
                self.expressions.refuse_aggregate(part)
            if isinstance(part, exp.Column) and not part.args.get("table"):
                named = [n for n in shown if n.lower() == part.name.lower()]
                if named:
                    return self._answer(named[0])
            for key in self.keys:
                if isinstance(part, tuple(SCALAR)) and columns_of(part) and self._is_key(part, key):
                    return exp.column(key.name, quoted=True)
            if isinstance(part, exp.Column):
                self.refuse(
                    part.this,
                    f"{part.name} is neither a group key nor an answer.",
                    suggest(part.name, shown),
                )
            if type(part) not in COMBINED:
                self.expressions.require_scalar(part)
            return part

        return _replace_top_down(node.copy(), replace)

    def _answer(self, name: str) -> exp.Expr:
        """What stands under a name of the SELECT list."""
        if name in self.combined:
            return exp.Paren(this=self.combined[name].copy())
        return exp.column(name, quoted=True)

    def _is_key(self, part: exp.Expr, key: GroupKey) -> bool:
        known = {name.lower() for name in self.columns}
        if part.find(exp.AggFunc):
            return False
        if any(column.name.lower() not in known for column in part.find_all(exp.Column)):
            return False
        return self.expressions.scalar(part) == key.expression

    def _ordered(self, node: exp.Expr, shown: list[str]) -> exp.Ordered:
        inner = node.this
        if isinstance(inner, exp.Literal):
            place = int(inner.name) if is_whole_number(inner) else 0
            if not 1 <= place <= len(shown):
                self.refuse(inner, f"There is no item {inner.name} to order by.", "ORDER BY 1")
            inner = self._answer(shown[place - 1])
        else:
            inner = self._over_answers(inner, shown)
        desc = bool(node.args.get("desc"))
        return exp.Ordered(this=inner, desc=desc, nulls_first=bool(node.args.get("nulls_first")))

    def _whole(self, select: exp.Select, name: str) -> int | None:
        clause = select.args.get(name)
        if clause is None:
            return None
        if type(clause) not in CLAUSES or not is_whole_number(clause.expression):
            self.refuse(name.upper(), f"{name.upper()} needs a whole number.", f"{name.upper()} 10")
        return int(clause.expression.name)

    def _text(self, item: exp.Expr) -> str:
        """The words of an item of the SELECT list as they were typed."""
        if len(self.texts) != len(self.items):  # a comma or FROM that is no end of an item
            return item.sql(DIALECT)
        return self.texts[self.items.index(item)]


def _replace_top_down(node: exp.Expr, replace: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Replace a node, or else its children: what was replaced is not looked into again."""
    changed = replace(node)
    if changed is not node:
        return changed
    for name, value in list(node.args.items()):
        if isinstance(value, exp.Expr):
            node.set(name, _replace_top_down(value, replace))
        elif isinstance(value, list):
            node.set(name, [
                _replace_top_down(each, replace) if isinstance(each, exp.Expr) else each
                for each in value
            ])  # fmt: skip
    return node
