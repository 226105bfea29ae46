"""How charts look: the pages' palette, few lines, titles that say the finding.

A chart that stands in a page or notebook takes their ink, so that it can be read on dark ones too; one
in a file of its own has ink and paper with it.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from anonagram.shown.page_style import PALETTE

INHERITED = "currentColor"
INK, PAPER = "#1c2430", "#ffffff"
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
"""Letters are as wide where a chart is laid out as where it is looked at."""
TITLE_SIZE, TEXT_SIZE = 16, 13
TITLE_WIDTH, SUBTITLE_WIDTH = 52, 68
"""So many letters fit in a line."""


def config(ink: str, paper: str | None) -> dict[str, Any]:
    """Vega-Lite's configuration for all charts."""
    faint = {"color": ink, "opacity": 0.15}
    return {
        "background": paper,
        "font": FONT,
        "padding": 12,
        "view": {"stroke": None},
        "title": {
            "anchor": "start", "frame": "group", "fontSize": TITLE_SIZE, "color": ink, "offset": 18,
            "subtitleFontSize": TEXT_SIZE, "subtitleColor": ink, "subtitlePadding": 6,
        },
        "axis": {
            "labelFontSize": TEXT_SIZE, "titleFontSize": TEXT_SIZE, "titleFontWeight": "normal",
            "labelColor": ink, "titleColor": ink, "labelOverlap": "greedy", "labelLimit": 180,
            "gridColor": faint["color"], "gridOpacity": faint["opacity"], "domain": False,
            "ticks": False, "labelPadding": 6, "titlePadding": 10,
        },
        "axisX": {"grid": False, "domain": True, "domainColor": ink, "domainOpacity": 0.4},
        "axisY": {
            "titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleBaseline": "bottom",
            "titleX": -36, "titleY": -14,
        },
        "legend": {
            "orient": "bottom", "labelFontSize": TEXT_SIZE, "labelColor": ink, "title": None,
            "labelLimit": 260, "columnPadding": 24, "symbolStrokeWidth": 3,
        },
        "range": {"category": list(PALETTE)},
        "bar": {"color": PALETTE[0], "cornerRadiusEnd": 2},
        "line": {"strokeWidth": 2.5},
        "point": {"filled": True, "size": 50},
        "rule": {"color": ink},
        "text": {"color": ink, "fontSize": TEXT_SIZE},
    }  # fmt: skip


def title(finding: str, about: str = "") -> dict[str, Any]:
    """What a chart shows, in words, over as many lines as it needs."""
    told: dict[str, Any] = {"text": textwrap.wrap(finding, TITLE_WIDTH) or [""]}
    if about:
        told["subtitle"] = textwrap.wrap(about, SUBTITLE_WIDTH)
    return told


def decades(least: float, most: float) -> list[float]:
    """The powers of ten from one number to another, at most six: what a logarithmic axis names.

    >>> decades(0.02, 3)
    [0.01, 0.1, 1.0, 10.0]
    """
    first, last = int(np.floor(np.log10(least))), int(np.ceil(np.log10(most)))
    step = max(1, -(-(last - first) // 5))
    return [float(f"1e{power}") for power in range(first, last + step, step)]
