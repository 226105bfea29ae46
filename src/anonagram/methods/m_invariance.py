"""m-invariance: a series of releases that leaves everybody as many values as each of them alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import polars as pl

from anonagram.calls import AtLeast
from anonagram.errors import CannotAnonymize
from anonagram.key import Key
from anonagram.methods.anatomy import anatomize
from anonagram.methods.balanced import Balance, Groups
from anonagram.methods.method import Method
from anonagram.methods.publication import Publication
from anonagram.methods.remembered import Remembered, remember
from anonagram.methods.signatures import balance
from anonagram.microdata import Column, Microdata
from anonagram.models import PrivacyModel
from anonagram.models.m_uniqueness import MUniqueness
from anonagram.partition import Partition
from anonagram.release import CounterfeitedRelease, Manifest, Rows, Series, describe_column
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class MInvariance(Method, call="m_invariance", example="m_invariance(m=4)"):
    """Xiao and Tao (2007): who is in several releases has the same possible values in all of them.

    Every group has m or more values, all different: its signature. The next release, made with the
    private file of this one, keeps each person's signature. Where nobody fits into a group any more,
    a counterfeit row does; how many each group has is told, and bounds of answers leave them out.

    >>> from anonagram import Key, Microdata
    >>> roles = {"name": "identifier", "age": "quasi", "ill": "sensitive"}
    >>> january = {"name": ["Ann", "Bob", "Cas", "Dan"], "age": [31, 35, 62, 60],
    ...            "ill": ["flu", "cut", "flu", "gout"]}
    >>> february = {"name": ["Ann", "Cas", "Dan", "Eve"], "age": [31, 62, 60, 33],
    ...             "ill": ["flu", "flu", "gout", "gout"]}
    >>> one = MInvariance(m=2).publish(Microdata.read(january, roles), Key(bytes(32)))
    >>> two = MInvariance(m=2).publish(
    ...     Microdata.read(february, roles), Key(bytes(32)), earlier=one.series)
    >>> two.release.manifest.rows
    Rows(original=4, published=6, suppressed=0, added=2)

    Bob has gone, and nobody who came has a cut: Ann needs one counterfeit beside her, and Eve, who
    is new and alone, another. Now and then a place stays with a counterfeit although somebody could
    fill it, since who knows that none does would know what they are.
    """

    m: Annotated[int, AtLeast(2)]
    shape = CounterfeitedRelease
    continues = True
    undivided = "everybody's signature is kept over all releases"

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:  # noqa: ARG002
        """m-uniqueness, which a series keeps for everybody in it."""
        return (MUniqueness(self.m),)

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """The first release of a series: everybody is new."""
        self._require(microdata)
        return self._publish(microdata, key, manifest, Remembered.nobody(microdata, key), None)

    def rearrange_again(
        self, microdata: Microdata, key: Key, manifest: Manifest, earlier: Series
    ) -> Publication:
        """The next one: whoever was in an earlier release keeps her signature."""
        self._require(microdata)
        if earlier.least < self.m:
            raise CannotAnonymize(
                f"Earlier releases left some people {how_many(earlier.least, 'value')}, so that this one "
                f"cannot leave them {self.m}.",
                f"m_invariance(m={earlier.least}), or a release of new people only.",
            )
        remembered = Remembered.of(microdata, earlier, key)
        return self._publish(remembered.microdata, key, manifest, remembered, earlier)

    def _require(self, microdata: Microdata) -> None:
        self.require_roles(microdata, "quasi", "sensitive")
        sensitive = microdata.with_role("sensitive")
        if len(sensitive) > 1:
            names = ", ".join(column.name for column in sensitive)
            raise CannotAnonymize(
                f"{self.call} keeps the values of one sensitive column; the schema has {names}.",
                'give the others the role "drop", or publish them apart with anatomy.',
            )
        # a value that earlier releases named can stand in a counterfeit row, so none is missing there
        if sensitive[0].cardinality < self.m:
            raise CannotAnonymize(
                f"{sensitive[0].name} has {how_many(sensitive[0].cardinality, 'different value')}, fewer "
                f"than m = {self.m}.",
                f"m_invariance(m={sensitive[0].cardinality}).",
            )

    def _publish(
        self,
        microdata: Microdata,
        key: Key,
        manifest: Manifest,
        remembered: Remembered,
        earlier: Series | None,
    ) -> Publication:
        step("Grouping")
        groups = balance(Balance(microdata, remembered, self.m, key))
        extended = _with_counterfeits(microdata, groups, key)
        partition = Partition(groups.of_all, groups.count)
        manifest = _described(manifest, microdata, groups)
        made = anatomize(extended, partition.arrange(key, repr(self)), manifest)
        mapping = made.mapping.head(microdata.rows)
        release = _counterfeited(made, mapping, manifest)
        series = remember(release, mapping, remembered, earlier)
        return Publication(release, mapping, series=series)


def _described(manifest: Manifest, microdata: Microdata, groups: Groups) -> Manifest:
    """The manifest with the rows that are nobody's, and values that only they may have."""
    added = groups.fakes.size
    rows = Rows(microdata.rows, microdata.rows + added, added=added)
    table = manifest.tables[0]
    columns = tuple(
        describe_column(column) if column.role == "sensitive" else table.columns[place]
        for place, column in enumerate(microdata.columns)
    )
    return replace(manifest, tables=(replace(table, rows=rows, columns=columns),))


