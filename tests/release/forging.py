"""Forged bundles: valid ones, changed at random and signed anew, as somebody with bad intentions would.

    python -m tests.release --forge 2000 --seed 1

Whatever was changed, reading, checking, asking, measuring and verifying give a result or an error
of the project's own.
"""

from __future__ import annotations

import copy
import json
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from anonagram import Key, Method, Microdata, PrivacyModel, Release
from anonagram.errors import AnonagramError, InternalError
from anonagram.measures import measure, read_original
from anonagram.release.datatypes import dtype_text
from anonagram.release.descriptor import DESCRIPTOR, digest_of, hash_of
from anonagram.verify import verify

METHODS = (
    "anatomy(l=2)", "ke(k=2, e=1)", "permutation(l=2)", "generalize(l=2)", "random()",
    "random(attributes=2)", "rank_swapping(p=20)", "noise(scale=0.2, columns=['age', 'pay'])",
    "data_swapping(share=0.5)", "microaggregation(k=3, columns=['age'])", "shuffling(columns=['age', 'pay'])",
)  # fmt: skip
SCHEMA = {
    "age": "quasi",
    "height": "quasi",
    "born": "quasi",
    "seen": "quasi",
    "town": {"role": "quasi", "hierarchy": 'tree({"north": ["a", "b"], "south": ["c"]})'},
    "level": {"role": "quasi", "kind": "ordinal", "order": ["low", "mid", "high"]},
    "note": "plain",
    "pay": "sensitive",
}
ROWS = 24
ODD = (
    None, True, False, 0, 1, -1, 2, 1.5, -0.0, 1e308, 2**31, 2**63, 2**70, "", "x", "age", "quasi",
    "numeric", "ordinal", "nominal", "date", "sensitive", "plain", "drop", "group", "moved", "Int64",
    "List(String)", [], ["x"], [1], {}, {"x": 1}, "k_anonymity(k=3)", "ke_anonymity(k=2, e=1)",
    "l_diversity(l=0)", "2020-02-30",
)  # fmt: skip
TYPES = (
    pl.Int8, pl.Int64, pl.UInt64, pl.Int128, pl.Float32, pl.Float64, pl.String, pl.Boolean, pl.Date,
    pl.Datetime("us", "UTC"), pl.Time, pl.Duration("us"), pl.Decimal(20, 3), pl.List(pl.Int64), pl.Null,
)  # fmt: skip
EXTREMES = (None, 0, -1, 1.5, 2**31 - 1, 2**62, float("nan"), float("inf"), "", "x", [], [None])
QUESTIONS = (
    "SELECT COUNT(*) FROM data",
    "SELECT COUNT(*), SUM(pay), AVG(pay), MIN(pay), MAX(pay) FROM data WHERE age > 30",
    "SELECT COUNT(*) FROM data WHERE town = 'a' AND born < '1960-01-01' AND level = 'low'",
    "SELECT level, AVG(pay) FROM data WHERE height > 1.6 GROUP BY level",
    "SELECT note, COUNT(*) FROM data WHERE seen > '2024-01-03' GROUP BY note ORDER BY COUNT(*)",
    "SELECT SUM(age), SUM(height), MIN(born) FROM data WHERE pay > 15 OR pay IS NULL",
)


