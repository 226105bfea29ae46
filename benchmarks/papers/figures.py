"""Where the papers' tables are, and charts in the manner of their figures."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import polars as pl

DATA = Path(os.environ.get("ANONAGRAM_DATA", Path(__file__).parents[3] / "shared" / "data"))
"""The folder with the real tables; benchmarks leave out what is absent."""


def print_figure(
    title: str, column: str, lines: Iterable[tuple[object, dict[str, float]]]
) -> pl.DataFrame:
    """Print shares, a line for each setting and a column for each series; the frame that draw takes."""
    print(f"\n{title}")
    found: list[dict[str, object]] = []
    for setting, shares in lines:
        if not found:
            print(f"{column:>14} " + " ".join(f"{name:>20}" for name in shares))
        print(f"{setting!s:>14} " + " ".join(f"{s:20.2%}" for s in shares.values()), flush=True)
        found += [{"setting": str(setting), "series": n, "error": e} for n, e in shares.items()]
    return pl.DataFrame(found)


def draw(frames: dict[str, pl.DataFrame], folder: Path, y_title: str) -> None:
    """One chart for each frame with columns setting, series and error; titles say "… by setting"."""
    import altair as alt

    from anonagram.present.charts import save_chart

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
