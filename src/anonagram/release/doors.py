"""What a release is asked to do by parts of the house that stand above it.

Everything else imports downwards; here alone a release reaches up, and only when it is asked.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import polars as pl

if TYPE_CHECKING:
    from anonagram.engines import Engine
    from anonagram.queries import Answers
    from anonagram.queries.rearranged.groups import Groups
    from anonagram.release.anatomized import AnatomizedRelease
    from anonagram.release.release import Release


class Doors:
    """A release that can be asked."""

    def query(self, sql: str, engine: Engine | None = None) -> Answers:
        """Answer a question in SQL about the table `data`, with bounds that hold.

        >>> from anonagram import Anatomy, Microdata
        >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
        >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
        >>> release = Anatomy(l=4).anonymize(data)
        >>> release.query("SELECT SUM(pay) FROM data WHERE age < 45")[0]["SUM(pay)"]
        Answer(estimate=75.0, lower=60, upper=90, deviation=11.180339887498949, exact=False)
        """
        from anonagram.queries import ask

        return ask(cast("Release", self), sql, engine or self._engine)

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


def help_tables_of(release: AnatomizedRelease) -> dict[str, pl.DataFrame]:
    """For each sensitive attribute the table from which plain SQL gets bounds."""
    from anonagram.queries import help_table

    group, rows = release.manifest.layout["group"], release.manifest.rows.published
    return {
        name: help_table(counts, rows, group) for name, counts in release.sensitive_counts().items()
    }


def page_of(release: Release) -> str | None:
    """The page on which subjects look for themselves; None where there would be too much on it."""
    from anonagram.verify import page

    return page.page_of(release)
