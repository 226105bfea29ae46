"""Expressions on one row: that they are on the list, and which columns they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import sqlglot
from sqlglot import exp

from anonagram.errors import suggest
from anonagram.queries.reading.allowed import (
    FORMATS,
    READ,
    REASONS,
    SAME_WORDS,
    SCALAR,
    TYPES,
    WORDS,
    unread,
)
from anonagram.queries.reading.parsing import EXAMPLE, is_plain_interval, is_whole_number, refuse
from anonagram.queries.reading.question import DIALECT, plain_name

TABLE = "data"
LENGTHS = (exp.Left, exp.Right)


@dataclass
class Expressions:
    """Checks the expressions of a question about these columns."""

    sql: str
    columns: Sequence[str]
    tables: set[str] = field(default_factory=lambda: {TABLE})
    """What the table may be called before a column, in lower case."""

    def refuse(self, at: exp.Expr | str | None, why: str, remedy: str) -> NoReturn:
        """Say what cannot be answered, pointing at it."""
        refuse(self.sql, at, why, remedy)

    def require_read(self, tree: exp.Expr) -> None:
        """Refuse whatever stands in a tree and is understood by nobody."""
        for node in tree.walk():
            if type(node) not in READ:
                continue  # refused where it stands, with a better reason
            name = unread(node)
            if name is not None:
                self._refuse_unread(node, name)

    def _refuse_unread(self, node: exp.Expr, name: str) -> NoReturn:
        value = node.args[name]
        first = next((v for v in [value, *(value if isinstance(value, list) else [])]
                      if isinstance(v, exp.Expr)), node)  # fmt: skip
        if isinstance(node, exp.DataType):
            self._refuse_type(node)
        word, why = REASONS.get(name, ("", ""))
        called = node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()
        self.refuse(
            word or first,
            why or f"{called} is asked with more than is understood ({name.strip('_')}).",
            EXAMPLE if why else f"{called} without it.",
        )

    def scalar(self, node: exp.Expr) -> exp.Expr:
        """An expression on one row, with the columns under their own names and no table before."""
        for part in node.walk():
            self.require_scalar(part)
        if isinstance(node, exp.Column):
            return self.column(node)  # in quotes, and as the release has it
        # what the database will read must be as harmless as what was read here
        again = sqlglot.parse_one(f"SELECT {node.sql(DIALECT)}", dialect=DIALECT)
        if (
            not isinstance(again, exp.Select)
            or [name for name, value in again.args.items() if value] != ["expressions"]
            or len(again.expressions) != 1
        ):
            self.refuse(node, "This cannot be written as SQL again.", EXAMPLE)
        self.require_read(again)
        for part in again.expressions[0].walk():
            self.require_scalar(part)

        def rename(part: exp.Expr) -> exp.Expr:
            return self.column(part) if isinstance(part, exp.Column) else part

        return node.transform(rename)

    def require_scalar(self, part: exp.Expr) -> None:
        """Refuse a node that cannot stand in an expression on one row."""
        if isinstance(part, exp.Window):
            self.refuse("OVER", REASONS["windows"][1], "SELECT …, COUNT(*) FROM data GROUP BY …")
        if isinstance(part, exp.AggFunc):
            self.refuse_aggregate(part)
        if type(part) not in SCALAR:
            word = part.name if isinstance(part, exp.Anonymous) else part
            text = part.name if isinstance(part, exp.Anonymous) else part.sql(DIALECT)
            meant = [name for name in self.columns if name.lower().startswith(f"{text.lower()} (")]
            self.refuse(
                word,
                f"{text} is not among what a condition can use.",
                f"put double quotes around the name: {exp.to_identifier(meant[0], quoted=True)}"
                if meant
                else "comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, EXTRACT, arithmetic.",
            )
        if isinstance(part, exp.Var) and part.name.upper() not in {*WORDS, *SAME_WORDS}:
            self.refuse(part.name, f"{part.name} is no part of a date.", "EXTRACT(year FROM …)")
        self._require_values(part)

    def _require_values(self, part: exp.Expr) -> None:
        """What databases or readers would take in two ways unless it is a plain value."""
        if isinstance(part, exp.Interval) and not is_plain_interval(part):
            self.refuse(part, "An interval is a whole number of units.", "INTERVAL '90 minutes'")
        if isinstance(part, exp.DataTypeParam) and not is_whole_number(part.this):
            self.refuse("CAST", "A type has whole numbers as parameters.", "DECIMAL(10, 2)")
        if isinstance(part, exp.Substring) and not is_whole_number(part.args.get("start")):
            self.refuse("SUBSTRING", "SUBSTRING starts at a number from 1.", "SUBSTRING(zip, 1, 3)")
        if isinstance(part, LENGTHS) and not is_whole_number(part.expression):
            self.refuse(part, f"{part.sql_name()} takes a number of letters.", "LEFT(zip, 3)")
        if isinstance(part, exp.TimeToStr) and not _is_plain_format(part):
            self.refuse(
                part, "Dates are written with %Y %m %d %H %M %S %y %j.", "STRFTIME(day, '%Y-%m')"
            )
        if isinstance(part, exp.In) and not part.expressions:
            self.refuse("IN", "IN needs a list of values.", "sex IN ('F', 'M')")
        if isinstance(part, exp.DataType) and part.this not in TYPES:
            self._refuse_type(part)

    def _refuse_type(self, part: exp.DataType) -> NoReturn:
        self.refuse(part.sql(DIALECT), "A release knows no such type.", "CAST(… AS INTEGER)")

    def refuse_aggregate(self, part: exp.AggFunc) -> NoReturn:
        """An aggregate that has no bounds, or stands where none can."""
        argument = next(part.find_all(exp.Column), None)
        what = "COUNT(*)" if argument is None else f"AVG({plain_name(argument.name)})"
        self.refuse(
            part,
            f"{part.sql_name()} has no bounds that a release can guarantee: "
            "COUNT, SUM, AVG, MIN, MAX, MEDIAN and quantiles have.",
            f"SELECT {what} FROM data …",
        )

    def column(self, column: exp.Column) -> exp.Column:
        """A column under the name it has in the release."""
        table = column.args.get("table")
        if table is not None and table.name.lower() not in self.tables:
            self.refuse(table, f"There is only the table {TABLE}.", f"FROM {TABLE}")
        name = column.name
        matches = [known for known in self.columns if known == name] or [
            known for known in self.columns if known.lower() == name.lower()
        ]
        if len(matches) != 1:
            self._refuse_column(column)
        found = exp.column(matches[0], quoted=True)
        found.this.meta.update(column.this.meta)
        return found

    def _refuse_column(self, column: exp.Column) -> NoReturn:
        name = column.name
        longer = [k for k in self.columns if name.lower() in k.lower()]
        remedy = suggest(name, self.columns)
        if longer and not longer[0].isidentifier():
            quoted = exp.to_identifier(longer[0], quoted=True)
            remedy = f"put double quotes around the name: {quoted}"
        elif remedy.startswith("there are") and self._stands_for_a_value(column):
            remedy += f" If it is a text, put single quotes around it: '{name}'."
        self.refuse(column.this, f"The release has no column {name!r}.", remedy)

    def _stands_for_a_value(self, column: exp.Column) -> bool:
        """Whether a name is compared with a column that there is, so that it may be meant as a text."""
        parent = column.parent
        if not isinstance(parent, exp.EQ | exp.NEQ | exp.In):
            return False
        others = [parent.this] if isinstance(parent, exp.In) else [parent.this, parent.expression]
        known = {name.lower() for name in self.columns}
        return any(
            isinstance(other, exp.Column) and other is not column and other.name.lower() in known
            for other in others
        )


def _is_plain_format(node: exp.TimeToStr) -> bool:
    """Whether the parts of a date are written with digits; letters mean something elsewhere."""
    form = node.args["format"]
    return form.is_string and bool(re.fullmatch(FORMATS, form.name)) and not node.this.is_string
