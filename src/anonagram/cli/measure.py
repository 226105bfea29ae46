"""`anonagram measure`: what a release risks and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anonagram.measures import MaskedMeasures, Measures, OwnMeasures, PerturbedMeasures
    from anonagram.microdata import Microdata
    from anonagram.release import GroupedRelease


def measure(
    folder: Folder,
    original: Annotated[str, typer.Option(metavar="DATA", help="The table it was made from.")],
    private: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its private file: adds presence and reconstruction."),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw charts (PNG) into this folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a release against the table it was made from: risk and loss of detail.

    Example: anonagram measure release --original patients.csv --private release.private --json
    """
    from anonagram import measures as of
    from anonagram.release import Release

    with screen.steps():
        release = Release.read(folder)
        microdata = of.read_original(original, release)
        groups = release.grouped
        group_of = None
        if groups is not None and private is not None:
            group_of = of.read_groups(private, microdata, groups)
        measures = of.measure(release, microdata, group_of)
        if groups is not None and isinstance(measures, of.Measures):
            if charts is not None:
                _draw(groups, microdata, measures, group_of, charts)
        else:
            _refuse_groups(private or charts)
    match measures:
        case _ if as_json:
            screen.print_json(measures.to_dict())
        case of.PerturbedMeasures():
            _show_perturbed(measures)
        case of.MaskedMeasures():
            _show_masked(measures)
        case of.OwnMeasures():
            _show_own(measures)
        case of.Measures():
            _show(measures, private, charts)


def _refuse_groups(given: Path | None) -> None:
    from anonagram.errors import CallError

    if given is not None:
        raise CallError(
            "This release has no groups: --private and --charts say nothing.", "leave them out."
        )


def _show_own(measures: OwnMeasures) -> None:
    screen.say(f"{measures.method}: {measures.rows:,} rows")
    figures = [[name, f"{value:,.4g}"] for name, value in measures.figures.items()]
    screen.print_table("Beside the original", ["figure", "value"], figures)


def _show_masked(measures: MaskedMeasures) -> None:
    screen.say(f"{measures.method}: {measures.rows:,} rows")
    screen.say(f"Rows that stand alone with their quasi-identifiers: {measures.rows_alone:,}")
    screen.print_table(
        "Masked numbers",
        ["column", "values", "mean moved by", "standard deviation"],
        [
            [c.name, c.how, f"{c.mean_shift:+.4f} sd", f"{c.deviation_ratio:.4f}×"]
            for c in measures.columns
            if c.mean_shift is not None
        ],
        right=2,
    )
    if measures.mean_correlation_error is not None:
        screen.say(
            f"Correlations are off by {measures.mean_correlation_error:.4f} on average, by "
            f"{measures.largest_correlation_error:.4f} at most."
        )
    screen.say("How well it hides people: anonagram audit")


def _show_perturbed(measures: PerturbedMeasures) -> None:
    screen.say(f"{measures.method}: {measures.rows:,} rows")
    screen.say(f"Probabilistic anonymity {measures.probabilistic_anonymity:.2f}")
    screen.say(f"γ-amplification {measures.gamma_amplification:,.4g}")
    if measures.worst_guess is not None:
        screen.say(f"Worst guess of a row's origin {measures.worst_guess:.4f}")
        spreads = {"best guess (eq 6)": measures.guess, "its bound": measures.guess_bound}
        screen.print_spreads("Somebody who knows the joint distribution", spreads, ".4g")
    screen.print_table(
        "Counts, read as they stand",
        ["length", "bias", "standard deviation"],
        [[str(e.length), f"{e.bias:.2%}", f"{e.deviation:.2%}"] for e in measures.supports],
    )


def _draw(
    release: GroupedRelease,
    microdata: Microdata,
    measures: Measures,
    group_of: NDArray[np.int32] | None,
    folder: Path,
) -> None:
    from anonagram.errors import CannotWrite
    from anonagram.measures import presence, row_posteriors
    from anonagram.present import charts

    drawn = {
        "group_sizes": charts.chart_group_sizes(release.group_sizes()),
        "ncp": charts.chart_ncp(measures.ncp),
    }
    if measures.posterior is not None:
        drawn["posterior"] = charts.chart_posteriors(row_posteriors(release))
    delta = None if group_of is None else presence(microdata, release, group_of)
    if delta is not None:
        drawn["presence"] = charts.chart_presence(delta)
    try:
        folder.mkdir(exist_ok=True, parents=True)
    except OSError as error:
        raise CannotWrite(f"{folder} cannot be made: {error}.", "name another folder.") from error
    for name, chart in drawn.items():
        charts.save_chart(chart, folder / f"{name}.png")


def _show(measures: Measures, private: Path | None, charts: Path | None) -> None:
    screen.say(f"{measures.method}: {measures.rows:,} rows in {measures.groups:,} groups")
    spreads = {
        "rows in a group": measures.group_sizes,
        "posterior of the true value": measures.posterior,
        "probability of the whole tuple (Theorem 1)": measures.tuple_posterior,
        "presence δ": measures.presence,
    }
    for name, ranges in measures.sensitive_ranges.items():
        spreads[f"range of {name} in a group"] = ranges.groups
    screen.print_spreads("Distributions", spreads, ".4g")
    for name, ranges in measures.sensitive_ranges.items():
        screen.say(f"Sum of the ranges of {name}: {ranges.sum:,.15g}")
    screen.print_table(
        f"NCP {measures.ncp.total:,.1f}, {measures.ncp.per_cell:.4f} a cell",
        ["quasi-identifier", "width", ""],
        [[n, f"{w:.4f}", screen.bar(w)] for n, w in measures.ncp.attributes.items()],
    )
    if measures.reconstruction is not None:
        bound = measures.reconstruction.theorem_2_bound
        screen.say(
            f"Reconstruction error {measures.reconstruction.error:,.1f} "
            f"({measures.reconstruction.per_row:.4f} a row)"
            f"{'' if bound is None else f', Theorem 2: at least {bound:,.1f}'}"
        )
    if private is None:
        screen.say("With --private FILE also presence and reconstruction error.")
    if charts is not None:
        screen.say(f"Charts are in {charts}.")
