"""Random query workloads: how far estimates are from the truth, and how wide the bounds are.

The queries are those of the papers. COUNT with conditions on some quasi-identifiers and the
sensitive attribute (Li et al. 2015, §4.2); SUM and AVG of a numeric sensitive attribute over ranges
of quasi-identifiers, or over arbitrary sets of people (Zhang 2007, §2.8). A thousand of them are
answered by compiled passes over the published tables, with the same figures as `release.query`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from anonagram.errors import CallError, PromiseBroken
from anonagram.measures.spread import Spread, spread
from anonagram.microdata import Column, Microdata
from anonagram.queries.answers import Answer
from anonagram.queries.coded import CodedRows
from anonagram.queries.left_out import counted_in
from anonagram.queries.rearranged.many import Gathered, ManyGroups, reading
from anonagram.queries.replaced.many import Gathered as GatheredCells
from anonagram.queries.replaced.many import ManyRows, Replacing
from anonagram.queries.subdomains.many import ManySubdomains
from anonagram.release import Manifest, Release, Replaced, WithSubdomains
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many, option

AGGREGATES = ("COUNT", "SUM", "AVG")
PIECES = 8
"""Queries are answered in so many pieces, each on a thread."""


@dataclass(frozen=True)
class Workload:
    """Queries: an interval of codes for each attribute that a query asks about."""

    aggregate: str
    columns: tuple[Column, ...]
    attributes: NDArray[np.int64]
    """For each query, which columns it asks about."""
    firsts: NDArray[np.int64]
    stops: NDArray[np.int64]
    target: Column | None = None
    """What is summed."""

    @classmethod
    def draw(
        cls,
        microdata: Microdata,
        aggregate: str = "COUNT",
        conditions: int | None = None,
        volume: float = 0.1,
        queries: int = 1000,
        seed: int = 0,
    ) -> Workload:
        """Random queries with so many conditions, that cover about a share `volume` of the space.

        An interval has ⌊|A|·volume^(1/(w+1))⌋ of an attribute's |A| values, w being the number of
        conditions. A COUNT asks about the sensitive attribute and w - 1 others.
        """
        quasi = tuple(microdata.with_role("quasi"))
        target = _target(microdata, aggregate)
        counted = microdata.with_role("sensitive")[:1] if aggregate == "COUNT" else []
        most = len(quasi) + len(counted)
        w = min(5, most) if conditions is None else conditions
        if not 1 <= w <= most:
            raise CallError(
                f"A query can have 1 to {how_many(most, 'condition')}, not {w}.", f"{min(5, most)}"
            )
        require_numbers(volume, queries, seed)
        columns = (*quasi, *counted)
        random = np.random.default_rng(seed)
        picked = w - len(counted)
        chosen = np.stack([random.permutation(len(quasi))[:picked] for _ in range(queries)])
        if counted:
            chosen = np.concatenate([chosen, np.full((queries, 1), len(quasi))], axis=1)
        sizes = np.array([len(column.domain) for column in columns])[chosen]
        lengths = np.maximum(1, np.floor(sizes * volume ** (1 / (w + 1)))).astype(np.int64)
        firsts = random.integers(0, sizes - lengths + 1)
        return cls(aggregate, columns, chosen, firsts, firsts + lengths, target)

    def __len__(self) -> int:
        return len(self.attributes)

    def ask(self, number: int) -> list[tuple[Column, int, int]]:
        """The conditions of a query: a column, its first code and the code after the last."""
        return [
            (self.columns[a], int(first), int(stop))
            for a, first, stop in zip(
                self.attributes[number], self.firsts[number], self.stops[number], strict=True
            )
        ]

    def sql(self, number: int) -> str:
        """A query as it would be typed."""
        what = "*" if self.target is None else exp.to_identifier(self.target.name, quoted=True)
        conditions = " AND ".join(
            condition_on(column, first, stop) for column, first, stop in self.ask(number)
        )
        return f"SELECT {self.aggregate}({what}) FROM data WHERE {conditions}"


@dataclass(frozen=True)
class RowSets:
    """Queries over arbitrary people: each combination of quasi-identifiers is in by chance.

    A COUNT asks how many of them have a sensitive value in some interval.
    """

    aggregate: str
    volume: float
    queries: int
    seed: int
    target: Column | None = None
    counted: Column | None = None

    @classmethod
    def draw(
        cls, microdata: Microdata, aggregate: str, volume: float, queries: int, seed: int
    ) -> RowSets:
        """Queries that each select about a share `volume` of the people."""
        require_numbers(volume, queries, seed)
        target = _target(microdata, aggregate)
        if aggregate == "COUNT" and not microdata.with_role("sensitive"):
            raise CallError("COUNT asks about sensitive values; no column is sensitive.")
        counted = microdata.with_role("sensitive")[0] if aggregate == "COUNT" else None
        return cls(aggregate, volume, queries, seed, target, counted)

    def __len__(self) -> int:
        return self.queries

    def chosen(self, number: int, people: int) -> NDArray[np.uint8]:
        """Which combinations a query is about."""
        draws = np.random.default_rng([self.seed, number]).random(people)
        return (draws < self.volume).astype(np.uint8)

    def interval(self, number: int) -> list[tuple[Column, int, int]]:
        """The condition of a COUNT on the sensitive attribute."""
        if self.counted is None:
            return []
        size = len(self.counted.domain)
        length = max(1, int(size * self.volume**0.5))
        first = int(np.random.default_rng([self.seed, number, 1]).integers(0, size - length + 1))
        return [(self.counted, first, first + length)]


def require_numbers(volume: float, queries: int, seed: int) -> None:
    """Refuse what no workload can be drawn with."""
    if not 0 < volume <= 1:
        raise CallError(f"The volume {volume:g} is not above 0 and at most 1.", "0.1")
    if queries < 1:
        raise CallError(f"{queries} questions are none.", "1000")
    if seed < 0:
        raise CallError(f"The seed {seed} is negative.", "a whole number from 0.")


def _target(microdata: Microdata, aggregate: str) -> Column | None:
    if aggregate not in AGGREGATES:
        raise CallError(f"{aggregate} is no aggregate of a workload.", ", ".join(AGGREGATES))
    if aggregate == "COUNT":
        return None
    numbers = [
        column
        for column in microdata.with_role("sensitive")
        if column.domain.dtype.is_integer() or column.domain.dtype.is_float()
    ]
    if not numbers or numbers[0].has_missing:
        raise CallError(
            f"{aggregate} needs a sensitive column of numbers without missing values; "
            f"{_why_not(microdata)}.",
            option("--aggregate COUNT", 'aggregate="COUNT"'),
        )
    return numbers[0]


def _why_not(microdata: Microdata) -> str:
    sensitive = microdata.with_role("sensitive")
    if not sensitive:
        return "none is sensitive"
    column = sensitive[0]
    kind = "misses values" if column.has_missing else "holds no whole or floating-point numbers"
    return f"{column.name!r} {kind}"


def condition_on(column: Column, first: int, stop: int, table: str | None = None) -> str:
    """In SQL: that a column, of a table where one is named, has one of these values by their codes."""
    name = exp.column(column.name, table, quoted=True).sql("duckdb")
    if column.kind in ("nominal", "ordinal"):
        values = column.domain[first:stop].to_list()
        return f"{name} IN ({', '.join(exp.convert(v).sql('duckdb') for v in values)})"
    low, high = (exp.convert(column.domain[code]).sql("duckdb") for code in (first, stop - 1))
    return f"{name} BETWEEN {low} AND {high}"


@dataclass(frozen=True)
class WorkloadResult(Shown):
    """What a workload showed; queries whose true answer is 0 have no relative error."""

    shown_by = "workload"

    method: str
    aggregate: str
    queries: int
    without_error: int
    """Queries whose true answer is 0 or NULL."""
    error: Spread | None
    """|estimate - truth| / |truth|"""
    width: Spread | None
    """(upper - lower) / |truth|"""
    answers: pl.DataFrame
    """Columns truth, estimate, lower, upper (and naive, corrected), a row each query."""
    unanswered: int = 0
    """Queries that the release leaves nothing to answer from; they are in none of the figures."""
    naive_error: Spread | None = None
    """The same error of a table with replaced values, read as if nothing had been replaced."""
    corrected_error: Spread | None = None
    """The same error, where every answer is corrected for the replacements."""

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram workload --json` prints."""
        return {
            "method": self.method,
            "aggregate": self.aggregate,
            "queries": self.queries,
            "without_error": self.without_error,
            "error": None if self.error is None else asdict(self.error),
            "width": None if self.width is None else asdict(self.width),
            "unanswered": self.unanswered,
            "naive_error": None if self.naive_error is None else asdict(self.naive_error),
            "corrected_error": (
                None if self.corrected_error is None else asdict(self.corrected_error)
            ),
        }


