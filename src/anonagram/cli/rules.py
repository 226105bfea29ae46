"""`anonagram rules`: which associations a release lets one find again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Folder, OriginalSchema

if TYPE_CHECKING:
    from anonagram.measures import KnowledgeKept


def rules(
    folder: Folder,
    original: Annotated[str, typer.Option(metavar="DATA", help="The table it was made from.")],
    support: Annotated[
        float, typer.Option(metavar="SHARE", help="Rules are about at least this share of rows.")
    ] = 0.08,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="They are right at least so often.")
    ] = 0.15,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the shares (png, svg or html).")
    ] = None,
    schema: OriginalSchema = None,
    as_json: AsJson = False,
) -> None:
    """Mine association rules in a release and in its original, and count those found in both.

    Example: anonagram rules release --original patients.csv --support 0.05 --confidence 0.2
    """
    from anonagram.measures import knowledge_kept, read_original
    from anonagram.present.charts import require_chart_place
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    if chart is not None:
        require_chart_place(chart)
    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        microdata = read_original(original, release, schema)
        kept = knowledge_kept(release, microdata, support, confidence)
        if chart is not None and kept.share is not None:
            from anonagram.present import charts

            charts.save_chart(charts.chart_rules(kept), chart)
    if as_json:
        screen.print_json(kept.to_dict())
    else:
        _show(kept, chart)


def _show(kept: KnowledgeKept, chart: Path | None) -> None:
    from anonagram.present import document_of

    if kept.share is None:
        screen.say("The original has no such rules; lower --support or --confidence.")
        return
    screen.show_sections(document_of(kept).sections)
    if chart is not None:
        screen.say(f"The chart is in {chart}.")
