"""Results as sections: what pages and notebooks show of names that others chose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anonagram.attacks import Aligned, audit
from anonagram.present import page, save_page
from anonagram.present.pages import picture_page
from anonagram.present.sections import (
    Bar,
    Document,
    Interval,
    Mood,
    Section,
    Table,
    document_of,
)

EVIL = "<img src=x onerror=alert(1)>&\x1b[31m\u202e"
SHOWN = "&lt;img src=x onerror=alert(1)&gt;&amp;\\x1b[31m\\u202e"


def document(text: str) -> Document:
    """The text in every place that a document has."""
    cells = Table.of([text, text], [[text, Bar(0.25)], [text, Interval(2, 5, 8, 0, 10)]], right=1)
    return Document(text, (Section(text, cells, (text,)),), text, Mood.BAD, (text,))


def test_a_page_shows_texts_and_never_obeys_them():
    made = page(document(EVIL))
    # title twice, headline, told, section, sentence, two heads, two cells; four cells name their head
    assert made.count(SHOWN) == 14
    assert "<img" not in made
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", made)


def test_a_page_loads_nothing_and_runs_nothing():
    made = page(document("harmless"))
    assert "<script" not in made
    assert not re.search(r"(src|href|url)\s*[=(]", made)
    assert " style=" not in made  # the policy knows the page's own style alone
    policy = made.index("Content-Security-Policy")
    assert policy < made.index("<title>") < made.index("<style>")
    assert "script-src 'none'" in made


def test_bars_and_intervals_are_drawn_to_scale():
    made = page(document("x"))
    assert 'rect width="30.0"' in made
    assert 'd="M 36.0 2 v 10 m 0 -5 H 132.0' in made
    assert 'cx="84.0"' in made


def test_a_section_without_length_is_drawn_in_the_middle():
    assert Interval(3, 3, 3, 3, 3).places() == (0.5, 0.5, 0.5)


def test_a_picture_page_names_its_title():
    made = picture_page(EVIL, "<svg></svg>")
    assert SHOWN in made
    assert "<body><svg></svg></body>" in made


def test_a_chart_stands_in_place_of_its_table():
    import altair as alt

    chart = alt.Chart(alt.Data(values=[{"a": 1}])).mark_bar().encode(x="a:Q")
    table = Table.of(["number"], [["12345"]])
    made = page(Document("t", (Section("s", table, chart=lambda: chart),)))
    assert "<svg" in made
    assert "12345" not in made


@pytest.fixture(scope="module")
def audited():
    table = {EVIL: list(range(50)), "b": list(range(50)), "c": [i * i % 50 for i in range(50)]}
    return audit(Aligned.read(table, {**table, "c": table["c"][::-1]}, in_order=True))


def test_an_audit_says_the_same_everywhere(audited, tmp_path: Path):
    shown = document_of(audited)
    assert [shown.headline, *shown.told] == audited.summary()
    assert shown.mood is Mood.BAD
    made, noted = page(shown), audited._repr_html_()
    assert "<img" not in made + noted
    for each in audited.results:
        assert each.attack.call in made
    assert "does NOT withstand" in made
    assert "does NOT withstand" in noted
    assert len(noted) < len(made)
    save_page(made, tmp_path / "audit.html")
    assert (tmp_path / "audit.html").read_text().startswith("<!doctype html>")
