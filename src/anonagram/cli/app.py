"""All commands in one place, each in a file of its own."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer

from anonagram import __version__
from anonagram.cli import screen
from anonagram.cli.anonymize import anonymize
from anonagram.cli.attack import attack
from anonagram.cli.audit import audit
from anonagram.cli.check import check
from anonagram.cli.compare import compare
from anonagram.cli.demo import demo
from anonagram.cli.hierarchy import hierarchy
from anonagram.cli.inspect import inspect
from anonagram.cli.measure import measure
from anonagram.cli.query import load, query
from anonagram.cli.report import report
from anonagram.cli.rules import rules
from anonagram.cli.run import run
from anonagram.cli.sample import sample
from anonagram.cli.tune import tune
from anonagram.cli.verify import verify
from anonagram.cli.workload import workload
from anonagram.errors import AnonagramError, InternalError
from anonagram.shown.wording import flags

BAD_INPUT = 2
OUR_DEFECT = 3
SIGNALLED = 128
"""A process ended by signal n exits with this plus n, as shells have it."""

MAKE_FIRST = {
    "schema": "inspect {} --write-schema roles.toml\n  and then the same with --schema roles.toml",
    "method": "inspect {} --write-schema roles.toml\n  which ends with a method that fits it",
}
"""How to come by what a command cannot do without."""

app = typer.Typer(
    help="Publish tables about people by rearranging values instead of blurring them.\n\n"
    "Start with: anonagram demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        screen.say(f"anonagram {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


SUMMARIES: dict[Callable[..., Any], str] = {
    inspect: "Look at a table and propose the role of each column.",
    hierarchy: "See how a column's values become coarser.",
    compare: "Try all methods on a table, and say which to take.",
    anonymize: "Make a release of a table and check its promise.",
    check: "Check what a release promises, or what you name.",
    run: "Publish by a recipe; exit 1 if a limit is passed.",
    report: "One page on a release: promised, attacked, cost.",
    measure: "Measure what a release risks and costs.",
    query: "Ask a release in SQL; answers have bounds.",
    load: "Load a release into a PostgreSQL database.",
    workload: "Compare answers to many random questions.",
    sample: "Draw tables that are consistent with a release.",
    rules: "Compare the rules that can be mined.",
    verify: "What can others learn about you from a release?",
    attack: "Attack a release: what does an intruder find?",
    audit: "Audit a masked table, whatever made it.",
    tune: "Find the least masking that withstands an audit.",
    demo: "See the whole story on a made-up hospital.",
}
"""All commands, in the order of the help, each in a line of a terminal with 80 columns."""

for command, summary in SUMMARIES.items():
    app.command(short_help=summary)(command)


def run_and_end() -> None:
    """Run the command line and end at once: what a process holds the system takes back faster."""
    try:
        main()
    except SystemExit as ended:
        if ended.code is not None and not isinstance(ended.code, int):
            raise
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code or 0)


def main() -> None:
    """Run the command line; what is the user's to mend ends with exit code 2."""
    _start_fast()
    _prepare_streams()
    warnings.showwarning = _show_warning
    for name in ("SIGTERM", "SIGHUP"):  # not every system has both
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    try:
        with flags():
            sys.exit(app(prog_name="anonagram", standalone_mode=False))
    except AnonagramError as error:
        screen.say(f"anonagram: {error}", is_error=True)
        sys.exit(OUR_DEFECT if isinstance(error, InternalError) else BAD_INPUT)
    except Exception as error:  # exit code 1 means that a promise does not hold, and nothing else
        if _is_usage(error):
            screen.say(_usage_text(error), is_error=True)
            sys.exit(BAD_INPUT)
        screen.say(traceback.format_exc(), is_error=True)
        screen.say(
            f"anonagram: a defect of Anonagram ({error!r}); please report it.", is_error=True
        )
        sys.exit(OUR_DEFECT)


def _is_usage(error: Exception) -> bool:
    """Whether words on the command line were not understood; Typer does not export the class."""
    return isinstance(error, typer.BadParameter.__base__ or typer.BadParameter)


def _usage_text(error: Any) -> str:
    text = io.StringIO()
    error.show(text)
    return f"{text.getvalue().rstrip()}{_remedy(error)}"


def _remedy(error: Any) -> str:
    """What to type where an option is missing."""
    missing, context = getattr(error, "param", None), error.ctx
    if missing is None or context is None or missing.name not in MAKE_FIRST:
        return ""
    tables = [context.params.get("data") or "DATA"]
    for side in ("left", "right"):  # of a graph
        if context.params.get(side):
            tables += [f"--{side}", context.params[side]]
    return f"\n  Try: anonagram {MAKE_FIRST[missing.name].format(screen.words(*tables))}"


def _show_warning(message: Warning | str, *where: Any, **_more: Any) -> None:
    screen.say(warnings.formatwarning(message, *where[:3]).rstrip(), is_error=True)


def _end(number: int, _frame: Any) -> NoReturn:
    """Leave as Ctrl-C does, so that nothing half-written stays behind."""
    raise SystemExit(SIGNALLED + number)


def _start_fast() -> None:
    """Leave out what only takes time while libraries are imported."""
    gc.set_threshold(500_000, 10, 10)  # what they make stays: looking for garbage finds none
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrix here is worth threads that wait


def _prepare_streams() -> None:
    """Output that nobody takes must not look like a result of the work."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        else:
            stream.reconfigure(errors="replace")
    plain = sys.stdout.write

    def write(text: str) -> int:
        try:
            written = plain(text)
            sys.stdout.flush()
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader went away, as head does
                os._exit(SIGNALLED + signal.SIGPIPE)
            sys.stderr.write(f"anonagram: the output cannot be written: {error.strerror}.\n")
            sys.stderr.flush()
            os._exit(BAD_INPUT)
        return written

    sys.stdout.write = write  # type: ignore[method-assign]
