"""An original table and a masked one, row by row and as ranks.

The two may come from any tool. Rows are matched by position or by an id column; what does not match
is refused, because every figure computed from it would be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import encode
from anonagram.columns.hierarchy import hierarchy_for, value_texts
from anonagram.columns.nearest import Records
from anonagram.columns.places import is_measured, line_places
from anonagram.columns.ranks import Codes, Ranked, by_frequency, rank_correlation, reverse_map
from anonagram.columns.recoding import at_positions
from anonagram.errors import CallError, InputError, SchemaError, suggest
from anonagram.key import PUBLIC, Key
from anonagram.release import PrivateFile, Release, is_bundle
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.schema import ColumnRule, Schema
from anonagram.shown.wording import option
from anonagram.sources import Table, load

SAMPLE = 2_000
UNRELATED = 0.2
"""A rank correlation below this says nothing about a single row."""
RELATED = 0.5
FEWEST = 30
"""Among fewer rows anything may be near by chance."""
MUCH_NEARER = 0.25


@dataclass(frozen=True)
class Attribute:
    """One column of both tables."""

    name: str
    ranking: str
    """What its ranks go by: value, order, hierarchy or frequency."""
    original: Ranked
    masked: Ranked
    mapped: Codes
    """For each masked value the original one of the same rank: a code of the original."""

    @property
    def is_number(self) -> bool:
        """Whether values lie on a scale, so that noise can be told in its unit."""
        return self.ranking == "value"

    @property
    def mapped_ranks(self) -> NDArray[np.int64]:
        """Twice the rank of every mapped value."""
        return self.original.middles[self.mapped]


@dataclass(frozen=True)
class Aligned:
    """Two tables whose rows belong together."""

    labels: tuple[str, str]
    rows: int
    attributes: tuple[Attribute, ...]
    left_out: tuple[str, ...] = ()
    """Columns that only one of the tables has."""

    @classmethod
    def read(
        cls,
        original: Any,
        masked: Any,
        schema: Any = None,
        *,
        id_column: str | None = None,
        columns: Sequence[str] = (),
        private: str | Path | None = None,
        key: Key = PUBLIC,
    ) -> Self:
        """Read two tables that anything made, and map the masked values back.

        The masked one may be a release of Anonagram; its rows are in a random order, which only its
        private file can undo.

        >>> pair = Aligned.read({"pay": [30, 10, 20]}, {"pay": [31, 19, 22]})
        >>> pair.attributes[0].mapped.tolist()
        [2, 0, 1]
        """
        step("Reading")
        if id_column is not None and private is not None:
            raise CallError(
                "The private file tells whose row is whose.",
                f"leave {option('--id or --private', 'id_column or private')} out.",
            )
        one = load(original)
        two = _read_masked(masked, private)
        schema = None if schema is None else Schema.given(schema)
        rules = _rules(one, two, schema, id_column, columns)
        if id_column is None:
            _require_equal_length(one, two)
        else:
            two = _in_order_of(one, two, id_column)
        pair = cls.of(one, two, rules, Path() if schema is None else schema.folder, key)
        alone = set(one.frame.columns) ^ set(two.frame.columns)
        pair = replace(pair, left_out=tuple(sorted(alone)) if schema is None else ())
        if id_column is None and private is None:
            identifiers = [] if schema is None else schema.named("identifier")
            _refuse_moved_keys(one, two, pair, identifiers)
            _refuse_moved_rows(pair)
        return pair

    @classmethod
    def of(
        cls,
        one: Table,
        two: Table,
        rules: Mapping[str, ColumnRule],
        folder: Path = Path(),
        key: Key = PUBLIC,
    ) -> Self:
        """Rank tables whose rows are known to belong together."""
        step("Ranking")
        attributes = in_threads(
            _attribute, [(one, two, name, rule, folder, key) for name, rule in rules.items()]
        )
        return cls((one.label, two.label), one.frame.height, tuple(attributes))

    @property
    def original_ranks(self) -> NDArray[np.int64]:
        """Twice the ranks of the original records, a column each attribute."""
        return np.column_stack([each.original.ranks for each in self.attributes])

    @property
    def mapped_ranks(self) -> NDArray[np.int64]:
        """Twice the ranks of the masked records after reverse mapping."""
        return np.column_stack([each.mapped_ranks for each in self.attributes])


def _read_masked(masked: Any, private: str | Path | None) -> Table:
    if not (isinstance(masked, str | Path) and is_bundle(Path(masked))):
        if private is not None:
            raise CallError(
                "Only a release has a private file.", f"leave {option('--private', 'private')} out."
            )
        return load(masked)
    release = Release.read(masked)
    if release.people is None:
        raise CallError(
            f"A {release.shape} release has no masked row for each person.",
            "anonagram verify, check and measure are for it.",
        )
    if private is None:
        raise InputError(
            f"{masked} has its rows in a random order.",
            f"give its private file: {option('--private FILE', 'private=FILE')}.",
        )
    secret = PrivateFile.read(private)
    secret.require_for(release.manifest, private)
    return Table(release.people[secret.mapping["row_in_rows"].to_numpy()], str(masked))


def _rules(
    one: Table, two: Table, schema: Schema | None, id_column: str | None, columns: Sequence[str]
) -> dict[str, ColumnRule]:
    """The columns to look at."""
    if schema is not None:
        schema.match(one.frame.columns, one.label)
        rules = {n: rule for n, rule in schema.columns.items() if rule.is_published}
    else:
        rules = {n: ColumnRule("quasi") for n in one.frame.columns if n in two.frame.columns}
    rules.pop(id_column or "", None)
    for name in columns:
        if name not in rules:
            raise SchemaError(f"There is no column {name!r} to look at.", suggest(name, rules))
    rules = {name: rule for name, rule in rules.items() if not columns or name in columns}
    for name in rules:
        if name not in two.frame.columns:
            raise InputError(
                f"{two.label} has no column {name!r}, which {one.label} has.",
                f"name the columns that both have: {option('--column NAME', 'columns=[NAME]')}.",
            )
    if not rules:
        raise InputError(
            f"{one.label} and {two.label} have no column in common.",
            f"{two.label} has: {', '.join(two.frame.columns)}.",
        )
    return rules


def _by_id(name: str) -> str:
    return option(f"--id {name}", f"id_column={name}")


def _require_equal_length(one: Table, two: Table) -> None:
    if one.frame.height != two.frame.height:
        raise InputError(
            f"{one.label} has {one.frame.height:,} rows, {two.label} {two.frame.height:,}: "
            "which row became which is not known.",
            f"give both tables whole, or name a column that identifies rows: {_by_id('NAME')}.",
        )


def _refuse_moved_keys(one: Table, two: Table, pair: Aligned, identifiers: Sequence[str]) -> None:
    """Refuse tables whose rows belong together by a column that names them, and not by position."""
    for name in one.frame.columns:
        if name not in two.frame.columns:
            continue
        left, right = (table.frame[name].cast(pl.String) for table in (one, two))
        if (
            left.n_unique() < len(left)
            or not left.sort().equals(right.sort())
            or left.equals(right)
        ):
            continue
        place = pl.DataFrame({"id": right}).with_row_index("row")
        by_id = pl.DataFrame({"id": left}).join(place, on="id", how="left", maintain_order="left")
        order = by_id["row"].to_numpy()
        own = [each.original.ranks for each in pair.attributes if each.name == name]
        ranks = own[0] if own else left.rank("ordinal").to_numpy().astype(np.int64)
        others = [each for each in pair.attributes if each.name != name]
        if name in identifiers or any(_gains(each, order, ranks) for each in others):
            row = int((left != right).arg_max() or 0)
            raise InputError(
                f"{two.label} has its rows in another order than {one.label}: "
                f"row {row + 1} is {name} {right[row]!r} there and {left[row]!r} here.",
                f"match them by that column: {_by_id(name)}.",
            )


def _gains(attribute: Attribute, order: NDArray[Any], key: NDArray[np.int64]) -> bool:
    """Whether a column is related to its image in the order of a key, and hardly in this one.

    More than the key itself tells of the column: masking that keeps correlations gives that much.
    """
    ranks, mapped = attribute.original.ranks, attribute.mapped_ranks
    here, there, told = (
        abs(rank_correlation(ranks, each) or 0.0) for each in (mapped, mapped[order], key)
    )
    return here < UNRELATED and there > max(RELATED, told + UNRELATED / 2)


def _in_order_of(one: Table, two: Table, name: str) -> Table:
    """The second table's rows in the order of the first's."""
    keys = []
    for table in (one, two):
        if name not in table.frame.columns:
            raise SchemaError(
                f"{table.label} has no column {name!r}.", suggest(name, table.frame.columns)
            )
        # 7 and 7.0 are one id, as tools write them
        key = table.frame[name].cast(pl.String).str.replace(r"^([0-9]+)\.0+$", "$1")
        twice = key.is_duplicated() | key.is_null()
        if twice.any():
            row = int(twice.arg_max())  # type: ignore[arg-type]
            what = "is missing" if key[row] is None else f"{key[row]!r} stands twice"
            raise InputError(
                f"{table.label}, row {row + 1}: the id {what} in column {name!r}.",
                "name a column that tells all rows apart.",
            )
        keys.append(key)
    place = pl.DataFrame({"id": keys[1]}).with_row_index("row")
    found = pl.DataFrame({"id": keys[0]}).join(place, on="id", how="left", maintain_order="left")
    lost = found["row"].is_null()
    if lost.any() or one.frame.height != two.frame.height:
        if lost.any():
            where, other = one, two
            missing = keys[0].filter(lost)
        else:
            where, other = two, one
            missing = keys[1].filter(~keys[1].is_in(keys[0].implode()))
        raise InputError(
            f"{len(missing):,} ids of {where.label} are not in {other.label}, "
            f"the first is {missing[0]!r}.",
            "give the same people in both tables.",
        )
    return Table(two.frame[found["row"].to_numpy()], two.label, two.is_text)


def _attribute(
    one: Table, two: Table, name: str, rule: ColumnRule, folder: Path, key: Key
) -> Attribute:
    codes, domain, kind, _ = encode(one, name, rule)
    # the masked column has to be of the same kind; encode names the row where it is not
    other_codes, other_domain, other_kind, _ = encode(two, name, replace(rule, kind=kind))
    if other_kind != kind:
        raise InputError(
            f"Column {name!r} is {kind} in {one.label} and {other_kind} in {two.label}.",
            "make them of one kind, or leave the column out: "
            f"{option('--column NAME', 'columns=[NAME]')} for the others.",
        )
    if is_measured(kind):
        if {domain.dtype.base_type(), other_domain.dtype.base_type()} == {pl.Date, pl.Datetime}:
            domain, other_domain = (d.cast(pl.Datetime("us")) for d in (domain, other_domain))
        original, masked = (
            Ranked(each, line_places(values, kind))
            for each, values in ((codes, domain), (other_codes, other_domain))
        )
        ranking = "value"
    else:
        order, ranking = _order(name, rule, codes, domain, folder)
        original, masked = (
            _at_places(each, texts, order)
            for each, texts in ((codes, value_texts(domain)), (other_codes, value_texts(other_domain)))
        )  # fmt: skip
    mapped = reverse_map(original.codes, masked.codes, key, f"reverse mapping/{name}")
    return Attribute(name, ranking, original, masked, mapped)


def _order(
    name: str, rule: ColumnRule, codes: Codes, domain: pl.Series, folder: Path
) -> tuple[list[str], str]:
    """The values of a column that are no numbers, from first to last, and why so."""
    texts = value_texts(domain)
    if rule.order is not None:
        return list(rule.order), "order"
    if rule.hierarchy is not None:
        return list(hierarchy_for(name, rule.hierarchy, domain, folder).values), "hierarchy"
    if rule.kind == "ordinal":
        return texts, "order"
    return [texts[code] for code in by_frequency(codes, len(texts))], "frequency"


def _at_places(codes: Codes, texts: list[str], order: list[str]) -> Ranked:
    """Values at their position in an order; those it does not know behind it."""
    known = set(order)
    whole = [*order, *(text for text in texts if text not in known)]
    places = line_places(pl.Series(whole, dtype=pl.String), "ordinal")
    return Ranked(at_positions(codes, texts, whole), places)


def _refuse_moved_rows(pair: Aligned) -> None:
    """Refuse tables in which other rows match far better than those at the same place.

    Masking that keeps no relation at all between a record and its image also leaves neighbours at
    other places, but no nearer than the original's records are to each other.
    """
    if len(pair.attributes) < 2 or pair.rows < FEWEST:
        return
    from anonagram.attacks.figures.equal_values import link_by_equal_values

    originals, mapped = pair.original_ranks, pair.mapped_ranks
    rows = PUBLIC.permutation("alignment", pair.rows)[: min(SAMPLE, pair.rows // 2)]
    to_masked = Records(mapped).distances(originals[rows])
    to_others = np.median(Records(np.delete(originals, rows, axis=0)).distances(originals[rows]))
    to_own = np.abs(originals[rows] - mapped[rows]).max(axis=1)
    equal = link_by_equal_values(pair)
    has_copies = np.median(to_masked) < MUCH_NEARER * to_others and np.median(to_own) > to_others
    has_equals = 2 * equal.copies > equal.records
    if has_copies or has_equals:
        raise InputError(
            f"{pair.labels[1]} does not have its rows in the order of {pair.labels[0]}: records at "
            "the same place are unrelated, while at other places there are near copies.",
            f"match them by a column that identifies rows: {_by_id('NAME')}.",
        )
