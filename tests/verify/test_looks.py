"""Pages fit phones and desks, light and dark, and tell what people need to trust them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonagram import Key, Method, Microdata, compare
from anonagram.attacks import Aligned, audit
from anonagram.demo import hospital_table
from anonagram.measures import Ncp, Workload, run_workload
from anonagram.present import document_of, page, save_page
from anonagram.present.charts import chart_ncp, save_chart
from anonagram.present.sections import Document, Section, Table
from anonagram.verify import verify, view_of
from tests.verify.watched import Watched, opened

KEY = Key(bytes(range(32)))
LONG = "a_column_whose_name_is_longer_than_any_telephone_is_wide_" * 2
ROLES = {
    "name": "drop", "patient": "drop", "age": "quasi",
    "admitted": {"role": "quasi", "label": "Day of admission"},
    "sex": {"role": "quasi", "label": "Sex", "labels": {"F": "female", "M": "male"}},
    "zip": {"role": "quasi", "kind": "nominal", "label": LONG},
    "disease": {"role": "sensitive", "label": "Main diagnosis", "labels": {"Flu": f"Influenza {LONG}"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    """A page of each kind, made before a browser runs: both use the engine V8."""
    folder = tmp_path_factory.mktemp("pages")
    data = Microdata.read(hospital_table(300), ROLES)
    for name, call in {"verify": "anatomy(l=3)", "ranges": "generalize(l=3)"}.items():
        Method.parse(call).anonymize(data, KEY).write(folder / name)
    table = (
        hospital_table(60).drop("name", "patient", "disease").with_columns(pl.lit(7).alias(LONG))
    )
    table.write_csv(folder / "original.csv")
    table.with_columns(pl.col("age").reverse()).write_csv(folder / "masked.csv")
    sources = (folder / "original.csv", folder / "masked.csv")
    found = audit(Aligned.read(*sources))
    save_page(page(document_of(found), sources), folder / "audit.html")
    exact = Method.parse("anatomy(l=3)").anonymize(data, KEY)
    asked = run_workload(exact, data, Workload.draw(data, queries=20))
    save_page(page(document_of(asked)), folder / "workload.html")
    tried = compare(data, ["anatomy(l=3)", "permutation(l=9)"], workers=0)
    save_page(page(document_of(tried)), folder / "compare.html")
    save_chart(chart_ncp(Ncp(1.0, 0.5, {LONG: 0.5, "age": 0.2})), folder / "chart.html")
    return folder


NAMES = [
    "verify/verify.html", "ranges/verify.html", "audit.html", "workload.html", "compare.html",
    "chart.html",
]  # fmt: skip


def unfold(watched: Watched) -> None:
    watched.page.evaluate(
        "() => document.querySelectorAll('details').forEach(d => { d.open = true })"
    )


def look(watched: Watched) -> None:
    """Fill in the first values and look."""
    watched.page.evaluate("() => ready")
    watched.page.locator("#known input").first.fill("41")
    watched.page.locator("#known select").first.select_option(index=1)
    watched.page.click("#look")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("name", NAMES)
def test_nobody_scrolls_sideways(pages, browser, name, width, scheme):
    watched = Watched(browser, pages / name, width=width, scheme=scheme)
    if "verify" in name:
        look(watched)
    unfold(watched)
    wide = watched.page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll("body *")]
             .filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
                     && getComputedStyle(each).overflowX !== "visible")
             .map(each => each.tagName)"""
    )
    assert watched.page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert [tag for tag in wide if tag not in ("INPUT", "SELECT", "svg")] == []
    ink, paper = colours(watched.page)
    assert (ink > paper) == (scheme == "dark")
    assert contrast(ink, paper) >= 7
    watched.close()


@pytest.mark.parametrize("name", NAMES)
def test_nobody_scrolls_sideways_at_any_width(pages, browser, name):
    """Comparisons did between 700 and 1,130 pixels, where phones and desks were looked at alone."""
    watched = Watched(browser, pages / name, width=360, scheme="light")
    if "verify" in name:
        look(watched)
    unfold(watched)
    for width in range(360, 1441, 40):
        watched.page.set_viewport_size({"width": width, "height": 800})
        assert watched.page.evaluate("() => document.documentElement.scrollWidth") <= width
    watched.close()


