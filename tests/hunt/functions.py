"""Every function and operator a question may contain, by the sort of what it is made of.

A form is the sort of its result and its text; {} is where the column stands.
"""

from __future__ import annotations

PARTS = (
    "year", "quarter", "month", "week", "day", "hour", "minute", "second", "epoch", "decade",
    "century", "dow", "doy",
)  # fmt: skip
DAY_PARTS = ("year", "quarter", "month", "week", "day", "decade", "century", "dow", "doy")
UNITS = (
    "year", "quarter", "month", "week", "day", "decade", "century", "hour", "minute", "second",
)  # fmt: skip
INTERVALS = (
    "INTERVAL '1 day'", "INTERVAL '3 hours'", "INTERVAL '90 minutes'", "INTERVAL 2 DAY",
    "INTERVAL '1 month'", "INTERVAL '1' YEAR", "INTERVAL (1) HOUR", "INTERVAL '2 days'",
    "INTERVAL '13 months'", "INTERVAL '-1 day'", "INTERVAL '25 hours'", "INTERVAL '1 day 3 hours'",
    "INTERVAL 3 WEEKS", "INTERVAL '1 second'", "INTERVAL '-90' MINUTE", "INTERVAL '1 month 1 day'",
)  # fmt: skip
OF_A_CLOCK = (
    "INTERVAL '3 hours'", "INTERVAL '90 minutes'", "INTERVAL '23 hours'", "INTERVAL 1 SECOND",
    "INTERVAL '25 hours'", "INTERVAL '-2 hours'", "INTERVAL '1 day'", "INTERVAL '1 day 3 hours'",
)  # fmt: skip
"""What is added to a time of day, mostly past midnight."""
TYPES = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(18, 3)",
    "DECIMAL", "VARCHAR", "TEXT", "DATE", "TIME", "TIMESTAMP", "DATETIME",
)  # fmt: skip
Form = tuple[str, str]
OF_A_DAY: tuple[Form, ...] = (
    ("whole", "YEAR({})"), ("whole", "MONTH({})"), ("whole", "DAY({})"), ("whole", "QUARTER({})"),
    ("whole", "WEEK({})"), ("whole", "DAYOFWEEK({})"), ("whole", "ISODOW({})"), ("whole", "DAYOFYEAR({})"),
    ("whole", "DATE_PART('year', {})"), ("text", "STRFTIME({}, '%d.%m.%y')"), ("text", "STRFTIME({}, '%j')"),
    *(("moment", f"{{}} + {interval}") for interval in INTERVALS),
    *(("moment", f"{{}} - {interval}") for interval in INTERVALS),
)  # fmt: skip
FORMS: dict[str, tuple[Form, ...]] = {
    "whole": (
        *(("whole", f"({{}} {sign} {number})") for sign in "+-*%" for number in (1, 2, 10)),
        ("whole", "{} // 2"), ("whole", "{} // 10"), ("real", "{} / 2"), ("real", "{} / 12"),
        ("whole", "ABS({})"), ("whole", "-{}"), ("whole", "FLOOR({})"), ("whole", "CEIL({})"),
        ("real", "CAST({} AS DOUBLE)"), ("whole", "CAST({} AS BIGINT)"), ("decimal", "{} * 0.5"),
        ("whole", "(({} * 1000003) % 7)"), ("real", "{} * 1e300"), ("whole", "- - {}"),
    ),
    "real": (
        *(("real", f"({{}} {sign} {number})") for sign in "+-*/" for number in (0.5, 2, 1.1)),
        ("real", "ABS({})"), ("real", "FLOOR({})"), ("real", "CEIL({})"), ("real", "-{}"),
        ("whole", "CAST({} AS INT)"), ("decimal", "CAST({} AS DECIMAL(18, 3))"),
        ("real", "({} % 3)"), ("real", "({} % 0.1)"), ("real", "({} * 1e308)"),
        ("real", "(({} * 1e300) % 7)"), ("real", "({} / 1e300)"), ("whole", "CAST({} AS BIGINT)"),
    ),
    "decimal": (
        *(("decimal", f"({{}} {sign} {number})") for sign in "+-*/%" for number in (0.5, 2, 1.25)),
        ("decimal", "ABS({})"), ("whole", "FLOOR({})"), ("whole", "CEIL({})"), ("decimal", "-{}"),
        ("real", "CAST({} AS DOUBLE)"), ("whole", "CAST({} AS INT)"),
    ),
    "text": (
        ("text", "LOWER({})"), ("text", "UPPER({})"), ("text", "TRIM({})"), ("whole", "LENGTH({})"),
        ("text", "SUBSTRING({}, 1, 2)"), ("text", "SUBSTRING({} FROM 2 FOR 1)"), ("text", "LEFT({}, 1)"),
        ("text", "RIGHT({}, 2)"),
        ("text", "SUBSTRING({}, 2)"), ("text", "{} || '-x'"), ("text", "TRIM(BOTH 'a' FROM {})"),
        ("text", "TRIM(LEADING FROM {})"), ("text", "'x' || {}"), ("text", "SUBSTRING({}, 3, 0)"),
    ),
    "logic": (("logic", "NOT {}"), ("whole", "CAST({} AS INT)"), ("text", "CAST({} AS VARCHAR)")),
    "day": (
        *(("whole", f"EXTRACT({part} FROM {{}})") for part in DAY_PARTS),
        *(("moment", f"DATE_TRUNC('{unit}', {{}})") for unit in UNITS[:7]),
        *OF_A_DAY, ("day", "{} + 7"), ("text", "STRFTIME({}, '%Y-%m')"), ("whole", "EXTRACT(YEAR FROM {})"),
        ("moment", "CAST({} AS TIMESTAMP)"), ("whole", "{} - DATE '2000-01-01'"),
    ),
    "moment": (
        *(("real" if part == "epoch" else "whole", f"EXTRACT({part} FROM {{}})") for part in PARTS),
        *(("moment", f"DATE_TRUNC('{unit}', {{}})") for unit in UNITS),
        *OF_A_DAY, ("day", "CAST({} AS DATE)"), ("clock", "CAST({} AS TIME)"),
        ("text", "STRFTIME({}, '%H:%M')"), ("span", "{} - TIMESTAMP '2020-01-01 00:00:00'"),
    ),
    "clock": (
        *(("whole", f"EXTRACT({part} FROM {{}})") for part in ("hour", "minute", "second")),
        ("real", "EXTRACT(epoch FROM {})"), ("whole", "HOUR({})"), ("whole", "MINUTE({})"),
        *(("clock", f"({{}} {sign} {interval})") for sign in "+-" for interval in OF_A_CLOCK),
    ),
    "span": (
        ("whole", "EXTRACT(minute FROM {})"), ("whole", "EXTRACT(month FROM {})"), ("span", "3 * {}"),
        ("span", "{} - INTERVAL '2 days'"), ("real", "EXTRACT(epoch FROM {}) / 86400"),
        ("real", "EXTRACT(epoch FROM {})"), ("whole", "EXTRACT(day FROM {})"), ("span", "-{}"),
        ("span", "{} + INTERVAL '1 hour'"), ("span", "{} * 2"), ("whole", "EXTRACT(hour FROM {})"),
    ),
}  # fmt: skip
"""What an analyst makes of a column."""
ALLOWED_ANYWHERE = (
    "ABS({})", "FLOOR({})", "CEIL({})", "LOWER({})", "UPPER({})", "LENGTH({})", "TRIM({})",
    "SUBSTRING({}, -2, 3)", "SUBSTRING({}, 0)", "-{}", "YEAR({})", "QUARTER({})", "MONTH({})",
    "COALESCE({}, NULL)", "COALESCE({}, 0)", "NULLIF({}, '')", "NOT {}", "STRFTIME({}, '%s')",
    "LEFT({}, -1)", "CAST(CAST({} AS VARCHAR) AS DATE)", "({} = 1)", "- - {}", "LEFT({}, 2)",
    "{} // 0", "{} / 0", "{} % 0", "CAST(CAST({} AS DOUBLE) AS VARCHAR)", "DATE_TRUNC('days', {})",
    "DATE_TRUNC('millisecond', {})", "EXTRACT(isodow FROM {})", "EXTRACT(millennium FROM {})",
    *(f"CAST({{}} AS {type_})" for type_ in TYPES),
    *(f"EXTRACT({part} FROM {{}})" for part in PARTS),
    *(f"DATE_TRUNC('{unit}', {{}})" for unit in UNITS),
)  # fmt: skip
"""What is on the list, applied to whatever comes."""
STRANGE = (
    "ROUND({})", "SQRT({})", "CONCAT({}, 'x')", "GREATEST({}, 1)", "REPLACE({}, 'a', 'b')",
    "MD5({})", "LN({})", "SIGN({})", "REVERSE({})", "TRUNC({})", "POWER({}, 2)",
    "TRY_CAST({} AS INT)", "REGEXP_MATCHES({}, 'a.*')", "HASH({})", "IF({} IS NULL, 1, 2)",
    "DAYOFWEEK({})", "STARTS_WITH({}, 'a')", "IFNULL({}, 0)", "[{}]", "{}::VARCHAR", "ASCII({})",
    "EXISTS (SELECT {})", "DATE_PART('year', {})", "DATEDIFF('day', {}, DATE '2020-01-01')",
    "LPAD({}, 3, 'x')", "{} ** 2", "{} & 1", "{} COLLATE NOCASE", "ISFINITE({})", "TYPEOF({})",
    "MONTHNAME({})", "CONTAINS({}, 'a')", "RIGHT({}, 1)", "SUBSTRING({}, 1, 2, 3)", "ABS({}, 1)",
    "LOWER({}, 'x')", "COALESCE({})", "ROW({})", "{}[1]", "{} SIMILAR TO 'a'", "{} GLOB 'a*'",
)  # fmt: skip
"""What is not: it is refused, or answered right."""
