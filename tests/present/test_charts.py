from __future__ import annotations

import pytest

from anonagram import Anatomy, Key, Microdata, Permutation, Random
from anonagram.attacks import Aligned, audit, tune
from anonagram.errors import CannotWrite
from anonagram.measures import (
    Ncp,
    Workload,
    knowledge_kept,
    presence,
    row_posteriors,
    run_workload,
)
from anonagram.present import charts as drawing
from anonagram.present.charts import chart_ncp, save_chart
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
    return {
        "group_sizes": drawing.chart_group_sizes(release.group_sizes()),
        "posteriors": drawing.chart_posteriors(row_posteriors(release)),
        "ncp": drawing.chart_ncp(Ncp.of(release)),
        "presence": drawing.chart_presence(presence(microdata, release, group_of)),
        "workload": drawing.chart_workload(
            run_workload(exact, microdata, Workload.draw(microdata, queries=20))
        ),
        "rules": drawing.chart_rules(knowledge_kept(replaced, microdata, 0.2, 0.2)),
        "distances": drawing.chart_distances(audit(pair).linkage),
        "tuning": drawing.chart_tuning(tuned),
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


def test_unknown_ending_is_refused(charts, tmp_path):
    with pytest.raises(CannotWrite, match="png or svg or html"):
        save_chart(charts["ncp"], tmp_path / "chart.bmp")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_name_with_control_characters_is_drawn(tmp_path, ending):
    """The renderer cannot take them, and would end the whole process."""
    save_chart(chart_ncp(Ncp(1.0, 0.5, {"\x1b[31mage\x00": 0.5})), tmp_path / f"chart.{ending}")
    assert (tmp_path / f"chart.{ending}").stat().st_size > 1000
