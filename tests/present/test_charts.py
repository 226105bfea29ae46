from __future__ import annotations

import numpy as np
import pytest

from anonagram import Key, Microdata, Permutation
from anonagram.errors import CannotWrite
from anonagram.measures import Ncp, row_posteriors
from anonagram.present.charts import (
    chart_group_sizes,
    chart_ncp,
    chart_posteriors,
    chart_presence,
    save_chart,
)
from tests.tables import PATIENT_SCHEMA, PATIENTS


@pytest.fixture(scope="module")
def charts():
    release = Permutation(l=3).anonymize(Microdata.read(PATIENTS, PATIENT_SCHEMA), Key(bytes(32)))
    return {
        "sizes": chart_group_sizes(release.group_sizes()),
        "posteriors": chart_posteriors(row_posteriors(release)),
        "ncp": chart_ncp(Ncp.of(release)),
        "presence": chart_presence(np.array([0.1, 0.01, 0.5])),
    }


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
    drawn = charts["sizes"].to_dict()["data"]["values"]
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
