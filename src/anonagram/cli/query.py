"""`anonagram query`: ask a release in SQL; `anonagram load`: put it into a database first."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.divided import bytes_in
from anonagram.cli.graphs import refuse_for_graphs
from anonagram.cli.options import AsJson, Folder, Force

if TYPE_CHECKING:
    from anonagram.queries import Answers

DIGITS = 6


def query(
    folder: Folder,
    sql: Annotated[
        str,
        typer.Argument(
            metavar="SQL",
            help="A SELECT; the table is called data. A dash reads it from the input.",
        ),
    ],
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the rewritten statement instead of running it.")
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask a database that `anonagram load` filled, such as "
            "postgresql://user@host/db?schema=clinic, instead of DuckDB in memory; of a release in "
            "parts also Apache Spark, such as spark://host:7077.",
        ),
    ] = None,
    learn: Annotated[
        bool,
        typer.Option("--learn", help="Estimate from worlds that a model of the release draws."),
    ] = False,
    memory: Annotated[
        str,
        typer.Option(metavar="SIZE", help="Memory for a release in parts, which is asked on disk."),
    ] = "4GiB",
    as_json: AsJson = False,
) -> None:
    """Ask a release a question: an estimate, and bounds between which the truth lies.

    COUNT, SUM, AVG, MIN, MAX, MEDIAN, quantiles and COUNT(DISTINCT …), each with a FILTER of its own,
    and arithmetic with them; WHERE, GROUP BY, HAVING, ORDER BY and LIMIT (the last three look at
    estimates).

    Example: anonagram query release "SELECT sex, COUNT(*) FROM data WHERE age > 50 GROUP BY sex"
    """
    from anonagram.engines import IN_MEMORY, kind_at
    from anonagram.engines.spark_session import is_master
    from anonagram.queries import Asked, database_with
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    with screen.steps():
        step("Reading")
        opened = Release.open(folder)
        on_spark = engine is not None and is_master(engine)
        if opened.is_in_parts and not (explain or learn) and (engine is None or on_spark):
            text = sys.stdin.read() if sql == "-" else sql
            show_answers(opened.query(text, bytes_in(memory), engine), as_json=as_json)
            return
        release = Release.read(folder)
        if release.graph is not None:
            refuse_for_graphs({"--engine": engine, "--explain": explain, "--learn": learn})
            answers = release.query(sys.stdin.read() if sql == "-" else sql)
            show_answers(answers, as_json=as_json)
            return
        text = sys.stdin.read() if sql == "-" else sql
        if learn and not explain:
            remote = None if engine is None else database_with(release, engine)
            show_answers(release.query(text, remote, learned=True), as_json=as_json)
            return
        asked = Asked.of(release, text)
        remote = None if engine is None else database_with(release, engine)
        if explain:
            dialect = kind_at(engine or IN_MEMORY).dialect
            statement = asked.explain(dialect)
        else:
            database = remote or database_with(release)
            step("Answering")
            answers = asked.run(database)
    if explain and as_json:
        screen.print_json({"dialect": dialect, "statement": statement})
    elif explain:
        screen.say(statement)
    else:
        show_answers(answers, as_json=as_json)


def show_answers(answers: Answers, *, as_json: bool) -> None:
    """The answers as a table, or for a program."""
    from anonagram.present import document_of

    if as_json:
        screen.print_json(answers.to_dicts())
        for note in () if len(answers) else answers.notes:  # no row has a place for it
            screen.say(note, is_error=True)
    else:
        screen.show_sections(document_of(answers).sections)


def load(
    folder: Folder,
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="Such as postgresql://user@host/db?schema=clinic"),
    ],
    force: Force = False,
) -> None:
    """Load a release into a schema of a PostgreSQL database, where it can be asked.

    Example: anonagram load release "postgresql://me@localhost/clinic?schema=release_2024"
    """
    from anonagram.queries import load as load_into
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        engine = load_into(release, url, force=force)
    tables = ", ".join(release.tables)
    screen.say(f"{release.heading}\nThe tables {tables} are in {engine.place}.")
    screen.say("Ask there: anonagram query … --engine with the same address.")
