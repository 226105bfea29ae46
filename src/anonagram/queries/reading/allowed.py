"""What a question may contain: lists of what is known to be harmless and alike in all databases.

A kind of node stands here with the parts of it that are understood. Whatever else a parser finds in
the text and puts into the tree, today or in its next version, is refused: `unread` names it.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "COUNT",
    exp.Sum: "SUM",
    exp.Avg: "AVG",
    exp.Min: "MIN",
    exp.Max: "MAX",
    exp.CountIf: "COUNT",
    exp.Median: "QUANTILE_CONT",
    exp.PercentileCont: "QUANTILE_CONT",
    exp.PercentileDisc: "QUANTILE_DISC",
    exp.Quantile: "QUANTILE_DISC",
}
"""Aggregates by the function that answers them; COUNT(DISTINCT x) is DISTINCT."""
SCALAR: dict[type[exp.Expr], tuple[str, ...]] = {
    # values
    exp.Column: ("this", "table"),
    exp.Identifier: ("this", "quoted"),
    exp.Literal: ("this", "is_string"),
    exp.Boolean: ("this",),
    exp.Null: (),
    exp.Paren: ("this",),
    exp.Cast: ("this", "to"),
    exp.DataType: ("this", "expressions", "nested"),
    exp.DataTypeParam: ("this",),
    exp.Interval: ("this", "unit"),
    exp.Var: ("this",),
    exp.Neg: ("this",),
    # logic
    exp.And: ("this", "expression"),
    exp.Or: ("this", "expression"),
    exp.Not: ("this",),
    exp.EQ: ("this", "expression"),
    exp.NEQ: ("this", "expression"),
    exp.LT: ("this", "expression"),
    exp.LTE: ("this", "expression"),
    exp.GT: ("this", "expression"),
    exp.GTE: ("this", "expression"),
    exp.Between: ("this", "low", "high"),
    exp.In: ("this", "expressions"),
    exp.Is: ("this", "expression"),
    exp.NullSafeEQ: ("this", "expression"),
    exp.NullSafeNEQ: ("this", "expression"),
    exp.Like: ("this", "expression", "negate"),
    exp.ILike: ("this", "expression", "negate"),
    exp.Escape: ("this", "expression"),
    exp.Case: ("this", "ifs", "default"),
    exp.If: ("this", "true", "false"),
    # arithmetic
    exp.Add: ("this", "expression"),
    exp.Sub: ("this", "expression"),
    exp.Mul: ("this", "expression"),
    exp.Div: ("this", "expression", "typed", "safe"),
    exp.IntDiv: ("this", "expression"),
    exp.Mod: ("this", "expression"),
    exp.Abs: ("this",),
    exp.Floor: ("this",),
    exp.Ceil: ("this",),
    # functions of one row
    exp.Coalesce: ("this", "expressions"),
    exp.Nullif: ("this", "expression"),
    exp.Lower: ("this",),
    exp.Upper: ("this",),
    exp.Length: ("this",),
    exp.Left: ("this", "expression"),
    exp.Right: ("this", "expression"),
    exp.Substring: ("this", "start", "length"),
    exp.Trim: ("this", "expression", "position"),
    exp.DPipe: ("this", "expression", "safe"),
    exp.Extract: ("this", "expression"),
    exp.DateTrunc: ("this", "unit"),
    exp.TimestampTrunc: ("this", "unit"),
    exp.TimeToStr: ("this", "format"),
}
"""What may stand in a condition, a group key or inside an aggregate; these types, no subclasses.

