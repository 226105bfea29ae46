"""`anonagram query`: ask a release in SQL; `anonagram load`: put it into a database first."""

from __future__ import annotations

import sys
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Folder, Force

if TYPE_CHECKING:
    from anonagram.queries import Answer, Answers

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
            "postgresql://user@host/db?schema=clinic, instead of DuckDB in memory.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a release a question: an estimate, and bounds between which the truth lies.

    COUNT, SUM, AVG, MIN, MAX, MEDIAN, quantiles and COUNT(DISTINCT …), each with a FILTER of its own,
    and arithmetic with them; WHERE, GROUP BY, HAVING, ORDER BY and LIMIT (the last three look at
    estimates).

    Example: anonagram query release "SELECT sex, COUNT(*) FROM data WHERE age > 50 GROUP BY sex"
    """
    from anonagram.engines import IN_MEMORY, kind_at
    from anonagram.queries import Asked, database_with
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        asked = Asked.of(release, sys.stdin.read() if sql == "-" else sql)
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
    elif as_json:
        screen.print_json(answers.to_dicts())
    else:
        show_answers(answers)


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
    screen.say(f"{release!r}\nThe tables {tables} are in {engine.place}.")
    screen.say("Ask there: anonagram query … --engine with the same address.")


def show_answers(answers: Answers) -> None:
    """A line each answer, with the interval drawn between the bounds."""
    if not len(answers):
        screen.say("No group fits the question.")
    if not answers.aggregates:
        rows = [[_key_text(row[key]) for key in answers.keys] for row in answers]
        screen.print_table("Groups that can occur", list(answers.keys), rows)
    for name in answers.aggregates:
        lines = [row[name] for row in answers]
        ends = [end for a in lines for end in (a.lower, a.upper) if end is not None]
        places = [place for place in map(_place, ends) if place is not None]
        scale = (min(places), max(places)) if places else None
        rows = [
            [*(_key_text(row[key]) for key in answers.keys), *_line(row[name], scale)]
            for row in answers
        ]
        last = "naive" if any(_is_estimate(line) for line in lines) else ""
        screen.print_table(name, [*answers.keys, "lower", "upper", "", "estimate", "", last], rows)
    uncertain = [row[n] for row in answers for n in answers.aggregates if not row[n].exact]
    if any(_is_estimate(answer) for answer in uncertain):
        screen.say(
            "The truth lies between lower and upper. Over many such releases, estimate ± holds it\n"
            "95 % of the time; naive is what the published rows say as they stand."
        )
    elif uncertain:
        screen.say(
            "The truth lies between lower and upper. The estimate takes people of a group to be alike;\n"
            "how far it is off is not known."
        )


def _is_estimate(answer: Answer) -> bool:
    """Whether an answer comes from replaced values, with a naive reading beside it."""
    from anonagram.queries import Estimate

    return isinstance(answer, Estimate)


def _line(answer: Answer, scale: tuple[float, float] | None) -> list[str]:
    line = _plain_line(answer, scale)
    naive = getattr(answer, "naive", None)
    if naive is not None:
        line[-1] = _text(naive)
    return line


def _plain_line(answer: Answer, scale: tuple[float, float] | None) -> list[str]:
    if answer.lower is None:
        return ["NULL", "NULL", "", "", "", "nobody"]
    drawing = _drawing(answer, scale)
    if answer.exact:
        value = _text(answer.estimate)
        return [value, value, drawing, value, "exact", ""]
    spread = ""
    if _is_estimate(answer) and answer.deviation is not None:
        from anonagram.queries.answers import NORMAL_95

        spread = f"± {NORMAL_95 * answer.deviation:,.3g}"  # not cut to the bounds
    ends = [_text(answer.lower), _text(answer.upper)]
    estimate = "unknown" if answer.estimate is None else _text(answer.estimate)
    return [*ends, drawing, estimate, spread, ""]


def _drawing(answer: Answer, scale: tuple[float, float] | None) -> str:
    low, middle, high = (_place(value) for value in (answer.lower, answer.estimate, answer.upper))
    if scale is None or low is None or middle is None or high is None:
        return ""
    # an estimate without bias may lie beyond the bounds
    return screen.interval(low, min(max(middle, low), high), high, *scale)


def _place(value: Any) -> float | None:
    """Where a value stands on a line; None for texts."""
    if isinstance(value, str | bool) or value is None:
        return None
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1)).total_seconds()
    if isinstance(value, date):
        return float(value.toordinal())
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return float(value)


def _key_text(value: Any) -> str:
    """A group key as it is: a year has no thousands."""
    return "(missing)" if value is None else str(value)


def _text(value: Any) -> str:
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 10**15:
            return f"{value:,.0f}"
        return f"{value:,.2f}" if abs(value) >= 1000 else f"{value:.{DIGITS}g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
