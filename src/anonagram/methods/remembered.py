"""Who of a table was in earlier releases of a series, and what the next one must know of this one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.hierarchy import value_texts
from anonagram.columns.recoding import codes_among
from anonagram.errors import CannotAnonymize, InputError, PromiseBroken
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.release import Release, Series
from anonagram.shown.wording import how_many

SIGNATURES = {"signature": pl.Int32, "code": pl.Int32}


@dataclass(frozen=True)
class Remembered:
    """What earlier releases say about each row of a table."""

    microdata: Microdata
    """The table; its sensitive column also knows the values that only earlier releases had."""
    signature_of: NDArray[np.int32]
    """The signature that each row must have; -1 for one that may have any."""
    signatures: pl.DataFrame
    """Columns signature and code, a row each value."""
    barred: dict[int, frozenset[int]]
    """Of rows whose value is in no signature of their person: the codes that were in one."""
    secret: Key
    """What chance decided about earlier releases and must decide again."""

    @classmethod
    def nobody(cls, microdata: Microdata, key: Key) -> Self:
        """A table of new people."""
        signature_of = np.full(microdata.rows, -1, np.int32)
        return cls(microdata, signature_of, pl.DataFrame(schema=SIGNATURES), {}, key.at("series"))

    @classmethod
    def of(cls, microdata: Microdata, earlier: Series, key: Key) -> Self:
        """Find the people of earlier releases again."""
        persons = require_persons(microdata)
        column = require_column(microdata, earlier)
        if not persons.is_in(earlier.people["person"].implode()).any():
            raise InputError(
                f"{microdata.label}: nobody of it was in an earlier release: the earlier release is of "
                "another table, or people are called otherwise.",
                "give the earlier release of these people, or make one without an earlier release.",
            )
        longer = _longer(column, earlier.values["value"])
        columns = [longer if each is column else each for each in microdata.columns]
        codes = codes_among(longer.domain, earlier.values["value"].cast(longer.domain.dtype), -1)
        signatures = pl.DataFrame(
            {"signature": earlier.values["signature"], "code": codes}, schema=SIGNATURES
        )
        rows = pl.DataFrame(
            {
                "row": np.arange(microdata.rows, dtype=np.int32),
                "person": persons,
                "code": longer.codes,
            }
        )
        had = rows.join(earlier.people, on="person")
        kept = had.join(signatures, on=["signature", "code"])
        signature_of = np.full(microdata.rows, -1, np.int32)
        signature_of[kept["row"].to_numpy()] = kept["signature"].to_numpy()
        changed = had.join(kept, on="row", how="anti").drop("code").join(signatures, on="signature")
        barred = {
            row: frozenset(codes) for row, codes in changed.group_by("row").agg("code").iter_rows()
        }
        # an older version's private file has none
        secret = Key(bytes.fromhex(earlier.secret)) if earlier.secret else key.at("series")
        return cls(replace(microdata, columns=columns), signature_of, signatures, barred, secret)


def require_persons(microdata: Microdata) -> pl.Series:
    """Who each row is about, or why that is not known."""
    persons = microdata.persons
    remedy = (
        'give the column that says whose row it is { role = "identifier", rows_per_person = 1 }.'
    )
    if persons is None:
        raise InputError(
            f"{microdata.label}: no identifier, or more than one, says who each row is about; people "
            "of earlier releases cannot be found again.",
            remedy,
        )
    if persons.has_nulls():
        row = int(persons.is_null().arg_max() or 0) + 1
        raise InputError(
            f"{microdata.label}, row {row}: nobody knows whose row it is, since the identifier is "
            "missing.",
            "fill it in, or leave such rows out.",
        )
    if persons.is_duplicated().any():
        row = int(persons.is_duplicated().arg_max() or 0) + 1
        raise InputError(
            f"{microdata.label}, row {row}: its person has more than one row, and would be hidden less "
            "in all of them together.",
            remedy,
        )
    return persons


def require_column(microdata: Microdata, earlier: Series) -> Column:
    """The sensitive column, which must be the one of the earlier releases."""
    (column,) = microdata.with_role("sensitive")
    if column.name != earlier.attribute:
        raise InputError(
            f"{microdata.label}: earlier releases hide {earlier.attribute!r}, this table "
            f"{column.name!r}: it is another table.",
            f'give {earlier.attribute!r} the role "sensitive", or begin a new series.',
        )
    is_text = [dtype == pl.String for dtype in (column.domain.dtype, earlier.values["value"].dtype)]
    known = earlier.values["value"].drop_nulls()
    if is_text[0] != is_text[1] and len(known) and len(column.domain):
        raise InputError(
            f"{microdata.label}: values of {column.name!r} such as {column.text(0)!r} are of another "
            f"type than those of earlier releases, such as {known[0]!r}.",
            f'say the kind of {column.name!r} in the schema: kind = "nominal".',
        )
    return column


def _longer(column: Column, values: pl.Series) -> Column:
    """The column with the values that only earlier releases had.

    They stand among the others in the order of the domain: behind them, their place would tell that
    nobody has them any more.
    """
    has_missing = column.has_missing or values.has_nulls()
    known = values.drop_nulls().unique(maintain_order=True)
    both = pl.concat([column.domain.to_frame("v"), known.to_frame("v")], how="vertical_relaxed")[
        "v"
    ]
    if both.n_unique() == len(column.domain):
        return replace(column, has_missing=has_missing)
    domain = both.unique().sort()
    if column.kind == "ordinal":
        domain = pl.Series(_merged(value_texts(column.domain), value_texts(known)), dtype=pl.String)
    return column.over(domain.alias(column.name), has_missing=has_missing)


def _merged(order: list[str], earlier: list[str]) -> list[str]:
    """An order with the values of an earlier one in it, each behind the one it followed there.

    >>> _merged(["low", "high"], ["none", "low", "middle", "high"])
    ['none', 'low', 'middle', 'high']
    """
    merged = list(order)
    for place, value in enumerate(earlier):
        if value not in merged:
            merged.insert(merged.index(earlier[place - 1]) + 1 if place else 0, value)
    return merged


def remember(
    release: Release,
    mapping: pl.DataFrame,
    remembered: Remembered,
    earlier: Series | None,
) -> Series | None:
    """What the next release must know: read from the published tables, and checked.

    None where nobody could be found again, since the table does not say who rows are about.
    """
    microdata, secret = remembered.microdata, remembered.secret.secret.hex()
    persons = microdata.persons
    if persons is None or persons.has_nulls() or persons.is_duplicated().any():
        return None
    (column,) = microdata.with_role("sensitive")
    counts = release.with_groups.sensitive_counts()[column.name]  # type: ignore[union-attr]
    told = pl.DataFrame(
        {"group": counts["group"], "code": column.codes_of(counts["value"])},
        schema_overrides={"group": pl.Int32},
    )
    known = _known(column, earlier)
    groups = _keyed(told, "group").join(known, on="key", how="left")
    fresh = groups.filter(pl.col("signature").is_null()).select("key").unique(maintain_order=True)
    first = 0 if known.is_empty() else int(known["signature"].max()) + 1  # type: ignore[arg-type]
    fresh = fresh.with_columns(pl.int_range(first, first + pl.len(), dtype=pl.Int32).alias("new"))
    groups = groups.join(fresh, on="key", how="left").select(
        "group", pl.coalesce("signature", "new").alias("signature")
    )
    number = 1 if earlier is None else earlier.number + 1
    now = pl.DataFrame({"person": persons, "group": mapping["group"].cast(pl.Int32)}).join(
        groups, on="group", maintain_order="left"
    )
    now = now.select("person", "signature", pl.lit([number], pl.List(pl.Int32)).alias("releases"))
    named = (
        told.join(groups, on="group")
        .unique(["signature", "code"])
        .filter(pl.col("signature") >= first)
    )
    values = named.sort("signature", "code").select(
        "signature", value=column.decode(named.sort("signature", "code")["code"].to_numpy())
    )
    salts = (*(() if earlier is None else earlier.salts), release.manifest.key_salt)
    if earlier is not None:
        both = pl.concat([earlier.people, now])
        now = both.group_by("person", "signature", maintain_order=True).agg(
            pl.col("releases").explode()
        )
        values = pl.concat([earlier.values, values], how="vertical_relaxed")
    series = Series(column.name, salts, now, values, secret)
    _require_kept(series)
    return series


def _known(column: Column, earlier: Series | None) -> pl.DataFrame:
    """The signatures of earlier releases by their values."""
    if earlier is None:
        return pl.DataFrame(schema={"signature": pl.Int32, "key": pl.String})
    codes = column.codes_of(earlier.values["value"])
    told = pl.DataFrame({"signature": earlier.values["signature"], "code": codes})
    return _keyed(told, "signature")


def _keyed(told: pl.DataFrame, name: str) -> pl.DataFrame:
    """The codes of each group or signature as one text."""
    return (
        told.sort(name, "code")
        .group_by(name, maintain_order=True)
        .agg(pl.col("code").cast(pl.String).str.join(",").alias("key"))
    )


def _require_kept(series: Series) -> None:
    """Two signatures of one person must not share a value: what is left would be fewer than either."""
    had = series.people.filter(pl.col("person").is_duplicated()).select("person", "signature")
    values = had.join(series.values, on="signature").select("person", "value")
    if values.is_duplicated().any():
        raise PromiseBroken("Somebody has two signatures that share a value.", "report this.")


def who_was_in(
    microdata: Microdata, release: Release, series: Series | None
) -> NDArray[np.bool_] | None:
    """Which rows are of people who are in an earlier release too; None where nobody remembers."""
    number = None if series is None else series.number_of(release.manifest.key_salt)
    if series is None or number is None or microdata.persons is None:
        return None
    return series.was_in(microdata.persons, number).to_numpy()


def refuse_changed(microdata: Microdata, rows: int, least: int, values: int) -> None:
    """Say that values of some people changed to what no signature apart from theirs can have."""
    (column,) = microdata.with_role("sensitive")
    raise CannotAnonymize(
        f"{column.name} of {how_many(rows, 'person', 'people')} changed to a value that earlier releases "
        f"ruled out for them; to hide it takes {how_many(least, 'value')} that were not possible "
        f"for them before, and there are {values}.",
        "leave their rows out, or take a smaller m from the first release on.",
    )


def refuse_shown(microdata: Microdata, rows: NDArray[np.int64]) -> None:
    """Say that some people have a value that is told for the first time, and stand beside counterfeits."""
    (column,) = microdata.with_role("sensitive")
    raise CannotAnonymize(
        f"{microdata.label}, row {rows[0] + 1}: its {column.name} is told for the first time, and nobody "
        "new can hide it: beside counterfeits, which have values that were told before, it would be seen "
        f"to be real ({rows.size:,} such {'row' if rows.size == 1 else 'rows'}).",
        f"leave such rows out until more people come, or publish {column.name} coarser.",
    )