@pytest.mark.parametrize("width", [360, 1440])
def test_what_stands_beside_a_long_list_is_read_in_words(tmp_path, browser, width):
    """On telephones why methods were not measured stood in a column of four letters."""
    methods = "; ".join(f'microaggregation(k={k}, columns="quasi")' for k in range(60))
    table = Table.of(["why", "methods"], [["There was no time left; go on", methods]])
    save_page(page(Document("Tried", (Section("Not measured", table),))), tmp_path / "long.html")
    watched = Watched(browser, tmp_path / "long.html", width=width, scheme="light")
    letter = watched.page.evaluate("() => parseFloat(getComputedStyle(document.body).fontSize)")
    assert watched.page.locator("td").first.bounding_box()["width"] >= 7 * letter
    assert watched.page.evaluate("() => document.documentElement.scrollWidth") <= width
    watched.close()


def colours(page: Any) -> tuple[float, float]:
    """How light the text and the paper are."""
    found = page.evaluate(
        """() => { const style = getComputedStyle(document.body);
                   const numbers = text => text.match(/[0-9.]+/g).map(Number);
                   return [style.color, style.backgroundColor].map(numbers); }"""
    )
    ink, paper = (luminance([channel / 255 for channel in each[:3]]) for each in found)
    return ink, paper


def luminance(rgb: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: float, two: float) -> float:
    low, high = sorted((one, two))
    return (high + 0.05) / (low + 0.05)


def test_fields_have_pickers_and_people_read_labels(pages, browser):
    watched = opened(browser, pages / "verify")
    page_ = watched.page
    assert page_.get_by_label("Day of admission").get_attribute("type") == "date"
    shown = page_.get_by_label("Sex").locator("option").all_inner_texts()
    assert shown[:3] == ["– nobody knows –", "female (F)", "male (M)"]
    row = hospital_table(300).row(0, named=True)
    page_.get_by_label("age").fill(str(row["age"]))
    page_.get_by_label("Day of admission").fill(str(row["admitted"]))
    page_.click("#look")
    data = Microdata.read(hospital_table(300), ROLES)
    release = Method.parse("anatomy(l=3)").anonymize(data, KEY)
    told = verify(release, {"age": row["age"], "admitted": row["admitted"]}).summary()
    first, *_ = page_.locator("#result li").all_inner_texts()
    assert first == told[0]
    assert "Sex" in first
    assert "sex" not in first
    watched.close()


def test_a_value_that_is_not_there_and_a_missing_one_can_be_chosen(pages, browser):
    watched = opened(browser, pages / "verify")
    zips = watched.page.locator("#known select").last
    zips.select_option(label="none of these")
    watched.page.click("#look")
    assert "no row has" in watched.page.inner_text("#result")
    zips.select_option(label="(missing)")
    watched.page.click("#look")
    data = Microdata.read(hospital_table(300), ROLES)
    view = view_of(Method.parse("anatomy(l=3)").anonymize(data, KEY))
    missing = int((view.people["zip"] == len(view.columns["zip"].domain)).sum())
    assert f"alone {missing} rows can be yours" in watched.page.inner_text("#result")
    watched.close()


def test_a_long_list_is_offered_as_somebody_types(browser, tmp_path):
    rows = 2000
    table = {
        "code": [f"x{i:04}" for i in range(rows)],
        "disease": ["a", "b", "c", "d"] * (rows // 4),
    }
    labels = {"x1999": "the last of all"}
    roles = {"code": {"role": "quasi", "labels": labels}, "disease": "sensitive"}
    Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles), KEY).write(tmp_path / "r")
    watched = opened(browser, tmp_path / "r")
    field = watched.page.get_by_label("code")
    field.fill("of all")
    options = watched.page.locator("datalist option")
    assert [options.first.get_attribute("value"), options.count()] == ["x1999", 1]
    field.fill("x1999")
    assert "the last of all (x1999)" in watched.page.locator("#known").inner_text()
    watched.close()


def test_pages_tell_date_version_and_hashes(pages, browser):
    watched = opened(browser, pages / "verify")
    unfold(watched)
    told = watched.page.inner_text("footer")
    for name in ("quasi.parquet", "sensitive.parquet"):
        assert hashlib.sha256((pages / "verify" / name).read_bytes()).hexdigest() in told
    assert "anonagram 0." in told
    watched.close()
    watched = Watched(browser, pages / "audit.html")
    unfold(watched)
    told = watched.page.inner_text("footer")
    for name in ("original.csv", "masked.csv"):
        assert hashlib.sha256((pages / name).read_bytes()).hexdigest() in told
    assert "Rank correlation" in told
    watched.close()
