"""Graphs from the command line."""

from __future__ import annotations

import json

import polars as pl
import pytest

from anonagram import Release
from anonagram.demo import PHARMACY_SCHEMA, pharmacy_tables

METHOD = "safe_grouping(k=5, l=5)"


@pytest.fixture
def shop(tmp_path):
    for name, table in pharmacy_tables().items():
        table.write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "shop.toml").write_text(PHARMACY_SCHEMA)
    return tmp_path


@pytest.fixture
def words(shop):
    sides = ["--left", shop / "customers.csv", "--right", shop / "products.csv"]
    return [shop / "purchases.csv", *sides, "--schema", shop / "shop.toml"]


def publish(anonagram, shop, words, *more):
    return anonagram(
        "anonymize", *words, "--method", METHOD, "-o", shop / "release", "--private",
        shop / "private", *more,
    )  # fmt: skip


def test_the_whole_way(anonagram, shop, words):
    told = publish(anonagram, shop, words)
    assert told.returncode == 0, told.text
    assert told.stdout.startswith("Whoever knows the graph around somebody")
    assert anonagram("check", shop / "release").returncode == 0
    answer = anonagram(
        "query", shop / "release", "--json",
        "SELECT COUNT(*) AS n FROM edges JOIN customers USING (customer) WHERE state = 'NJ'",
    )  # fmt: skip
    (row,) = json.loads(answer.stdout)
    tables = pharmacy_tables()
    truth = tables["purchases"].join(
        tables["customers"].filter(pl.col("state") == "NJ"), on="customer"
    ).height  # fmt: skip
    assert row["n"]["lower"] <= truth <= row["n"]["upper"]


def test_same_key_same_bytes_and_other_graphs_are_refused_its_key(anonagram, shop, words):
    publish(anonagram, shop, words)
    again = anonagram(
        "anonymize", *words, "--method", METHOD, "-o", shop / "again", "--key", shop / "private"
    )
    assert again.returncode == 0, again.text
    for path in (shop / "release").iterdir():
        assert path.read_bytes() == (shop / "again" / path.name).read_bytes()
    pharmacy_tables()["purchases"].head(1000).write_csv(shop / "purchases.csv")
    other = anonagram(
        "anonymize", *words, "--method", METHOD, "-o", shop / "other", "--key", shop / "private"
    )
    assert other.returncode == 2
    assert "another table" in other.stderr
    assert not (shop / "other").exists()


def test_inspect_tells_who_stands_out(anonagram, words):
    shown = anonagram("inspect", *words)
    assert shown.returncode == 0, shown.text
    assert "can be told apart by the graph alone" in shown.stdout.splitlines()[0]
    told = json.loads(anonagram("inspect", *words, "--json").stdout)
    assert told["edges"] == 1428
    assert 0 < told["sides"][0]["unique_place"] <= 1


def test_verify_finds_her_node_by_her_degree(anonagram, shop, words):
    publish(anonagram, shop, words)
    release = Release.read(shop / "release").graph
    view = release.side("left")
    node = int(view.own_degrees.argmax())
    assert view.own_degrees[node]
    group, degree = int(view.group_of_node[node]), int(view.degrees[node])
    row = release.entities("left").row(int((view.group_of_entity == group).argmax()), named=True)
    settings = [word for name, value in row.items() for word in ("--set", f"{name}={value}")]
    found = anonagram("verify", shop / "release", "--table", "customers", *settings, "--json")
    told = json.loads(found.stdout)
    assert told["own_degree"] >= 1
    if told["alike"] == 1:
        found = anonagram(
            "verify", shop / "release", "--table", "customers", *settings, "--set",
            f"degree={degree}",
        )  # fmt: skip
        assert "knows your node in the graph" in found.stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--help-table"], "--help-table is about tables"),
        (["--method", "anatomy(l=4)"], "no method for graphs called 'anatomy'"),
        (["--method", "safe_grouping(k=900, l=5)"], "cannot be made of 600 customers"),
        (["--method", "safe_grouping(k=0, l=5)"], "k must be"),
    ],
)
def test_bad_words_write_nothing(anonagram, shop, words, more, message):
    told = publish(anonagram, shop, words, *more)
    assert told.returncode == 2
    assert message in told.stderr
    assert not (shop / "release").exists()


def test_one_side_is_not_enough(anonagram, shop, words):
    told = anonagram("anonymize", *words[:3], *words[5:], "--method", METHOD, "-o", shop / "r")
    assert told.returncode == 2
    assert "--right" in told.stderr


def test_the_demo_tells_the_story(anonagram, tmp_path):
    told = anonagram("demo", tmp_path / "demo", "--graph")
    assert told.returncode == 0, told.text
    assert "✓ safe_grouping(k=5, l=5) holds" in told.stdout
    assert Release.read(tmp_path / "demo" / "graph").graph is not None


