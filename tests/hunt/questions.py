"""Random questions: sensible ones that an analyst would write, and wild ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.hunt.expressions import Maker, quoted_name
from tests.hunt.functions import UNITS
from tests.hunt.literals import NUMBERS
from tests.hunt.question import Item, Question
from tests.hunt.tables import Column, Table
from tests.hunt.tree import Node, node

CLASSIC = ("COUNT", "SUM", "AVG", "MIN", "MAX")
KEYS = ("text", "logic", "whole", "day")
"""What an analyst groups by as it is."""
BY_RANK = (
    "MEDIAN({})", "QUANTILE_CONT({}, 0.25)", "QUANTILE_DISC({}, 0.75)", "QUANTILE_CONT({}, 0.9)",
    "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {})",
    "PERCENTILE_DISC(0.1) WITHIN GROUP (ORDER BY {})", "QUANTILE({}, 0.4)",
)  # fmt: skip
COMBINED = (
    "ROUND(AVG({}), 2)", "SUM({}) / COUNT(*)", "SUM({}) / NULLIF(COUNT({}), 0)", "MAX({}) - MIN({})",
    "100.0 * COUNT({}) / COUNT(*)", "COUNT(*) - COUNT({})", "(SUM({}) - MIN({})) * 2", "-MAX({})",
    "ROUND(100 * COUNT({}) / COUNT(*))", "AVG({}) - 1.5", "SUM({}) + 9007199254740993", "1 - AVG({})",
    "COUNT(*) * COUNT({})", "MAX({}) * MIN({})", "ROUND(SUM({}) / 3, 1)",
)  # fmt: skip
"""Arithmetic with aggregates of one expression."""
OF_CHOSEN = (
    "CASE WHEN {} THEN 1 ELSE 0 END", "CASE WHEN {} THEN 1 END", "CASE WHEN {} THEN {} ELSE 0 END",
    "CASE WHEN {} THEN {} END", "CASE WHEN {} THEN {} ELSE NULL END", "CASE WHEN {} THEN 2 ELSE -3 END",
    "CASE WHEN {} THEN 1.5 ELSE 0 END", "IF({}, {}, 0)", "CASE WHEN {} THEN NULL ELSE {} END",
)  # fmt: skip
"""What is added up of those whom a condition chooses."""
ODD = (
    "MIN({}, 2)", "MAX({}, 1)", "SUM(DISTINCT {})", "AVG(DISTINCT {})", "STDDEV({})", "ANY_VALUE({})",
    "COUNT(DISTINCT {}, 1)", "FIRST({})", "MODE({})", "SUM({}) OVER ()", "COUNT({}) + 1", "ARG_MIN({}, 1)",
    "MIN({} ORDER BY 1)", "BOOL_AND({})", "STRING_AGG({}, ',')", "VARIANCE({})", "FSUM({})", "PRODUCT({})",
)  # fmt: skip


def random_question(rng: Random, table: Table) -> Question:
    """A question about a table."""
    sort = rng.choices(("sensible", "summary", "rank", "wild"), (5, 5, 1, 3))[0]
    source, prefix = rng.choices(
        (("data", ""), ("data AS d", "d."), ("data", "data.")), (12, 1, 1)
    )[0]
    maker = Maker(
        rng, table.published, wild=sort == "wild", prefix=prefix, everyday=table.everyday,
        has_theme=table.has_theme,
    )  # fmt: skip
    if sort == "wild" and rng.random() < 0.03:
        source = rng.choice(
            ("data AS d(b, a)", "main.data", "data TABLESAMPLE 50%", '"data"', "DATA")
        )
    if sort == "rank" and rng.random() < 0.15:
        return Question(
            tuple(_keys(maker, 1)), _where(maker, 1), source=source, sort=sort, distinct=True
        )
    if sort == "summary":
        return Question(tuple(_summary(maker)), _where(maker, 0), source=source, sort=sort)
    items = [*_keys(maker, rng.choices((0, 1, 2, 3), (3, 6, 3, 1))[0]), *_aggregates(maker, sort)]
    if rng.random() < 0.1:
        rng.shuffle(items)
    question = Question(
        tuple(_named(rng, items, table)),
        _where(maker, 2 if sort == "wild" else 1),
        source=source,
        sort=sort,
        by_place=rng.random() < 0.1,
    )
    return _with_ends(rng, question)


def _keys(maker: Maker, number: int) -> list[Item]:
    if maker.everyday and maker.column(*KEYS, "moment") is None:
        return []
    keys = {one.sql().replace('"', "").lower(): one for one in (_key(maker) for _ in range(number))}
    return [Item("KEY", one) for one in keys.values()]


def _summary(maker: Maker) -> list[Item]:
    """One to three columns to group by, and everything about some others."""
    rng = maker.rng
    fitting = [c for c in maker.columns if not maker.everyday or c.sort in KEYS]
    keys = rng.sample(fitting, min(len(fitting), rng.choices((1, 2, 3), (2, 4, 1))[0]))
    items = [Item("KEY", _period(maker, c)) for c in keys] + [Item("COUNT", None)]
    for column in rng.sample(maker.columns, min(len(maker.columns), 2)):
        fitting = CLASSIC if column.sort in NUMBERS else ("COUNT", "MIN", "MAX")
        items += [Item(function, maker.name(column)) for function in fitting]
    return [replace(item, alias=f"i{place}") for place, item in enumerate(items)]


def _key(maker: Maker) -> Node:
    """What an analyst groups by: not by amounts or instants as they are."""
    column = maker.rng.choice(maker.columns)
    if maker.everyday and column.sort not in (*KEYS, "moment"):
        column = maker.column(*KEYS, "moment") or column
    if maker.rng.random() < 0.25 and not (maker.everyday and column.sort == "moment"):
        return maker.expression(column, 1)
    if column.sort == "moment":
        return node("moment", f"DATE_TRUNC('{maker.rng.choice(UNITS)}', {{}})", maker.name(column))
    usual = maker.column(*KEYS)
    if not maker.wild and column.sort not in KEYS and usual is not None:
        column = usual
    return _period(maker, column)


def _period(maker: Maker, column: Column) -> Node:
    """A column as a key; years and months rather than days, where days can be many."""
    if maker.everyday and column.sort == "day" and maker.rng.random() < 0.8:
        unit = maker.rng.choice(("year", "quarter", "month", "decade"))
        return node("moment", f"DATE_TRUNC('{unit}', {{}})", maker.name(column))
    return maker.name(column)


def _aggregates(maker: Maker, sort: str) -> list[Item]:
    number = maker.rng.choices((1, 2, 3, 5), (5, 4, 2, 1))[0]
    return [
        _aggregate(maker, sort if maker.rng.random() < 0.7 else "sensible") for _ in range(number)
    ]


def _aggregate(maker: Maker, sort: str) -> Item:
    rng = maker.rng
    function = rng.choices(CLASSIC, (5, 4, 4, 3, 3))[0]
    kept = maker.condition(0) if rng.random() < 0.06 else None
    if sort == "rank":
        function = rng.choice(("COUNT DISTINCT", *BY_RANK))
    if sort == "wild" and rng.random() < 0.1:
        function = rng.choice(ODD)
    if function == "COUNT" and rng.random() < 0.6:
        return Item("COUNT", None, filter=kept)
    if sort != "rank" and rng.random() < 0.1:
        return _of_chosen(maker, function, kept)
    if sort != "rank" and rng.random() < 0.08:
        function, kept = rng.choice(COMBINED), None
    column = _argument_column(maker, function)
    if column is None:
        return Item("COUNT", None, filter=kept)
    if function in ("SUM", "AVG") and column.sort not in NUMBERS and not maker.wild:
        return _of_times(maker, function, column, kept)
    argument = maker.expression(column, 1) if rng.random() < 0.6 else maker.name(column)
    if function in ("SUM", "AVG") and not maker.wild and argument.sort not in NUMBERS:
        argument = node("whole", "CASE WHEN {} THEN 1 ELSE 0 END", maker.condition(0))
    return Item(function, argument, filter=kept)


def _of_chosen(maker: Maker, function: str, kept: Node | None) -> Item:
    """An aggregate of those whom a condition chooses, in one of the ways to write it."""
    condition, column = maker.condition(maker.rng.randint(0, 1)), maker.column(*NUMBERS)
    if column is None or maker.rng.random() < 0.3:
        return Item("COUNT_IF", condition, filter=kept)
    form = maker.rng.choice(OF_CHOSEN)
    more = [maker.name(column)] * (form.count("{}") - 1)
    sort = column.sort if more else "whole"
    return Item(function, node(sort, form, condition, *more), filter=kept)


def _of_times(maker: Maker, function: str, column: Column, kept: Node | None) -> Item:
    """The sum or mean of a number that is made of dates or times."""
    found = next(
        (e for e in (maker.expression(column, 1) for _ in range(9)) if e.sort in NUMBERS), None
    )
    if found is None:
        found = node("whole", "CASE WHEN {} THEN 1 ELSE 0 END", maker.condition(0))
    return Item(function, found, filter=kept)


def _argument_column(maker: Maker, function: str) -> Column | None:
    if function in COMBINED:
        return maker.column(*NUMBERS)
    if function in ("SUM", "AVG") and maker.rng.random() < 0.12:
        return maker.column("day", "moment", "clock", "span") or maker.column(*NUMBERS)
    if function in ("SUM", "AVG") or "CONT" in function or "MEDIAN" in function:
        numeric = maker.column(*NUMBERS)
        return maker.column() if maker.wild and maker.rng.random() < 0.3 else numeric
    if "{}" in function:
        return maker.column(*NUMBERS, "day", "moment")
    return maker.column()


def _where(maker: Maker, depth: int) -> Node | None:
    return maker.condition(depth) if maker.rng.random() < 0.75 else None


def _named(rng: Random, items: list[Item], table: Table) -> list[Item]:
    """Aliases for most items; now and then one that is a column's name."""
    if rng.random() < 0.15 and len({item.sql() for item in items}) == len(items):
        return items
    names = [f"i{place}" for place in range(len(items))]
    if rng.random() < 0.06:
        taken = rng.choice(table.published).name
        names[rng.randrange(len(names))] = quoted_name(taken)
    return [replace(item, alias=name) for item, name in zip(items, names, strict=True)]


def _with_ends(rng: Random, question: Question) -> Question:
    """HAVING, ORDER BY and LIMIT on some questions."""
    if not question.keys or rng.random() < 0.75:
        return question
    first = question.aggregates[0].sql()
    having = rng.choice(
        ("", f" HAVING COUNT(*) > {rng.randint(0, 2)}", f" HAVING {first} IS NOT NULL")
    )
    place = rng.randrange(len(question.items))
    by, down = rng.choice((question.items[place].sql(), str(place + 1))), rng.random() < 0.5
    order, ordered = "", None
    if rng.random() < 0.6:
        order = f" ORDER BY {by}{' DESC' if down else rng.choice(('', ' ASC', ' NULLS LAST'))}"
        ordered = None if _is_shadowed(by, question) else (place, down)
    limit = rng.choice(("", f" LIMIT {rng.randint(1, 4)}", " LIMIT 3 OFFSET 1"))
    return replace(question, having=having, order=order, ordered=ordered, limit=limit)


def _is_shadowed(by: str, question: Question) -> bool:
    """Whether an alias has the name of a column that is ordered by: ORDER BY means the alias then."""
    aliases = [item.alias.strip('"').lower() for item in question.items if item.alias]
    return any(alias in by.lower() for alias in aliases)