def run_workload(
    release: Release, microdata: Microdata, workload: Workload | RowSets
) -> WorkloadResult:
    """Answer a workload from the original and from the release, and compare."""
    step("Asking the original")
    truth = true_answers(microdata, workload)
    step("Asking the release")
    answers = answer_workload(release, microdata, workload)
    return compared(release.manifest.method, workload.aggregate, beside(truth, answers))


def beside(truth: pl.Series, answers: pl.DataFrame) -> pl.DataFrame:
    """Answers behind what is true."""
    return answers.select(truth.alias("truth"), pl.all())


def compared(method: str, aggregate: str, answers: pl.DataFrame) -> WorkloadResult:
    """Errors and widths of answers: columns truth, estimate, lower, upper, a row each question."""
    _require_bounds(answers)
    about_somebody = answers.filter(pl.col("truth").is_not_null() & (pl.col("truth") != 0))
    asked = about_somebody.filter(pl.col("estimate").is_not_null())
    scale = pl.col("truth").abs()
    found = asked.select(
        error=(pl.col("estimate") - pl.col("truth")).abs() / scale,
        width=(pl.col("upper") - pl.col("lower")) / scale,
        **{
            f"{name}_error": (pl.col(name) - pl.col("truth")).abs() / scale
            for name in ("naive", "corrected")
            if name in asked.columns
        },
    )

    def spread_of(name: str) -> Spread | None:
        if name not in found.columns:
            return None
        values = found[name].drop_nulls().to_numpy()
        return spread(values, np.ones(values.size)) if values.size else None

    return WorkloadResult(
        method,
        aggregate,
        answers.height,
        answers.height - about_somebody.height,
        spread_of("error"),
        spread_of("width"),
        answers,
        about_somebody.height - asked.height,
        spread_of("naive_error"),
        spread_of("corrected_error"),
    )