def _with_counterfeits(microdata: Microdata, groups: Groups, key: Key) -> Microdata:
    """The table with counterfeit rows behind it.

    What else than the sensitive value stands in one is drawn from the people of its group, column by
    column, so it lies in the group's range.
    """
    fakes, people = groups.fakes.size, microdata.rows
    order = np.argsort(groups.of_people, kind="stable")
    starts = np.searchsorted(groups.of_people[order], np.arange(groups.count + 1))
    first, size = starts[groups.of_fakes], np.diff(starts)[groups.of_fakes]
    columns = []
    for column in microdata.columns:
        codes = groups.fakes
        if column.role != "sensitive":
            words = key.words(f"counterfeits/{column.name}", fakes).astype(np.uint64)
            # groups are small: 2^32 words are as good as even
            drawn = (words * size.astype(np.uint64) >> np.uint64(32)).astype(np.int64)
            codes = column.codes[order[first + drawn]]
        columns.append(_longer(column, codes))
    return replace(microdata, columns=columns, rows=people + fakes, persons=None)


def _longer(column: Column, codes: np.ndarray) -> Column:
    return replace(column, codes=np.concatenate([column.codes, codes.astype(np.int32)]))


def _counterfeited(
    made: Publication, mapping: pl.DataFrame, manifest: Manifest
) -> CounterfeitedRelease:
    """The anatomized release with a line for the real rows of each group, and one for the others."""
    plain, layout = made.release, manifest.layout
    sizes = plain.tables["quasi"][layout["group"]].to_numpy()
    rows = np.bincount(sizes)[1:]
    real = np.bincount(mapping["group"].to_numpy(), minlength=rows.size + 1)[1:]
    groups = np.arange(1, rows.size + 1, dtype=np.int32)
    lines = pl.concat(
        pl.DataFrame(
            {
                layout["group"]: groups,
                layout["real"]: np.full(rows.size, is_real),
                layout["count"]: counts.astype(np.int32),
            }
        )
        for is_real, counts in ((True, real), (False, rows - real))
    )
    lines = lines.filter(pl.col(layout["count"]) > 0).sort(layout["group"], layout["real"])
    return CounterfeitedRelease(
        manifest,
        plain.quasi,  # type: ignore[attr-defined]
        plain.sensitive,  # type: ignore[attr-defined]
        real=lines,
        coded=plain.coded,  # type: ignore[attr-defined]
    )
