"""A table with a column of every type that a release can hold in every database."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import polars as pl

ROWS = 40
WHOLES = {
    "i8": pl.Int8, "i16": pl.Int16, "i32": pl.Int32, "i64": pl.Int64, "u8": pl.UInt8,
    "u16": pl.UInt16, "u32": pl.UInt32, "u64": pl.UInt64,
}  # fmt: skip
TEXTS = [
    "", " ", "a", "A", "aB%c_d", "back\\slash", "\\", "%", "_", "a\u0301", "ÄÖÜß", "äöüẞ", "ΣΑΣ", "ςσ",
    "İıIi", "ǅǆǄ", "ﬁŉǰ", "K\u212aÅ\u212b", "\u00a0nbsp\u3000", "\tx\n", "  two  ", "日本語",
    "🤦🏼\u200d♂️", "Ⱥⱥ",
    "ÿŸ", "µΜμ", "5", "-7", "true", "2000-02-29", "12:30:00.5", "1.25", "2000-01-01 01:02:03", "z", "Z", "_a",
]  # fmt: skip


def columns() -> pl.DataFrame:
    """A column of every type with its extremes, some missing values and many ordinary ones."""
    draw = random.Random(7)
    limits = {name: (dtype.min(), dtype.max()) for name, dtype in WHOLES.items()}
    ends = pl.select(
        **{f"{n}_low": low for n, (low, _) in limits.items()},
        **{f"{n}_high": high for n, (_, high) in limits.items()},
    ).row(0, named=True)
    table: dict[str, pl.Series] = {"id": pl.Series(range(ROWS))}
    for name, dtype in WHOLES.items():
        low, high = ends[f"{name}_low"], ends[f"{name}_high"]
        some = [low, high, 0, 1, max(low, -1), max(low, -7), 7, 100, None]
        some += [draw.randint(low, high) for _ in range(6)]
        table[name] = pl.Series([draw.choice(some) for _ in range(ROWS)], dtype=dtype)
    huge = [10**38 - 1, -(10**38) + 1, 2**64, 2**53 + 1, 0, -3, 7, None]
    reals = [
        0.0,
        -0.0,
        0.1,
        -0.1,
        2.5,
        3.5,
        -2.5,
        1e300,
        -1e-300,
        2.0**53,
        1e15,
        1 / 3,
        5e-324,
        None,
    ]
    days = [
        date(1, 1, 1),
        date(9999, 12, 31),
        date(1999, 12, 31),
        date(2000, 2, 29),
        date(1969, 7, 20),
        None,
    ]
    days += [date(1900, 1, 1) + timedelta(draw.randrange(70000)) for _ in range(12)]
    moments = [
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime(1969, 12, 31, 23, 59, 59, 1),
        None,
    ]
    moments += [
        datetime(1900, 1, 1) + timedelta(microseconds=draw.randrange(6 * 10**15)) for _ in range(12)
    ]
    clocks = [time(0), time(23, 59, 59, 999999), time(12, 30, 0, 500000), time(1, 2, 3, 4), None]
    spans = [
        timedelta(),
        timedelta(hours=25),
        timedelta(days=-40, microseconds=7),
        timedelta(days=365),
        None,
    ]
    cents = [Decimal(draw.randrange(-(10**9), 10**9)).scaleb(-2) for _ in range(9)]
    broad = [Decimal(draw.randrange(-(10**27), 10**27)).scaleb(-10) for _ in range(4)]
    broad += [Decimal("0.5"), Decimal("-2.5"), Decimal("1e-10"), None]

    def drawn(values: list[object], dtype: object = None) -> pl.Series:
        rest = [draw.choice(values) for _ in range(ROWS - len(values))]
        return pl.Series(values + rest, dtype=dtype)  # type: ignore[arg-type]

    return pl.DataFrame(table).with_columns(
        huge=drawn(huge, pl.Int128),
        money=drawn([*cents, Decimal("0.5"), Decimal("-2.50"), None], pl.Decimal(12, 2)),
        broad=drawn(broad, pl.Decimal(38, 10)),
        real=drawn(reals),
        small=drawn([0.5, 1.5, -2.5, 7.0, 100.25, None]),
        name=drawn([*TEXTS, None]),
        code=drawn(["12", "-7", "0", None]),
        day=drawn(days),
        moment=drawn(moments),
        zoned=drawn(
            [datetime(2024, 3, 31, 12, 30), datetime(2024, 10, 27, 1, 30, 0, 7), None]
        ).dt.replace_time_zone("Europe/Paris"),
        clock=drawn(clocks),
        took=drawn(spans, pl.Duration("us")),
        yes=drawn([True, False, None]),
    )
