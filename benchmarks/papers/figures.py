"""Where the papers' tables are, and charts in the manner of their figures."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

DATA = Path(os.environ.get("ANONAGRAM_DATA", Path(__file__).parents[3] / "shared" / "data"))
"""The folder with the real tables; benchmarks leave out what is absent."""


def draw(frames: dict[str, pl.DataFrame], folder: Path, y_title: str) -> None:
    """One chart for each frame with columns setting, series and error; titles say "… by setting"."""
    import altair as alt

    from anonagram.charts import save_chart

    folder.mkdir(parents=True, exist_ok=True)
    for title, frame in frames.items():
        order = frame["series"].unique(maintain_order=True).to_list()
        chart = (
            alt.Chart(alt.Data(values=frame.to_dicts()), title=title)
            .mark_line(point=True)
            .encode(
                x=alt.X("setting:O", sort=None, title=title.split(" by ")[1]),
                y=alt.Y("error:Q", axis=alt.Axis(format="%"), title=y_title),
                color=alt.Color("series:N", title=None, sort=order),
            )
            .properties(width=360, height=240)
        )
        save_chart(chart, folder / f"{title.replace(' ', '_')}.png")
    print(f"\ncharts are in {folder}")
