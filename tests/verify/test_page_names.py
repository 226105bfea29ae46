"""Columns and values called like what a browser has itself: they are shown, and nothing else."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from anonagram import Key, Method, Microdata, Release
from anonagram.verify import Verification, verify_in, view_of
from tests.verify.watched import Watched, opened, without_shares

KEY = Key(bytes(range(32)))
ROWS = 12
BATCH = 250
CALLS = ["anatomy(l=2)", "permutation(l=2)", "random()", "rank_swapping(p=30)", "generalize(l=2)"]
# every name that a browser's objects answer to, found in the browser itself
ALL_NAMES = """() => {
  const found = new Set(["__proto__", "$array", "start", "length", "texts", "c0", "values-c0"]);
  const walk = object => {
    for (; object; object = Object.getPrototypeOf(object))
      Object.getOwnPropertyNames(object).forEach(name => found.add(name));
  };
  const tags = ["form", "input", "button", "label", "datalist", "option", "table", "script", "iframe"];
  tags.forEach(tag => walk(document.createElement(tag)));
  [window, document, location, history, navigator, [], "", 1, () => 0, /x/, new Map(), new Set(),
   new Error(), new Event("submit"), new FormData(), new Blob(), new Float64Array(), new Date(),
   Object, Array, Map, RegExp, Promise.resolve(), Promise, JSON, Math].forEach(walk);
  return [...found];
}"""


@pytest.fixture(scope="module")
def names(browser) -> list[str]:
    page = browser.new_page()
    found: list[str] = page.evaluate(ALL_NAMES)
    page.close()
    assert len(found) > 1500
    assert {"addEventListener", "submit", "elements", "constructor", "__proto__"} <= set(found)
    return sorted(found)


def table_of(names: list[str]) -> pl.DataFrame:
    """Columns with these names, and the names as values."""
    size = len(names)
    return pl.DataFrame(
        {
            name: [names[(3 * place + i % 4) % size] for i in range(ROWS)]
            for place, name in enumerate(names)
        }
    )


def released(names: list[str], call: str, folder) -> tuple[Release, pl.DataFrame]:
    table = table_of(names)
    roles = dict.fromkeys(names, "plain") | dict.fromkeys(names[:64], "quasi")  # random takes 64
    roles[names[-1]] = "sensitive"
    release = Method.parse(call).anonymize(Microdata.read(table, roles), KEY)
    release.write(folder)
    return Release.read(folder), table


def fill(watched: Watched, texts: list[str]) -> None:
    """Fill in all fields, the known ones first: by writing, or by choosing what is shown."""
    watched.page.evaluate(
        """texts => document.querySelectorAll("label input, label select").forEach((field, i) => {
             if (field.tagName === "INPUT") { field.value = texts[i]; return; }
             const option = [...field.options].find(each => each.textContent === texts[i]);
             field.value = option ? option.value : "";
           })""",
        texts,
    )


def answer(watched: Watched) -> dict[str, Any]:
    """What the page tells: its sentences without their figures, and the believed values."""
    return {
        "told": [
            without_shares(text) for text in watched.page.locator("#result li").all_inner_texts()
        ],
        "tables": watched.page.locator("#result table").evaluate_all(
            """tables => tables.map(table => [table.caption.textContent,
                 [...table.rows].slice(1).map(row => [...row.cells].map(cell => cell.textContent))])"""
        ),
    }


def expected(found: Verification) -> dict[str, Any]:
    """The same from what Python found."""
    content = found.to_dict()
    beliefs = [
        [
            f"What somebody who knows you would believe about {belief['attribute']}",
            [
                [each["value"], percent(each["probability"]), "", percent(each["before"])]
                for each in belief["likeliest"]
            ],
        ]
        for belief in content["beliefs"]
    ]
    return {"told": [without_shares(text) for text in found.summary()], "tables": beliefs}


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def by_button(watched: Watched) -> None:
    watched.page.click("button")


def by_key(watched: Watched) -> None:
    watched.page.locator("button").press("Enter")


def by_enter(watched: Watched) -> None:
    watched.page.locator("label input").first.press("Enter")


@pytest.mark.parametrize("ask", [by_button, by_key, by_enter])
@pytest.mark.parametrize("name", ["addEventListener", "submit", "__proto__"])
def test_a_name_of_the_form_does_not_send_the_record(browser, tmp_path, name, ask):
    """With fields to write into, which a form would send when Enter is pressed."""
    table = pl.DataFrame({each: [i % 4 for i in range(ROWS)] for each in ("age", name)})
    table = table.with_columns(disease=pl.Series(["a", "b", "c", "d"] * 3))
    roles = {"age": "quasi", name: "quasi", "disease": "sensitive"}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles), KEY)
    release.write(tmp_path / "release")
    watched = Watched(browser, tmp_path / "release" / "verify.html")
    watched.page.wait_for_selector("#own select")
    fill(watched, ["1", "1", ""])
    ask(watched)
    watched.page.wait_for_timeout(100)
    assert watched.page.url == watched.address
    found = verify_in(view_of(release), {"age": "1", name: "1"})
    assert answer(watched) == expected(found)
    watched.close()


def test_all_names_of_a_browser_as_columns_and_values(browser, names, tmp_path):
    batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]
    for number, batch in enumerate(batches):
        call = CALLS[number % len(CALLS)]
        release, table = released(batch, call, tmp_path / str(number))
        view = view_of(release)
        watched = opened(browser, tmp_path / str(number))
        shown = watched.page.locator("label span").all_inner_texts()
        assert shown == [*view.known, *view.sensitive]
        for row, ask in enumerate((by_button, by_key)):
            record = table.row(row, named=True)
            fill(watched, [record[name] for name in shown])
            ask(watched)
            told = answer(watched)
            wanted = expected(verify_in(view, record))
            said = [line for line in wanted["told"] if "made up at random" not in line]
            assert [line for line in told["told"] if line in said] == said, (call, batch[0])
            assert told["tables"][: len(wanted["tables"])] == wanted["tables"], (call, batch[0])
        watched.close()