def _require_bounds(answers: pl.DataFrame) -> None:
    """The promise, checked on every query: nothing else would be worth a figure."""
    outside = (pl.col("truth") < pl.col("lower")) | (pl.col("truth") > pl.col("upper"))
    wrong = answers.filter(outside)
    if not wrong.is_empty():
        raise PromiseBroken(f"A bound is wrong: {wrong.row(0, named=True)}.")


def _wide_numbers(target: Column) -> NDArray[Any]:
    """A column's numbers with 64 bits, in which sums of shorter ones do not lose their digits."""
    wide = pl.Float64 if target.domain.dtype.is_float() else pl.Int64
    return target.decode(target.codes).cast(wide, strict=False).fill_null(0).to_numpy()


class Truths(NamedTuple):
    """What rows of the original answer to every question: how many are meant, and their sum."""

    counts: NDArray[np.int64]
    sums: NDArray[Any]


def true_answers(microdata: Microdata, workload: Workload | RowSets) -> pl.Series:
    """What the original answers to every question of a workload."""
    return truths_told(workload, [find_truths(microdata, workload)])


def find_truths(microdata: Microdata, workload: Workload | RowSets) -> Truths:
    """What some rows answer."""
    target = None if workload.target is None else microdata.column(workload.target.name)
    numbers = None if target is None else _wide_numbers(target)
    mask_of = _masks(microdata, workload)

    def ask(number: int) -> tuple[int, Any]:
        mask = mask_of(number)
        return int(mask.sum()), 0 if numbers is None else numbers[mask.view(np.bool_)].sum()

    counts, sums = zip(*_each(ask, len(workload)), strict=True)
    return Truths(np.array(counts), np.array(sums))


