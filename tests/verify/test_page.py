"""The page in a bundle, in a browser: it computes what the command does, and sends nothing."""

from __future__ import annotations

import contextlib
import random
import socket

import polars as pl
import pytest

from anonagram import Key, Method, Microdata, Release
from anonagram.demo import hospital_table
from anonagram.errors import AnonagramError, InputError
from anonagram.verify import verify_in, view_of
from anonagram.verify.packing import MOST_CELLS
from anonagram.verify.page import page_of
from anonagram.verify.record import texts_of
from anonagram.verify.verification import distance_columns
from tests.contracts.test_methods import suited
from tests.tables import AWKWARD_SCHEMA, awkward_table
from tests.verify.watched import opened, without_shares

KEY = Key(bytes(range(32)))
HOSPITAL = {
    "name": "drop", "patient": "drop", "age": "quasi", "admitted": "quasi",
    "sex": {"role": "quasi", "label": "Sex", "labels": {"F": "female", "M": "male"}},
    "zip": {"role": "quasi", "kind": "nominal"},
    "disease": {"role": "sensitive", "label": "Main <i>diagnosis</i>", "labels": {"Flu": "Influenza"}},
}  # fmt: skip
STRANGE = " ~"
CALLS = [
    "anatomy(l=3)", "permutation(l=3)", "generalize(l=3)", "random()", "random(attributes=2)",
    "rank_swapping(p=20)", "data_swapping()", "shuffling()", 'rank_swapping(p=20, columns="both")',
    'data_swapping(share=0.4, columns="sensitive")', "noise(scale=0.3)", "microaggregation(k=3)",
]  # fmt: skip


def asked(page, record: dict[str, str | None]):
    """What the page finds for a record, as `verify` tells it."""
    # as pairs: the test's own way into the page would lose __proto__
    found = page.evaluate("pairs => verifyRecord(pairs)", [list(pair) for pair in record.items()])
    for belief in found["beliefs"]:
        del belief["key"]
    if found["distance"] is not None:
        columns = found["distance"].pop("byColumn")
        for what in ("d", "v"):
            found["distance"][what] = {each["name"]: each[what] for each in columns}
    return found


def records(release: Release, names: list[str], count: int) -> list[dict[str, str]]:
    """Records with values that occur, some of which are left out, and some that do not occur."""
    draw = random.Random(3)
    view = view_of(release)
    found = []
    for _ in range(count):
        record = {}
        for name in names:
            texts = view.columns[name].texts
            strange = [] if view.columns[name].is_measured else [draw.choice(texts)[:2] + STRANGE]
            if draw.random() < 0.8:
                record[name] = draw.choice([*texts, *texts, "", None, texts[0], *strange])
        found.append(record)
    return found


