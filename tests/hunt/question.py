"""A question in parts that can be left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.hunt.tree import Node

WORLD = "__world"


@dataclass(frozen=True)
class Item:
    """A part of the select list: a group key, or an aggregate with its argument and filter."""

    function: str
    """KEY, COUNT, COUNT_IF, SUM, AVG, MIN, MAX, COUNT DISTINCT, or a form with {} for its argument."""
    argument: Node | None
    alias: str | None = None
    filter: Node | None = None

    @property
    def is_key(self) -> bool:
        """Whether it is a group key."""
        return self.function == "KEY"

    @property
    def counts_nobody(self) -> bool:
        """Whether it is 0 where there is nobody, at least in its bounds."""
        return self.function in ("SUM", "COUNT", "COUNT_IF", "COUNT DISTINCT")

    @property
    def sums(self) -> bool:
        """Whether it is a sum, or made of one: of nobody it counts as 0."""
        return "SUM" in self.function

    def sql(self) -> str:
        """Its text, without an alias."""
        told = "*" if self.argument is None else self.argument.sql()
        if self.is_key:
            return told
        if "{}" in self.function:
            text = self.function.replace("{}", told)
        else:
            text = (
                f"{self.function.split()[0]}({'DISTINCT ' if ' ' in self.function else ''}{told})"
            )
        return text + self._filtered()

    def values_sql(self) -> str:
        """The list of the values that are aggregated, for sums that are told exactly."""
        return f"list({'NULL' if self.argument is None else self.argument.sql()}){self._filtered()}"

    def _filtered(self) -> str:
        return f" FILTER (WHERE {self.filter.sql()})" if self.filter else ""

    def smaller(self) -> list[Item]:
        """The item with a simpler argument or filter, or without an alias."""
        found = [replace(self, filter=None)] if self.filter else []
        found += [replace(self, alias=None)] if self.alias else []
        found += [
            replace(self, filter=less) for less in (self.filter.smaller() if self.filter else ())
        ]
        return found + [
            replace(self, argument=less)
            for less in (self.argument.smaller() if self.argument else ())
        ]


@dataclass(frozen=True)
class Question:
    """One SELECT, in parts that can be left out."""

    items: tuple[Item, ...]
    where: Node | None = None
    having: str = ""
    order: str = ""
    ordered: tuple[int, bool] | None = None
    """The place in the select list that is ordered by, and whether from the highest down."""
    limit: str = ""
    source: str = "data"
    sort: str = "sensible"
    """sensible, summary (many aggregates), rank (COUNT DISTINCT, quantiles, SELECT DISTINCT), wild."""
    by_place: bool = False
    """Whether GROUP BY names places of the select list."""
    distinct: bool = False

    @property
    def keys(self) -> list[Item]:
        """The group keys."""
        return [item for item in self.items if item.is_key]

    @property
    def aggregates(self) -> list[Item]:
        """What is aggregated."""
        return [item for item in self.items if not item.is_key]

    @property
    def tells_all(self) -> bool:
        """Whether every group must be in the answer."""
        return not (self.having or self.limit)

    def sql(self) -> str:
        """What is asked."""
        select = ", ".join(f"{i.sql()} AS {i.alias}" if i.alias else i.sql() for i in self.items)
        keys = [
            str(place) if self.by_place else item.sql()
            for place, item in enumerate(self.items, 1)
            if item.is_key
        ]
        group = f" GROUP BY {', '.join(keys)}" if keys and not self.distinct else ""
        start = "SELECT DISTINCT" if self.distinct else "SELECT"
        ends = f"{group}{self.having}{self.order}{self.limit}"
        return f"{start} {select} FROM {self.source}{self._where()}{ends}"

    def truth_sql(self, *, lists: bool) -> str:
        """The same about the original; or the lists of what its aggregates take."""
        told = [i.values_sql() if lists and not i.is_key else i.sql() for i in self.items]
        return f"SELECT {', '.join(told)} FROM {self.source}{self._where()}{self._group([])}"

    def worlds_sql(self) -> str:
        """The same about every world at once."""
        source = (
            "worlds AS data" if self.source == "data" else self.source.replace("data", "worlds", 1)
        )
        told = [f"{WORLD}", *(item.sql() for item in self.items)]
        return f"SELECT {', '.join(told)} FROM {source}{self._where()}{self._group([WORLD])}"

    def _where(self) -> str:
        return f" WHERE {self.where.sql()}" if self.where else ""

    def _group(self, more: list[str]) -> str:
        keys = more + [item.sql() for item in self.keys]
        return f" GROUP BY {', '.join(keys)}" if keys else ""

    def smaller(self) -> list[Question]:
        """Simpler questions."""
        found = [replace(self, **{part: ""}) for part in ("having", "limit") if getattr(self, part)]
        found += [replace(self, order="", ordered=None)] if self.order else []
        found += [replace(self, where=None)] if self.where else []
        found += [replace(self, by_place=False)] if self.by_place else []
        found += [
            replace(self, items=self._without(i))
            for i in range(len(self.items))
            if len(self.items) > 1 and self.ordered is None  # the order names a place
        ]
        found += [
            replace(self, where=less) for less in (self.where.smaller() if self.where else ())
        ]
        for place, item in enumerate(self.items):
            found += [
                replace(self, items=(*self.items[:place], less, *self.items[place + 1 :]))
                for less in item.smaller()
            ]
        return found

    def _without(self, place: int) -> tuple[Item, ...]:
        return self.items[:place] + self.items[place + 1 :]
