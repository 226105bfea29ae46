"""The page in the bundle of a graph, in a browser: it computes what the command does."""

from __future__ import annotations

import random
import tomllib
from datetime import date
from functools import partial

import polars as pl
import pytest

from anonagram import Key, Release
from anonagram.demo import PHARMACY_SCHEMA, pharmacy_tables
from anonagram.errors import AnonagramError
from anonagram.graphs import Graph
from anonagram.graphs.methods.safe_grouping import SafeGrouping
from anonagram.graphs.page import graph_page
from anonagram.graphs.subjects import subjects_of
from anonagram.graphs.verification import verify_graph
from anonagram.verify import packing
from tests.verify.test_looks import colours, contrast, unfold
from tests.verify.test_page import TRY_EVERYTHING, received, same
from tests.verify.watched import Watched, opened, without_shares

KEY = Key(bytes(range(32)))
EVIL = "<img src=x onerror=alert(1)></script>"
LONG = "a_column_whose_name_is_longer_than_any_telephone_is_wide_" * 2
SIZES = [(5, 5), (5, 1), (1, 4), (1, 1)]


def pharmacy(k: int, l: int) -> Release:
    tables = pharmacy_tables()
    graph = Graph.read(
        tables["customers"], tables["products"], tables["purchases"],
        tomllib.loads(PHARMACY_SCHEMA), names=("customers", "products"),
    )  # fmt: skip
    return SafeGrouping(k, l).anonymize(graph, KEY)


