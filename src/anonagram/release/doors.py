"""What a release is asked to do by parts of the house that stand above it.

Everything else imports downwards; here alone a release reaches up, and only when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import polars as pl

if TYPE_CHECKING:
    from anonagram.engines import Engine
    from anonagram.measures import Measures, WorkloadResult
    from anonagram.models import Finding, PrivacyModel
    from anonagram.queries import Answers
    from anonagram.queries.learned import World
    from anonagram.queries.rearranged.groups import Groups
    from anonagram.release.anatomized import AnatomizedRelease
    from anonagram.release.grouped_graph import GroupedGraphRelease
    from anonagram.release.reading import OpenedRelease
    from anonagram.release.release import Release


class Doors:
    """A release that can be asked."""

    def query(self, sql: str, engine: Engine | None = None, *, learned: bool = False) -> Answers:
        """Answer a question in SQL about the table `data`, with bounds that hold.

        With `learned`, estimates are means over worlds that a model, fitted to the release, draws.

        >>> from anonagram import Anatomy, Microdata
        >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
        >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
        >>> release = Anatomy(l=4).anonymize(data)
        >>> release.query("SELECT SUM(pay) FROM data WHERE age < 45")[0]["SUM(pay)"]
        Answer(estimate=75.0, lower=60, upper=90, deviation=11.180339887498949, exact=False)
        """
        from anonagram.queries import ask

        release = cast("Release", self)
        if release.graph is not None and not learned:
            return _ask_graph(release.graph, sql, engine)
        if learned:
            from anonagram.queries.learned import ask_learned

            worlds = self._learned_worlds
            return ask_learned(release, sql, engine or self._engine, worlds)
        return ask(release, sql, engine or self._engine)

    @cached_property
    def _learned_worlds(self) -> list[World]:
        """Worlds to ask, drawn when the first question comes."""
        from anonagram.queries.learned import learned_worlds

        return learned_worlds(cast("Release", self))

    def worlds(
        self, number: int, seed: int = 0, *, learned: bool = False
    ) -> Iterator[pl.DataFrame]:
        """So many complete tables that may be the original, one after the other.

        Each is consistent with all that the release tells. Inside groups every matching of rows and
        values is as likely as any other; with `learned`, as likely as a model says that is fitted
        to the release.

        >>> from anonagram import Anatomy, Microdata
        >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
        >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
        >>> for world in Anatomy(l=4).anonymize(data).worlds(2, seed=1):
        ...     print(world.columns, world["pay"].sum())
        ['age', 'pay'] 100
        ['age', 'pay'] 100
        """
        from anonagram.learning import draw_worlds

        return draw_worlds(cast("Release", self), number, seed, learned=learned)

    @cached_property
    def sorted_groups(self) -> Groups:
        """The groups as compiled passes need them, sorted when the first question needs it."""
        from anonagram.queries.rearranged.groups import Groups

        return Groups(cast("Release", self).sheet)

    @cached_property
    def _engine(self) -> Engine:
        """A database in memory, filled when the first question comes."""
        from anonagram.queries import database_with

        return database_with(cast("Release", self))


class DoorsOnDisk:
    """A release on disk that can be asked."""

    def query(self, sql: str, memory: int | None = None, engine: str | None = None) -> Answers:
        """Answer a question from the files, of which no table is loaded.

        DuckDB does it in so many bytes of memory; with the address of an engine such as
        `spark://host:7077` Apache Spark does.
        """
        from anonagram.queries.opened import MEMORY, ask_opened

        return ask_opened(cast("OpenedRelease", self), sql, memory or MEMORY, engine)

    def check(self, *models: PrivacyModel, engine: str | None = None) -> list[Finding]:
        """Check promises part by part, of which one is in memory at a time; with an engine, on Spark.

        Without models, what the manifest claims.
        """
        from anonagram.divided.checking import check_parts

        return check_parts(cast("OpenedRelease", self), models, engine).findings

    def measure(self, original: Any, schema: Any = None, engine: str | None = None) -> Measures:
        """Compare it with its original, of which some rows are in memory at a time."""
        from anonagram.divided.measuring import measure_parts

        return measure_parts(cast("OpenedRelease", self), original, schema, engine)

    def workload(
        self, original: Any, schema: Any = None, engine: str | None = None, **drawn: Any
    ) -> WorkloadResult:
        """Ask it and its original the same random questions, as `Workload.draw` draws them."""
        from anonagram.divided.asking import ask_parts

        return ask_parts(cast("OpenedRelease", self), original, schema, engine, **drawn)


def _ask_graph(release: GroupedGraphRelease, sql: str, engine: Engine | None) -> Answers:
    """Answer a question about a graph: its tables are joined here, and by no database."""
    from anonagram.errors import CallError
    from anonagram.graphs.questions import ask

    if engine is not None:
        raise CallError("Graphs are asked in this process.", "leave the database out.")
    return ask(release, sql)


def help_tables_of(release: AnatomizedRelease) -> dict[str, pl.DataFrame]:
    """For each sensitive attribute the table from which plain SQL gets bounds."""
    from anonagram.queries import help_table

    group, rows = release.manifest.layout["group"], release.manifest.rows.published
    return {
        name: help_table(counts, rows, group) for name, counts in release.sensitive_counts().items()
    }


def page_of(release: Release, resources: Sequence[Mapping[str, Any]]) -> str | None:
    """The page on which subjects look for themselves; None where there would be too much on it.

    Resources are the files beside it, as the descriptor lists them.
    """
    from anonagram.verify.packing import FileOf
    from anonagram.verify.page import page_of as table_page

    files = [FileOf(each["path"], each["bytes"], each["hash"]) for each in resources]
    if release.graph is None:
        return table_page(release, files)
    from anonagram.graphs.page import graph_page

    return graph_page(release.graph, files)
