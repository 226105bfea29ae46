"""Templates of every expression that a question may contain, and columns to put into them.

`{n}` stands for every column of numbers, `{s}` for texts and so on; an expression with two
placeholders is tried with every pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from string import Formatter

from sqlglot import exp

from anonagram.queries.reading.allowed import TYPES, WORDS
from tests.queries.every_column import WHOLES

PLACEHOLDERS = {
    "w": [*WHOLES, "huge"],
    "n": [*WHOLES, "huge", "money", "broad", "real", "small"],
    "k": ["small", "i64", "money"],
    "s": ["name", "code"],
    "day": ["day"],
    "moment": ["moment", "zoned"],
    "when": ["day", "moment", "zoned"],
    "time": ["clock"],
    "span": ["took"],
    "b": ["yes"],
    "any": [
        *WHOLES,
        "huge",
        "money",
        "broad",
        "real",
        "name",
        "day",
        "moment",
        "clock",
        "took",
        "yes",
    ],
}


COMPARED = [
    "{n} %s {k}",
    "{n} %s 2.5",
    "{n} %s 1e3",
    "{n} %s -7",
    "{n} %s 0.1",
    "{n} %s 0.30000000000000004",
    "{s} %s 'a'",
    "{s} %s {s}",
    "{s} %s 'Ä'",
    "{day} %s DATE '2000-02-29'",
    "{day} %s '2000-02-29'",
    "{day} %s '2000-2-9'",
    "{when} %s {moment}",
    "{when} %s TIMESTAMP '1999-12-31 12:00:00.25'",
    "{moment} %s '2000-01-01 02:15'",
    "{moment} %s '2000-01-01T02:15:01.5'",
    "{moment} %s {day}",
    "{time} %s TIME '12:30:00.5'",
    "{time} %s '12:30:00.500001'",
    "{time} %s '12:30'",
    "{span} %s INTERVAL '1' DAY",
    "{span} %s INTERVAL '1' MONTH",
    "{span} %s {span}",
    "{b} %s TRUE",
    "{b} %s 'true'",
    "{w} %s '7'",
    "{n} %s '5'",
    "money %s '2.50'",
    "{s} %s 5",
    "{b} %s 1",
    "{n} %s NULL",
    "'a' %s 'B'",
    "'Z' %s {s}",
]
FEW_COMPARED = [
    "{k} %s {n}",
    "{s} %s 'Ä'",
    "{day} %s {moment}",
    "{time} %s '12:30'",
    "{span} %s {span}",
    "{b} %s TRUE",
]
ARITHMETIC = [
    "{n} %s {k}",
    "real %s {k}",
    "{k} %s real",
    "small %s {n}",
    "{n} %s 2",
    "{n} %s 2.5",
    "{n} %s 1e1",
    "-7 %s {k}",
    "{w} %s i64",
    "u64 %s {w}",
    "{k} %s -3.1",
]
CASTS = [
    "CAST({any} AS %s)",
    "CAST({s} AS %s)",
    "CAST({k} / 2 AS %s)",
    "CAST({n} + 0.5 AS %s)",
    "CAST('5' AS %s)",
    "CAST('2000-02-29' AS %s)",
    "CAST('12:30:00' AS %s)",
    "CAST('true' AS %s)",
    "CAST(NULL AS %s)",
    "CAST(code AS %s)",
    "CAST(CAST({day} AS VARCHAR) AS %s)",
    "CAST(CAST({moment} AS VARCHAR) AS %s)",
    "CAST(CAST({time} AS VARCHAR) AS %s)",
    "CAST(COALESCE({k}, 2.125) AS %s)",
    "CAST({k} * 1.50 AS %s)",
    "CAST(CAST({n} AS VARCHAR) AS %s)",
    "CAST(1.5 AS %s)",
    "CAST({b} AND TRUE AS %s)",
]
WRITTEN = {
    exp.DataType.Type.DECIMAL: "DECIMAL(18, 3)",
    exp.DataType.Type.TIMESTAMPNTZ: "TIMESTAMP",
}
TEMPLATES: dict[type[exp.Expr], list[str]] = {
    exp.Column: ["{any}", "zoned"],
    exp.Literal: [
        "{s} = 'it''s'",
        "{n} < 123456789012345678901234567890",
        "{n} < 1e308",
        "{k} > .5",
        "{k} < 5.",
    ],
    exp.Boolean: ["{b} = TRUE", "COALESCE({b}, FALSE)"],
    exp.Null: ["COALESCE({any}, NULL)", "{b} AND NULL"],
    exp.Paren: ["(({k})) * (2)"],
    exp.Interval: [
        f"moment + INTERVAL '{i}' {u}"
        for i in (1, -13, 100)
        for u in ("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
    ]
    + [
        f"zoned + INTERVAL '{i} {u}'"
        for i in (2, -2)
        for u in ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
    ],
    exp.Neg: ["-{n}", "-({k} + 1)", "- -{k}", "-{span}", "-(-{span})", "{when} + (-{span})"],
    exp.And: ["{b} AND {k} > 1", "{b} AND {n} IS NULL", "{b} AND 1"],
    exp.Or: ["{b} OR {k} > 1", "{b} OR NULL", "{k} OR TRUE"],
    exp.Not: ["NOT {b}", "NOT ({k} > 1)", "NOT {k}"],
    exp.EQ: [each % "=" for each in COMPARED],
    exp.NEQ: [each % "<>" for each in FEW_COMPARED],
    exp.LT: [each % "<" for each in COMPARED],
    exp.LTE: [each % "<=" for each in FEW_COMPARED],
    exp.GT: [each % ">" for each in FEW_COMPARED],
    exp.GTE: [each % ">=" for each in FEW_COMPARED],
    exp.NullSafeEQ: [each % "IS NOT DISTINCT FROM" for each in FEW_COMPARED],
    exp.NullSafeNEQ: [each % "IS DISTINCT FROM" for each in FEW_COMPARED],
    exp.Between: [
        "{n} BETWEEN -1 AND 7.5",
        "{n} BETWEEN {k} AND 1e17",
        "{s} BETWEEN 'A' AND 'a'",
        "{when} BETWEEN '1950-01-01' AND {moment}",
        "{s} NOT BETWEEN 'Z' AND 'ä'",
    ],
    exp.In: [
        "{n} IN (1, 7, 2.5)",
        "{n} IN (1, NULL)",
        "{n} NOT IN (1, NULL)",
        "{s} IN ('a', 'Ä', '')",
        "{n} IN (1, 2.5, 1e2, '5')",
        "{day} IN ('2000-02-29', DATE '1999-12-31')",
        "{b} IN (TRUE)",
    ],
    exp.Is: [
        "{any} IS NULL",
        "{any} IS NOT NULL",
        "{b} IS TRUE",
        "{b} IS NOT FALSE",
        "({k} > 1) IS TRUE",
        "{k} IS TRUE",
    ],
    exp.Like: [
        "{s} LIKE 'a%'",
        "{s} LIKE '%\\%'",
        "{s} LIKE '_'",
        "{s} LIKE '__'",
        "{s} LIKE '%Ä%'",
        "{s} NOT LIKE '%a%'",
        "{s} LIKE {s}",
        "{s} LIKE '%' || {s}",
        "{k} LIKE '1%'",
        "CAST({w} AS VARCHAR) LIKE '1%'",
        "'abc' LIKE {s}",
    ],
    exp.ILike: [
        "{s} ILIKE 'A%'",
        "{s} ILIKE '%äöÜß'",
        "{s} ILIKE 'σας'",
        "{s} ILIKE 'iiii'",
        "{s} NOT ILIKE '%K%'",
        "{s} ILIKE {s}",
        "{s} ILIKE '%ﬁ%'",
        "{s} ILIKE 'ÄÖÜẞ'",
    ],
    exp.Escape: [
        "{s} LIKE '%!%%' ESCAPE '!'",
        "{s} LIKE '%\\_%' ESCAPE '\\'",
        "{s} NOT LIKE 'a!_' ESCAPE '!'",
        "{s} ILIKE 'A!%' ESCAPE '!'",
        "{s} ILIKE 'AAb%' ESCAPE 'A'",
        "{s} ILIKE 'a\\%%' ESCAPE '\\'",
        "{s} NOT ILIKE '%B!%C!_d%' ESCAPE '!'",
    ],
    exp.Case: [
        "CASE WHEN {k} > 1 THEN {n} ELSE 2.5 END",
        "CASE {k} WHEN 7 THEN 'a' WHEN 2.5 THEN 'B' END",
        "CASE {s} WHEN 'a' THEN 1 ELSE 1e2 END",
        "CASE {k} = 7 WHEN {b} THEN 1 ELSE 2 END",
        "CASE NOT {b} WHEN {k} = 7 THEN 1 ELSE 2 END",
        "CASE WHEN {b} THEN {any} END",
        "CASE WHEN {b} THEN {day} ELSE '2000-01-01' END",
        "CASE WHEN {b} THEN {day} ELSE {moment} END",
        "CASE WHEN {b} THEN 1 ELSE 'a' END",
        "CASE WHEN {k} THEN 1 END",
    ],
    exp.If: ["IF({b}, {n}, 2)", "IF({k} > 1, {s}, 'Ä')", "IF({b}, 'a', 'B')"],
    exp.Add: [
        *(each % "+" for each in ARITHMETIC),
        "{day} + 3",
        "{day} + i8",
        "{day} + INTERVAL '1' MONTH",
        "{time} + INTERVAL '3' HOUR",
        "INTERVAL '3' DAY + {when}",
        "{span} + {span}",
        "{span} + INTERVAL '90' MINUTE",
        "INTERVAL '2' DAY + {span} + {span}",
        "{when} + {span}",
        "{moment} + 1",
    ],
    exp.Sub: [
        *(each % "-" for each in ARITHMETIC),
        "{day} - {day}",
        "{day} - DATE '2000-01-01'",
        "{moment} - {moment}",
        "{moment} - TIMESTAMP '2000-01-01'",
        "{when} - INTERVAL '1' MONTH",
        "{time} - INTERVAL '30' MINUTE",
        "{when} - {span}",
        "{span} - {span}",
        "{span} - INTERVAL '2' DAY",
        "{day} - 400",
        "{moment} - {day}",
        "{time} - {time}",
    ],
    exp.Mul: [*(each % "*" for each in ARITHMETIC), "{span} * 2"],
    exp.Div: [
        *(each % "/" for each in ARITHMETIC),
        "{n} / 0",
        "{n} / ({k} - {k})",
        "{k} / real",
        "1 / real",
        "{span} / 2",
    ],
    exp.Mod: [*(each % "%" for each in ARITHMETIC), "{w} % -7", "{w} % 7 = 0", "{w} % 0"],
    exp.IntDiv: [*(each % "//" for each in ARITHMETIC), "{w} // -7", "{w} // 0"],
    exp.Abs: ["ABS({n})", "ABS({k} - 3)"],
    exp.Floor: ["FLOOR({n})", "FLOOR({n} / 2)", "FLOOR({k} * 1.5)"],
    exp.Ceil: ["CEIL({n})", "CEIL({n} / 2)", "CEIL({k} * 1.5)"],
    exp.Coalesce: [
        "COALESCE({n}, 0)",
        "COALESCE({n}, 2.5)",
        "COALESCE({n}, u8, 1e2)",
        "COALESCE({s}, 'Ä')",
        "COALESCE({day}, '2000-01-01')",
        "COALESCE({day}, {moment})",
        "COALESCE({time}, '12:30:00')",
        "COALESCE({b}, 1)",
        "COALESCE({s}, 1)",
        "COALESCE({any}, {k})",
    ],
    exp.Nullif: [
        "NULLIF({n}, 7)",
        "NULLIF({n}, 2.5)",
        "NULLIF({n}, small)",
        "NULLIF({s}, 'a')",
        "NULLIF('a', {s})",
        "NULLIF({day}, '2000-02-29')",
        "NULLIF({b}, TRUE)",
        "NULLIF({k} = 7, {b})",
        "NULLIF(NOT {b}, {k} = 7)",
        "NULLIF({s}, 1)",
    ],
    exp.Lower: [
        "LOWER({s})",
        "LOWER({s} || 'ÄΣ')",
        "LOWER(UPPER({s}))",
        "LOWER('ÀÉ') || {s}",
        "LOWER({k})",
    ],
    exp.Upper: ["UPPER({s})", "UPPER(LOWER({s}))", "UPPER('éß' || {s})"],
    exp.Length: ["LENGTH({s})", "LENGTH({s} || 'é')", "LENGTH(CAST({n} AS VARCHAR))"],
    exp.Substring: [
        "SUBSTRING({s}, 1, 2)",
        "SUBSTRING({s}, 2)",
        "SUBSTRING({s}, 0, 2)",
        "SUBSTRING({s}, 3, 0)",
        "SUBSTRING({s}, 100, 1)",
        "SUBSTRING({s}, 1, LENGTH({s}) - 2)",
        "SUBSTR({s}, 2, 3)",
    ],
    exp.Left: ["LEFT({s}, 2)", "LEFT({s}, 0)", "LEFT({s}, -1)"],
    exp.Right: ["RIGHT({s}, 2)", "RIGHT({s}, 0)", "RIGHT({s}, -1)"],
    exp.Trim: [
        "TRIM({s})",
        "TRIM({s}, 'aA')",
        "LTRIM({s})",
        "RTRIM({s})",
        "TRIM(LEADING 'a' FROM {s})",
        "TRIM({s}, 'Ä日')",
        "TRIM(BOTH ' ' FROM {s})",
        "RTRIM({s}, '')",
        "TRIM({s}, {s})",
    ],
    exp.DPipe: [
        "{s} || 'a'",
        "{s} || {s}",
        "{w} || 'a'",
        "'a' || {any}",
        "{b} || 'a'",
        "{s} || NULL",
        "{day} || ''",
        "money * 2 || 'x'",
        "{w} || {w}",
    ],
    exp.Extract: [
        f"EXTRACT({word} FROM {{{kind}}})"
        for word in sorted(WORDS)
        for kind in ("when", "time", "span")
    ]
    + [
        "EXTRACT(year FROM {moment} + INTERVAL '1' DAY)",
        *(f"EXTRACT({word} FROM -{{span}})" for word in ("hour", "minute", "second", "day")),
        "EXTRACT(hour FROM {moment} - {moment})",
    ],
    exp.Year: ["YEAR({when})", "YEAR({time})"],
    exp.Quarter: ["QUARTER({when})"],
    exp.Month: ["MONTH({when})", "MONTH({span})"],
    exp.Week: ["WEEK({when})"],
    exp.Day: ["DAY({when})"],
    exp.DayOfWeek: ["DAYOFWEEK({when})"],
    exp.DayOfYear: ["DAYOFYEAR({when})"],
    exp.Hour: ["HOUR({when})", "HOUR({time})"],
    exp.Minute: ["MINUTE({when})"],
    exp.Second: ["SECOND({when})", "SECOND({time})"],
    exp.DateTrunc: ["DATE_TRUNC('month', CAST({when} AS DATE))"],
    exp.TimestampTrunc: [
        f"DATE_TRUNC('{word}', {{{kind}}})"
        for word in sorted(WORDS)
        for kind in ("when", "span", "time")
    ],
    exp.TimeToStr: [
        "STRFTIME({when}, '%Y-%m-%d')",
        "STRFTIME({when}, '%H:%M:%S %% %j')",
        "STRFTIME({when}, '%a')",
        "STRFTIME({when}, 'x''%Y Y\"')",
    ],
    exp.Cast: [
        each % WRITTEN.get(kind, kind.value) for kind in sorted(TYPES, key=str) for each in CASTS
    ]
    + ["CAST({n} AS DECIMAL(38, 1))", "CAST({n} AS DECIMAL(9, 0))", "CAST({k} AS DECIMAL)"]
    + [
        f"CAST({of} AS DECIMAL({digits}))"
        for of in ("{n} / 3", "{n} / 8", "{k} * 1e15 / 7", "{k} / 1e3", "real", "small + 0.005e0")
        for digits in ("18, 3", "18, 0", "18, 17", "4, 2")
    ],
}


def expanded(template: str) -> Iterator[str]:
    """A template with columns in place of its placeholders, in every combination."""
    names = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    for chosen in product(*(PLACEHOLDERS[name] for name in names)):
        pieces = iter(chosen)
        yield "".join(
            text + (next(pieces) if name is not None else "")
            for text, name, _, _ in Formatter().parse(template)
        )