def awkward() -> Release:
    """Missing and coarser values, days, names that browsers know, entities without an edge."""
    people = 24
    left = {
        "who": [f"w{n}" for n in range(people)],
        EVIL: [["a", None, EVIL][n % 3] for n in range(people)],
        "__proto__": [n * 3 for n in range(people)],
        "born": [date(1990, 1, 1 + n % 20) for n in range(people)],
    }
    right = {"what": list(range(people)), LONG: [None, "x", "y", LONG] * (people // 4)}
    edges = [(n, (n * 5 + d) % people) for n in range(1, people) for d in range(n * 7 // 5 % 3)]
    graph = Graph.read(
        left,
        right,
        {"who": [f"w{x}" for x, _ in edges], "what": [y for _, y in edges]},
        {
            "left": {
                "who": "identifier",
                EVIL: "quasi",
                "__proto__": {"role": "quasi", "publish": ["round(10)"]},
                "born": "quasi",
            },
            "right": {"what": "identifier", LONG: {"role": "plain", "label": LONG}},
            "edges": {"who": "left", "what": "right"},
        },
    )
    return SafeGrouping(2, 2, strict=False).anonymize(graph, KEY)


def bare() -> Release:
    """Entities of whom nothing is told but the graph."""
    ends = [(n, (n * 5 + d) % 12) for n in range(12) for d in range(1 + n * 7 // 5 % 2)]
    graph = Graph.read(
        {"who": list(range(12))},
        {"what": list(range(12)), "kind": ["x", "y"] * 6},
        {"who": [x for x, _ in ends], "what": [y for _, y in ends]},
        {"left": {"who": "identifier"}, "right": {"what": "identifier", "kind": "plain"},
         "edges": {"who": "left", "what": "right"}},
    )  # fmt: skip
    return SafeGrouping(2, 2, strict=False).anonymize(graph, KEY)


def records(release: Release, side: str, count: int) -> list[dict[str, str | None]]:
    """Records with values that occur together and apart, and some that do not occur."""
    draw, subjects = random.Random(5), subjects_of(release.graph, side)
    rows = release.tables[side].height
    found = []
    for _ in range(count):
        row, record = draw.randrange(rows), {}
        for name, column in subjects.columns.items():
            own = [*column.texts, None][subjects.people[name][row]]
            if draw.random() < 0.7:
                record[name] = own if draw.random() < 0.9 else draw.choice([*column.texts, "", "7"])
        degree = int(release.graph.side(side).degrees[row])
        if draw.random() < 0.4:
            record["degree"] = str(draw.choice([degree, degree, 0, 99]))
        found.append(record)
    return found


def asked(page, table: str, record: dict[str, str | None]):
    given = [[name, text] for name, text in record.items() if name != "degree"]
    arguments = [table, given, record.get("degree")]
    return page.evaluate(
        "([table, pairs, degree]) => verifyRecord(table, pairs, degree)", arguments
    )


def compared(page, release: Release, table: str, record: dict[str, str | None]) -> bool:
    """Whether both found the same; False where both refuse."""
    try:
        if not record:
            raise AnonagramError("The command asks for something to look for.", "")
        expected = verify_graph(release, table, record).to_dict()
    except AnonagramError:
        with pytest.raises(Exception, match=r"is no value|Fill in|no number of edges"):
            asked(page, table, record)
        return False
    found = asked(page, table, record)
    told = [without_shares(line) for line in found.pop("summary")]
    assert told == [without_shares(line) for line in expected.pop("summary")], record
    assert same(found, {name: expected[name] for name in found}), record
    return True


MADE = {str(each): partial(pharmacy, *each) for each in SIZES} | {"awkward": awkward, "bare": bare}


@pytest.mark.parametrize("which", MADE)
def test_page_computes_what_the_command_does(browser, tmp_path, which):
    MADE[which]().write(tmp_path / "release")
    release = Release.read(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    for side, table in zip(("left", "right"), release.graph.names.tables, strict=True):
        tried = [compared(watched.page, release, table, r) for r in records(release, side, 40)]
        assert sum(tried) > 10
        assert not compared(watched.page, release, table, {})
        assert not compared(watched.page, release, table, {"degree": "many"})
    watched.close()


def test_a_person_fills_the_form_and_reads_the_answer(browser, tmp_path):
    release = pharmacy(5, 5)
    release.write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    page = watched.page
    assert "600 customers, 240 products and 1,428 edges" in page.inner_text("#about")
    page.get_by_label("age").fill("41")
    page.get_by_label("sex").select_option(label="F")
    page.locator("#known input:visible").last.fill("3")
    page.locator("#known input:visible").last.press("Enter")
    told = verify_graph(release, "customers", {"age": "41", "sex": "F", "degree": "3"}).summary()
    shown = page.locator("#result li").all_inner_texts()
    assert [without_shares(line) for line in shown] == [without_shares(line) for line in told]
    assert page.locator("#result tr").count() == 6
    page.get_by_label("You are one of").select_option(label="products")
    assert page.inner_text("#result") == ""
    assert not page.get_by_label("age").is_visible()
    page.click("#look")
    assert "Fill in something" in page.inner_text("#result")
    page.get_by_label("price").fill("cheap")
    page.click("#look")
    assert "price is numeric" in page.inner_text("#result")
    watched.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_nobody_scrolls_sideways(browser, tmp_path, width, scheme):
    awkward().write(tmp_path / "release")
    watched = Watched(browser, tmp_path / "release" / "verify.html", width=width, scheme=scheme)
    page = watched.page
    page.evaluate("() => ready")
    for place in range(2):
        page.locator("#table").select_option(index=place)
        page.locator("#known select:visible").first.select_option(index=1)
        page.click("#look")
        unfold(watched)
        assert page.locator("#result td").count() > 0
        assert page.locator("img").count() == 0
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    ink, paper = colours(page)
    assert (ink > paper) == (scheme == "dark")
    assert contrast(ink, paper) >= 7
    watched.close()


def test_the_policy_lets_nothing_in_or_out(browser, tmp_path):
    import socket

    pharmacy(5, 5).write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        blocked = watched.page.evaluate(TRY_EVERYTHING, f"http://127.0.0.1:{port}/")
        assert received(server) == b""
    assert len(blocked) == 9
    assert watched.page.locator("form").count() == 1, "only that of the test"
    watched.page.close()


def test_a_large_graph_gets_no_page(monkeypatch, tmp_path):
    release = pharmacy(5, 5)
    monkeypatch.setattr(packing, "MOST_CELLS", 100)
    assert graph_page(release.graph) is None
    release.write(tmp_path / "large")
    assert not (tmp_path / "large" / "verify.html").exists()
    assert isinstance(Release.read(tmp_path / "large").tables["edges"], pl.DataFrame)
