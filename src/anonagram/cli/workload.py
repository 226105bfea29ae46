"""`anonagram workload`: what answers from a release are worth, over many random questions."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.divided import require_parts
from anonagram.cli.graphs import GraphFiles, Left, Right, ask_graph, refuse_for_graphs
from anonagram.cli.options import AsJson, Folder, OriginalSchema, PartsEngine

if TYPE_CHECKING:
    from anonagram.measures import WorkloadResult


class Kind(StrEnum):
    """What the questions are about."""

    RANGES = "ranges"
    PEOPLE = "people"


class Aggregate(StrEnum):
    """What is asked."""

    COUNT = "COUNT"
    SUM = "SUM"
    AVG = "AVG"


def workload(
    folder: Folder,
    original: Annotated[
        str, typer.Option(metavar="DATA", help="The table it was made from; of a graph its edges.")
    ],
    left: Left = None,
    right: Right = None,
    aggregate: Annotated[
        Aggregate,
        typer.Option(help="SUM and AVG are of the sensitive column.", case_sensitive=False),
    ] = Aggregate.COUNT,
    kind: Annotated[
        Kind, typer.Option(help="Ranges of columns, or arbitrary people (needs exact rows).")
    ] = Kind.RANGES,
    conditions: Annotated[
        int | None, typer.Option(metavar="W", help="Conditions in a question; 5 by default.")
    ] = None,
    volume: Annotated[
        float, typer.Option(metavar="S", help="The share of the space a question covers.")
    ] = 0.1,
    queries: Annotated[int, typer.Option(metavar="N", help="How many questions.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed asks the same questions.")] = 0,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw both curves (png, svg or html).")
    ] = None,
    schema: OriginalSchema = None,
    engine: PartsEngine = None,
    as_json: AsJson = False,
) -> None:
    """Ask a release and its original the same random questions: errors and widths of bounds.

    A release in parts is asked part by part, and its original is read so, unless people are drawn.

    Example: anonagram workload release --original patients.csv --conditions 3 --volume 0.2
    """
    from anonagram.errors import CallError
    from anonagram.measures import RowSets, Workload, read_original, read_release, run_workload
    from anonagram.present.charts import require_chart_place
    from anonagram.release import Release

    if chart is not None:
        require_chart_place(chart)
    if kind is Kind.PEOPLE and conditions is not None:
        raise CallError("Questions about people have no conditions.", "leave out --conditions.")
    with screen.steps():
        opened = Release.open(folder)
        alone = {"--kind people": kind is Kind.PEOPLE}
        if require_parts(opened, engine, alone):
            result = opened.workload(
                original, schema, engine, aggregate=aggregate.value, conditions=conditions,
                volume=volume, queries=queries, seed=seed,
            )  # fmt: skip
            _show(result, chart, as_json=as_json)
            return
        release = read_release(folder)
        graph = GraphFiles.given(original, left, right)
        if release.graph is not None:
            refuse_for_graphs({"--kind": kind is Kind.PEOPLE})
            drawn = (aggregate.value, conditions, volume, queries, seed)
            ask_graph(release, graph, schema, drawn, chart, as_json=as_json)
            return
        microdata = read_original(original, release, schema)
        asked: Workload | RowSets
        if kind is Kind.PEOPLE:
            asked = RowSets.draw(microdata, aggregate.value, volume, queries, seed)
        else:
            asked = Workload.draw(microdata, aggregate.value, conditions, volume, queries, seed)
        result = run_workload(release, microdata, asked)
    _show(result, chart, as_json=as_json)


def _show(result: WorkloadResult, chart: Path | None, *, as_json: bool) -> None:
    from anonagram.present import document_of

    if chart is not None:
        from anonagram.present import charts

        charts.save_chart(charts.chart_workload(result), chart)
    if as_json:
        screen.print_json(result.to_dict())
    else:
        screen.show(document_of(result))
        if chart is not None:
            screen.say(f"The chart is in {chart}.")
