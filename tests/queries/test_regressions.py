"""Questions that once got a wrong answer, ran something else, or ended in a traceback."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product

import polars as pl
import pytest
from sqlglot import parse_one

from anonagram import Key, Method, Microdata
from anonagram.cli import screen
from anonagram.errors import UnsupportedQuery
from anonagram.present import document_of
from anonagram.queries import Answers, database_with, load
from anonagram.queries.answers import Answer, make_answer
from anonagram.queries.arithmetic import combine
from tests.databases import connect
from tests.queries import test_bounds
from tests.queries.releases import SHAPES, released

NOMINAL = {"role": "quasi", "kind": "nominal"}
TABLE = pl.DataFrame(
    {
        "age": [1, 5, 7, 9, 3, 8],
        "name": ["a", "A", "b", "b", "a", "b"],
        "born": [date(2000, 1, 1) + timedelta(days=100 * i) for i in range(6)],
        "pay": [1, 2, 3, 4, 5, 6],
    }
)
ROLES = {"age": "quasi", "name": NOMINAL, "born": "quasi", "pay": "sensitive"}
GROUPS = [0, 0, 0, 1, 1, 1]


@pytest.fixture(params=sorted(SHAPES))
def release(request):
    return released(request.param, TABLE, ROLES, GROUPS)


INJECTED = [
    "EXTRACT(\"YEAR FROM DATE '2000-01-01') = (SELECT 2000 FROM duckdb_settings() LIMIT 1) "
    'OR EXTRACT(YEAR" FROM born) = 1',
    'EXTRACT("YEAR FROM born) = 1)) SELECT 1; DROP TABLE quasi; SELECT 1, 2, 3, 4, 5 --" FROM born) = 1',
    'CAST(age AS DECIMAL("10,2)) > 99 OR (SELECT COUNT(*) FROM duckdb_settings()) > 0 '
    'OR CAST(2 AS DECIMAL(10", 2)) > 99',
    'CAST(born AS TIMESTAMP("3) ; DROP TABLE quasi; --")) > born',
    "born + INTERVAL 1 \"DAY); DROP TABLE quasi; --\" > born",
    'DATE_TRUNC("month\', born); DROP TABLE quasi; --", born) > born',
]  # fmt: skip


@pytest.mark.parametrize("condition", INJECTED)
def test_words_that_sqlglot_prints_as_they_are_do_not_pass(release, condition):
    with pytest.raises(UnsupportedQuery):
        release.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
    (row,) = release.query("SELECT COUNT(*) FROM data")
    assert row["COUNT(*)"].estimate == 6


def test_a_database_runs_one_statement_or_none(release):
    engine = database_with(release)
    with pytest.raises(ValueError, match="unpack"):
        engine.run("SELECT 1; SELECT 2", "two")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("age > 100 AND pay > 0 AND 1 = 1", 0),
        ("1 = 0 AND age > 0 AND pay > 0", 0),
        ("age > 3 AND TRUE", 4),
        ("age > 100 OR pay > 100 OR 1 = 0", 0),
        ("age > 100 OR pay > 100 OR NULL", 0),
        ("age > 100 OR pay > 100 OR TRUE", 6),
        ("NULL", 0),
        ("FALSE", 0),
        ("NOT FALSE", 6),
        ("NULLIF(age, 5) IS NULL", 1),
        ("CASE WHEN age > 3 THEN 1 END IS NULL", 2),
        ("COALESCE(age, 1) IS NOT NULL", 6),
        ("age BETWEEN '5' AND '10'", 4),
        ("age IN (age, 99)", 6),
        ("age BETWEEN 0 AND age", 6),
        ("age IN (NULL, 5)", 1),
        ("age NOT IN (NULL, 5)", 0),
        ("age = NULL", 0),
        ("age BETWEEN 9 AND 3", 0),
        ("SUBSTRING(name, 1, 1) = 'b'", 3),
    ],
)
def test_constants_and_expressions_of_one_row(release, condition, expected):
    sql = f"SELECT COUNT(*) FROM data WHERE {condition}"
    with connect() as connection:
        connection.register("data", TABLE.to_arrow())
        assert connection.execute(sql).fetchone() == (expected,)
    try:
        (row,) = release.query(sql)
    except UnsupportedQuery:
        assert release.shape == "generalized"
        return
    answer = row["COUNT(*)"]
    assert answer.lower <= expected <= answer.upper
    assert not answer.exact or answer.estimate == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(NULL::INT) FROM data",
        "SELECT COUNT((NULL)) FROM data",
        "SELECT COUNT(NULLIF(1, 1)) FROM data",
        "SELECT COUNT(*) FROM data LIMIT 50 PERCENT",
        "SELECT COUNT(*) FROM data LIMIT 50%",
        f"SELECT COUNT(*) FROM data LIMIT {'9' * 5000}",
        "SELECT COUNT(*) FROM data LIMIT '²'",
        "SELECT COUNT(*) FROM data WHERE age BETWEEN SYMMETRIC 10 AND 1",
        "SELECT COUNT(*) FROM data WHERE ROUND(age) = 2",
        "SELECT COUNT(*) FROM data WHERE TRY_CAST(name AS INT) = 2",
        "SELECT COUNT(*) FROM data WHERE SUBSTRING(name, -2) = 'b'",
        "SELECT COUNT(*) FROM data WHERE name = '\ud800'",
        "FROM data SELECT COUNT(*)",
        "SELECT FROM data",
        "SELECT COUNT(*) FROM data ORDER BY ALL",
        "SELECT COUNT(*) FROM data WHERE " + " OR ".join(f"age = {i}" for i in range(3000)),
        "SELECT COUNT(*) FROM data WHERE " + "(" * 3000 + "TRUE" + ")" * 3000,
    ],
)
def test_refused_not_raised(release, sql):
    with pytest.raises(UnsupportedQuery) as refusal:
        release.query(sql)
    assert refusal.value.remedy


def test_group_by_prefers_the_column_and_case_does_not_matter():
    release = released("anatomized", TABLE, ROLES, GROUPS)
    rows = release.query(
        "SELECT UPPER(name) AS Big, COUNT(*) AS N FROM data GROUP BY big HAVING n > 1"
    )
    assert [(row["Big"], row["N"].estimate) for row in rows] == [("A", 3), ("B", 3)]
    rows = release.query("SELECT COUNT(*) AS name FROM data GROUP BY name ORDER BY 1")
    assert [row["name"].estimate for row in rows] == [1, 2, 3]
    with pytest.raises(UnsupportedQuery, match="only totals"):
        release.query("SELECT UPPER(name) AS name, COUNT(*) FROM data GROUP BY name")


def test_odd_aliases():
    release = released("anatomized", TABLE, ROLES, GROUPS)
    (row,) = release.query(
        'SELECT COUNT(*) AS "from", SUM(pay) AS "(", MIN(age) AS "key 1" FROM data'
    )
    assert list(row) == ["from", "(", "key 1"]
    rows = release.query('SELECT COUNT(*) AS "key 1" FROM data GROUP BY name')
    assert rows.keys == ()
    assert rows.aggregates == ("key 1",)


@pytest.mark.parametrize("shape", ["anatomized", "permuted"])
def test_types_are_compared_as_in_the_original(shape):
    table = pl.DataFrame(
        {"w": pl.Series([0.1, 0.3, 0.7, 0.1], dtype=pl.Float32), "pay": [1, 2, 3, 4]}
    )
    release = released(shape, table, {"w": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    assert release.query("SELECT COUNT(*) FROM data WHERE w = 0.1")[0]["COUNT(*)"].estimate == 2
    moments = [datetime(2020, 1, 1, hour) for hour in (0, 5, 12, 23)]
    table = pl.DataFrame({"at": moments, "pay": [1, 2, 3, 4]}).with_columns(
        pl.col("at").dt.replace_time_zone("Europe/Berlin")
    )
    release = released(shape, table, {"at": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    with pytest.raises(UnsupportedQuery, match="clocks of its own zone"):
        release.query("SELECT COUNT(*) FROM data WHERE at > '2020-01-01 04:30:00+00'")
    table = pl.DataFrame({"took": [timedelta(hours=h) for h in (1, 2, 1, 2)], "pay": [1, 2, 3, 4]})
    release = released(shape, table, {"took": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    assert len(release.query("SELECT took, SUM(pay) FROM data GROUP BY took")) == 2


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_sums_of_floats_hold_in_any_order_and_are_never_called_exact(shape):
    table = pl.DataFrame({"a": range(6), "pay": [1e16, 1.0, -1e16, 1.0, 0.1, 0.2]})
    for groups in ([0] * 6, [0, 1, 2, 0, 1, 2]):
        release = released(shape, table, {"a": "quasi", "pay": "sensitive"}, groups)
        for condition in ("", " WHERE a >= 0", " WHERE a >= 0 AND pay < 1e17"):
            (row,) = release.query(f"SELECT SUM(pay), AVG(pay) FROM data{condition}")
            for name, true in (("SUM(pay)", 2.3), ("AVG(pay)", 2.3 / 6)):
                assert row[name].lower <= true <= row[name].upper
                assert not row[name].exact


def test_big_whole_numbers_keep_their_digits():
    big = [2**62, 2**62, 2**62 + 1, 2**62 + 3]
    table = pl.DataFrame({"a": range(4), "pay": big})
    release = released("anatomized", table, {"a": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    (row,) = release.query("SELECT SUM(pay) FROM data WHERE a > 0")
    assert row["SUM(pay)"].lower <= sum(big[1:]) <= row["SUM(pay)"].upper
    most = 3251786454129578279
    assert make_answer((3.2517864541295785e18, 1, most, 1.0, 1), is_whole=True).estimate <= most


def test_old_dates_are_drawn(capsys):
    early = Answer(datetime(1, 1, 1), datetime(1, 1, 1), datetime(9999, 1, 1), None, exact=False)
    answers = Answers((), ("MIN(d)",), ({"MIN(d)": early},))
    screen.show_sections(document_of(answers).sections)
    assert "┤" in capsys.readouterr().out


FINE = pl.DataFrame(
    {
        "clock": pl.Series([1, 0, 86_399_999_999_999, 5], dtype=pl.Int64).cast(pl.Time),
        "pay": [1, 2, 3, 4],
    }
)


@pytest.mark.parametrize("shape", ["anatomized", "permuted"])  # ranges of them are refused
def test_times_finer_than_microseconds_are_compared_but_not_told(shape):
    release = released(shape, FINE, {"clock": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    (row,) = release.query("SELECT COUNT(*) FROM data WHERE clock <> TIME '00:00:00'")
    assert row["COUNT(*)"].lower <= 3 <= row["COUNT(*)"].upper
    for asked in ("MAX(clock)", "clock, COUNT(*)"):
        with pytest.raises(UnsupportedQuery, match="finer than microseconds"):
            release.query(f"SELECT {asked} FROM data{' GROUP BY clock' * (',' in asked)}")


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_the_same_mean_twice(shape):
    release = released(shape, TABLE, ROLES, GROUPS)
    for row in release.query('SELECT name, AVG(age) AS a, AVG("age") AS b FROM data GROUP BY name'):
        assert row["a"] == row["b"]


def test_a_day_beside_a_column_with_a_zone_is_no_offset():
    clock = pl.Series([datetime(2023, 10, 29, h) for h in (0, 1, 5, 9)])
    table = pl.DataFrame({"at": clock.dt.replace_time_zone("Europe/Berlin"), "pay": [1, 2, 3, 4]})
    release = released("anatomized", table, {"at": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    (row,) = release.query("SELECT COUNT(*) FROM data WHERE at >= DATE '2023-10-29'")
    assert row["COUNT(*)"].estimate == 4
    for text in ("2023-10-29 01:00:00+02", "2023-10-29 01:00+0200", "2023-10-29 01:00:00 UTC"):
        with pytest.raises(UnsupportedQuery, match="clocks of its own zone"):
            release.query(f"SELECT COUNT(*) FROM data WHERE at >= '{text}'")


def test_medians_of_decimals_with_more_digits_than_a_double():
    texts = ["9007199254.740993", "9007199254.740993", "1.000001", "9007199254.740993"]
    table = pl.DataFrame({"paid": pl.Series(texts).str.to_decimal(scale=6), "pay": [1, 2, 3, 4]})
    release = released("anatomized", table, {"paid": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    (row,) = release.query("SELECT MEDIAN(paid) FROM data")
    answer = row["MEDIAN(paid)"]
    assert answer.lower <= 9007199254.740992 < 9007199254.740993 <= answer.upper
    assert not answer.exact


SQUARES = pl.DataFrame(
    {
        "paid": pl.Series([Decimal(i * i * 99) / 100 for i in range(51)], dtype=pl.Decimal(12, 2)),
        "born": [date(2000, 1, 1) + timedelta(days=i * i) for i in range(51)],
        "pay": [i % 3 for i in range(51)],
    }
)


@pytest.mark.parametrize("column", ["paid", "born"])
@pytest.mark.parametrize("where", ["", " WHERE pay = 1"])
def test_places_that_a_double_misses(column, where):
    """DuckDB takes 50 * 0.58 for 28.999999999999996, and interpolates."""
    roles = {"paid": "quasi", "born": "quasi", "pay": "sensitive"}
    release = released("anatomized", SQUARES, roles, [i // 17 for i in range(51)])
    shares = (1, 7, 14, 28, 29, 50, 55, 56, 57, 58, 75, 90, 99)
    asked = ", ".join(f"QUANTILE_CONT({column}, {share / 100}) AS q{share}" for share in shares)
    (row,) = release.query(f"SELECT {asked} FROM data{where}")
    with connect() as original:
        original.register("data", SQUARES.to_arrow())
        truths = original.execute(f"SELECT {asked} FROM data{where}").fetchone()
    assert truths is not None
    for answer, truth in zip(row.values(), truths, strict=True):
        assert answer.lower <= truth <= answer.upper
        assert not answer.exact or answer.lower == truth


SINGLE = pl.DataFrame({"x": pl.Series([0.1, 0.2, 0.3, 0.7], dtype=pl.Float32), "pay": [1, 2, 3, 4]})


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize(
    "asked",
    ["MAX(x) * 3", "ROUND(MAX(x), 1)", "MAX(x) - MIN(x)", "MAX(x) / 3", "MIN(x) * MAX(x)"],
)
def test_arithmetic_of_numbers_of_32_bits(shape, asked):
    release = released(shape, SINGLE, {"x": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    (row,) = release.query(f"SELECT {asked} AS a FROM data")
    with connect() as original:
        original.register("data", SINGLE.to_arrow())
        (truth,) = original.execute(f"SELECT {asked} FROM data").fetchall()[0]
    assert row["a"].lower <= truth <= row["a"].upper


def test_what_is_divided_by_zero_is_not_called_exact():
    release = released("anatomized", TABLE, ROLES, GROUPS)
    (row,) = release.query("SELECT COUNT(*) / (COUNT(*) - 6) AS a FROM data")
    assert (row["a"].estimate, row["a"].exact) == (None, False)


def test_lengths_of_time_as_keys():
    release = released("anatomized", TABLE, ROLES, GROUPS)
    answers = release.query(
        "SELECT born - DATE '2000-01-01' AS k, COUNT(*) FROM data WHERE pay = 1 GROUP BY 1"
    )
    assert len(answers) == 3


def test_sums_of_numbers_that_are_told_as_sets():
    roles = ROLES | {"age": NOMINAL}
    release = released("generalized", TABLE, roles, GROUPS)
    (row,) = release.query("SELECT SUM(age) AS a, AVG(age) AS b FROM data")
    assert row["a"].lower <= 33 <= row["a"].upper
    assert row["b"].lower <= 5.5 <= row["b"].upper


def test_rows_are_in_the_order_of_the_estimates_that_are_told():
    """Estimates are told within their bounds; the order looked at what was there before."""
    table = pl.DataFrame(
        {
            "a": [0.2, None, 0.1],
            "b": [-7, 2147483648, 127],
            "s": pl.Series([2.8, 2.8, -3.4028235e38], dtype=pl.Float32),
        }
    )
    data = Microdata.read(table, {"a": "quasi", "b": "quasi", "s": "sensitive"})
    method = Method.parse('ke(k=2, e=0, partition="close_rows(factor=2)")')
    release = method.anonymize(data, Key(bytes(32)))
    answers = release.query(
        "SELECT b, SUM(a) AS total FROM data WHERE s = 2.8 OR a IS DISTINCT FROM 0.2 GROUP BY b ORDER BY 2"
    )
    told = [row["total"].estimate for row in answers if row["total"].estimate is not None]
    assert len(told) > 1
    assert told == sorted(told)


@pytest.mark.parametrize(("function", "high"), [("MIN", 2), ("MAX", 0)])
def test_extremes_are_estimated_alike_however_equal_values_are_ranked(function, high):
    """Values that a question makes equal stand in any order: how often each is there must not matter."""
    told = []
    for often in ("abbbbbb", "aaaaaab"):
        table = pl.DataFrame({"q": list(range(12)), "s": [*often, *"vwxyz"]})
        release = released("anatomized", table, {"q": "quasi", "s": "sensitive"}, [0] * 12)
        value = f"CASE WHEN s < 'c' THEN 1 ELSE {high} END"
        sql = f"SELECT {function}({value}) AS x FROM data WHERE q < "
        told.append([release.query(f"{sql}{rows}")[0]["x"] for rows in range(1, 12)])
    assert told[0] == told[1]


def test_equal_chances_are_decided_alike_in_every_database(postgres_url):
    """One value in four of a group, and the second of three: half, but for how it is rounded."""
    table = pl.DataFrame({"q": list(range(4)), "s": ["a", "b", "c", "d"]})
    release = released("anatomized", table, {"q": "quasi", "s": "sensitive"}, [0] * 4)
    sql = "SELECT MIN(s) AS low, MAX(s) AS high FROM data WHERE q < 1"
    postgres = load(release, f"{postgres_url}?schema=halves", force=True)
    for engine in (None, postgres):
        (row,) = release.query(sql, engine)
        assert (row["low"].estimate, row["high"].estimate) == ("b", "c")


def test_short_and_long_numbers_in_one_list(postgres_url):
    """A list of decimals and whole numbers is compared with doubles as the nearest doubles."""
    near = 0.23725335197993214
    table = pl.DataFrame({"q": [0.3, near, near, near], "s": [0, 3, 3, 3]})
    release = released("permuted", table, {"q": "quasi", "s": "sensitive"}, [0] * 4)
    postgres = load(release, f"{postgres_url}?schema=lists", force=True)
    for engine in (None, postgres):
        (row,) = release.query(
            f"SELECT COUNT(s) AS n FROM data WHERE q NOT IN ({near}, 10)", engine
        )
        assert (row["n"].lower, row["n"].estimate, row["n"].upper) == (1, 1, 1)


@pytest.mark.parametrize("sign", ["", "-"])
def test_rounding_takes_no_bound_past_zero(sign, postgres_url):
    pay = [0.0, 0.1, 9e15, 0.3, 0.0, 7e15]
    for number, shape in enumerate(sorted(SHAPES)):
        made = released(shape, TABLE.with_columns(pay=pl.Series(pay)), ROLES, GROUPS)
        loaded = load(made, f"{postgres_url}?schema=signs_{sign and 'n'}{number}", force=True)
        for function, engine in product(("SUM", "AVG"), (None, loaded)):
            # the first in a compiled pass, the second in a statement alone
            for x, where in ((f"{sign}pay", "age = 1"), (f"{sign}pay", "age = 1 OR name = 'A'")):
                (row,) = made.query(f"SELECT {function}({x}) AS y FROM data WHERE {where}", engine)
                low, high = row["y"].lower, row["y"].upper
                assert (low >= 0 and high > 0) if not sign else (high <= 0 and low < 0)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("age = 'old'", "'old' is none of the whole numbers."),
        ("born > 'spring'", "'spring' is not in the calendar."),
        ("born > '2008-02-30'", "'2008-02-30' is not in the calendar."),
        ("born > 2008", "Dates are compared with whole numbers."),
        ("LOWER(age) = 'x'", "LOWER does not take whole numbers."),
        ("YEAR(age) = 3", "DATE_PART does not take whole numbers."),
        ("CAST(age AS DATE) > born", "Whole numbers do not become dates."),
        ("CAST(age AS TINYINT) * 100 > 3", "A number on the way becomes too large for its type."),
    ],
)
def test_what_duckdb_finds_wrong_is_told_in_words(condition, words):
    made = released("anatomized", TABLE, ROLES, GROUPS)
    with pytest.raises(UnsupportedQuery) as error:
        made.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
    assert error.value.what.splitlines()[0] == words


def test_answers_about_coarser_values_say_so_everywhere(capsys):
    rules = ROLES | {"born": {"role": "quasi", "publish": "year"}}
    made = Method.parse("anatomy(l=2)").anonymize(Microdata.read(TABLE, rules), Key(bytes(32)))
    answers = made.query("SELECT COUNT(*) FROM data WHERE born < '2000-06-01'")
    assert answers[0]["COUNT(*)"].exact
    (told,) = answers.to_dicts()
    assert "stands for all of it" in told["COUNT(*)"]["notes"][0]
    screen.show_sections(document_of(answers).sections)
    shown = capsys.readouterr().out
    assert "exact of what is published" in shown
    assert "born is published coarser" in shown


@pytest.mark.parametrize("part", ["EXTRACT(day FROM {})", "YEAR({})", "DATE_PART('dow', {})"])
@pytest.mark.parametrize("moved", ["born + INTERVAL '3 days'", "born - INTERVAL 2 WEEKS"])
def test_intervals_inside_of_parts_are_read_like_others(release, part, moved):
    """What stood in a replaced node was not put into plain words, and then refused."""
    connection = connect()
    connection.register("data", TABLE.to_arrow())
    asked = f"SELECT COUNT(*) AS n FROM data WHERE {part.format(moved)} < 2001"
    ((true,),) = connection.sql(asked).fetchall()
    answer = release.query(asked)[0]["n"]
    assert answer.lower <= true <= answer.upper


@pytest.mark.parametrize(
    "counted", ["COUNT_IF(pay > 2)", "SUM(CASE WHEN pay > 2 THEN 1 ELSE 0 END)"]
)
def test_a_count_that_is_null_of_nobody_is_no_exact_zero(counted):
    """DuckDB's COUNT_IF and SUM of nobody are NULL; of subdomains they were 0, and exact."""
    data = Microdata.read(TABLE, ROLES)
    method = Method.parse('distributional(target="uniform", groups=["name"])')
    release = method.anonymize(data, Key(bytes(32)))
    for nobody in ("age > 100", "pay > 100"):
        answer = release.query(f"SELECT {counted} AS n FROM data WHERE {nobody}")[0]["n"]
        assert not answer.exact or answer.estimate is None
    (row,) = release.query(f"SELECT {counted} AS n FROM data")
    assert row["n"].lower <= 4 <= row["n"].upper


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sum_of_ones_that_nobody_is_asked_for_is_no_exact_zero(shape):
    """A FILTER that nobody meets makes a SUM NULL; with CASE inside it was 0, and exact."""
    table = pl.DataFrame({"age": [1, 2, 3, 4], "pay": [5, 6, 7, 8]})
    release = released(shape, table, {"age": "quasi", "pay": "sensitive"}, [0, 0, 1, 1])
    asked = "SUM(CASE WHEN age > 2 THEN 1 ELSE 0 END) FILTER (WHERE age > {})"
    answer = release.query(f"SELECT {asked.format(99)} AS n FROM data")[0]["n"]
    assert not answer.exact or answer.estimate is None
    (row,) = release.query(f"SELECT {asked.format(0)} AS n FROM data")
    assert row["n"].lower <= 2 <= row["n"].upper


