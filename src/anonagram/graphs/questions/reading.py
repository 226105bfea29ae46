"""Reading a question about a graph: joins become one table whose columns say whose they are.

`FROM edges JOIN authors USING (author) WHERE authors.country = 'US'` is a question about edges with
a column "authors.country", and is then read as every other question is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from sqlglot import exp

from anonagram.errors import suggest
from anonagram.graphs.questions.wording import as_written
from anonagram.queries.reading.limits import require_short
from anonagram.queries.reading.parsing import parse, refuse, texts_of_items
from anonagram.queries.reading.question import DIALECT, Question
from anonagram.queries.reading.reader import read_question
from anonagram.release import GroupedGraphRelease

SIDES = ("left", "right")
EDGES = "edges"
DEGREE = "degree"


@dataclass(frozen=True)
class GraphQuestion:
    """A question about the rows of one table, or about edges."""

    question: Question
    rows: str
    """What a row is: left, right or edges."""

    def side_of(self, column: str) -> str:
        """The side that a column of the joined table belongs to."""
        return column.split(":", 1)[0]


def column_name(side: str, name: str) -> str:
    """What a column of one side is called in the joined table."""
    return f"{side}:{name}"


def read_graph_question(release: GroupedGraphRelease, sql: str) -> GraphQuestion:
    """Read a question about a graph."""
    require_short(sql)
    return _Reader(release, sql).read()


class _Reader:
    def __init__(self, release: GroupedGraphRelease, sql: str) -> None:
        self.release, self.sql = release, sql
        names = release.names
        self.tables = {EDGES: EDGES} | {
            name.lower(): side for name, side in zip(names.tables, SIDES, strict=True)
        }
        self.keys = dict(zip(SIDES, names.keys, strict=True))
        self.ends = dict(zip(SIDES, names.ends, strict=True))
        self.items: set[str] = set()
        self.called: dict[str, str] = {}
        """Of each name that is used before a column: left, right or edges."""

    def read(self) -> GraphQuestion:
        select = parse(self.sql)
        self._read_tables(select)
        for join in select.args.get("joins") or ():
            self._require_join(join)
        select.set("joins", None)
        rows = EDGES if EDGES in self.called.values() else next(iter(self.called.values()))
        self._name_items(select)
        flat = select.transform(self._rename)
        flat.set("from_", exp.From(this=exp.to_table("data")))
        with as_written(self.sql):
            return GraphQuestion(read_question(flat.sql(DIALECT), self._columns()), rows)

    def refuse(self, at: exp.Expr | str | None, why: str, remedy: str) -> NoReturn:
        refuse(self.sql, at, why, remedy)

    def _read_tables(self, select: exp.Select) -> None:
        source = select.args.get("from_")
        left, right = self.release.names.tables
        if source is None:
            self.refuse(None, "The question does not say which table.", f"… FROM {EDGES}")
        for table in (source.this, *(join.this for join in select.args.get("joins") or ())):
            if not isinstance(table, exp.Table) or table.name.lower() not in self.tables:
                self.refuse(
                    table if isinstance(table, exp.Table) else "FROM",
                    "There is no such table.",
                    f"FROM {EDGES}, {left} or {right}.",
                )
            side = self.tables[table.name.lower()]
            if side in self.called.values():
                self.refuse(
                    table,
                    f"{table.name} is joined twice: paths of two edges have no bounds here.",
                    "one JOIN of each table.",
                )
            self.called[(table.alias or table.name).lower()] = side
        if len(self.called) > 1 and EDGES not in self.called.values():
            self.refuse(
                "FROM", f"Only {EDGES} connect {left} with {right}.", f"FROM {EDGES} JOIN …"
            )

    def _require_join(self, join: exp.Join) -> None:
        """A join must be by the columns that name entities: each edge has one of each side."""
        extra = {n for n, v in join.args.items() if v} - {"this", "on", "using", "kind"}
        if extra or join.kind.upper() not in ("", "INNER"):
            self.refuse(join.this, "Only plain joins are understood.", "JOIN … USING (…)")
        side = self.called[(join.this.alias or join.this.name).lower()]
        sides = [side] if side != EDGES else [s for s in self.called.values() if s != EDGES]
        using = [each.name.lower() for each in join.args.get("using") or ()]
        for each in sides:
            if using == [self.keys[each].lower()] and self.keys[each] == self.ends[each]:
                return
            if self._joins(join.args.get("on"), each):
                return
        self.refuse(
            join.this,
            "Tables are joined by the columns that name their rows.",
            f"JOIN {self.release.names.tables[SIDES.index(sides[0])]} ON "
            f"{EDGES}.{self.ends[sides[0]]} = …{self.keys[sides[0]]}",
        )

    def _joins(self, on: exp.Expr | None, side: str) -> bool:
        """Whether a condition is that the edge's end is the entity."""
        if not isinstance(on, exp.EQ):
            return False
        named = {
            (self.called.get(each.table.lower()), each.name.lower())
            for each in (on.left, on.right)
            if isinstance(each, exp.Column)
        }
        return named == {(EDGES, self.ends[side].lower()), (side, self.keys[side].lower())}

    def _name_items(self, select: exp.Select) -> None:
        """Every item of the SELECT list gets the name by which its author knows it."""
        texts = texts_of_items(self.sql)
        if len(texts) != len(select.expressions):
            texts = [item.sql(DIALECT) for item in select.expressions]
        named = [
            item if isinstance(item, exp.Alias | exp.Star) else exp.alias_(item, text, quoted=True)
            for item, text in zip(select.expressions, texts, strict=True)
        ]
        select.set("expressions", named)
        self.items = {item.alias.lower() for item in named}

    def _rename(self, node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        is_item = not node.table and node.name.lower() in self.items
        if is_item and node.find_ancestor(exp.Order, exp.Having, exp.Group):
            return node
        side, name = self._resolve(node)
        return exp.column(column_name(side, name), quoted=True)

    def _resolve(self, column: exp.Column) -> tuple[str, str]:
        """The side of a column, and its own name there."""
        name, table = column.name.lower(), column.table.lower()
        if table and table not in self.called:
            self.refuse(column, f"There is no table {column.table!r}.", suggest(table, self.called))
        sides = [self.called[table]] if table else list(dict.fromkeys(self.called.values()))
        found = []
        for side in sides:
            if side == EDGES:
                # the end of an edge names the entity
                found += [(s, self.keys[s]) for s in SIDES if name == self.ends[s].lower()]
            else:
                found += [(side, own) for own in self._names(side) if own.lower() == name]
        found = list(dict.fromkeys(found))
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            self.refuse(
                column, f"{column.name} is a column of several tables.",
                f"{self.release.names.tables[0]}.{column.name}",
            )  # fmt: skip
        known = [own for side in sides if side != EDGES for own in self._names(side)]
        self.refuse(column, f"There is no column {column.name!r}.", suggest(column.name, known))
        return None

    def _names(self, side: str) -> list[str]:
        columns = [each.name for each in self.release.manifest.table(side).columns]
        return [*columns, DEGREE, self.keys[side]]

    def _columns(self) -> list[str]:
        return [column_name(side, name) for side in SIDES for name in self._names(side)]
