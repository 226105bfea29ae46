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


LONG = ("adjusted_gross_income_before_any_deductions", "employer_contribution_for_health_insurance")
BROKEN = """() => [...document.querySelectorAll("td, li, .headline")].flatMap(cell => {
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
  while (walk.nextNode()) {
    for (const word of walk.currentNode.data.matchAll(/[^ \\n]+/g)) {
      const range = document.createRange();
      range.setStart(walk.currentNode, word.index);
      range.setEnd(walk.currentNode, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(line => Math.round(line.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
})"""


@pytest.fixture(scope="module")
def long_names(tmp_path_factory) -> Path:
    """Many columns, some of whose names have no room in a line."""
    draw = random.Random(6)
    names = [*LONG, *(f"column_{j}" for j in range(8))]
    table = {name: [draw.gauss(3e6, 1e6) for _ in range(200)] for name in names}
    masked = {name: [v + draw.gauss(0, 3e5) for v in values] for name, values in table.items()}
    path = tmp_path_factory.mktemp("long") / "audit.html"
    save_page(page(document_of(audit(Aligned.read(table, masked, in_order=True)))), path)
    return path


@pytest.mark.parametrize("width", [360, 800, 1440])
def test_no_word_is_broken_in_its_middle(long_names, browser, width):
    """'adjusted_gross_income_before_any_deduct|ions', '577.5 (53.5 | %)'."""
    watched = Watched(browser, long_names)
    watched.page.set_viewport_size({"width": width, "height": 900})
    assert watched.page.evaluate(BROKEN) == []
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
    text = watched.page.locator("body").text_content()
    assert all(name in text for name in LONG)
    assert " %" not in " ".join(watched.page.locator("table").all_text_contents())
    assert "e+0" not in text
    watched.close()
