"""Pictures of what was measured: each function draws one result and computes nothing.

Altair describes a chart, vl-convert renders it to PNG, SVG or a self-contained HTML page without
any network. The page only shows the picture: a script in it would be one more place where names
from the data could become code. Both come with ``pip install 'anonagram[charts]'``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks import Linkage, Tuning, binned
from anonagram.comparison import Comparison
from anonagram.errors import CannotWrite, MissingExtra
from anonagram.lattice import Choice
from anonagram.measures import KnowledgeKept, Ncp, WorkloadResult
from anonagram.present.chart_style import INHERITED, INK, PAPER, config, decades, title
from anonagram.present.pages import picture_page
from anonagram.shown.visible import visible
from anonagram.shown.wording import how_many

WIDTH, HEIGHT = 480, 260
BINS = 30
DISTANCES_SHOWN = 40
CURVE_POINTS = 101
SMALLEST_SHOWN = 1e-4
"""A logarithmic scale has no place for 0."""
SHARE = "~%"
IN_SHORT = "format(datum.value, '~s')"
"""2k for 2,000, and 0 for 0, which a format for the whole axis would write 0k."""
CERTAIN = 0.9995
"""What is told as 100 %."""
LOSSES = {
    "counting": "error of half of the counts",
    "averages": "error of half of the sums",
    "learning": "wrong guesses of a model",
    "open_data": "error of half of the counts",
}
FORMATS = ("png", "svg", "html")


def chart_group_sizes(sizes: pl.DataFrame) -> Any:
    """How many groups have how many rows; takes `release.group_sizes()`."""
    alt = altair()
    rows = sizes["rows"]
    least, most = int(rows.min() or 0), int(rows.max() or 0)  # type: ignore[arg-type]
    counted = sizes.group_by("rows").agg(pl.len().alias("groups")).sort("rows")
    finding = (
        f"Every group has {how_many(least, 'person', 'people')}"
        if least == most
        else f"The smallest group has {how_many(least, 'person', 'people')}, the largest {most:,}"
    )
    few = counted.height <= DISTANCES_SHOWN
    x = {"axis": alt.Axis(labelAngle=0)} if few else {"bin": alt.Bin(maxbins=BINS)}
    return (
        alt.Chart(
            records(counted),
            title=title(
                finding,
                f"{how_many(sizes.height, 'group')} of {how_many(int(rows.sum()), 'person', 'people')}",
            ),
        )
        .mark_bar(width={"band": 0.6} if few else 8)
        .encode(
            x=alt.X("rows:O" if few else "rows:Q", title="people in a group", **x),
            y=alt.Y("sum(groups):Q", title="groups"),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def chart_posteriors(
    posteriors: pl.DataFrame, references: Mapping[str, float] | None = None
) -> Any:
    """The probability of each person's own sensitive value; takes `row_posteriors(release)`.

    References are drawn in, such as what is promised and what anybody guesses (`posterior_references`).
    """
    alt = altair()
    frame = posteriors.with_columns(pl.col("posterior").round(3))
    frame = frame.group_by("attribute", "posterior", maintain_order=True).agg(pl.col("rows").sum())
    highest = max([0.0, *frame["posterior"].to_list()])
    reach = min(1.0, 1.25 * max(highest, *(references or {}).values(), 0.2))
    bars = (
        alt.Chart(records(frame))
        .mark_bar(size=max(4, WIDTH // 60))
        .encode(
            x=_share_axis(
                "posterior",
                "belief in a person's own value",
                scale=alt.Scale(domain=[0, reach], nice=False, padding=0),
            ),
            y=alt.Y("rows:Q", title="people", stack=True, axis=alt.Axis(labelExpr=IN_SHORT)),
            color=_colour("attribute", frame["attribute"].n_unique()),
        )
    )
    finding = f"By the group alone, nobody's own value is believed more than {highest:.0%}"
    about = "Somebody who learns from all groups together may believe more"
    return _with_lines(bars, references or {}, reach, title(finding, about))


def chart_presence(presence: NDArray[np.float64]) -> Any:
    """The distribution of δ over rows on a logarithmic scale; takes `presence(...)`."""
    alt = altair()
    exponents = np.log10(np.maximum(presence, 1e-12))
    counts, edges = np.histogram(exponents, bins=BINS, range=(min(exponents.min(), -1.0), 0.0))
    frame = pl.DataFrame({"from": 10.0 ** edges[:-1], "to": 10.0 ** edges[1:], "rows": counts})
    certain, most = int((presence >= CERTAIN).sum()), float(presence.max())
    finding = (
        f"It is certain of {how_many(certain, 'person', 'people')} that somebody like them is in the table"
        if certain
        else f"It is told of nobody with more than {most:.1%} that somebody like her is in the table"
    )
    return (
        alt.Chart(records(frame), title=title(finding, f"of {how_many(presence.size, 'person', 'people')}"))
        .mark_bar()
        .encode(
            x=alt.X(
                "from:Q", title="how surely it is told (presence δ)",
                axis=_decade_axis(10.0 ** edges[0], 1.0), scale=alt.Scale(type="log"),
            ),
            x2="to:Q",
            y=alt.Y("rows:Q", title="people", axis=alt.Axis(labelExpr=IN_SHORT, tickCount=6)),
            y2=alt.Y2(datum=0),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )  # fmt: skip


def chart_ncp(ncp: Ncp) -> Any:
    """The mean width of each quasi-identifier's groups, as a share of its domain."""
    alt = altair()
    widest = max(ncp.attributes, key=lambda name: ncp.attributes[name])
    frame = pl.DataFrame({"attribute": list(ncp.attributes), "ncp": list(ncp.attributes.values())})
    finding = (
        f"Groups spread most over {widest}: {ncp.attributes[widest]:.0%} of its values or range"
    )
    about = f"All quasi-identifiers together: {ncp.per_cell:.1%} (certainty penalty, NCP)"
    return (
        alt.Chart(records(frame), title=title(finding, about))
        .mark_bar()
        .encode(
            x=_share_axis("ncp", "share of values or range in a group, on average"),
            y=alt.Y("attribute:N", title=None, sort="-x"),
        )
        .properties(width=WIDTH, height=alt.Step(28))
    )


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
        curves["error corrected"] = (pl.col("corrected") - pl.col("truth")).abs() / truth
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
    alt = altair()
    half = 0.0 if result.error is None else result.error.median
    finding = f"Half of the estimates are off by {half:.1%} or less"
    about = f"{result.queries:,} random {result.aggregate} questions, {result.method}"
    relative = frame["relative"]
    return (
        alt.Chart(records(frame), title=title(finding, about))
        .mark_line(interpolate="monotone")
        .encode(
            x=alt.X(
                "relative:Q", title="relative to the truth",
                axis=_decade_axis(float(relative.min() or 1), float(relative.max() or 1)),  # type: ignore[arg-type]
                scale=alt.Scale(type="log", nice=True),
            ),
            y=_share_axis("share", "share of questions", on=alt.Y),
            color=_colour("what", len(curves), list(curves)),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )  # fmt: skip


def chart_rules(kept: KnowledgeKept) -> Any:
    """The share of the original's rules that are found again, by their length."""
    alt = altair()
    frame = pl.DataFrame(
        [
            {"length": str(each.length), "share": each.recovered / each.original}
            for each in kept.lengths
            if each.original
        ],
        schema={"length": pl.String, "share": pl.Float64},
    )
    return (
        alt.Chart(records(frame), title=title(kept.finding, kept.method))
        .mark_bar(width={"band": 0.4})
        .encode(
            x=alt.X("length:O", title="quasi-identifiers in a rule", axis=alt.Axis(labelAngle=0)),
            y=_share_axis("share", "found again", on=alt.Y),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def chart_distances(linkage: Linkage) -> Any:
    """At which distance originals and random records are matched; takes what an attack found.

    As Figures 1 to 3 of Domingo-Ferrer and Muralidhar (2016). Where there are many distances, steps
    stand for ranges of them.
    """
    alt = altair()
    width, starts, both = binned(linkage.original, linkage.random, DISTANCES_SHOWN)
    # a step begins at its range and ends with the last one
    ends = np.append(starts, starts[-1] + width)
    frame = pl.concat(
        pl.DataFrame({"d": ends, "share": np.append(shares, shares[-1]), "records": name})
        for name, shares in zip(DISTANCE_KINDS, both, strict=True)
    )
    real, random = (each.quantile(0.5) for each in (linkage.original, linkage.random))
    finding = (
        f"Half of the people find a match within {real:,.9g} ranks, half of made-up records within "
        f"{random:,.9g}"
    )
    return (
        alt.Chart(records(frame), title=title(finding, "Apart is bad: then a near match means a person"))
        .mark_area(interpolate="step-after", opacity=0.35, line={"strokeWidth": 2})
        .encode(
            x=alt.X("d:Q", title="distance of the nearest masked record, in ranks",
                    axis=alt.Axis(tickCount=6, labelExpr=IN_SHORT), scale=alt.Scale(nice=False)),
            y=_share_axis("share", "share of records", on=alt.Y, stack=None),
            color=_colour("records", 2, list(DISTANCE_KINDS)),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )  # fmt: skip


DISTANCE_KINDS = ("people of the original", "records made up at random")


def chart_tuning(tuning: Tuning) -> Any:
    """How the intruder's advantage falls as more is masked, and where it is practically none."""
    alt = altair()
    frame = pl.DataFrame([vars(trial) for trial in tuning.trials])
    names = {
        "advantage": "intruder's advantage",
        "correct": "people linked",
        "rank_correlation": "order kept (rank correlation)",
    }
    lines = frame.unpivot(
        list(names), index="value", variable_name="what", value_name="share"
    ).with_columns(pl.col("what").replace(names))
    values = sorted(set(frame["value"].to_list()))
    curve = (
        alt.Chart(records(lines))
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "value:Q", title=tuning.parameter,
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=values, format="~g"),
            ),
            y=_share_axis("share", None, on=alt.Y),
            color=_colour("what", 3, list(names.values())),
        )
    )  # fmt: skip
    limit = pl.DataFrame({"share": [tuning.tolerance], "told": ["tolerated advantage"]})
    rule = alt.Chart(records(limit)).mark_rule(strokeDash=[4, 4]).encode(y="share:Q")
    named = (
        alt.Chart(records(limit))
        .mark_text(align="left", baseline="bottom", dy=-3)
        .encode(x=alt.value(4), y="share:Q", text="told:N")
    )
    return (curve + rule + named).properties(
        width=WIDTH,
        height=HEIGHT,
        title=title(_tuning_title(tuning), "What the intruder finds, and what is left to analyse"),
    )


def chart_comparison(comparison: Comparison) -> Any:
    """Risk beside what is lost for the purpose; those that no other beats are joined and named."""
    alt = altair()
    best, chosen = comparison.frontier, comparison.recommended
    kinds = ("recommended", "unbeaten", "others are better in both")
    frame = pl.DataFrame(
        [
            {
                "risk": 100 * comparison.risk(trial),
                "loss": comparison.loss(trial),
                "kind": kinds[0 if trial == chosen else 1 if trial in best else 2],
                "name": visible(trial.brief),
            }
            for trial in comparison.useful
        ]
    )
    gained = (
        "points that intruders gain" if comparison.bench.has_secret else "points of people found"
    )
    axis = alt.Axis(title=gained, tickCount=6)
    x = alt.X("risk:Q", axis=axis, scale=alt.Scale(zero=True))
    # a few that lose nearly everything would press all others onto the axis
    wide = alt.Scale(type="sqrt", zero=True)
    y = _share_axis("loss", LOSSES[comparison.purpose], on=alt.Y, scale=wide)
    known = frame.filter(pl.col("kind") != kinds[2])
    points = (
        alt.Chart(records(frame))
        .mark_point(size=70, opacity=1)
        .encode(x=x, y=y, color=_colour("kind", 3, list(kinds)))
    )
    line = alt.Chart(records(known)).mark_line(strokeWidth=1, opacity=0.5).encode(x=x, y=y)
    named = alt.Chart(records(known.filter(pl.col("kind") == kinds[0])))
    label = named.mark_text(align="left", baseline="bottom", dx=6, dy=-4).encode(
        x=x, y=y, text="name:N"
    )
    number = len(comparison.safe)
    keep = "keeps" if number <= 1 else "keep"
    finding = f"{number or 'None'} of {frame.height} {keep} " + (
        "intruders at what they know without a release"
        if comparison.bench.has_secret
        else "people from being found"
    )
    about = "Releases of the same people; the lower left is best"
    return (line + points + label).properties(
        width=WIDTH, height=HEIGHT, title=title(finding, about)
    )


def _tuning_title(tuning: Tuning) -> str:
    if tuning.least is None:
        return f"{tuning.method.split('(')[0]}: nothing that was tried withstands"
    return f"{tuning.call} is the least that withstands"


def chart_lattice(choice: Choice) -> Any:
    """Nodes that hold by height and cost, the chosen one marked; takes a publication's choice."""
    alt = altair()
    kinds = ("one that holds", "the chosen one")
    told = pl.when("is_chosen").then(pl.lit(kinds[1])).otherwise(pl.lit(kinds[0]))
    holding = choice.nodes.filter("holds").sort("is_chosen")
    frame = holding.select(
        "height", "cost", told.alias("node"), size=30 + 120 * pl.col("is_chosen")
    )
    failing = choice.nodes.height - frame.height
    about = f"{how_many(frame.height, 'node')} that hold; {how_many(failing, 'other does', 'others do')} not"
    return (
        alt.Chart(
            records(frame), title=title(f"The chosen node costs {choice.node.cost:.4g}", about)
        )
        .mark_point(filled=True, opacity=0.7)
        .encode(
            x=alt.X("height:Q", title="height: levels of all columns together"),
            y=alt.Y("cost:Q", title=choice.cost.replace("_", " ")),
            color=_colour("node", 2, list(kinds)),
            size=alt.Size("size:Q", scale=None, legend=None),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _share_axis(name: str, told: str | None, *, on: Any = None, **more: Any) -> Any:
    """A share as percent, from nothing."""
    alt = altair()
    axis = alt.Axis(format=SHARE, tickCount=5)
    return (on or alt.X)(f"{name}:Q", title=told, axis=axis, **more)


def _decade_axis(least: float, most: float) -> Any:
    return altair().Axis(format=SHARE, values=decades(least, most), grid=True)


def _colour(name: str, kinds: int, order: list[str] | None = None) -> Any:
    """A colour for each kind, in the order told; nothing to explain where there is only one."""
    alt = altair()
    legend = {"legend": None} if kinds < 2 else {}
    return alt.Color(f"{name}:N", title=None, sort=order, **legend)


def _with_lines(
    bars: Any, references: Mapping[str, float], reach: float, told: dict[str, Any]
) -> Any:
    """Bars with vertical lines at what they are to be compared with, each named above them."""
    alt = altair()
    parts = [bars]
    for place, (name, share) in enumerate(references.items()):
        data = records(pl.DataFrame({"share": [share], "told": [f"{name}: {share:.1%}"]}))
        line = alt.Chart(data).mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
        is_left = share < 0.6 * reach
        named = alt.Chart(data).mark_text(
            align="left" if is_left else "right", dx=6 if is_left else -6
        )
        height = alt.value(-8 - 18 * place)
        parts += [
            line.encode(x="share:Q", y=height, y2=alt.value(HEIGHT)),
            named.encode(x="share:Q", y=height, text="told:N"),
        ]
    return alt.layer(*parts).properties(width=WIDTH, height=HEIGHT, title=told)


def svg_of(chart: Any) -> str:
    """A chart as the text of an SVG picture, to stand in a page."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(_described(chart, INHERITED, None)))


def _described(chart: Any, ink: str, paper: str | None) -> Any:
    return _shown(chart.to_dict() | {"config": config(ink, paper)})


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
        return bytes(vl_convert.vegalite_to_png(_described(chart, INK, PAPER), scale=2))
    if ending == "html":
        return picture_page("Chart", svg_of(chart)).encode()
    return str(vl_convert.vegalite_to_svg(_described(chart, INK, PAPER))).encode()


def require_chart_place(path: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Refuse a file that cannot be written as a chart, before any work is done."""
    if path.suffix.lower().removeprefix(".") not in formats:
        known = " or ".join(formats)
        raise CannotWrite(f"{path}: this is written as {known}.", f"{path.stem}.{formats[0]}")
    if not path.absolute().parent.is_dir():
        raise CannotWrite(f"There is no folder {path.parent}.", "make it, or name another.")
    altair()


def records(frame: pl.DataFrame) -> Any:
    """A table as a chart takes it."""
    return altair().Data(values=frame.to_dicts())


def altair() -> Any:
    """The library that describes charts, where it is installed."""
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise MissingExtra("altair", "charts") from error
    return altair
