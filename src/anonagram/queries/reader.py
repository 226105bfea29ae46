"""Reading a question: SQL text in, a checked `Question` out, or an error that points at the word.

Nothing of the text reaches a database but what stands on the lists of `allowed`, so a question
cannot call a function that reads files, waits or changes anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from anonagram.errors import UnsupportedQuery, suggest
from anonagram.queries.allowed import AGGREGATES, ALLOWED, CLAUSES, SCALAR, TYPES, WORDS
from anonagram.queries.limits import require_short
from anonagram.queries.question import (
    DIALECT,
    Aggregate,
    Key,
    Question,
    columns_of,
    plain_name,
    position,
    tokens,
)

TABLE = "data"
EXAMPLE = "SELECT COUNT(*) FROM data WHERE …"


def read_question(sql: str, columns: Sequence[str]) -> Question:
    """Read a question about a release with these columns."""
    require_short(sql)
    return _Reader(sql, columns).read()


class _Reader:
    """Turns a text into a question, noting every name that is given."""

    def __init__(self, sql: str, columns: Sequence[str]) -> None:
        self.sql = sql
        self.columns = columns
        self.keys: list[Key] = []
        self.aggregates: list[Aggregate] = []

    def read(self) -> Question:
        select = self._parse()
        self._require_plain(select)
        self._require_data(select)
        self.items = select.expressions
        self.texts = _texts_of_items(self.sql)
        where = select.args.get("where")
        if where is not None and where.find(exp.AggFunc):
            at = where.find(exp.AggFunc)
            self.refuse(at, "A condition on an aggregate belongs into HAVING.", "HAVING …")
        condition = None if where is None else self._scalar(where.this)
        group = select.args.get("group")
        self._read_keys(select.expressions, group.expressions if group else [], group)
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
        )

    def refuse(self, at: exp.Expr | str | None, why: str, remedy: str) -> NoReturn:
        start, end = position(self.sql, at or "")
        raise UnsupportedQuery(why, remedy, self.sql, start, end)

    # reading the text

    def _parse(self) -> exp.Select:
        if not self.sql.strip():
            self.refuse(None, "There is no question.", EXAMPLE)
        try:
            self.sql.encode()
        except UnicodeEncodeError:
            self.sql = self.sql.encode(errors="replace").decode()
            self.refuse("?", "The question holds half a character.", "save it as UTF-8.")
        try:
            statements = sqlglot.parse(self.sql, dialect=DIALECT)
        except SqlglotError as error:
            self._refuse_syntax(error)
        except RecursionError:
            self.refuse(None, "The question is nested too deeply.", "ask a simpler one.")
        if len(statements) != 1 or not isinstance(statements[0], exp.Select):
            second = statements[1] if len(statements) > 1 else None
            word = ";" if second is not None else self.sql.split()[0]
            self.refuse(word, "A question is one SELECT statement.", EXAMPLE)
        first = next(iter(tokens(self.sql)))
        if first.token_type != TokenType.SELECT or not statements[0].expressions:
            self.refuse(first.text, "A question begins with SELECT and what is asked.", EXAMPLE)
        return statements[0]

    def _refuse_syntax(self, error: SqlglotError) -> NoReturn:
        details = getattr(error, "errors", None) or [{}]
        before, word = details[0].get("start_context", ""), details[0].get("highlight", "")
        start = self.sql.find(before + word) + len(before) if word else len(self.sql.rstrip()) - 1
        raise UnsupportedQuery(
            "This is not understood as SQL.",
            EXAMPLE,
            self.sql,
            max(start, 0),
            max(start, 0) + max(len(word), 1),
        ) from error

    def _require_plain(self, select: exp.Select) -> None:
        for name, value in select.args.items():
            if name in ALLOWED or not value:
                continue
            word, why = CLAUSES.get(name, (name, "This clause is not part of a question."))
            self.refuse(word, why, EXAMPLE)
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
        extra = {k for k, v in table.args.items() if v} - {"this", "alias"}
        if extra:
            self.refuse(table.this, "The table stands alone.", f"FROM {TABLE}")
        self.table_names = {TABLE, (table.alias or TABLE).lower()}

    # reading expressions

    def _scalar(self, node: exp.Expr) -> exp.Expr:
        """An expression on one row, with the columns under their own names and no table before."""
        for part in node.walk():
            self._require_scalar(part)
        # what the database will read must be as harmless as what was read here
        again = sqlglot.parse_one(f"SELECT {node.sql(DIALECT)}", dialect=DIALECT)
        if (
            not isinstance(again, exp.Select)
            or [name for name, value in again.args.items() if value] != ["expressions"]
            or len(again.expressions) != 1
        ):
            self.refuse(node, "This cannot be written as SQL again.", EXAMPLE)
        for part in again.expressions[0].walk():
            self._require_scalar(part)

        def rename(part: exp.Expr) -> exp.Expr:
            return self._column(part) if isinstance(part, exp.Column) else part

        return node.copy().transform(rename)

    def _require_scalar(self, part: exp.Expr) -> None:
        if isinstance(part, exp.Window):
            self.refuse("OVER", CLAUSES["windows"][1], "SELECT …, COUNT(*) FROM data GROUP BY …")
        if isinstance(part, exp.AggFunc):
            self._refuse_aggregate(part)
        if type(part) not in SCALAR:
            word = part.name if isinstance(part, exp.Anonymous) else part
            text = part.name if isinstance(part, exp.Anonymous) else part.sql(DIALECT)
            self.refuse(
                word,
                f"{text} is not among what a condition can use.",
                "comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, EXTRACT, arithmetic.",
            )
        if isinstance(part, exp.Var) and part.name.upper() not in WORDS:
            self.refuse(part.name, f"{part.name} is no part of a date.", "EXTRACT(year FROM …)")
        if isinstance(part, exp.DataTypeParam) and not _is_whole_number(part.this):
            self.refuse("CAST", "A type has whole numbers as parameters.", "DECIMAL(10, 2)")
        if isinstance(part, exp.Between) and part.args.get("symmetric"):
            self.refuse("SYMMETRIC", "BETWEEN has its lower value first.", "BETWEEN 1 AND 9")
        if isinstance(part, exp.Substring) and not _is_whole_number(part.args.get("start")):
            self.refuse("SUBSTRING", "SUBSTRING starts at a number from 1.", "SUBSTRING(zip, 1, 3)")
        if isinstance(part, exp.In) and not part.expressions:
            self.refuse("IN", "IN needs a list of values.", "sex IN ('F', 'M')")
        if isinstance(part, exp.DataType) and part.this not in TYPES:
            self.refuse(part.sql(DIALECT), "A release knows no such type.", "CAST(… AS INTEGER)")

    def _refuse_aggregate(self, part: exp.AggFunc) -> NoReturn:
        argument = next(part.find_all(exp.Column), None)
        what = "COUNT(*)" if argument is None else f"AVG({plain_name(argument.name)})"
        self.refuse(
            part,
            f"{part.sql_name()} has no bounds that a release can guarantee: "
            "COUNT, SUM, AVG, MIN and MAX have.",
            f"SELECT {what} FROM data …",
        )

    def _column(self, column: exp.Column) -> exp.Column:
        table = column.args.get("table")
        if table is not None and table.name.lower() not in self.table_names:
            self.refuse(table, f"There is only the table {TABLE}.", f"FROM {TABLE}")
        name = column.name
        matches = [known for known in self.columns if known == name] or [
            known for known in self.columns if known.lower() == name.lower()
        ]
        if len(matches) != 1:
            longer = [k for k in self.columns if name.lower() in k.lower()]
            remedy = suggest(name, self.columns)
            if longer and not longer[0].isidentifier():
                remedy = f"put double quotes around the name: {exp.to_identifier(longer[0], quoted=True)}"
            elif remedy.startswith("there are") and isinstance(
                column.parent, exp.EQ | exp.NEQ | exp.In
            ):
                remedy = f"if it is a text, put single quotes around it: '{name}'"
            self.refuse(column.this, f"The release has no column {name!r}.", remedy)
        found = exp.column(matches[0], quoted=True)
        found.this.meta.update(column.this.meta)
        return found

    # keys, aggregates, and what is said about the answers

    def _read_keys(
        self,
        items: list[exp.Expr],
        group: list[exp.Expr],
        clause: exp.Expr | None,
    ) -> None:
        odd = {k for k, v in clause.args.items() if v} - {"expressions"} if clause else set()
        if odd:
            self.refuse("GROUP", "Only a list of expressions can be grouped by.", "GROUP BY sex")
        aliases = {i.alias.lower(): i.this for i in items if isinstance(i, exp.Alias)}
        known = {name.lower() for name in self.columns}
        for place_of_key, node in enumerate(group):
            chosen = node
            if isinstance(node, exp.Literal) and not node.is_string:
                place = int(node.name) if _is_whole_number(node) else 0
                if not 1 <= place <= len(items):
                    self.refuse(node, f"There is no item {node.name} to group by.", "GROUP BY 1")
                chosen = items[place - 1].unalias()
            elif isinstance(node, exp.Column) and node.name.lower() in set(aliases) - known:
                chosen = aliases[node.name.lower()]
            if isinstance(chosen, exp.Rollup | exp.Cube | exp.GroupingSets):
                self.refuse("GROUP", "Only a list of columns can be grouped by.", "GROUP BY sex")
            if chosen.find(exp.AggFunc):
                self.refuse(node, "An aggregate cannot be grouped by.", "GROUP BY a column")
            expression = self._scalar(chosen)
            if not columns_of(expression):
                self.refuse(node, "A group key needs a column.", "GROUP BY a column")
            if any(key.expression == expression for key in self.keys):
                continue
            self.keys.append(Key(f"\0key {place_of_key + 1}", expression, shown=False))

    def _read_shown(self, item: exp.Expr) -> str:
        node, name = item.unalias(), item.alias
        if isinstance(node, tuple(AGGREGATES)):
            return self._aggregate(node, name or self._text(item), shown=True).name
        if node.find(exp.AggFunc) or node.find(exp.Window):
            self._refuse_compound(node)
        expression = self._scalar(node)
        for place, key in enumerate(self.keys):
            if key.expression == expression:
                name = name or (node.name if isinstance(node, exp.Column) else self._text(item))
                if key.shown:
                    self.refuse(node, f"{self._text(item)} is shown already.", "name it once.")
                self._require_new(name, item)
                self.keys[place] = Key(name, expression)
                return name
        self.refuse(
            next(node.find_all(exp.Identifier), node),
            f"{self._text(item)} is one value for each person; a release has only totals.",
            f"SELECT {self._text(item)}, COUNT(*) FROM data GROUP BY {self._text(item)}",
        )
        return None

    def _refuse_compound(self, node: exp.Expr) -> NoReturn:
        if node.find(exp.Window):
            self.refuse("OVER", CLAUSES["windows"][1], EXAMPLE)
        if node.find(exp.Filter):
            self.refuse("FILTER", "A condition belongs into WHERE.", "SELECT … FROM data WHERE …")
        inner = next(node.find_all(exp.AggFunc))
        if type(inner) not in AGGREGATES:
            self._refuse_aggregate(inner)
        self.refuse(
            inner,
            "Bounds are known for an aggregate alone, not for arithmetic with it.",
            f"SELECT {inner.sql(DIALECT)} FROM data …",
        )

    def _aggregate(self, node: exp.Expr, name: str, *, shown: bool) -> Aggregate:
        argument: exp.Expr | None = node.this
        if isinstance(argument, exp.Distinct) or len(node.expressions) > 0:
            self.refuse(
                "DISTINCT" if isinstance(argument, exp.Distinct) else node,
                "How many values are different among some people is not known from a release.",
                f"SELECT {AGGREGATES[type(node)]}(…) FROM data …",
            )
        if isinstance(argument, exp.Star) or argument is None:
            argument = None
        else:
            if argument.find(exp.AggFunc):
                self.refuse(node, "An aggregate cannot stand in another.", "ask for one of them.")
            argument = self._scalar(argument)
            if not columns_of(argument):
                is_something = isinstance(argument.unnest(), exp.Literal | exp.Boolean)
                if not isinstance(node, exp.Count) or not is_something:
                    self.refuse(node, "An aggregate needs a column.", "SUM(a column)")
                argument = None
        function = AGGREGATES[type(node)]
        for known in self.aggregates:
            same = (known.function, known.argument) == (function, argument)
            if same and (not shown or known.name == name):
                return known
        self._require_new(name, node)
        self.aggregates.append(Aggregate(name, function, argument))
        return self.aggregates[-1]

    def _require_new(self, name: str, node: exp.Expr) -> None:
        taken = [k.name for k in self.keys if k.shown] + [a.name for a in self.aggregates]
        if name in taken:
            self.refuse(node, f"Two columns of the answer are called {name!r}.", "… AS another")

    def _over_answers(self, node: exp.Expr, shown: list[str]) -> exp.Expr:
        """An expression over the answers: aggregates and keys become columns with their names."""
        if node.find(exp.Window):
            self.refuse("OVER", CLAUSES["windows"][1], EXAMPLE)

        def replace(part: exp.Expr) -> exp.Expr:
            if isinstance(part, tuple(AGGREGATES)):
                name = f"\0answer {len(self.aggregates) + 1}"
                return exp.column(self._aggregate(part, name, shown=False).name, quoted=True)
            if isinstance(part, exp.AggFunc):
                self._refuse_aggregate(part)
            if isinstance(part, exp.Column) and not part.args.get("table"):
                named = [n for n in shown if n.lower() == part.name.lower()]
                if named:
                    return exp.column(named[0], quoted=True)
            for key in self.keys:
                if isinstance(part, SCALAR) and columns_of(part) and self._is_key(part, key):
                    return exp.column(key.name, quoted=True)
            if isinstance(part, exp.Column):
                self.refuse(
                    part.this,
                    f"{part.name} is neither a group key nor an answer.",
                    suggest(part.name, shown),
                )
            self._require_scalar(part)
            return part

        return _replace_top_down(node.copy(), replace)

    def _is_key(self, part: exp.Expr, key: Key) -> bool:
        known = {name.lower() for name in self.columns}
        if part.find(exp.AggFunc):
            return False
        if any(column.name.lower() not in known for column in part.find_all(exp.Column)):
            return False
        return self._scalar(part) == key.expression

    def _ordered(self, node: exp.Expr, shown: list[str]) -> exp.Ordered:
        inner = node.this
        if isinstance(inner, exp.Literal):
            place = int(inner.name) if _is_whole_number(inner) else 0
            if not 1 <= place <= len(shown):
                self.refuse(inner, f"There is no item {inner.name} to order by.", "ORDER BY 1")
            inner = exp.column(shown[place - 1], quoted=True)
        else:
            inner = self._over_answers(inner, shown)
        desc = bool(node.args.get("desc"))
        return exp.Ordered(this=inner, desc=desc, nulls_first=bool(node.args.get("nulls_first")))

    def _whole(self, select: exp.Select, name: str) -> int | None:
        clause = select.args.get(name)
        if clause is None:
            return None
        value = clause.expression
        plain = isinstance(clause, exp.Limit | exp.Offset) and not clause.args.get("limit_options")
        if not plain or not _is_whole_number(value):
            self.refuse(name.upper(), f"{name.upper()} needs a whole number.", f"{name.upper()} 10")
        return int(value.name)

    def _text(self, item: exp.Expr) -> str:
        """The words of an item of the SELECT list as they were typed."""
        return self.texts[self.items.index(item)]


def _is_whole_number(node: exp.Expr | None) -> bool:
    """Whether a node is a literal such as 12; isdigit() would also take ²."""
    return (
        isinstance(node, exp.Literal)
        and not node.is_string
        and bool(re.fullmatch("[0-9]{1,18}", node.name))
    )


def _texts_of_items(sql: str) -> list[str]:
    """The SELECT list cut at its commas.

    >>> _texts_of_items("SELECT sex, max(age) FROM data")
    ['sex', 'max(age)']
    """
    texts, depth, first, last = [], 0, None, 0
    for token in list(tokens(sql))[1:]:
        ends = depth == 0 and token.token_type in (TokenType.COMMA, TokenType.FROM)
        if ends and first is not None:
            texts.append(sql[first : last + 1])
            first = None
        elif first is None:
            first = token.start
        if ends and token.token_type == TokenType.FROM:
            break
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        last = token.end
    return texts


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
