"""What PostgreSQL is not asked, because its answer would differ from DuckDB's.

One meaning holds everywhere: DuckDB's. What has a rule in this package means the same in both; the
rest is refused, for one of these reasons.
"""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.shown.wording import option


def remedy() -> str:
    """Whom to ask instead."""
    return f"ask without {option('--engine', 'engine')}: DuckDB knows it."


@dataclass(frozen=True)
class Refusal:
    """What is refused, as docs show it, and why."""

    what: str
    why: str


REFUSALS = {
    "no rule": Refusal(
        "any function beyond those of this page", "it was not proven to mean the same"
    ),
    "aggregate": Refusal(
        "aggregates beyond those of this page", "they were not proven to mean the same"
    ),
    "mixed": Refusal(
        "values of different types side by side (`sex = 1`, `yes = 1`, `AND 1`)",
        "databases convert one into the other by rules of their own",
    ),
    "literal": Refusal(
        "texts in another form than `2024-01-31`, `12:30:00.5`, `-1.5`, `true` where they become dates, "
        "times, numbers or truth values",
        "databases read other forms differently",
    ),
    "float": Refusal("`CAST(… AS FLOAT)`", "databases compare 32-bit numbers differently"),
    "tiny": Refusal("`CAST(… AS TINYINT)`", "PostgreSQL has no such numbers"),
    "double as text": Refusal(
        "`CAST(x / 2 AS VARCHAR)`, `x / 2 || ''`", "databases write such numbers differently"
    ),
    "double as decimal": Refusal(
        "`CAST(x / 2 AS DECIMAL(38, 2))`, with more than 18 digits",
        "databases round such numbers differently",
    ),
    "cast": Refusal(
        "conversions between dates, times, intervals and anything they are not",
        "PostgreSQL has no such conversion",
    ),
    "double remainder": Refusal(
        "`%` and `//` of numbers with a point", "PostgreSQL has it for whole numbers alone"
    ),
    "wide": Refusal(
        "whole numbers of more than 18 digits that are decimals, as floating-point numbers",
        "databases round them differently",
    ),
    "word": Refusal(
        "parts of computed intervals but `EXTRACT(epoch FROM …)`, months of any, days of times",
        "databases keep them differently",
    ),
    "format": Refusal(
        "`STRFTIME` with anything but `%Y %m %d %H %M %S %j %%`", "PostgreSQL writes it differently"
    ),
    "interval": Refusal(
        "arithmetic with intervals but adding them to dates, times and each other (no months or "
        "years to the latter), and their signs",
        "databases keep them differently",
    ),
    "length": Refusal(
        "`SUBSTRING`, `LEFT`, `RIGHT` with computed numbers",
        "databases read those below 0 differently",
    ),
}
