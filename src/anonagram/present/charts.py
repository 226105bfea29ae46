"""Pictures of what was measured: each function draws one result and computes nothing.

Altair describes a chart, vl-convert renders it to PNG, SVG or a self-contained HTML page without
any network. The page only shows the picture: a script in it would be one more place where names
from the data could become code. Both come with ``pip install 'anonagram[charts]'``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks import Linkage, Tuning, binned
from anonagram.errors import CannotWrite, MissingExtra
from anonagram.measures import KnowledgeKept, Ncp, WorkloadResult
from anonagram.present.pages import picture_page
from anonagram.shown.visible import visible

WIDTH, HEIGHT = 420, 240
BINS = 30
DISTANCES_SHOWN = 40
CURVE_POINTS = 101
SMALLEST_SHOWN = 1e-4
"""A logarithmic scale has no place for 0."""
FORMATS = ("png", "svg", "html")


def chart_group_sizes(sizes: pl.DataFrame) -> Any:
    """How many groups have how many rows; takes `release.group_sizes()`."""
    counted = sizes.group_by("rows").agg(pl.len().alias("groups")).sort("rows")
    return _bars(counted, "rows:O", "groups:Q", "Group sizes", "rows in a group", "groups")


def chart_posteriors(posteriors: pl.DataFrame) -> Any:
    """The probability of each row's own sensitive value; takes `row_posteriors(release)`."""
    alt = _altair()
    return (
        alt.Chart(_records(posteriors), title="An intruder's belief in the true value")
        .mark_bar()
        .encode(
            x=alt.X("posterior:Q", bin=alt.Bin(maxbins=BINS), title="posterior"),
            y=alt.Y("sum(rows):Q", title="rows"),
            color=alt.Color("attribute:N", title=None),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def chart_presence(presence: NDArray[np.float64]) -> Any:
    """The distribution of δ over rows on a logarithmic scale; takes `presence(...)`."""
    exponents = np.log10(np.maximum(presence, 1e-12))
    counts, edges = np.histogram(exponents, bins=BINS, range=(min(exponents.min(), -1.0), 0.0))
    frame = pl.DataFrame({"presence": 10.0 ** ((edges[:-1] + edges[1:]) / 2), "rows": counts})
    alt = _altair()
    return (
        alt.Chart(_records(frame), title="Presence: δ of every row")
        .mark_bar(size=10)
        .encode(
            x=alt.X("presence:Q", scale=alt.Scale(type="log"), title="δ"),
            y=alt.Y("rows:Q", title="rows"),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def chart_ncp(ncp: Ncp) -> Any:
    """The mean width of each quasi-identifier's groups, as a share of its domain."""
    frame = pl.DataFrame({"attribute": list(ncp.attributes), "ncp": list(ncp.attributes.values())})
    return _bars(frame, "attribute:N", "ncp:Q", "Certainty penalty by attribute", None, "NCP a row")


def chart_workload(result: WorkloadResult) -> Any:
    """Which share of questions has at most which error and which width of bounds."""
    is_asked = pl.col("truth").is_not_null() & (pl.col("truth") != 0)
    asked = result.answers.filter(is_asked & pl.col("estimate").is_not_null())
    truth = pl.col("truth").abs()
    curves = {
        "error of the estimate": (pl.col("estimate") - pl.col("truth")).abs() / truth,
    }
    if result.width is not None:
        curves["width of the bounds"] = (pl.col("upper") - pl.col("lower")) / truth
    if result.naive_error is not None:
        curves["error as it stands"] = (pl.col("naive") - pl.col("truth")).abs() / truth
    shares = pl.Series(np.linspace(0, 1, CURVE_POINTS))
    frame = pl.concat(
        asked.select(
            what=pl.lit(name),
            relative=expression.quantile(float(share)).clip(SMALLEST_SHOWN),
            share=pl.lit(float(share)),
        ).head(1)
        for name, expression in curves.items()
        for share in shares
    )
    alt = _altair()
    return (
        alt.Chart(_records(frame), title=f"{result.method}: {result.aggregate} questions")
        .mark_line()
        .encode(
            x=alt.X("relative:Q", scale=alt.Scale(type="log"), title="relative to the truth"),
            y=alt.Y("share:Q", title="share of questions", axis=alt.Axis(format="%")),
            color=alt.Color("what:N", title=None),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def chart_rules(kept: KnowledgeKept) -> Any:
    """The share of the original's rules that are found again, by their length."""
    frame = pl.DataFrame(
        [
            {"length": str(each.length), "share": each.recovered / each.original}
            for each in kept.lengths
            if each.original
        ],
        schema={"length": pl.String, "share": pl.Float64},
    )
    title = f"{kept.method}: rules found again"
    return _bars(frame, "length:O", "share:Q", title, "quasi-identifiers in a rule", "share")


def chart_distances(linkage: Linkage, title: str = "Distance of matches") -> Any:
    """At which distance originals and random records are matched; takes what an attack found.

    As Figures 1 to 3 of Domingo-Ferrer and Muralidhar (2016). Where there are many distances, bars
    stand for ranges of them.
    """
    width, starts, both = binned(linkage.original, linkage.random, DISTANCES_SHOWN)
    frame = pl.concat(
        pl.DataFrame({"d": starts, "share": shares, "records": [name] * starts.size})
        for name, shares in zip(("original", "random"), both, strict=True)
    )
    alt = _altair()
    return (
        alt.Chart(_records(frame), title=title)
        .mark_bar()
        .encode(
            x=alt.X(
                "d:O",
                title=f"d, in steps of {width:g}" if width > 1 else "d",
                axis=alt.Axis(labelOverlap=True),
            ),
            xOffset=alt.XOffset("records:N"),
            y=alt.Y("share:Q", title="share of records", axis=alt.Axis(format="%")),
            color=alt.Color("records:N", title=None),
        )
        .properties(width=1.6 * WIDTH, height=HEIGHT)
    )


def chart_tuning(tuning: Tuning) -> Any:
    """How the intruder's advantage falls as more is masked, and where it is practically none."""
    alt = _altair()
    frame = pl.DataFrame([vars(trial) for trial in tuning.trials])
    lines = frame.unpivot(
        ["advantage", "correct", "rank_correlation"], index="value", variable_name="what",
        value_name="share",
    ).with_columns(pl.col("what").str.replace("_", " "))  # fmt: skip
    curve = (
        alt.Chart(_records(lines), title=_tuning_title(tuning))
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "value:Q",
                scale=alt.Scale(type="log"),
                title=tuning.parameter,
                axis=alt.Axis(labelOverlap=True),
            ),
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%")),
            color=alt.Color("what:N", title=None),
        )
    )
    limit = alt.Chart(_records(pl.DataFrame({"share": [tuning.tolerance]}))).mark_rule(
        strokeDash=[4, 4]
    )
    return (curve + limit.encode(y="share:Q")).properties(width=WIDTH, height=HEIGHT)


def _tuning_title(tuning: Tuning) -> str:
    if tuning.least is None:
        return f"{tuning.method.split('(')[0]}: nothing that was tried withstands"
    return f"{tuning.call}: the least that withstands"


def svg_of(chart: Any) -> str:
    """A chart as the text of an SVG picture, to stand in a page."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(_shown(chart.to_dict())))


def _shown(part: Any) -> Any:
    """A chart's description with all texts visible: a picture cannot hold a control character."""
    if isinstance(part, dict):
        return {name: _shown(each) for name, each in part.items()}
    if isinstance(part, list):
        return [_shown(each) for each in part]
    return visible(part) if isinstance(part, str) else part


def save_chart(chart: Any, path: str | Path) -> None:
    """Write a chart as PNG, SVG or self-contained HTML, by the file's ending."""
    path = Path(path)
    require_chart_place(path)
    try:
        path.write_bytes(_rendered(chart, path.suffix.lower().removeprefix(".")))
    except OSError as error:
        raise CannotWrite(f"{path} was not written: {error}.", "choose another place.") from error


def _rendered(chart: Any, ending: str) -> bytes:
    import vl_convert

    if ending == "png":
        return bytes(vl_convert.vegalite_to_png(_shown(chart.to_dict()), scale=2))
    picture = svg_of(chart)
    return (picture_page("Chart", picture) if ending == "html" else picture).encode()


def require_chart_place(path: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Refuse a file that cannot be written as a chart, before any work is done."""
    if path.suffix.lower().removeprefix(".") not in formats:
        known = " or ".join(formats)
        raise CannotWrite(f"{path}: this is written as {known}.", f"{path.stem}.{formats[0]}")
    if not path.absolute().parent.is_dir():
        raise CannotWrite(f"There is no folder {path.parent}.", "make it, or name another.")
    _altair()


def _bars(
    frame: pl.DataFrame, x: str, y: str, title: str, x_title: str | None, y_title: str
) -> Any:
    alt = _altair()
    return (
        alt.Chart(_records(frame), title=title)
        .mark_bar()
        .encode(x=alt.X(x, title=x_title, sort=None), y=alt.Y(y, title=y_title))
        .properties(width=WIDTH, height=HEIGHT)
    )


def _records(frame: pl.DataFrame) -> Any:
    return _altair().Data(values=frame.to_dicts())


def _altair() -> Any:
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise MissingExtra("altair", "charts") from error
    return altair