@pytest.mark.parametrize("share", ["COUNT(age) / COUNT(*)", "ROUND(100 * COUNT(age) / COUNT(*))"])
def test_a_share_of_nobody_is_missing_like_every_number_that_is_none(release, share):
    (row,) = release.query(f"SELECT {share} AS share FROM data WHERE age > 100")
    assert row["share"] == Answer(None, None, None, None, exact=False)


def test_what_32_bits_cannot_hold_has_no_bounds_that_are_too_narrow():
    """DuckDB multiplies 32-bit numbers in 32 bits: the product of two large ones is infinite there."""
    table = pl.DataFrame({"pay": [3e38, -3e38, 2e-30, 5.0], "ill": list("abcd")}).cast(
        {"pay": pl.Float32}
    )
    data = Microdata.read(table, {"pay": "quasi", "ill": "sensitive"})
    release = Method.parse("anatomy(l=2)").anonymize(data, Key(bytes(32)))
    with pytest.raises(UnsupportedQuery, match="too large"):
        release.query("SELECT MAX(pay) * MIN(pay) AS x FROM data")
    # this one is 0 there
    answer = release.query("SELECT MIN(pay) * MIN(pay) AS x FROM data WHERE pay BETWEEN 0 AND 1")
    assert answer[0]["x"].lower <= 0 <= answer[0]["x"].upper


