"""Pages of audits and charts: names from the data are shown in them, and nothing runs."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from anonagram.attacks import Aligned, audit
from anonagram.measures import Ncp
from anonagram.present import document_of, page, save_page
from anonagram.present.charts import chart_ncp, save_chart
from anonagram.schema import ColumnRule
from anonagram.sources import Table
from tests.verify.watched import Watched

EVIL = [
    "<img src=x onerror=alert(1)>", "</style><script>alert(1)</script>", "</script><script>alert(2)//",
    "<svg onload=alert(3)>", "]]><script>alert(4)</script>", "--><b>", "\x1b[31m", "\u202egro.live",
    "javascript:alert(5)", "{{data}}", "&lt;b&gt;", "'\"><form action=http://127.0.0.1:1>",
]  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    """A page of each kind, made before a browser runs: both use the engine V8."""
    folder = tmp_path_factory.mktemp("pages")
    draw = random.Random(5)
    table = pl.DataFrame({name: [draw.randrange(50) for _ in range(40)] for name in EVIL})
    masked = table.select(pl.all().shuffle(1))
    rules = dict.fromkeys(EVIL, ColumnRule("quasi", "numeric"))
    pair = Aligned.of(Table(table, EVIL[0]), Table(masked, EVIL[1]), rules)
    save_page(page(document_of(audit(pair))), folder / "audit.html")
    save_chart(chart_ncp(Ncp(1.0, 0.5, dict.fromkeys(EVIL, 0.5))), folder / "chart.html")
    return folder


@pytest.mark.parametrize("name", ["audit.html", "chart.html"])
def test_names_are_shown_and_nothing_runs(pages, browser, name):
    watched = Watched(browser, pages / name)
    assert watched.page.locator("script, img, form, b").count() == 0
    text = watched.page.locator("body").text_content()
    assert EVIL[0] in text
    assert r"\x1b[31m" in text
    assert watched.page.locator("svg text").first.bounding_box()["height"] > 0
    if name == "audit.html":  # the policy lets the page's own style pass
        border = "document.querySelector('.headline').computedStyleMap().get('border-left-style')"
        assert watched.page.evaluate(f"() => {border}.toString()") == "solid"
    watched.close()