def truths_told(workload: Workload | RowSets, several: Sequence[Truths]) -> pl.Series:
    """The answers from what all rows answer."""
    counts, sums = (np.sum(each, axis=0) for each in zip(*several, strict=True))
    if workload.target is None:
        return pl.Series(counts, dtype=pl.Float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        told = sums.astype(np.float64) if workload.aggregate == "SUM" else sums / counts
    return pl.Series(told, dtype=pl.Float64).set(pl.Series(counts == 0), None)


def _masks(
    microdata: Microdata, workload: Workload | RowSets
) -> Callable[[int], NDArray[np.uint8]]:
    """Which rows of the original each query is about."""
    rows = CodedRows(microdata.columns, {c.name: c.codes for c in microdata.columns})
    if isinstance(workload, Workload):
        return lambda number: rows.meeting(workload.ask(number))
    people = _people(microdata)
    total = int(people.max()) + 1
    return lambda number: (
        workload.chosen(number, total)[people] & rows.meeting(workload.interval(number))
    )


def _people(microdata: Microdata) -> NDArray[np.int64]:
    """A number for every row, the same for rows with the same quasi-identifiers."""
    codes = pl.DataFrame({str(i): c.codes for i, c in enumerate(microdata.with_role("quasi"))})
    return (
        codes.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    )


def _each(ask: Any, queries: int) -> list[Any]:
    edges = np.linspace(0, queries, PIECES + 1).astype(int).tolist()
    pieces = in_threads(
        lambda first, stop: [ask(number) for number in range(first, stop)],
        list(itertools.pairwise(edges)),
    )
    return [answer for piece in pieces for answer in piece]


def answer_workload(
    release: Release, microdata: Microdata, workload: Workload | RowSets
) -> pl.DataFrame:
    """Estimate, lower and upper for every query, from the published tables."""
    release.require_bounds()
    if release.replaced is not None:
        return _answer_perturbed(release.replaced, microdata, workload)
    if release.subdomains is not None:
        return _answer_subdomains(release.subdomains, microdata, workload)
    if release.grouped is None:
        raise CallError(
            f"A {release.shape} release cannot be asked with bounds.",
            "anonagram measure and audit compare it with its original.",
        )
    groups = ManyGroups(release.sorted_groups, microdata)
    if isinstance(workload, RowSets):
        return _answer_row_sets(groups, release, microdata, workload)
    require_answerable(workload, release.manifest, type(release))
    gathered = gather_ranges(groups, workload)
    return read_ranges(workload, [gathered], release.manifest)


def require_answerable(workload: Workload, manifest: Manifest, shape: type[Release]) -> None:
    """Refuse sums and means that a release with groups has no bounds for."""
    if workload.aggregate == "AVG" and not shape.has_exact_rows:
        raise CallError(
            "The number of people a query is about is not certain in this release, and bounds of AVG "
            "for a whole workload need it.",
            "a workload of SUM queries; `anonagram query` bounds single AVG queries.",
        )
    if manifest.rows.suppressed and workload.aggregate != "COUNT":
        raise CallError(
            f"{how_many(manifest.rows.suppressed, 'row was', 'rows were')} left out of the release, and "
            "nothing is told of their values.",
            option("--aggregate COUNT", 'aggregate="COUNT"'),
        )


def gather_ranges(groups: ManyGroups, workload: Workload) -> list[Gathered]:
    """What every question finds in groups."""
    return _each(
        lambda number: groups.gather(groups.met(workload.ask(number)), workload.target),
        len(workload),
    )


def read_ranges(
    workload: Workload, several: Sequence[list[Gathered]], manifest: Manifest
) -> pl.DataFrame:
    """Estimate, lower and upper for every query, from what it finds in all parts of a release."""
    rows = manifest.rows

    def told(*found: Gathered) -> tuple[float | None, Any, Any]:
        estimate, low, high = reading(workload.aggregate, found, workload.target)
        if not rows.suppressed:
            return estimate, low, high
        answer = counted_in(Answer(estimate, low, high, None, exact=False), rows)
        return answer.estimate, answer.lower, answer.upper

    return _table([told(*found) for found in zip(*several, strict=True)])


def _answer_subdomains(
    release: WithSubdomains, microdata: Microdata, workload: Workload | RowSets
) -> pl.DataFrame:
    many = ManySubdomains(release, microdata)
    if isinstance(workload, Workload):
        return _table(
            _each(
                lambda number: many.answer(
                    workload.aggregate, workload.ask(number), workload.target
                ),
                len(workload),
            )
        )
    quasi = microdata.with_role("quasi")
    both = Microdata(
        [_both(column, release.quasi[column.name]) for column in quasi], 2 * microdata.rows, ""
    )
    people = _people(both)
    published, total = people[microdata.rows :], int(people.max()) + 1

    def ask(number: int) -> tuple[float | None, Any, Any]:
        picked = workload.chosen(number, total)[published].astype(np.bool_)
        return many.answer(workload.aggregate, workload.interval(number), workload.target, picked)

    return _table(_each(ask, len(workload)))


def _answer_perturbed(
    release: Replaced, microdata: Microdata, workload: Workload | RowSets
) -> pl.DataFrame:
    if isinstance(workload, RowSets):
        raise CallError("Where values were replaced nobody can be picked.", _ranges())
    rows = ManyRows(release, microdata)
    return read_replaced(workload, rows.replacing, [gather_replaced(rows, workload)])


def gather_replaced(rows: ManyRows, workload: Workload) -> list[GatheredCells]:
    """What every question finds in rows of which some values were replaced."""
    return _each(lambda number: rows.gather(workload.ask(number), workload.target), len(workload))


def read_replaced(
    workload: Workload, replacing: Replacing, several: Sequence[list[GatheredCells]]
) -> pl.DataFrame:
    """Both readings and bounds for every query, from what it finds in all parts of a release."""
    names = ("estimate", "lower", "upper", "naive", "corrected", "std_error")
    answers = []
    for number, found in enumerate(zip(*several, strict=True)):
        answer = replacing.answer(workload.aggregate, workload.ask(number), found)
        answers.append(tuple(getattr(answer, name) for name in names))
    return _table(answers, names)


def _answer_row_sets(
    groups: ManyGroups, release: Release, microdata: Microdata, workload: RowSets
) -> pl.DataFrame:
    if not release.has_exact_rows:
        raise CallError(
            "Arbitrary people can only be picked where rows are published as they are.",
            _ranges(),
        )
    quasi = microdata.with_role("quasi")
    part = groups.part_of(quasi[0])
    rows = groups.sheet.tables[part.table]
    both = Microdata([_both(column, rows[column.name]) for column in quasi], 2 * microdata.rows, "")
    people = _people(both)
    total = int(people.max()) + 1
    order = rows[groups.sheet.group].arg_sort()
    published = people[microdata.rows :][order.to_numpy()]

    def ask(number: int) -> tuple[float | None, Any, Any]:
        mask = workload.chosen(number, total)[published]
        met = groups.met(workload.interval(number), (part, mask))
        return groups.answer(workload.aggregate, met, workload.target)

    return _table(_each(ask, len(workload)))


def _both(column: Column, published: pl.Series) -> Column:
    """The original's codes and those of the release, one after the other."""
    codes = np.concatenate([column.codes, column.codes_of(published)])
    return Column(column.name, column.role, column.kind, codes, column.domain, column.has_missing)


def _table(
    answers: Sequence[tuple[Any, ...]], names: Sequence[str] = ("estimate", "lower", "upper")
) -> pl.DataFrame:
    return pl.DataFrame(
        {n: [row[i] for row in answers] for i, n in enumerate(names)},
        schema=dict.fromkeys(names, pl.Float64),
        strict=False,
    )


def _ranges() -> str:
    return option("--kind ranges", "Workload.draw(microdata)")
