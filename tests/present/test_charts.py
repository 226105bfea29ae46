from __future__ import annotations

import itertools
import math
import re

import pytest

from anonagram import Anatomy, Key, Method, Microdata, Permutation, Random
from anonagram.attacks import Aligned, audit, tune
from anonagram.comparison import Comparison
from anonagram.errors import CannotWrite
from anonagram.measures import (
    Ncp,
    Workload,
    knowledge_kept,
    posterior_references,
    row_posteriors,
    run_workload,
)
from anonagram.measures.presence import presence
from anonagram.present import charts as drawing
from anonagram.present.charts import chart_ncp, save_chart, svg_of
from anonagram.shown.page_style import PALETTE
from tests.comparison.test_comparison import BENCH, trial
from tests.tables import PATIENT_SCHEMA, PATIENTS


@pytest.fixture(scope="module")
def charts():
    microdata = Microdata.read(PATIENTS, PATIENT_SCHEMA)
    made = Permutation(l=3).publish(microdata, Key(bytes(32)))
    release, group_of = made.release, made.mapping["group"].to_numpy() - 1
    exact = Anatomy(l=3).anonymize(microdata, Key(bytes(32)))
    numbers = {"a": range(40), "b": range(40)}
    pair = Aligned.read(numbers, {**numbers, "b": range(40, 0, -1)})
    tuned = tune(Microdata.read(numbers, dict.fromkeys("ab", "quasi")), "data_swapping", keys=1)
    replaced = Random().anonymize(microdata, Key(bytes(32)))
    climbed = Method.parse("optimal(k_anonymity(k=2))").publish(microdata, Key(bytes(32)))
    return {
        "group_sizes": drawing.chart_group_sizes(release.group_sizes()),
        "posteriors": drawing.chart_posteriors(
            row_posteriors(release), posterior_references(release)
        ),
        "ncp": drawing.chart_ncp(Ncp.of(release)),
        "presence": drawing.chart_presence(presence(microdata, release, group_of)),
        "workload": drawing.chart_workload(
            run_workload(exact, microdata, Workload.draw(microdata, queries=20))
        ),
        "rules": drawing.chart_rules(knowledge_kept(replaced, microdata, 0.2, 0.2)),
        "distances": drawing.chart_distances(audit(pair).linkage),
        "tuning": drawing.chart_tuning(tuned),
        "lattice": drawing.chart_lattice(climbed.choice),
        "comparison": drawing.chart_comparison(
            Comparison.of("t", "counting", BENCH, [trial("one", 0.3, 0.2), trial("two", 0.4, 0.1)])
        ),
    }


def test_no_chart_is_left_out(charts):
    there = {name.removeprefix("chart_") for name in vars(drawing) if name.startswith("chart_")}
    assert there == set(charts)


def test_every_chart_has_something_to_show(charts):
    for name, chart in charts.items():
        told = chart.to_dict()
        data = told.get("data") or told["layer"][0]["data"]
        assert data["values"], name


@pytest.mark.parametrize(
    ("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doctype html>")]
)
def test_every_chart_is_drawn_without_network(charts, tmp_path, ending, begins):
    for name, chart in charts.items():
        path = tmp_path / f"{name}.{ending}"
        save_chart(chart, path)
        content = path.read_bytes()
        assert content.lstrip().startswith(begins)
        if ending == "html":
            assert b"<script" not in content


def test_charts_show_what_they_are_given(charts):
    drawn = charts["group_sizes"].to_dict()["data"]["values"]
    assert sum(bar["groups"] * bar["rows"] for bar in drawn) == 9
    assert [bar["attribute"] for bar in charts["ncp"].to_dict()["data"]["values"]] == ["age", "sex"]


def test_titles_say_what_was_found_and_lines_what_to_compare_with(charts):
    told = {name: " ".join(chart.to_dict()["title"]["text"]) for name, chart in charts.items()}
    assert "smallest group has" in told["group_sizes"] or "Every group has" in told["group_sizes"]
    assert all(re.search("[0-9]|nothing|withstands", text) for text in told.values()), told
    values = [
        layer["data"]["values"]
        for layer in charts["posteriors"].to_dict()["layer"]
        if "data" in layer
    ]
    assert any(each[0].get("told") == "promised, 1/l: 33.3%" for each in values)
    assert any(each[0].get("told", "").startswith("most frequent value") for each in values)


# how people see who lack the cones for red, for green, for blue (Machado, Oliveira, Fernandes 2009)
SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip


def linear(colour: str) -> list[float]:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def lab(rgb: list[float]) -> list[float]:
    """CIELAB, in which 2 to 3 apart is just noticed."""
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    xyz = [sum(a * c for a, c in zip(row, rgb, strict=True)) for row in to_xyz]
    f = [
        math.copysign(abs(v / w) ** (1 / 3), v) if v / w > 0.008856 else 7.787 * v / w + 16 / 116
        for v, w in zip(xyz, white, strict=True)
    ]
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]


@pytest.mark.parametrize("eyes", SEEN)
def test_colours_are_told_apart_by_everybody(eyes):
    seen = [
        lab([sum(a * c for a, c in zip(row, linear(colour), strict=True)) for row in SEEN[eyes]])
        for colour in PALETTE
    ]
    for one, two in itertools.combinations(seen, 2):
        assert math.dist(one, two) > 20


@pytest.mark.parametrize("paper", ["#ffffff", "#13171c"])
def test_colours_are_seen_on_light_and_dark(paper):
    def luminance(colour: str) -> float:
        return sum(a * c for a, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))

    for colour in PALETTE:
        low, high = sorted((luminance(colour), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) >= 3


def test_a_chart_in_a_page_takes_its_ink_and_one_in_a_file_has_paper(charts, tmp_path):
    assert 'fill="currentColor"' in svg_of(charts["ncp"])
    save_chart(charts["ncp"], tmp_path / "chart.svg")
    alone = (tmp_path / "chart.svg").read_text()
    assert "currentColor" not in alone
    assert 'fill="#ffffff"' in alone


def test_unknown_ending_is_refused(charts, tmp_path):
    with pytest.raises(CannotWrite, match="png or svg or html"):
        save_chart(charts["ncp"], tmp_path / "chart.bmp")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_name_with_control_characters_is_drawn(tmp_path, ending):
    """The renderer cannot take them, and would end the whole process."""
    save_chart(chart_ncp(Ncp(1.0, 0.5, {"\x1b[31mage\x00": 0.5})), tmp_path / f"chart.{ending}")
    assert (tmp_path / f"chart.{ending}").stat().st_size > 1000
