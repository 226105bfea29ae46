"""What a hunt found, for people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.hunt.case import Case
from tests.hunt.hunter import Miss, Outcome
from tests.hunt.worlds_judge import Tightness

REASONS = 40
SHOWN = 3
"""Misses of one kind whose seeds are told."""


@dataclass(frozen=True)
class Sighting:
    """A miss without its case, which the seed gives again."""

    seed: int
    sign: tuple[str, str, str]
    detail: str


@dataclass
class Tally:
    """The sum of many outcomes."""

    cases: int = 0
    cells: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By shape and engine."""
    released: Counter[str] = field(default_factory=Counter)
    asked: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    """By shape, engine, sort of question, and what became of it."""
    refused: Counter[str] = field(default_factory=Counter)
    world_cells: Counter[str] = field(default_factory=Counter)
    tightness: dict[str, Tightness] = field(default_factory=dict)
    misses: dict[tuple[str, str, str], list[Sighting]] = field(default_factory=dict)
    missed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds, and the seed of the case that took them."""

    def add(self, case: Case, outcome: Outcome, seconds: float = 0.0) -> None:
        """Count one more case."""
        shape = case.shape
        self.slowest = max(self.slowest, (seconds, case.seed))
        self.cases += 1
        self.released[shape] += outcome.released
        self.cells += Counter({(shape, engine): n for engine, n in outcome.cells.items()})
        self.asked += Counter({(shape, *what): n for what, n in outcome.asked.items()})
        self.refused += outcome.refused
        self.world_cells[shape] += outcome.world_cells
        tight = self.tightness.setdefault(shape, Tightness())
        tight.cells += outcome.tightness.cells
        tight.attained += outcome.tightness.attained
        for miss in outcome.misses:
            self.missed[miss.sign] += 1
            seen = self.misses.setdefault(miss.sign, [])
            if len(seen) < SHOWN and miss.seed not in [one.seed for one in seen]:
                seen.append(Sighting(miss.seed, miss.sign, miss.detail))

    def merge(self, other: Tally) -> None:
        """Add what another process found."""
        self.cases += other.cases
        self.slowest = max(self.slowest, other.slowest)
        for name in ("cells", "released", "asked", "refused", "world_cells", "missed"):
            getattr(self, name).update(getattr(other, name))
        for shape, tight in other.tightness.items():
            own = self.tightness.setdefault(shape, Tightness())
            own.cells += tight.cells
            own.attained += tight.attained
        for sign, misses in other.misses.items():
            self.misses[sign] = (self.misses.get(sign, []) + misses)[:SHOWN]

    @property
    def total(self) -> int:
        """All cells that were compared with the truth."""
        return sum(self.cells.values())

    def summary(self) -> str:
        """Tables for the terminal."""
        return "\n".join(
            [*self._by_shape(), "", *self._by_sort(), "", *self._reasons(), "", *self._missed()]
        )

    def _by_shape(self) -> list[str]:
        lines = [
            f"{self.cases:,} cases, {sum(self.released.values()):,} releases, {self.total:,} cells"
        ]
        lines.append(f"Slowest: {self.slowest[0]:.1f} s, --case {self.slowest[1]}")
        lines.append(
            f"{'shape':12} {'releases':>9} {'engine':>9} {'cells':>10} {'worlds':>11} {'tight':>8}"
        )
        for (shape, engine), cells in sorted(self.cells.items()):
            tight = self.tightness[shape]
            share = f"{tight.attained / tight.cells:.2%}" if tight.cells else "-"
            lines.append(f"{shape:12} {self.released[shape]:9,} {engine:>9} {cells:10,} "
                         f"{self.world_cells[shape]:11,} {share:>8}")  # fmt: skip
        return lines

    def _by_sort(self) -> list[str]:
        lines = [
            f"{'shape':12} {'engine':>9} {'question':>20} {'asked':>8} {'answered':>9} {'no truth':>9}"
        ]
        for shape, engine, sort in sorted({what[:3] for what in self.asked}):
            answered, refused, none = (
                self.asked[shape, engine, sort, told]
                for told in ("answered", "refused", "no truth")
            )
            asked = answered + refused
            share = f"{answered / asked:.1%}" if asked else "-"
            lines.append(f"{shape:12} {engine:>9} {sort:>20} {asked:8,} {share:>9} {none:9,}")
        return lines

    def _reasons(self) -> list[str]:
        return ["Refused:"] + [
            f"{n:8,} {reason}" for reason, n in self.refused.most_common(REASONS)
        ]

    def _missed(self) -> list[str]:
        if not self.missed:
            return ["No miss."]
        lines = [f"{sum(self.missed.values()):,} MISSES of {len(self.missed)} kinds"]
        for sign, number in self.missed.most_common():
            lines.append(f"{number:8,} {' | '.join(sign)}")
            lines += [
                f"         --case {miss.seed}: {miss.detail[:160]!r}" for miss in self.misses[sign]
            ]
        return lines


def snippet(miss: Miss) -> str:
    """Python that shows the miss, without the hunt."""
    case, columns = (
        miss.case,
        "".join(f"    {_series(column)},\n" for column in miss.case.table.columns),
    )
    lines = [
        "import duckdb, polars as pl",
        "from decimal import Decimal",
        "from anonagram import Key, Method, Microdata",
        f"frame = source = pl.DataFrame([\n{columns}])",
        *(['frame.write_csv("table.csv")', 'source = "table.csv"'] if case.table.by_csv else []),
        f"data = Microdata.read(source, {case.table.schema()!r})",
        f"key = Key(bytes.fromhex({case.key.hex()!r}))",
        f"release = Method.parse({case.method!r}).anonymize(data, key)",
    ]
    if case.bundle is not None:
        lines += [
            f'release.write("bundle", {case.bundle!r}); release = type(release).read("bundle")'
        ]
    for question in case.questions[:1]:
        truth = question.truth_sql(lists=False).replace("FROM data", "FROM frame")
        lines += [
            f"print(*release.query({question.sql()!r}), sep='\\n')",
            f"print(duckdb.sql({truth!r}))",
        ]
    return "\n".join(
        [*lines, f"# {miss.engine}: {miss.what}", f"# {miss.detail}".replace("\n", " ")[:400]]
    )


def _series(column: Any) -> str:
    values, dtype = list(column.values), column.type.dtype
    if dtype.is_temporal():
        return f"pl.Series({column.name!r}, {values!r}, dtype=pl.Int64).cast(pl.{dtype!r})"
    used = "pl." + repr(dtype).replace("List(Int64)", "List(pl.Int64)")
    if "Enum" in used:
        used = "pl.String"
    told = repr(values).replace("nan", "float('nan')")
    return f"pl.Series({column.name!r}, {told}, dtype={used}, strict=False)"
