"""Two files whose rows belong together somehow, or not as far as anybody can tell."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram.attacks import Aligned, Order, Verdict, audit
from anonagram.errors import AnonagramError, InputError, SchemaError
from anonagram.schema import Schema


def people(rows: int = 500) -> pl.DataFrame:
    random = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "id": [f"p{i:04}" for i in range(rows)],
            "age": random.integers(18, 90, rows),
            "pay": random.lognormal(10, 1, rows).round(2),
            "debt": random.lognormal(8, 2, rows).round(2),
        }
    )


def noisy(table: pl.DataFrame, scale: float = 0.02) -> pl.DataFrame:
    random = np.random.default_rng(1)
    names = ["pay", "debt"]
    factor = {n: table[n] * random.normal(1, scale, table.height) for n in names}
    return table.with_columns(**factor)


def test_rows_in_another_order_are_noticed_by_a_column_that_names_them():
    masked = noisy(people()).sort("pay")
    schema = {"id": "identifier", "age": "quasi", "pay": "quasi", "debt": "quasi"}
    with pytest.raises(InputError, match="in another order") as refusal:
        Aligned.read(people(), masked, schema)
    assert "id_column=id" in refusal.value.remedy
    pair = Aligned.read(people(), masked, schema, id_column="id")
    assert audit(pair).attributes[1].rank_correlation > 0.99


@pytest.mark.parametrize("moved", ["shuffled", "sorted", "shifted", "shortened"])
def test_rows_in_another_order_are_found_wherever_they_stand(moved):
    table = people().drop("id")
    masked = noisy(table)
    masked = {
        "shuffled": masked.sample(fraction=1, shuffle=True, seed=4),
        "sorted": masked.sort("debt"),
        "shifted": pl.concat([masked.tail(1), masked.head(499)]),
        "shortened": masked.head(450).sample(fraction=1, shuffle=True, seed=4),
    }[moved]
    found = audit(Aligned.read(table, masked))
    assert found.order is Order.UNKNOWN
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert found.most_linked.score > 0.5
    assert "nearer than any other person" in found.summary()[0]


def test_masking_that_leaves_no_relation_withstands_only_where_the_order_is_known():
    table = people()
    random = np.random.default_rng(3)
    permuted = table.with_columns(
        pl.col(n).gather(random.permutation(500)) for n in ("age", "pay", "debt")
    )
    found = audit(Aligned.read(table.drop("id"), permuted.drop("id")))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "not known which row became which" in found.summary()[0]
    by_id = Aligned.read(table, permuted.sample(fraction=1, shuffle=True, seed=1), id_column="id")
    assert audit(by_id).verdict is Verdict.WITHSTANDS


def test_ids_must_tell_people_apart():
    table, masked = people(), noisy(people())
    for broken, message in (
        (masked.with_columns(id=pl.lit("p0001")), "stands twice"),
        (masked.with_columns(id=pl.lit(None, pl.String)), "is missing"),
        (masked.with_columns(id=pl.lit("q") + pl.col("id")), "No id of the data frame"),
    ):
        with pytest.raises(InputError, match=message):
            Aligned.read(table, broken, id_column="id")
    with pytest.raises(SchemaError, match="no column 'ident'"):
        Aligned.read(table, masked, id_column="ident")


def test_people_of_one_table_only():
    """Whoever was left out is not looked for; whoever was added can be taken for somebody."""
    table, masked = people(), noisy(people())
    added = masked.head(40).with_columns(id=pl.lit("new ") + pl.col("id"))
    fewer = pl.concat([masked.head(400), added]).sample(fraction=1, shuffle=True, seed=2)
    pair = Aligned.read(table, fewer, id_column="id")
    assert (pair.rows, pair.masked_rows, pair.paired) == (500, 440, 400)
    found = audit(pair)
    assert found.linkage.asked.size == 400
    assert found.linkage.correct > 300
    # 40 people have a copy that is as likely theirs as their own image
    assert (found.likeliest.right[:40] <= 0.5).all()
    assert found.likeliest.share.value > 0.9
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert "100 of 500 people are not in" in " ".join(found.summary())
    links = found.links()
    ids = fewer["id"].gather(links["match"] - 1)
    own = table["id"].gather(links["record"] - 1)
    assert ((ids == own) == links["is_own"]).all()


def test_columns_that_do_not_fit_are_named(tmp_path):
    people().write_csv(tmp_path / "x.csv")
    texts = noisy(people()).with_columns(pl.col("age").cast(pl.String).replace("40", "forty"))
    texts.write_csv(tmp_path / "y.csv")
    row = people()["age"].to_list().index(40) + 1
    with pytest.raises(SchemaError, match=rf"y\.csv, row {row}: column 'age' is numeric"):
        Aligned.read(tmp_path / "x.csv", tmp_path / "y.csv")
    with pytest.raises(InputError, match="has no column 'debt'"):
        schema = {"id": "identifier", "age": "quasi", "pay": "quasi", "debt": "quasi"}
        Aligned.read(people(), noisy(people()).drop("debt"), schema)
    with pytest.raises(InputError, match="no column in common"):
        Aligned.read(people().select("age"), people().select("pay"))
    with pytest.raises(SchemaError, match="did you mean 'pay'"):
        Aligned.read(people(), noisy(people()), columns=["pays"])


def test_missing_values_rank_highest_and_do_not_disturb_noise():
    table = people().with_columns(pay=pl.when(pl.col("pay") > 9000).then("pay"))
    found = audit(Aligned.read(table.drop("id"), table.drop("id")))
    assert [each.residual_noise.standard_deviation for each in found.attributes] == [0, 0, 0]
    assert found.attributes[1].largest_distance == 0


def test_rankings_of_what_is_no_number():
    table = pl.DataFrame(
        {
            "town": ["A"] * 6 + ["B"] * 3 + ["C"],
            "size": ["s", "m", "l", "s", "m", "l", "s", "m", "l", "s"],
            "zip": ["12", "11", "21", "22", "12", "11", "21", "22", "12", "11"],
        }
    )
    schema = Schema.of(
        town="quasi",
        size={"role": "quasi", "kind": "ordinal", "order": ["s", "m", "l"]},
        zip={"role": "quasi", "kind": "nominal", "hierarchy": "mask()"},
    )
    masked = table.with_columns(town=pl.Series(["A"] * 5 + ["B"] * 3 + ["C", "(other)"]))
    pair = Aligned.read(table, masked, schema, in_order=True)
    assert [each.ranking for each in pair.attributes] == ["frequency", "order", "hierarchy"]
    assert (pair.attributes[1].original.ranks / 2).tolist()[:3] == [2.5, 6, 9]
    found = audit(pair)
    assert [each.noise for each in found.attributes] == [None, None, None]
    assert found.attributes[1].rank_correlation == pytest.approx(1)


def test_a_constant_column_has_no_correlation():
    table = pl.DataFrame({"a": [1, 2, 3, 4], "b": [7, 7, 7, 7]})
    found = audit(Aligned.read(table, table))
    assert found.attributes[1].rank_correlation is None
    assert found.to_dict()["attributes"][1]["rank_correlation"] is None


def test_files_that_are_none(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(AnonagramError, match="is empty"):
        Aligned.read(people(), tmp_path / "empty.csv")


def census(rows: int = 800) -> pl.DataFrame:
    random = np.random.default_rng(8)
    drawn = random.multivariate_normal(np.zeros(6), 0.5 + 0.5 * np.eye(6), rows)
    return pl.DataFrame({f"c{j}": drawn[:, j].round(4) for j in range(6)})


def test_shuffled_rows_of_which_most_columns_are_copies():
    table = census()
    random = np.random.default_rng(9)
    moved = table[random.permutation(800)].with_columns(
        c0=pl.Series(random.permutation(table["c0"]))
    )
    found = audit(Aligned.read(table, moved))
    assert (found.order, found.verdict) == (Order.UNKNOWN, Verdict.DOES_NOT_WITHSTAND)


def test_an_id_that_is_looked_at_like_any_column_gives_the_order_away():
    table = census().with_row_index("id")
    random = np.random.default_rng(9)
    noise = 0.3 * random.normal(size=(800, 6))
    masked = table.with_columns(table[f"c{j}"] + noise[:, j] for j in range(6))
    with pytest.raises(InputError, match="another order") as refusal:
        Aligned.read(table, masked[random.permutation(800)])
    assert "id_column=id" in refusal.value.remedy
    shuffled = masked[random.permutation(800)]
    as_floats = shuffled.with_columns(pl.col("id").cast(pl.Float64))
    assert not audit(Aligned.read(table, as_floats, id_column="id")).withstands


def test_a_constant_column_hides_no_other_order():
    table = census().select("c0", "c1").with_columns(k=pl.lit(1))
    found = audit(Aligned.read(table, table.sample(fraction=1, shuffle=True, seed=1)))
    assert (found.order, found.verdict) == (Order.UNKNOWN, Verdict.DOES_NOT_WITHSTAND)


def test_swapped_columns_are_no_keys():
    """With --column, a swapped column of different values must not be taken for one that names rows."""
    from anonagram import Key, Microdata, RankSwapping

    table = census()
    data = Microdata.read(table, dict.fromkeys(table.columns, "quasi"))
    publication = RankSwapping(p=10).publish(data, Key(bytes(32)))
    rows = publication.release.tables["rows"][publication.mapping["row_in_rows"].to_numpy()]
    found = audit(Aligned.read(table, rows, columns=["c1", "c2"]))
    assert [each.name for each in found.attributes] == ["c1", "c2"]


def test_units_are_compared_not_ticks():
    from decimal import Decimal

    cents = [Decimal(i * 37 % 101) / 100 for i in range(100)]
    decimals = pl.DataFrame({"fee": cents}, schema={"fee": pl.Decimal(10, 2)})
    floats = pl.DataFrame({"fee": [float(c) for c in cents]})
    for one, two in ((decimals, floats), (floats, decimals), (decimals, decimals)):
        found = audit(Aligned.read(one, two, in_order=True)).attributes[0]
        assert found.noise.mean_absolute == pytest.approx(0, abs=1e-12)
    days = pl.DataFrame(
        {"day": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 3, 1), eager=True)}
    )
    for unit in ("ms", "us", "ns"):
        moments = days.with_columns(pl.col("day").cast(pl.Datetime(unit)))
        found = audit(Aligned.read(days, moments, in_order=True))
        assert found.attributes[0].noise.mean_absolute == 0


def test_columns_of_one_table_only_are_told():
    table = census()
    found = audit(Aligned.read(table, table.rename({"c5": "C5"})))
    assert found.left_out == ("C5", "c5")
    assert "left out: C5, c5" in " ".join(found.summary())