Functions that databases compute differently, such as ROUND, are not among them.
"""
COMBINED: dict[type[exp.Expr], tuple[str, ...]] = {
    kind: SCALAR[kind]
    for kind in (exp.Paren, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Nullif, exp.Literal)
} | {exp.Round: ("this", "decimals")}
"""What may join aggregates in the SELECT list."""
CLAUSES: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Select: (
        "expressions", "from_", "where", "group", "having", "order", "limit", "offset", "distinct",
    ),
    exp.From: ("this",),
    exp.Table: ("this", "alias"),
    exp.TableAlias: ("this",),
    exp.Alias: ("this", "alias"),
    exp.Where: ("this",),
    exp.Group: ("expressions",),
    exp.Having: ("this",),
    exp.Order: ("expressions",),
    exp.Ordered: ("this", "desc", "nulls_first"),
    exp.Limit: ("expression",),
    exp.Offset: ("expression",),
    exp.Star: (),
    exp.Distinct: ("expressions",),
    exp.Filter: ("this", "expression"),
    exp.WithinGroup: ("this", "expression"),
    exp.Count: ("this", "big_int"),
    exp.CountIf: ("this",),
    exp.Sum: ("this",),
    exp.Avg: ("this",),
    exp.Min: ("this",),
    exp.Max: ("this",),
    exp.Median: ("this",),
    exp.PercentileCont: ("this", "expression"),
    exp.PercentileDisc: ("this", "expression"),
    exp.Quantile: ("this", "quantile"),
}  # fmt: skip
"""What a question is made of around its expressions."""
READ = SCALAR | COMBINED | CLAUSES
FLAGS: dict[tuple[type[exp.Expr], str], tuple[Any, ...]] = {
    (exp.Identifier, "quoted"): (True,),
    (exp.Literal, "is_string"): (True,),
    (exp.Like, "negate"): (True,),
    (exp.ILike, "negate"): (True,),
    (exp.DPipe, "safe"): (True,),
    (exp.Trim, "position"): ("LEADING", "TRAILING", "BOTH"),
    (exp.Ordered, "desc"): (True,),
    (exp.Ordered, "nulls_first"): (True,),
    (exp.Count, "big_int"): (True,),
    # false is how the dialect of questions has them: / divides without truncation
    (exp.Div, "typed"): (),
    (exp.Div, "safe"): (),
    (exp.DataType, "nested"): (),
}
"""Parts that are no nodes: the values that are understood beside false and nothing."""
WORDS = {
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "EPOCH", "DECADE",
    "CENTURY", "DOW", "DOY", "ISODOW",
}  # fmt: skip
"""Bare words: parts of dates. sqlglot prints a word as it is, so no other must pass."""
UNITS = {"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
"""Units of intervals; with an S at the end they are the same."""
FORMATS = r"(%[YmdHMSyj]|[^%A-Za-z\"\\])+"
"""How STRFTIME may write a date: digits of its parts, and signs between them."""
PARTS: dict[type[exp.Expr], str] = {
    exp.Year: "YEAR", exp.Quarter: "QUARTER", exp.Month: "MONTH", exp.Week: "WEEK",
    exp.WeekOfYear: "WEEK", exp.Day: "DAY", exp.DayOfMonth: "DAY", exp.Hour: "HOUR",
    exp.Minute: "MINUTE", exp.Second: "SECOND", exp.DayOfWeek: "DOW", exp.DayOfWeekIso: "ISODOW",
    exp.DayOfYear: "DOY",
}  # fmt: skip
"""Functions that are read as EXTRACT."""
PARTS_BY_NAME = {"WEEKDAY": "DOW"}
SAME_WORDS = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY"}
"""Words that mean the same as others."""
TYPES = {
    exp.DataType.Type.BOOLEAN, exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT,
    exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.FLOAT,
    exp.DataType.Type.DOUBLE, exp.DataType.Type.DECIMAL, exp.DataType.Type.VARCHAR,
    exp.DataType.Type.TEXT, exp.DataType.Type.DATE, exp.DataType.Type.TIME,
    exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ, exp.DataType.Type.DATETIME,
}  # fmt: skip
REASONS = {
    "with_": ("WITH", "A question is one SELECT; it has no named parts."),
    "joins": ("JOIN", "A release is one table about people; nothing can be joined to it."),
    "laterals": ("LATERAL", "A release is one table about people; nothing can be joined to it."),
    "windows": ("WINDOW", "A row of a release is nobody, so rows have no neighbours."),
    "qualify": ("QUALIFY", "A row of a release is nobody, so rows have no neighbours."),
    "into": ("INTO", "A question cannot write anything."),
    "locks": ("FOR", "A question cannot lock anything."),
    "sample": ("SAMPLE", "A sample of a release has no bounds."),
    "pivots": ("PIVOT", "Ask with GROUP BY instead."),
    "db": ("", "There is only the table data."),
    "columns": ("", "The columns keep their names: the table's alias cannot rename them."),
    "symmetric": ("SYMMETRIC", "BETWEEN has its lower value first."),
    "on": ("ON", "A release has no rows of people to choose from."),
}
"""Why some of the rest is refused, and the word to point at."""


def unread(node: exp.Expr) -> str | None:
    """The name of a part of a node that nothing here understands, if one is set.

    >>> import sqlglot
    >>> unread(sqlglot.parse_one("MIN(a, 2)", dialect="duckdb"))
    'count'
    """
    for name, value in node.args.items():
        if value is None or value is False or value == []:
            continue
        flags = FLAGS.get((type(node), name))
        if name not in READ[type(node)] or (flags is not None and value not in flags):
            return name
    return None