def same(one: object, two: object) -> bool:
    if isinstance(one, dict):
        return set(one) == set(two) and all(same(value, two[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    if isinstance(one, int | float) and not isinstance(one, bool):
        return two == pytest.approx(one, rel=1e-9, abs=1e-9)
    return one == two


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("table", ["awkward", "hospital"])
def test_page_computes_what_the_command_does(browser, tmp_path, call, table):
    method = Method.parse(call)
    if table == "awkward":
        microdata = Microdata.read(suited(method, awkward_table()), AWKWARD_SCHEMA)
    elif getattr(method, "needs_numbers", False):
        roles = HOSPITAL | {"zip": "plain", "sex": "plain"}
        microdata = Microdata.read(hospital_table(300), roles)
    else:
        microdata = Microdata.read(hospital_table(300), HOSPITAL)
    release = method.anonymize(microdata, KEY)
    release.write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    page = watched.page
    view = view_of(Release.read(tmp_path / "release"))
    compared = distances = 0
    people = [texts_of(row) for row in microdata.frame().head(25).to_dicts()]
    for record in [*people, *records(release, [*view.known, *view.sensitive], 40)]:
        try:
            expected = verify_in(view, record).to_dict()
        except InputError:
            with pytest.raises(Exception, match="Fill in something"):
                asked(page, record)
            continue
        found = asked(page, record)
        assert same(found["candidates"], expected["candidates"]), record
        assert same(found["beliefs"], expected["beliefs"]), record
        assert found["open_rows"] == expected["open_rows"], record
        assert same(found["fit"], expected["fit"]), record
        if all(  # the page knows random matches of all only
            name in record and STRANGE not in (record[name] or "")
            for name in distance_columns(view)
        ):
            assert same(found["distance"], expected["distance"]), record
            distances += expected["distance"] is not None
            told = [without_shares(line) for line in found["summary"]]
            assert told == [without_shares(line) for line in expected["summary"]], record
        compared += 1
    assert compared > 40
    assert distances or len(distance_columns(view)) < 2
    watched.close()


def test_a_person_fills_the_form_and_reads_the_answer(browser, tmp_path):
    table = pl.DataFrame(
        {"age": [20, 30, 40, 50] * 5, "disease": ["flu", "cut", "burn", "flu"] * 5}
    )
    release = Method.parse("anatomy(l=2)").anonymize(
        Microdata.read(table, {"age": "quasi", "disease": "sensitive"}), KEY
    )
    release.write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    page, age, disease = (
        watched.page,
        watched.page.get_by_label("age"),
        watched.page.get_by_label("disease"),
    )
    age.fill("20")
    disease.select_option(label="flu")
    page.click("button")
    first, second, third, *_ = page.locator("#result li").all_inner_texts()
    assert first == "With age alone 5 rows can be yours."
    assert second.startswith("You can be in ")
    assert "and in your own with " in third
    age.fill("young")
    age.press("Enter")
    assert "age is numeric" in page.inner_text("#result")
    age.fill("99")
    page.click("button")
    assert "no row has age “99”" in page.inner_text("#result")
    watched.close()


def test_a_value_with_a_line_break_is_found_by_the_form(browser, tmp_path):
    table = {"note": ["two\nlines", "one"] * 4, "disease": ["flu", "cut", "burn", "ulcer"] * 2}
    roles = {"note": "quasi", "disease": "sensitive"}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles), KEY)
    release.write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    watched.page.locator("#known select").select_option(label="two lines")
    watched.page.click("button")
    assert "You can be in" in watched.page.inner_text("#result")
    watched.close()


def received(server: socket.socket) -> bytes:
    """All that anybody sent; Chromium opens connections before it asks the policy, and sends nothing."""
    sent = b""
    while True:
        try:
            visitor, _ = server.accept()
        except BlockingIOError:
            return sent
        with visitor, contextlib.suppress(BlockingIOError):
            visitor.setblocking(False)
            sent += visitor.recv(1000)


def test_the_policy_lets_nothing_in_or_out(browser, tmp_path):
    """Whatever runs in the page: it sends nothing, loads nothing and turns no text into code."""
    table = {"age": [20, 30, 40, 50] * 3, "disease": ["a", "b", "c", "d"] * 3}
    roles = {"age": "quasi", "disease": "sensitive"}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles), KEY)
    release.write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        blocked = watched.page.evaluate(TRY_EVERYTHING, f"http://127.0.0.1:{port}/")
        assert received(server) == b""
    tried = ["form", "fetch", "image", "script", "style", "frame", "base", "eval", "markup"]
    assert blocked == tried
    assert watched.page.url == watched.address
    watched.page.close()


