"""What is learned where every column was rearranged by itself, and no row is anybody's.

Which values of a column and which sensitive values are in one group is told all the same. In a naive
Bayes model attributes go with the sensitive value and otherwise not with each other, so each column is
matched with it apart from all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.learning.learned import Learned, fit_naive_bayes, unlearned
from anonagram.runtime.threads import in_threads

if TYPE_CHECKING:
    from anonagram.microdata import Column
    from anonagram.release import GroupedRelease

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Apart:
    """A model for each column that says which values of it go with which sensitive values."""

    attribute: str
    models: dict[str, Learned]

    @classmethod
    def of(cls, release: GroupedRelease, groups: int | None = None) -> Self:
        """Fit all of them, or to the first groups alone, which are any.

        >>> from anonagram import Key, Microdata, Permutation
        >>> table = {"sex": ["F", "M"] * 30, "age": [31, 45, 52, 60] * 15, "ill": ["a", "b", "c"] * 20}
        >>> data = Microdata.read(table, {"sex": "quasi", "age": "quasi", "ill": "sensitive"})
        >>> learned = Apart.of(Permutation(l=3).anonymize(data, Key(bytes(32))))
        >>> learned.attribute, sorted(learned.models)
        ('ill', ['age', 'sex'])
        """
        (attribute,) = release.manifest.named("sensitive")
        sheet, counted = release.sheet, release.sensitive_counts()[attribute]
        if groups is not None:
            counted = counted.filter(pl.col("group") <= groups)

        def fit(name: str, table: str) -> Learned:
            model = of_tables[table].about([sheet.tables[table][name]])
            fit_naive_bayes(model, quick=groups is not None)
            return model

        parts = [(part.columns[0], part.table) for part in sheet.parts.values()]
        others = [(name, table) for name, table in parts if name != attribute]
        of_tables = {}
        for table in {table for _, table in others}:
            numbers = sheet.tables[table][sheet.group]
            rows = np.flatnonzero(numbers <= (numbers.max() if groups is None else groups))
            of_tables[table] = unlearned(numbers[rows], counted, rows)
        fitted = in_threads(fit, others)
        return cls(
            attribute, {name: model for (name, _), model in zip(others, fitted, strict=True)}
        )

    def likely(self, release: GroupedRelease, column: Column, truth: Column) -> Floats:
        """For each code of a column the logarithm of how likely it is with each sensitive value."""
        learned, sheet = self.models[column.name], release.sheet
        features = learned.model.features
        table = np.zeros((len(column.domain) + 1, len(truth.domain) + 1))
        if not features.codes.shape[1]:
            return table  # of so many values that nothing is learned
        published = sheet.tables[sheet.parts[sheet.part_of(column.name)].table][column.name]
        known = pl.DataFrame(
            {"value": published.gather(learned.order), "code": features.codes[:, 0]}
        ).unique("value")
        places = column.codes_of(known["value"])
        values = truth.codes_of(learned.domain.extend_constant(None, 1))
        table[np.ix_(places, values)] = learned.model.scores[known["code"].to_numpy()]
        return table

    def draw(self, release: GroupedRelease, random: np.random.Generator) -> dict[str, pl.Series]:
        """All columns of a world, by group: those who were given the same value share a row."""
        columns, sheet = {}, release.sheet
        for name, learned in self.models.items():
            drawn, sizes = learned.draw(random), np.diff(learned.starts)
            group_of = np.repeat(np.arange(sizes.size), sizes)
            order = np.lexsort((random.random(drawn.size), drawn, group_of))
            table = sheet.tables[sheet.parts[sheet.part_of(name)].table]
            columns[name] = table[name].gather(learned.order[order])
            # the same in every column: each group's values as often as it has them
            values = learned.domain.extend_constant(None, 1).gather(drawn[order])
        return columns | {self.attribute: values}


def stands_apart(release: GroupedRelease) -> bool:
    """Whether every column was rearranged by itself, beside one sensitive column."""
    parts = release.sheet.parts.values()
    alone = all(len(part.columns) == 1 and part.weight is None for part in parts)
    return (
        alone
        and len(parts) > 1
        and not release.sheet.ranges
        and len(release.manifest.named("sensitive")) == 1
    )