@cache
def original() -> pl.DataFrame:
    """A small table with values of every kind, some missing."""
    numbers = range(ROWS)
    return pl.DataFrame(
        {
            "age": [None if i == 5 else 20 + i * 7 % 50 for i in numbers],
            "height": [1.5 + i % 9 / 20 for i in numbers],
            "born": [date(1950, 1, 1) + timedelta(days=i * 531) for i in numbers],
            "seen": [datetime(2024, 1, 1 + i % 9, i % 24, 30) for i in numbers],
            "town": [["a", "b", None, "c"][i % 4] for i in numbers],
            "level": [["low", "mid", "high"][i * 5 % 3] for i in numbers],
            "note": [["x", "y"][i // 12] for i in numbers],
            "pay": [10 + i * 11 % 24 for i in numbers],
        }
    )


@cache
def release_of(method: str) -> Release:
    """A valid release; one with exact rows also has help tables."""
    microdata = Microdata.read(original(), SCHEMA)
    release = Method.parse(method).anonymize(microdata, Key(bytes(32)))
    return release.with_help_tables() if release.has_exact_rows else release


def forge(method: str, folder: Path, chance: random.Random) -> list[str]:
    """Write a release with one to three changes; say which."""
    tables = dict(release_of(method).tables)
    content = json.loads(descriptor_of(method))
    told = [
        _change_table(tables, chance) if chance.random() < 0.5 else _change(content, chance)
        for _ in range(chance.randint(1, 3))
    ]
    write_forged(folder, content, tables)
    return told


@cache
def descriptor_of(method: str) -> str:
    """What the descriptor of a valid release says."""
    with TemporaryDirectory() as folder:
        release_of(method).write(Path(folder) / "release", page=False)
        return (Path(folder) / "release" / DESCRIPTOR).read_text(encoding="utf-8")


def write_forged(folder: Path, content: dict[str, Any], tables: dict[str, pl.DataFrame]) -> None:
    """Tables and descriptor with true sizes, hashes and digest."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, table in tables.items():
        table.write_parquet(folder / f"{name}.parquet")
    for entry in content["resources"] if isinstance(content.get("resources"), list) else ():
        try:
            table, path = tables[entry["name"]], folder / entry["path"]
            entry["bytes"], entry["hash"] = path.stat().st_size, hash_of(path.read_bytes())
            entry["rows"] = table.height
            if not entry.pop("forged", False):
                entry["schema"]["fields"] = [
                    {"name": column, "dtype": _type_text(dtype)}
                    for column, dtype in table.schema.items()
                ]
        except (KeyError, TypeError, OSError, ValueError, AttributeError):
            continue
    if isinstance(content.get("anonagram"), dict):
        content["anonagram"]["digest"] = digest_of(content)
    (folder / DESCRIPTOR).write_text(json.dumps(content), encoding="utf-8")


def _type_text(dtype: pl.DataType) -> str:
    try:
        return dtype_text(dtype)
    except InternalError:
        return str(dtype)


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every entry of a tree: what it is in, and under which name or number."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in list(pairs):
        yield content, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _change(content: dict[str, Any], chance: random.Random) -> str:
    """Change an entry of the descriptor, most often of the manifest."""
    inside = content["anonagram"] if isinstance(content.get("anonagram"), dict) else content
    inside = content if chance.random() < 0.1 else inside
    places = [place for place in _places(inside) if place[1] != "digest"]
    if not places:
        return "nothing"
    where, key = chance.choice(places)
    other, place = chance.choice(places)
    kind = chance.choice(("drop", "odd", "odd", "copy", "copy", "repeat", "rename"))
    if kind == "drop":
        del where[key]
    elif kind == "odd":
        where[key] = copy.deepcopy(chance.choice(ODD))
    elif kind == "copy":
        where[key] = copy.deepcopy(other[place])
    elif isinstance(where, list):
        where.insert(0, copy.deepcopy(where[key]))
    else:
        where[str(chance.choice(ODD))] = where.pop(key)
    return f"{kind} {key!r}: {where if isinstance(where, list) else where.get(key)!r}"[:200]


def _change_table(tables: dict[str, pl.DataFrame], chance: random.Random) -> str:
    """Change a table: its types, cells, rows or columns."""
    name = chance.choice(sorted(tables))
    if tables[name].is_empty() or not tables[name].width:
        return "nothing"
    change = chance.choice((_cast, _cell, _cell, _cell, _rows, _columns, _shuffle, _mingle))
    try:
        tables[name], told = change(tables[name], chance)
    except (pl.exceptions.PolarsError, TypeError, OverflowError, ValueError):
        return "nothing"
    return f"{name}: {told}"


def _cast(table: pl.DataFrame, chance: random.Random) -> tuple[pl.DataFrame, str]:
    column, dtype = chance.choice(table.columns), chance.choice(TYPES)
    series = table[column].cast(dtype, strict=False)
    return table.with_columns(series.alias(column)), f"{column} as {dtype}"


def _cell(table: pl.DataFrame, chance: random.Random) -> tuple[pl.DataFrame, str]:
    column, row = chance.choice(table.columns), chance.randrange(table.height)
    values = table[column].to_list()
    values[row] = chance.choice([*EXTREMES, *values])
    dtype = table.schema[column] if chance.random() < 0.7 else None
    series = pl.Series(column, values, dtype=dtype, strict=dtype is None)
    if series.dtype == pl.Object:
        raise TypeError("no file can hold it")
    return table.with_columns(series), f"{column}[{row}] = {values[row]!r}"


def _rows(table: pl.DataFrame, chance: random.Random) -> tuple[pl.DataFrame, str]:
    row = chance.randrange(table.height)
    if chance.random() < 0.5:
        return pl.concat([table, table[row : row + 1]]), f"row {row} twice"
    return pl.concat([table[:row], table[row + 1 :]]), f"row {row} gone"


def _columns(table: pl.DataFrame, chance: random.Random) -> tuple[pl.DataFrame, str]:
    column = chance.choice(table.columns)
    if chance.random() < 0.3:
        return table.drop(column), f"{column} gone"
    if chance.random() < 0.5:
        return table.rename({column: "other"}), f"{column} renamed"
    return table.with_columns(pl.lit(None).alias(column)), f"{column} empty"


def _shuffle(table: pl.DataFrame, chance: random.Random) -> tuple[pl.DataFrame, str]:
    column = chance.choice(table.columns)
    shuffled = table[column].shuffle(seed=chance.randrange(2**31))
    return table.with_columns(shuffled), f"{column} shuffled"


def _mingle(table: pl.DataFrame, chance: random.Random) -> tuple[pl.DataFrame, str]:
    one, two = chance.choice(table.columns), chance.choice(table.columns)
    return table.with_columns(table[two].alias(one)), f"{one} = {two}"


def uses_of(release: Release) -> Iterator[tuple[str, Callable[[], object]]]:
    """Everything that can be done with a release somebody got."""
    yield "repr", lambda: (repr(release), release._repr_html_(), release.to_dict())
    models = [claim.model for claim in release.manifest.claims]
    models += [member.example for member in PrivacyModel.known().values()]
    for model in models:
        yield model, lambda model=model: str(PrivacyModel.parse(model).check(release))
    for question in QUESTIONS:
        yield question, lambda question=question: release.query(question).to_dicts()
    record = dict(zip(original().columns, original().row(3), strict=True))
    yield "verify", lambda: verify(release, record).summary()
    yield "verify values", lambda: verify(release, _own_record(release)).to_dict()
    for name, source in (("original", original), ("own values", lambda: _own_values(release))):
        yield f"measure {name}", lambda source=source: _measure(release, source())


def _own_record(release: Release) -> dict[str, Any]:
    found = {column.name: release.values(column.name) for column in release.manifest.columns}
    return {name: values[0] for name, values in found.items() if values is not None}


def _own_values(release: Release) -> pl.DataFrame:
    """A table that has just the values of the release, so that nobody refuses it at the door."""
    columns = {}
    for column in release.manifest.columns:
        values = release.values(column.name)
        given = original().get_column(column.name, default=None) if values is None else values
        if given is not None:
            columns[column.name] = given.rename(column.name)
    return pl.DataFrame(columns)


def _measure(release: Release, source: pl.DataFrame) -> object:
    return measure(release, read_original(source, release)).to_dict()


def outcome_of(folder: Path) -> tuple[str, list[str]]:
    """Whether a bundle was refused or works, and what went wrong with any use of it."""
    try:
        release = Release.read(folder)
    except AnonagramError:
        return "refused", []
    wrong = []
    for name, use in uses_of(release):
        try:
            use()
        except InternalError as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
        except AnonagramError:
            continue
        except BaseException as error:  # a panic of Polars is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            where = traceback.extract_tb(error.__traceback__)[-1]
            ours = [
                t for t in traceback.extract_tb(error.__traceback__) if "anonagram/" in t.filename
            ]
            at = ours[-1] if ours else where
            wrong.append(
                f"{name}: {type(error).__name__}: {error} ({at.filename}:{at.lineno})"[:400]
            )
    return "works", wrong


def hunt(folder: Path, number: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Forge so many bundles; count outcomes, and tell what went wrong with which change."""
    seen, wrong = Counter[str](), []
    for each in range(number):
        chance = random.Random(f"{seed}/{each}")
        told = forge(chance.choice(METHODS), folder, chance)
        outcome, errors = outcome_of(folder)
        seen[outcome] += 1
        wrong += [f"seed {seed}/{each}, {told}: {error}" for error in errors]
    return seen, wrong
