"""Random conditions and expressions over the columns of a table."""

from __future__ import annotations

import re
from random import Random

from tests.hunt.composed import random_pair, turned
from tests.hunt.functions import ALLOWED_ANYWHERE, FORMS, STRANGE
from tests.hunt.literals import NUMBERS, ODD, edge, own, quoted, text_of, usual
from tests.hunt.tables import Column
from tests.hunt.tree import Node, leaf, node
from tests.hunt.values import WORDS

PLAIN = re.compile(r"[a-z][a-z0-9_]*")
RESERVED = {
    "group", "select", "order", "from", "where", "case", "null", "end", "limit", "left", "interval",
    "user", "current_date", "position", "struct", "date", "time", "year", "excluded", "data",
}  # fmt: skip
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "!=")
OF_NOBODY = (
    "({} IS NULL AND {} IS NOT NULL)", "{} <> {}", "{} = NULL", "FALSE", "{} IN (NULL)", "1 = 2", "NULL",
    "({} IS NULL OR {} IS NOT NULL)", "TRUE",
)  # fmt: skip
"""Conditions that nobody meets, and that everybody does."""
TESTS = ("compare", "compare", "compare", "in", "between", "null", "special")


class Maker:
    """Draws expressions over some columns."""

    def __init__(
        self, rng: Random, columns: list[Column], *, wild: bool, prefix: str = "",
        everyday: bool = False, has_theme: bool = False,
    ) -> None:  # fmt: skip
        self.rng, self.columns, self.wild, self.prefix = rng, columns, wild, prefix
        self.everyday = everyday and not wild
        """Whether only what an analyst asks about tables of people is asked."""
        self.plain = (0.3, 0.5) if has_theme else (0.6, 0.8)
        """The share of columns that are asked about as they are, inside conditions and elsewhere."""

    def column(self, *sorts: str) -> Column | None:
        """A column of one of these sorts, where there is one."""
        fitting = [c for c in self.columns if not sorts or c.sort in sorts]
        return self.rng.choice(fitting) if fitting else None

    def name(self, column: Column) -> Node:
        """A column's name as a question writes it."""
        is_plain = PLAIN.fullmatch(column.name) and column.name not in RESERVED
        if not is_plain or self.rng.random() < 0.3:
            return leaf(column.sort, self.prefix + quoted_name(column.name))
        in_capitals = self.wild and self.rng.random() < 0.05
        return leaf(
            column.sort, self.prefix + (column.name.upper() if in_capitals else column.name)
        )

    def condition(self, depth: int) -> Node:
        """Something that is true or false of a row."""
        roll = self.rng.random()
        if roll > (0.995 if self.everyday else 0.98):
            form, of = self.rng.choice(OF_NOBODY), self.name(self.rng.choice(self.columns))
            return node("logic", form, *[of] * form.count("{}"))
        if depth > 0 and roll < 0.45:
            form = self.rng.choice(("({} AND {})", "({} AND {})", "({} OR {})"))
            return node("logic", form, self.condition(depth - 1), self.condition(depth - 1))
        if depth > 0 and roll < 0.52:
            return node("logic", "NOT ({})", self.condition(depth - 1))
        return self._test(depth)

    def _test(self, depth: int) -> Node:
        column = self.rng.choice(self.columns)
        if column.sort == "other":
            return node("logic", "{} IS NULL", self.name(column))
        asked, negated = self.expression(column, depth), self.rng.choice(("", "", "NOT "))
        match self.rng.choice(TESTS):
            case "in":
                several = [self.literal(asked.sort, column) for _ in range(self.rng.randint(1, 3))]
                listed = ", ".join(["{}"] * len(several))
                return node("logic", f"{{}} {negated}IN ({listed})", asked, *several)
            case "between" if asked.sort != "logic":
                ends = self.literal(asked.sort, column), self.literal(asked.sort, column)
                return node("logic", f"{{}} {negated}BETWEEN {{}} AND {{}}", asked, *ends)
            case "null":
                return node("logic", f"{{}} IS {negated}NULL", asked)
            case "special":
                return self._special(asked, column, negated)
        form = f"{{}} {self.rng.choice(COMPARISONS)} {{}}"
        return node("logic", form, asked, self._other_side(asked, column))

    def _other_side(self, asked: Node, column: Column) -> Node:
        """Mostly a literal; now and then another column that it can be compared with."""
        sorts = NUMBERS if asked.sort in NUMBERS and self.rng.random() < 0.3 else (asked.sort,)
        alike = [c for c in self.columns if c.sort in sorts and c is not column]
        if alike and self.rng.random() < (0.03 if self.everyday else 0.12):
            return self.name(self.rng.choice(alike))
        return self.literal(asked.sort, column)

    def _special(self, asked: Node, column: Column, negated: str) -> Node:
        if asked.sort == "text":
            pattern, like = self._pattern(column), self.rng.choice(("LIKE", "LIKE", "ILIKE"))
            escape = " ESCAPE '\\'" if "\\" in pattern and self.rng.random() < 0.7 else ""
            return node("logic", f"{{}} {negated}{like} {quoted(pattern)}{escape}", asked)
        if asked.sort == "logic":
            forms = ("{}", f"{{}} IS {negated}TRUE", "NOT {}", f"{{}} IS {negated}FALSE")
            return node("logic", self.rng.choice(forms), asked)
        form = f"{{}} IS {negated}DISTINCT FROM {{}}"
        return node("logic", form, asked, self.literal(asked.sort, column))

    def _pattern(self, column: Column) -> str:
        value = text_of(self.rng, column) or "a"
        parts = (value[:1] + "%", "%" + value[-1:], "%" + value[1:2] + "%", "_" + value[1:], value)
        return self.rng.choice((*parts, "%", "", "a\\%%", "_%_"))

    def expression(self, column: Column, depth: int) -> Node:
        """A column, or something made of it and perhaps of others."""
        plain = self.name(column)
        if self.wild and self.rng.random() < 0.4:
            return self._wild(plain)
        if self.rng.random() < self.plain[depth == 0] or column.sort == "other":
            return plain
        if self.rng.random() < 0.2:
            return self._of_any(plain, column, depth)
        made = self._made_of(plain, column)
        again = 0 if self.everyday else 0.25
        while made.sort in FORMS and self.rng.random() < again:
            made, again = self._made_of(made, column), again / 2
        return made if self.rng.random() < 0.8 else self._of_any(made, column, depth)

    def _made_of(self, value: Node, column: Column) -> Node:
        """What a function makes of a value, or an operator of it and another one."""
        pair = random_pair(self.rng, value.sort)
        if pair is not None and self.rng.random() < (0.2 if self.everyday else 0.35):
            around = turned(value.sort, pair) if self.rng.random() < 0.3 else None
            other = self._beside(pair[0], column)
            sort, form = (around or pair)[1:]
            return node(sort, form, *((value, other) if around is None else (other, value)))
        sort, form = self.rng.choice(FORMS[value.sort])
        return node(sort, form, value)

    def _beside(self, sort: str, column: Column) -> Node:
        """A column of a sort, or a literal that says what it is."""
        others = [c for c in self.columns if c.sort == sort and c is not column]
        if others and self.rng.random() < 0.5:
            return self.name(self.rng.choice(others))
        if sort in ("day", "moment", "clock"):
            found = self.literal(sort, column)
            while found.sql().startswith("'"):  # beside an operator nobody knows what it is
                found = self.literal(sort, column)
            return found
        return self.literal(sort, column)

    def _of_any(self, made: Node, column: Column, depth: int) -> Node:
        """What can be made of any value."""
        literal = self.literal(made.sort, column)
        roll = self.rng.random()
        if depth < 1 or roll < 0.4:
            sort, form = self.rng.choice(
                (
                    (made.sort, "COALESCE({}, {})"),
                    (made.sort, "NULLIF({}, {})"),
                    ("text", "CAST({} AS VARCHAR)"),
                )[: 2 if self.everyday and made.sort in ("real", "span") else 3]
            )
            return node(sort, form, *((made, literal) if form.count("{}") == 2 else (made,)))
        if roll < 0.55:
            return node("whole", "CASE {} WHEN {} THEN 1 ELSE 2 END", made, literal)
        test = self.condition(0)
        if roll < 0.7:
            return node(made.sort, "CASE WHEN {} THEN {} END", test, made)
        if roll < 0.85:
            return node("whole", "CASE WHEN {} THEN 1 ELSE 0 END", test)
        word = leaf("text", quoted(self.rng.choice(WORDS)))
        return node("text", "CASE WHEN {} THEN {} ELSE 'other' END", test, word)

    def _wild(self, plain: Node) -> Node:
        roll = self.rng.random()
        if roll < 0.15:
            return node("any", self.rng.choice(STRANGE), plain)
        if roll < 0.35:
            sign = self.rng.choice(("+", "-", "*", "/", "%", "//", "||", "="))
            return node(
                "any", f"({{}} {sign} {{}})", plain, self.name(self.rng.choice(self.columns))
            )
        made = node("any", self.rng.choice(ALLOWED_ANYWHERE), plain)
        return made if self.rng.random() < 0.7 else self._wild(made)

    def literal(self, sort: str, column: Column) -> Node:
        """A literal of a sort, mostly one of the column's values."""
        if self.wild and self.rng.random() < 0.15:
            return leaf("any", self.rng.choice(ODD))
        if self.rng.random() < (0.02 if self.everyday else 0.08):
            return leaf(sort, edge(self.rng, sort))
        is_own = column.sort == sort and column.type.sort == sort
        return leaf(sort, own(self.rng, sort, column) if is_own else usual(self.rng, sort))


def quoted_name(name: str) -> str:
    """A name that may be anything."""
    return '"' + name.replace('"', '""') + '"'