def test_arithmetic_with_whole_decimals_is_that_of_whole_numbers():
    """PostgreSQL has decimals where DuckDB has whole numbers of 64 bits without a sign."""
    large = 18446744073709551614
    asked = parse_one("a - 1")
    for kind in (int, Decimal):
        known = Answer(kind(large), kind(large), kind(large), 0.0, exact=True)
        assert combine(asked, {"a": known}) == Answer(
            large - 1, large - 1, large - 1, 0.0, exact=True
        )


def test_who_has_a_value_that_is_made_by_not_is_known_beside_subdomains():
    table = pl.DataFrame(
        {"paid": [True, False, False, None], "seen": list("abab"), "pay": [1, 2, 3, 4]}
    )
    data = Microdata.read(table, {"paid": "quasi", "seen": NOMINAL, "pay": "sensitive"})
    method = Method.parse('distributional(groups="neighbours", size=4)')
    release = method.anonymize(data, Key.generate())
    for argument in ("NOT paid", "paid = TRUE", "paid OR seen = 'b'"):
        (row,) = release.query(
            f"SELECT COUNT({argument}) AS n, MIN({argument}) AS low, MAX({argument}) AS high "
            "FROM data WHERE pay IN (1, 2, 3)"
        )
        truth = table.filter(pl.col("pay") <= 3).sql(f"SELECT {argument} AS x FROM self")["x"]
        assert row["n"].lower <= truth.count() <= row["n"].upper
        assert row["low"].lower is not None
        assert row["low"].lower <= truth.min()
        assert truth.max() <= row["high"].upper


