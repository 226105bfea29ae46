"""`anonagram tune`: the least masking that withstands."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.attack import BROKEN
from anonagram.cli.audit import records_to_look_for, tell_time
from anonagram.cli.options import (
    AsJson,
    Columns,
    Data,
    Full,
    RandomRecords,
    Records,
    SchemaFile,
    Tolerance,
)


def tune(
    data: Data,
    schema: SchemaFile,
    method: Annotated[str, typer.Option(metavar="CALL", help='For example "rank_swapping".')],
    withstands: Annotated[
        bool,
        typer.Option("--withstands", help="Until an intruder who knows everything finds nobody."),
    ] = False,
    column: Columns = None,
    keys: Annotated[int, typer.Option(min=1, help="Releases tried for each value.")] = 3,
    records: Records = None,
    full: Full = False,
    random: RandomRecords = 10_000,
    tolerance: Tolerance = 0.1,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curve: .png, .svg or .html.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the least parameter of a masking method with which a release withstands the attack.

    The exit code is 1 where nothing that was tried withstands.

    Example: anonagram tune patients.csv --schema patients.toml --method rank_swapping --withstands
    """
    began = process_time()
    from anonagram.attacks import MaximumKnowledge, read_tunable, tune_seconds
    from anonagram.attacks import tune as run_tune
    from anonagram.errors import CallError
    from anonagram.microdata import Microdata
    from anonagram.present import document_of
    from anonagram.present.charts import chart_tuning, require_chart_place, save_chart

    chosen = read_tunable(method)
    if not withstands:
        raise CallError("What it should be tuned for is not said.", "--withstands")
    if chart is not None:
        require_chart_place(chart)
    with screen.steps():
        microdata = Microdata.read(data, schema)
        attack = MaximumKnowledge(random, tolerance, records_to_look_for(records, full=full))
        to_come = tune_seconds(microdata, chosen, attack, keys, column or ())
        tell_time(process_time() - began + to_come)
        found = run_tune(microdata, chosen, attack, keys=keys, columns=column or ())
        if chart is not None:
            save_chart(chart_tuning(found), chart)
    if as_json:
        screen.print_json(found.to_dict())
    else:
        shown = document_of(found)
        screen.show_sections(shown.sections)
        for line in (shown.headline, *shown.told):
            screen.say(line)
    if found.least is None:
        raise typer.Exit(BROKEN)