# which ways out and in the policy blocked
TRY_EVERYTHING = """async where => {
  const blocked = [];
  const says = async (name, attempt) => {
    const reported = new Promise(done => {
      document.addEventListener("securitypolicyviolation", () => done(true), { once: true });
      setTimeout(() => done(false), 1000);
    });
    let thrown = false;
    try { await attempt(); } catch { thrown = true; }
    if (await reported || thrown) blocked.push(name);
  };
  const add = (tag, set) => {
    const made = document.createElement(tag);
    set(made);
    document.body.append(made);
    return made;
  };
  await says("form", () => add("form", form => { form.action = where; }).submit());
  await says("fetch", () => fetch(where));
  await says("image", () => add("img", image => { image.src = where; }));
  await says("script", () => add("script", script => { script.textContent = "1"; }));
  await says("style", () => add("style", style => { style.textContent = "p { color: red }"; }));
  await says("frame", () => add("iframe", frame => { frame.src = where; }));
  await says("base", () => add("base", base => { base.href = where; }));
  await says("eval", () => (0, eval)("1"));
  await says("markup", () => { document.getElementById("result").innerHTML = "<b>x</b>"; });
  return blocked;
}"""


def test_values_cannot_become_code(browser, tmp_path):
    """A value that looks like markup is shown as it is written."""
    evil = "<img src=x onerror=alert(1)></script>"
    table = pl.DataFrame({evil: [20, 30, 40, 50] * 3, "disease": [evil, "cut", "burn", "flu"] * 3})
    release = Method.parse("anatomy(l=2)").anonymize(
        Microdata.read(table, {evil: "quasi", "disease": "sensitive"}), KEY
    )
    release.write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    page = watched.page
    page.locator("#known input").fill("20")
    page.click("button")
    assert evil in page.inner_text("#result")
    assert page.locator("img").count() == 0
    watched.close()


def test_a_large_release_gets_no_page(tmp_path):
    rows = MOST_CELLS // 2 + 1
    table = pl.select(age=pl.int_range(rows) % 90, pay=pl.int_range(rows) % 7)
    release = Method.parse("rank_swapping(p=1)").anonymize(
        Microdata.read(table, {"age": "quasi", "pay": "plain"}), KEY
    )
    assert page_of(release) is None
    release.write(tmp_path / "large")
    assert not (tmp_path / "large" / "verify.html").exists()
    assert Release.read(tmp_path / "large").manifest == release.manifest


WRITTEN = {
    "whole": ["3", " 3 ", "+3", "3.0", "3e0", "0.5", "0x10", "1e400", "Infinity", "NaN", "3,0", "a"],
    "real": ["0.25", ".25", "0.250", "1e-3", "abc", "-0", "1.", "--1"],
    "day": ["2020-01-05", "2020-02-30", "2020-1-5", "2020-01-05x", "2021-07-07", "5.1.2020", "2020-13-01"],
    "moment": ["2020-01-05 10:30:00", "2020-01-05T10:30:00", "2020-01-05", "2020-01-05 25:00:00", "10:30"],
}  # fmt: skip


def test_values_are_read_alike(browser, tmp_path):
    """What Python takes for a value the page does too, and for the same; so with what they refuse."""
    from datetime import date, datetime

    table = pl.DataFrame(
        {
            "whole": [0, 1, 2, 3, 16, 5] * 5,
            "real": [0.25, 0.001, 0.5, 0.0, 1.0, 2.5] * 5,
            "day": [date(2020, 1, d) for d in (1, 2, 3, 4, 5, 6)] * 5,
            "moment": [datetime(2020, 1, 5, h, 30) for h in (8, 9, 10, 11, 12, 13)] * 5,
            "disease": ["a", "b", "c", "d", "e", "f"] * 5,
        }
    )
    roles = dict.fromkeys(WRITTEN, "quasi") | {"disease": "sensitive"}
    for number, call in enumerate(["anatomy(l=3)", "generalize(l=3)", "rank_swapping(p=30)"]):
        release = Method.parse(call).anonymize(Microdata.read(table, roles), KEY)
        release.write(tmp_path / str(number))
        watched = opened(browser, tmp_path / str(number))
        view = view_of(release)
        for name, texts in WRITTEN.items():
            for text in texts:
                try:
                    expected = verify_in(view, {name: text}).to_dict()["candidates"]
                except AnonagramError:
                    expected = None
                try:
                    found = asked(watched.page, {name: text})["candidates"]
                except Exception:
                    found = None
                assert found == expected, (call, name, text)
        watched.close()
