"""Forged bundles are refused, or work: see `tests.release.forging`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
import typer

from anonagram import Release
from anonagram.cli.check import check
from anonagram.errors import ReleaseDamaged
from tests.release.forging import METHODS, descriptor_of, hunt, outcome_of, release_of, write_forged

SEED = int(os.environ.get("ANONAGRAM_FORGING_SEED", "1"))


@pytest.mark.parametrize("method", METHODS)
def test_bundle_without_any_change_works(method, tmp_path):
    write_forged(tmp_path / "r", json.loads(descriptor_of(method)), dict(release_of(method).tables))
    assert outcome_of(tmp_path / "r") == ("works", [])


def test_forged_bundle_is_refused_or_works(tmp_path):
    seen, wrong = hunt(tmp_path / "r", 150, SEED)
    assert not wrong, "\n".join(wrong)
    assert min(seen["refused"], seen["works"]) > 5


def about(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["anonagram"].update(changes)


def table(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["anonagram"]["tables"][0].update(changes)


def rows(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["anonagram"]["tables"][0]["rows"].update(changes)


def column(number: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["anonagram"]["tables"][0]["columns"][number].update(changes)


def masked(**columns: Any) -> Callable[[dict[str, Any]], None]:
    return about(masked={"columns": columns})


def replaced(chance: Any) -> Callable[[dict[str, Any]], None]:
    """Another chance of age, and what is left of 1 for height."""

    def change(content: dict[str, Any]) -> None:
        chances = content["anonagram"]["perturbed"]["replaced"]
        rest = 1 - chance if type(chance) is float else 0.5
        chances.update(dict.fromkeys(chances, 0.0) | {"age": chance, "height": rest})

    return change


ANATOMY, PERMUTED, GENERAL = "anatomy(l=2)", "permutation(l=2)", "generalize(l=2)"
RANDOM, SWAPPED = "random()", "rank_swapping(p=20)"
TRANSITION = {"attributes": 1, "replaced": {"age": 1.0}}
HIDDEN = {"how": "moved", "within": None, "kept": 0.0, "noise": None, "order": None}


@pytest.mark.parametrize(
    ("method", "change"),
    [
        *((ANATOMY, rows(original=odd, published=odd)) for odd in (24.0, True, "24", None, 2**70)),
        (ANATOMY, rows(published=23)),
        (ANATOMY, rows(suppressed=-1)),
        (ANATOMY, rows(suppressed=1, original=25)),
        (ANATOMY, rows(added=1, original=23)),
        (ANATOMY, rows(suppressed=25, added=25)),
        (ANATOMY, table(dropped_columns=0.5)),
        (ANATOMY, table(rows=24)),
        (ANATOMY, table(name=None)),
        (ANATOMY, table(columns={})),
        (ANATOMY, about(created="yesterday")),
        (ANATOMY, about(layout={"group": "group"})),
        (ANATOMY, about(layout={"group": "group", "count": "group"})),
        (ANATOMY, about(layout={"group": "group", "count": "COUNT", "more": "x"})),
        (ANATOMY, about(risk={"a": True})),
        (ANATOMY, about(claims=[{"model": "l_diversity(l=2)", "achieved": "much"}])),
        (ANATOMY, about(perturbed=TRANSITION)),
        (ANATOMY, about(perturbed=None)),
        (ANATOMY, masked(age=HIDDEN)),
        (RANDOM, masked(age=HIDDEN)),
        (ANATOMY, column(0, role="identifier")),
        (ANATOMY, column(0, kind="date")),
        (ANATOMY, column(0, kind="ordinal")),
        (ANATOMY, column(0, order=["1", "2"])),
        (ANATOMY, column(5, order="low mid high")),
        (ANATOMY, column(5, order=["low", "mid"])),
        (ANATOMY, column(5, order=["low", "mid", "high", "low"])),
        (ANATOMY, column(5, order=["low", "mid", "high", 5])),
        (RANDOM, about(perturbed=None)),
        (RANDOM, lambda content: content["anonagram"].pop("perturbed")),
        (RANDOM, about(perturbed={"attributes": 1, "replaced": {"age": 0.5}})),
        (RANDOM, about(perturbed={"attributes": True, "replaced": {"age": 1.0}})),
        (RANDOM, replaced(1.5)),
        (RANDOM, replaced(-0.5)),
        (RANDOM, replaced(True)),
        (RANDOM, replaced(1e300)),
        (RANDOM, replaced("0.5")),
        (SWAPPED, about(masked={})),
        (SWAPPED, masked(nobody=HIDDEN)),
        (SWAPPED, masked(age="moved")),
        (SWAPPED, masked(age={**HIDDEN, "how": "eaten"})),
        (SWAPPED, masked(age={**HIDDEN, "within": 2})),
        (SWAPPED, masked(age={**HIDDEN, "kept": True})),
        (SWAPPED, masked(age={**HIDDEN, "noise": -1})),
        (SWAPPED, masked(age={**HIDDEN, "noise": 2**70})),
        (SWAPPED, masked(age={**HIDDEN, "order": ["1"]})),
        (SWAPPED, masked(town={**HIDDEN, "order": ["a", "b"]})),
        (SWAPPED, masked(town={**HIDDEN, "order": ["a", "b", "c", "c"]})),
        (SWAPPED, masked(town={**HIDDEN, "order": ["a", "b", "c", "d"]})),
    ],
)
def test_manifest_that_says_what_cannot_be_is_refused(tmp_path, method, change):
    content = json.loads(descriptor_of(method))
    change(content)
    write_forged(tmp_path / "r", content, dict(release_of(method).tables))
    with pytest.raises(ReleaseDamaged):
        Release.read(tmp_path / "r")


def first(name: str, value: Any) -> pl.Expr:
    """The column with another value in its first row."""
    return (
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)
    )


@pytest.mark.parametrize(
    ("method", "table", "change", "message"),
    [
        (ANATOMY, "sensitive", pl.col("count") * 1.0, "whole numbers"),
        (ANATOMY, "sensitive", first("count", 1.5), "whole numbers"),
        (ANATOMY, "sensitive", first("count", 2**40), "more than 24 rows"),
        (ANATOMY, "sensitive", pl.col("group").cast(pl.Int64), "disagree about groups"),
        (ANATOMY, "quasi", pl.col("group") + 1, "from 1 without a gap"),
        (ANATOMY, "quasi", pl.col("group") * 2**20 - (2**20 - 1), "from 1 without a gap"),
        (ANATOMY, "quasi", pl.col("group").cast(pl.Float64), "without a group number"),
        (ANATOMY, "quasi", first("level", "lowest"), "'level' is ordinal"),
        (ANATOMY, "quasi", pl.col("height").cast(pl.String), "'height' is numeric"),
        (ANATOMY, "quasi", first("height", float("nan")), "'height' is numeric"),
        (ANATOMY, "quasi", pl.concat_list("town").alias("town"), "'town' is nominal"),
        (PERMUTED, "quasi", pl.col("born").cast(pl.String), "'born' is date"),
        (GENERAL, "groups", pl.col("rows") * 1.0, "whole numbers"),
        (GENERAL, "groups", first("age_low", 1000), "ends too low"),
        (GENERAL, "groups", first("age_low", None), "ends too low"),
        (GENERAL, "groups", first("level_high", "low"), "ends too low"),
        (GENERAL, "groups", pl.col("age_missing").cast(pl.Int8), "not a range"),
        (GENERAL, "groups", first("age_missing", None), "not a range"),
        (GENERAL, "groups", pl.col("town").list.head(0), "does not list"),
        (GENERAL, "groups", pl.concat_list("town", "town").alias("town"), "does not list"),
        (GENERAL, "groups", pl.col("town").list.first(), "no list"),
        (RANDOM, "marginal", pl.col("count") * 1.0, "whole numbers"),
        (RANDOM, "marginal", pl.col("age").cast(pl.Float64), "does not list every value"),
        (SWAPPED, "rows", pl.col("pay").cast(pl.String), "'pay' is numeric"),
    ],
)
def test_table_that_holds_what_cannot_be_is_refused(tmp_path, method, table, change, message):
    tables = dict(release_of(method).tables)
    tables[table] = tables[table].with_columns(change)
    write_forged(tmp_path / "r", json.loads(descriptor_of(method)), tables)
    with pytest.raises(ReleaseDamaged, match=message):
        Release.read(tmp_path / "r")


def test_number_that_is_none_is_refused(tmp_path):
    content = json.loads(descriptor_of(ANATOMY))
    content["anonagram"]["risk"]["presence"] = float("inf")
    write_forged(tmp_path / "r", content, dict(release_of(ANATOMY).tables))
    with pytest.raises(ReleaseDamaged, match="is no number"):
        Release.read(tmp_path / "r")


def test_a_forged_claim_is_not_repeated_above_what_was_found(tmp_path, capsys):
    """The first line is the worst true thing, not what the bundle says of itself."""
    release = release_of(METHODS[0])
    content = json.loads(descriptor_of(METHODS[0]))
    content["anonagram"]["claims"] = [{"model": "k_anonymity(k=99)", "achieved": 99.0}]
    write_forged(tmp_path / "forged", content, dict(release.tables))
    with pytest.raises(typer.Exit):
        check(tmp_path / "forged")
    first, *others = capsys.readouterr().out.splitlines()
    assert first.strip().startswith("✗ k_anonymity(k=99) does not hold")
    assert not any("achieved 99" in line for line in (first, *others))
