"""`anonagram measure`: what a release risks and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.divided import require_parts
from anonagram.cli.graphs import measure_graph, refuse_for_graphs
from anonagram.cli.options import AsJson, Folder, OriginalSchema, PartsEngine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anonagram.measures import Measures
    from anonagram.measures.measures import AnyMeasures
    from anonagram.microdata import Microdata
    from anonagram.release import GroupedRelease

NO_ORIGINAL = ("A table is measured beside its original.", "--original DATA")


def measure(
    folder: Folder,
    original: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="The table it was made from; a graph needs none."),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its private file: adds presence and reconstruction."),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw charts (PNG) into this folder.")
    ] = None,
    schema: OriginalSchema = None,
    engine: PartsEngine = None,
    as_json: AsJson = False,
) -> None:
    """Measure a release against the table it was made from: risk and loss of detail.

    A release in parts is measured part by part, where its rows fall into groups.

    Example: anonagram measure release --original patients.csv --private release.private --json
    """
    from anonagram import measures as of
    from anonagram.errors import CallError
    from anonagram.release import Release

    with screen.steps():
        opened = Release.open(folder)
        if original is None and opened.is_in_parts:  # it is not loaded for that
            raise CallError(*NO_ORIGINAL)
        alone = {
            "--private": private, "--charts": charts, "a table without groups": not opened.has_groups,
        }  # fmt: skip
        if original is not None and require_parts(opened, engine, alone):
            show_measures(opened.measure(original, schema, engine), as_json=as_json)
            return
        release = Release.read(folder)
        if release.graph is not None:
            refuse_for_graphs({"--original": original, "--private": private, "--schema": schema})
            measure_graph(release, charts, as_json=as_json)
            return
        if original is None:
            raise CallError(*NO_ORIGINAL)
        microdata = of.read_original(original, release, schema)
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
    show_measures(measures, as_json=as_json)
    if as_json:
        return
    if release.masked:
        screen.say("How well it hides people: anonagram audit")
    if groups is not None and private is None:
        screen.say("With --private FILE also presence and reconstruction error.")
    if charts is not None:
        screen.say(f"Charts are in {charts}.")


def show_measures(measures: AnyMeasures, *, as_json: bool) -> None:
    """The figures as sections, or for a program."""
    from anonagram.present import document_of

    if as_json:
        screen.print_json(measures.to_dict())
    else:
        screen.show(document_of(measures))


def _refuse_groups(given: Path | None) -> None:
    from anonagram.errors import CallError

    if given is not None:
        raise CallError(
            "This release has no groups: --private and --charts say nothing.", "leave them out."
        )


def _draw(
    release: GroupedRelease,
    microdata: Microdata,
    measures: Measures,
    group_of: NDArray[np.int32] | None,
    folder: Path,
) -> None:
    from anonagram.measures import posterior_references, row_posteriors
    from anonagram.measures.presence import presence
    from anonagram.present import charts

    drawn = {
        "group_sizes": charts.chart_group_sizes(release.group_sizes()),
        "ncp": charts.chart_ncp(measures.ncp),
    }
    if measures.posterior is not None:
        drawn["posterior"] = charts.chart_posteriors(
            row_posteriors(release), posterior_references(release)
        )
    delta = None if group_of is None else presence(microdata, release, group_of)
    if delta is not None:
        drawn["presence"] = charts.chart_presence(delta)
    screen.save_charts(drawn, folder)
