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

    from anonagram.microdata import Microdata
    from anonagram.release import GroupedRelease, PerturbedRelease
    from anonagram.utility import Measures


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
    from anonagram.release import PerturbedRelease
    from anonagram.utility import measure_release, read_groups, read_original, read_release

    with screen.steps():
        release = read_release(folder)
        microdata = read_original(original, release)
        if isinstance(release, PerturbedRelease):
            _measure_perturbed(release, microdata, private or charts, as_json=as_json)
            return
        group_of = None if private is None else read_groups(private, microdata, release)
        measures = measure_release(release, microdata, group_of)
        if charts is not None:
            _draw(release, microdata, measures, group_of, charts)
    if as_json:
        screen.print_json(measures.to_dict())
    else:
        _show(measures, private, charts)


def _measure_perturbed(
    release: PerturbedRelease, microdata: Microdata, given: Path | None, *, as_json: bool
) -> None:
    from anonagram.errors import CallError
    from anonagram.utility import measure_perturbed

    if given is not None:
        raise CallError(
            "A release with replaced values has no groups: --private and --charts say nothing.",
            "leave them out.",
        )
    measures = measure_perturbed(release, microdata)
    if as_json:
        screen.print_json(measures.to_dict())
        return
    typer.echo(f"{measures.method}: {measures.rows:,} rows")
    typer.echo(f"Probabilistic anonymity {measures.probabilistic_anonymity:.2f}")
    typer.echo(f"γ-amplification {measures.gamma_amplification:,.4g}")
    if measures.worst_guess is not None:
        typer.echo(f"Worst guess of a row's origin {measures.worst_guess:.4f}")
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
    from anonagram import charts
    from anonagram.errors import CannotWrite
    from anonagram.utility import presence, row_posteriors

    drawn = {
        "group_sizes": charts.chart_group_sizes(release.group_sizes()),
        "posterior": charts.chart_posteriors(row_posteriors(release)),
        "ncp": charts.chart_ncp(measures.ncp),
    }
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
    typer.echo(f"{measures.method}: {measures.rows:,} rows in {measures.groups:,} groups")
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
        typer.echo(f"Sum of the ranges of {name}: {ranges.sum:,.15g}")
    screen.print_table(
        f"NCP {measures.ncp.total:,.1f}, {measures.ncp.per_cell:.4f} a cell",
        ["quasi-identifier", "width", ""],
        [[n, f"{w:.4f}", screen.bar(w)] for n, w in measures.ncp.attributes.items()],
    )
    if measures.reconstruction is not None:
        bound = measures.reconstruction.theorem_2_bound
        typer.echo(
            f"Reconstruction error {measures.reconstruction.error:,.1f} "
            f"({measures.reconstruction.per_row:.4f} a row)"
            f"{'' if bound is None else f', Theorem 2: at least {bound:,.1f}'}"
        )
    if private is None:
        typer.echo("With --private FILE also presence and reconstruction error.")
    if charts is not None:
        typer.echo(f"Charts are in {charts}.")
