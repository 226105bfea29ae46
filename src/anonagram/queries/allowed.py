"""What a question may contain: lists of what is known to be harmless and alike in all databases."""

from __future__ import annotations

from sqlglot import exp

AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "COUNT",
    exp.Sum: "SUM",
    exp.Avg: "AVG",
    exp.Min: "MIN",
    exp.Max: "MAX",
}
SCALAR = (
    # values
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Cast,
    exp.DataType, exp.DataTypeParam, exp.Interval, exp.Var, exp.Neg,
    # logic
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between,
    exp.In, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike, exp.Escape, exp.Case,
    exp.If,
    # arithmetic and functions of one row
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Abs, exp.Floor,
    exp.Ceil, exp.Coalesce, exp.Nullif, exp.Lower, exp.Upper, exp.Length, exp.Substring, exp.Trim,
    exp.DPipe, exp.Extract, exp.Year, exp.Month, exp.Day, exp.Quarter, exp.DateTrunc,
    exp.TimestampTrunc,
)  # fmt: skip
"""What may stand in a condition, a group key or inside an aggregate; these types, no subclasses.

Functions that databases compute differently, such as ROUND, are not among them.
"""
WORDS = {
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "EPOCH", "DECADE",
    "CENTURY", "DOW", "DOY",
}  # fmt: skip
"""Bare words: parts of dates. sqlglot prints a word as it is, so no other must pass."""
TYPES = {
    exp.DataType.Type.BOOLEAN, exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT,
    exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.FLOAT,
    exp.DataType.Type.DOUBLE, exp.DataType.Type.DECIMAL, exp.DataType.Type.VARCHAR,
    exp.DataType.Type.TEXT, exp.DataType.Type.DATE, exp.DataType.Type.TIME,
    exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ, exp.DataType.Type.DATETIME,
}  # fmt: skip
CLAUSES = {
    "with_": ("WITH", "A question is one SELECT; it has no named parts."),
    "distinct": ("DISTINCT", "A release tells how often values occur, not which rows are alike."),
    "joins": ("JOIN", "A release is one table about people; nothing can be joined to it."),
    "laterals": ("LATERAL", "A release is one table about people; nothing can be joined to it."),
    "windows": ("WINDOW", "A row of a release is nobody, so rows have no neighbours."),
    "qualify": ("QUALIFY", "A row of a release is nobody, so rows have no neighbours."),
    "into": ("INTO", "A question cannot write anything."),
    "locks": ("FOR", "A question cannot lock anything."),
    "sample": ("SAMPLE", "A sample of a release has no bounds."),
    "distribute": ("DISTRIBUTE", "This clause is not part of a question."),
    "sort": ("SORT", "This clause is not part of a question."),
    "cluster": ("CLUSTER", "This clause is not part of a question."),
    "pivots": ("PIVOT", "Ask with GROUP BY instead."),
    "connect": ("CONNECT", "This clause is not part of a question."),
    "prewhere": ("PREWHERE", "This clause is not part of a question."),
}
ALLOWED = {
    "expressions", "from_", "where", "group", "having", "order", "limit", "offset",
}  # fmt: skip