def test_rows_are_in_the_order_of_the_numbers_of_values_that_are_told():
    table = pl.DataFrame(
        {
            "kind": ["flu", "gout", "cut", "gout", "c"],
            "paid": [-5, 26, 35, -32, -5],
            "found": [2.0, -2.0, 0.0, -2.0, None],
        }
    )
    roles = {"kind": NOMINAL, "paid": "sensitive", "found": "sensitive"}
    release = Method.parse("samarati(k_anonymity(k=2))").anonymize(
        Microdata.read(table, roles), Key(bytes(32))
    )
    answers = release.query(
        "SELECT paid, COUNT(DISTINCT found) AS n FROM data WHERE paid <> -5 OR kind < 'gout' "
        "GROUP BY paid ORDER BY n"
    )
    told = [row["n"].estimate for row in answers]
    assert len(set(told)) > 1
    assert told == sorted(told)


@pytest.mark.parametrize(
    "asked",
    [
        "MIN(age) - 30.1",
        "SUM(age) - 380.1",
        "(1000000.1 - 1000000) * COUNT(*)",
        "MIN(large) - 9007199254740992.5",
        "MIN(short) - 30.1",
        "COUNT(*) / (MIN(age) - 30.1)",
    ],
)
def test_what_is_left_of_a_difference_may_be_further_off_than_its_last_digits(asked):
    table = pl.DataFrame({
        "age": [30, 40, 50, 60, 35, 45, 55, 65],
        "large": [2**53 + 1 + place for place in range(8)],
        "short": pl.Series([30.0, 40, 50, 60, 35, 45, 55, 65], dtype=pl.Float32),
        "s": ["a", "b", "c", "d"] * 2,
    })  # fmt: skip
    roles = {"age": "quasi", "large": "quasi", "short": "quasi", "s": "sensitive"}
    data = Microdata.read(table, roles)
    release = Method.parse("anatomy(l=2)").anonymize(data, Key(bytes(32)))
    sql = f"SELECT {asked} AS x FROM data"
    ((true,),) = test_bounds.truth(table, sql, 0).values()
    (row,) = release.query(sql)
    assert row["x"].lower <= true <= row["x"].upper