def test_a_second_release_of_the_same_graph_is_warned_of(anonagram, shop, words):
    publish(anonagram, shop, words, "--method", "safe_grouping(k=5, l=1)")
    told = anonagram(
        "anonymize", *words, "--method", "safe_grouping(k=1, l=5)", "-o", shop / "second"
    )
    assert told.returncode == 0, told.text
    assert told.stdout.startswith("Warning: ")
    assert "is a release of the same graph" in told.stdout.splitlines()[0]
    far = shop / "far"
    far.mkdir()
    told = anonagram(
        "anonymize", *words, "--method", METHOD, "-o", far / "third", "--json",
        "--previous", shop / "release",
    )  # fmt: skip
    (again,) = json.loads(told.stdout)["again"]
    assert again["folder"] == str(shop / "release")
    assert again["verdict"] == "does not withstand"


def test_attack_lets_those_try_who_look_at_graphs(anonagram, shop, words):
    publish(anonagram, shop, words)
    told = anonagram("attack", shop / "release")
    assert told.returncode == 1, told.text
    assert "known_surroundings, who knows" in told.stdout
    told = anonagram("attack", shop / "release", "--attack", "learned_links(links=2)", "--json")
    assert json.loads(told.stdout)["attacks"][0]["verdict"] == "withstands"
    told = anonagram("attack", shop / "release", "--attack", "definetti()")
    assert told.returncode == 2
    assert "no attack on graphs called 'definetti'" in told.stderr
    told = anonagram("attack", shop / "release", "--original", shop / "purchases.csv")
    assert told.returncode == 2


def test_measure_and_workload_are_the_same_commands(anonagram, shop, words):
    publish(anonagram, shop, words)
    told = anonagram("measure", shop / "release", "--charts", shop / "charts", "--json")
    assert told.returncode == 0, told.text
    left, right = json.loads(told.stdout)["sides"]
    assert (left["entities"], right["entities"]) == (600, 240)
    assert left["group_sizes"]["least"] >= 5
    assert sorted(each.name for each in (shop / "charts").iterdir()) == [
        "left_degrees.png", "left_group_sizes.png", "right_degrees.png", "right_group_sizes.png",
    ]  # fmt: skip
    for aggregate in ("COUNT", "SUM", "AVG"):
        told = anonagram(
            "workload", shop / "release", "--original", *words, "--queries", 8,
            "--aggregate", aggregate, "--chart", shop / "errors.svg",
        )  # fmt: skip
        assert told.returncode == 0, told.text
        assert "Every true answer lies between its bounds" in told.stdout
    assert (shop / "errors.svg").exists()
    told = anonagram("workload", shop / "release", "--original", shop / "purchases.csv")
    assert told.returncode == 2
    assert "--left DATA --right DATA --schema FILE" in told.stderr
    pharmacy_tables()["purchases"].head(1000).write_csv(shop / "purchases.csv")
    told = anonagram("workload", shop / "release", "--original", *words, "--queries", 2)
    assert told.returncode == 2
    assert "was not made from this graph" in told.stderr


def test_a_schema_is_proposed_that_can_be_used(anonagram, shop, words):
    counted = pharmacy_tables()["purchases"].group_by("customer").len("bought")
    pharmacy_tables()["customers"].join(counted, on="customer").write_csv(shop / "customers.csv")
    tables = words[:-2]
    told = anonagram("inspect", *tables, "--write-schema", shop / "new.toml")
    assert told.returncode == 0, told.text
    schema = (shop / "new.toml").read_text()
    assert 'customer = "identifier"  # edges name entities by it' in schema
    assert 'bought = "drop"  # tells how many edges an entity has' in schema
    assert 'product = "right"' in schema
    made = anonagram(
        "anonymize", *tables, "--schema", shop / "new.toml", "--method", METHOD, "-o", shop / "new"
    )
    assert made.returncode == 0, made.text
    told = anonagram("inspect", *tables, "--write-schema", shop / "new.toml")
    assert told.returncode == 2
    assert "--force" in told.stderr
    (shop / "new.toml").write_text(
        (shop / "new.toml").read_text().replace('bought = "drop"', 'bought = "quasi"')
    )
    made = anonagram(
        "anonymize", *tables, "--schema", shop / "new.toml", "--method", METHOD, "-o", shop / "bad"
    )
    assert made.returncode == 2
    assert "column 'bought' tells how many edges" in made.stderr
    assert not (shop / "bad").exists()


def test_a_report_tells_what_intruders_of_a_graph_get(anonagram, shop, words):
    publish(anonagram, shop, words)
    told = anonagram("report", shop / "release", "-o", shop / "report.html")
    assert told.returncode == 0, told.text
    first, *_ = told.stdout.splitlines()
    assert "(Tried by known_surroundings, who knows" in first
    assert "never publish the same graph again" in told.stdout
    page = (shop / "report.html").read_text()
    assert "Whose node is found" in page
    assert "Anything together with another release of the same graph" in page
