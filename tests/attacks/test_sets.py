"""Masked cells that stand for several values: intervals, labels, hidden ends, stars."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Method, Microdata
from anonagram.attacks import Aligned, Verdict, audit
from anonagram.errors import CallError, SchemaError
from anonagram.schema import Schema

ROWS = 1200


def people() -> pl.DataFrame:
    random = np.random.default_rng(21)
    return pl.DataFrame(
        {
            "id": np.arange(ROWS),
            "age": random.integers(18, 95, ROWS),
            "zip": [f"{random.integers(10, 40)}{random.integers(0, 1000):03}" for _ in range(ROWS)],
            "town": random.choice(["Ulm", "Bonn", "Rome", "Pisa", "Nice", "Lyon"], ROWS),
            "day": pl.date_range(pl.date(2020, 1, 1), pl.date(2022, 12, 31), eager=True).sample(
                ROWS, with_replacement=True, seed=1
            ),
        }
    )


COUNTRIES = {"Ulm": "DE", "Bonn": "DE", "Rome": "IT", "Pisa": "IT", "Nice": "FR", "Lyon": "FR"}
AGES = {
    "dashed": lambda a: f"{a // 10 * 10}-{a // 10 * 10 + 9}" if a < 90 else "90+",
    "brackets": lambda a: f"[{a // 10 * 10}, {a // 10 * 10 + 10})" if a < 90 else ">=90",
    "words": lambda a: f"{a // 10 * 10} to {a // 10 * 10 + 9}" if a < 90 else "≥ 90",
    "cut": lambda a: f"({a // 10 * 10 - 0.5}, {a // 10 * 10 + 9.5}]",
}


@pytest.mark.parametrize("form", AGES)
def test_an_interval_is_the_set_of_its_values(form):
    table = people().select("age")
    masked = table.with_columns(pl.col("age").map_elements(AGES[form], return_dtype=pl.String))
    attribute = Aligned.read(table, masked, in_order=True).attributes[0]
    values = attribute.original.places[:-1]
    for row, age in enumerate(table["age"]):
        low, high = attribute.ranges[attribute.masked.codes[row]]
        same = {a for a in table["age"] if AGES[form](a) == AGES[form](age)}
        assert set(values[low : high + 1]) == same
    assert audit(Aligned.read(table, masked, in_order=True)).attributes[0].rank_correlation > 0.95


def generalized(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(
        pl.col("age").map_elements(AGES["dashed"], return_dtype=pl.String),
        pl.col("zip").str.head(2) + "***",
        pl.col("town").replace(COUNTRIES),
        pl.col("day").dt.strftime("%Y-%m"),
    )


def slow_candidates(table: pl.DataFrame, masked: pl.DataFrame) -> np.ndarray:
    """For each person the number of masked rows that may be hers: all cells as she would have them."""
    keys = generalized(table)
    names = ["age", "zip", "town", "day"]
    counts = masked.group_by(names).len()
    return keys.join(counts, on=names, how="left", maintain_order="left")["len"].to_numpy()


@pytest.mark.parametrize("schema", [False, True])
def test_a_generalized_table_is_audited_by_candidates(schema):
    """Intervals, hidden ends, labels and months at once; whoever has one candidate is found."""
    table = people()
    masked = generalized(table)
    given = None
    if schema:
        levels = (tuple(COUNTRIES), tuple(COUNTRIES.values()), ("*",) * 6)
        from anonagram.columns.hierarchy import Hierarchy

        given = Schema.of(
            id="identifier",
            age="quasi",
            zip={"role": "quasi", "kind": "nominal", "hierarchy": "mask()"},
            town={"role": "quasi", "hierarchy": Hierarchy("town", levels)},
            day="quasi",
        )
    shuffled = masked.sample(fraction=1, shuffle=True, seed=5)
    found = audit(Aligned.read(table, shuffled, given, id_column="id"))
    expected = (1 / slow_candidates(table, masked)).mean()
    assert found.likeliest.share.value == pytest.approx(expected, abs=0.01)
    assert expected > 0.9
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND


def test_a_table_with_crowds_withstands():
    table = people().select("id", "town", age=pl.col("age") // 30 * 30)
    masked = table.with_columns(pl.col("town").replace(COUNTRIES))
    assert audit(Aligned.read(table, masked, id_column="id")).verdict is Verdict.WITHSTANDS


@pytest.mark.parametrize("star", ["*", "", "NA", None])
def test_suppressed_cells_tell_nothing_and_what_is_left_gives_people_away(star):
    random = np.random.default_rng(3)
    table = people()
    names = ["age", "zip", "town"]
    masked = table.with_columns(
        pl.when(pl.Series(random.random(ROWS) < 0.2))
        .then(pl.lit(star))
        .otherwise(pl.col(n))
        .alias(n)
        for n in names
    )
    pair = Aligned.read(table, masked, columns=names, id_column="id")
    for attribute in pair.attributes:
        is_missing = attribute.masked.codes == attribute.masked.places.size - 1
        hidden = masked[attribute.name].cast(pl.String).fill_null("") == (star or "")
        assert (is_missing == hidden.to_numpy()).all()
    assert audit(pair).verdict is Verdict.DOES_NOT_WITHSTAND


def test_wider_intervals_of_a_table_that_has_intervals():
    ages = pl.DataFrame({"age": [f"[{a}-{a + 10})" for a in range(0, 100, 10)] * 20})
    wider = ages.with_columns(pl.col("age").replace({"[0-10)": "[0-20)", "[10-20)": "[0-20)"}))
    attribute = Aligned.read(ages, wider, in_order=True).attributes[0]
    assert attribute.ranking == "interval"
    code = attribute.masked.codes[0]
    assert attribute.ranges[code].tolist() == [0, 1]


def test_labels_are_learned_from_rows_that_belong_together_or_not_at_all():
    table = people().select("town", "age", "zip")
    masked = table.with_columns(pl.col("town").replace(COUNTRIES))
    known = Aligned.read(table, masked)
    assert known.order == "position"
    assert (known.attributes[0].ranges[:, 0] >= 0).sum() == 3
    unknown = Aligned.read(table, masked.sample(fraction=1, shuffle=True, seed=1))
    assert unknown.attributes[0].ranges is None


def test_what_is_no_interval_is_named_with_its_row():
    table = people().select("age")
    masked = table.with_columns(pl.col("age").cast(pl.String).replace(str(table["age"][0]), "old"))
    with pytest.raises(
        SchemaError, match="row 1: column 'age' is numeric, but holds 'old'"
    ) as error:
        Aligned.read(table, masked)
    assert "[20, 30)" in error.value.remedy


def test_shuffled_intervals_and_stars_give_away_whoever_alone_fits_a_row():
    """Rows in another order were said to be untold, though a plain join finds people."""
    table = people().drop("id").with_columns(pay=pl.int_range(ROWS) % 37)
    masked = generalized(table).with_columns(town=pl.lit("*"), day=table["day"])
    shuffled = masked.sample(fraction=1, shuffle=True, seed=4)
    found = audit(Aligned.read(table, shuffled))
    assert str(found.order) == "unknown"
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    # by a join of what the masked rows say
    keys = ["age", "zip", "day", "pay"]
    alone = masked.group_by(keys).len().filter(pl.col("len") == 1).height
    assert f"{alone:,} of {ROWS:,} people" in found.summary()[0]
    assert found.results.worst.exposed.size == alone


def test_coarse_rows_of_other_people_are_no_alarm():
    """Rows that fit one person by chance are as frequent as rows that fit nobody."""
    random = np.random.default_rng(3)

    def others() -> pl.DataFrame:
        return pl.DataFrame(
            {name: random.integers(0, 60, ROWS) for name in ("a", "b")}
            | {"c": random.choice(list("xyz"), ROWS)}
        )

    masked = others().with_columns(
        (pl.col("a") // 4 * 4).map_elements(lambda a: f"{a}-{a + 3}", return_dtype=pl.String),
        c=pl.lit("*"),
    )
    found = audit(Aligned.read(others(), masked))
    assert found.verdict is Verdict.CANNOT_TELL
    assert not any(each.withstands for each in found.results)


def test_a_release_without_masked_rows_is_shown_who_tries_it(tmp_path):
    table = people().select("age", "town")
    data = Microdata.read(table, {"age": "quasi", "town": "sensitive"})
    Method.parse("anatomy(l=2)").anonymize(data).write(tmp_path / "release", page=False)
    with pytest.raises(CallError, match="of_everybody lets intruders try it"):
        Aligned.read(table, tmp_path / "release")