def test_rounding_numbers_that_have_nothing_to_round(release):
    (row,) = release.query("SELECT ROUND(AVG(age) * 1e300, 12) AS x FROM data")
    assert 0 < row["x"].lower <= row["x"].estimate <= row["x"].upper


@pytest.mark.parametrize(
    ("condition", "people"),
    [
        ("w = CAST('60.5' AS INTEGER)", 2),
        ("w = CAST('60.9999999' AS FLOAT)", 2),
        ("came = CAST('2020-01-31 12:34:00' AS DATE)", 2),
        ("w - 61 IS FALSE", 2),
        ("below IS FALSE", 2),
        ("below IS NOT TRUE", 2),
    ],
)
def test_values_between_the_ends_of_a_range_are_compared_with_what_a_text_becomes(
    condition, people
):
    table = pl.DataFrame({
        "w": [60.0, 61.0, 61.0, 63.0],
        "below": [-1.0, 0.0, 0.0, 1.0],
        "came": [datetime(2020, 1, day) for day in (30, 31, 31)] + [datetime(2020, 2, 1)],
        "s": list("abcd"),
    })  # fmt: skip
    roles = {"w": "quasi", "below": "quasi", "came": "quasi", "s": "sensitive"}
    release = released("generalized", table, roles, [0, 0, 0, 0])
    one = f"CASE WHEN {condition} THEN 1 ELSE 0 END"
    for sql in (f"COUNT(*) AS n FROM data WHERE {one} = 1", f"SUM({one}) AS n FROM data"):
        (row,) = release.query(f"SELECT {sql}")
        assert row["n"].lower <= people <= row["n"].upper
