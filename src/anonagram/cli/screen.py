"""Everything that is printed: lines, JSON, tables, bars, and progress on a terminal.

All commands print through this file. What they print quotes names and values that somebody else
wrote, so it is made harmless here and nowhere else.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonagram.runtime.progress import listening
from anonagram.shown.passwords import without_passwords
from anonagram.shown.visible import UNSEEN, visible, visible_lines

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from anonagram.present.sections import Cell, Document, Section

BAR_WIDTH, NARROW_BAR = 30, 16
NARROW = 100
"""A terminal with fewer columns than this gets shorter bars."""
SHORT = 14
"""Cells up to this length are not broken."""


def say(text: str, *, is_error: bool = False) -> None:
    """Print a text: what it quotes can neither steer the terminal nor tell a password."""
    shown = visible_lines(without_passwords(text))
    stream = sys.stderr if is_error else sys.stdout
    if stream.isatty():
        shown = "\n".join(_fitted(line, _terminal_width()) for line in shown.split("\n"))
    _write(shown, is_error=is_error)


def _fitted(line: str, width: int) -> str:
    """A line broken between words where the terminal ends; a command stays whole, to be copied.

    >>> print(_fitted("• the quick brown fox", 12))
    • the quick
      brown fox
    """
    if len(line) <= width or "anonagram " in line:
        return line
    indent = " " * (len(line) - len(line.lstrip(" •")))
    return textwrap.fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _terminal_width() -> int:
    return shutil.get_terminal_size().columns


def print_json(content: Any) -> None:
    r"""JSON on standard output, with characters escaped that JSON allows and a terminal obeys.

    >>> print_json({"name": "\x9b2J\u202e"})
    {
      "name": "\u009b2J\u202e"
    }
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, default=str)
    _write("\n".join(UNSEEN.sub(_json_escape, line) for line in text.split("\n")))


def _json_escape(found: re.Match[str]) -> str:
    return json.dumps(found[0], ensure_ascii=True)[1:-1]


def _write(text: str, *, is_error: bool = False) -> None:
    stream = sys.stderr if is_error else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def words(*parts: object) -> str:
    """Words of a command that can be copied into a shell, without passwords."""
    return " ".join(shlex.quote(without_passwords(str(part))) for part in parts)


def save_charts(drawn: Mapping[str, Any], folder: Path) -> None:
    """Draw charts into a folder, each under its name."""
    from anonagram.errors import CannotWrite
    from anonagram.present.charts import save_chart

    try:
        folder.mkdir(exist_ok=True, parents=True)
    except OSError as error:
        raise CannotWrite(f"{folder} cannot be made: {error}.", "name another folder.") from error
    for name, chart in drawn.items():
        save_chart(chart, folder / f"{name}.png")


def _console() -> Console:
    """Where tables are printed; wide enough to be whole when nobody looks."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)


def print_table(title: str, columns: list[str], rows: list[list[str]], right: int = 0) -> None:
    """A titled table; the last `right` columns are numbers."""
    from rich.text import Text

    table = _table(title)
    for position, column in enumerate(columns):
        longest = max((len(row[position]) for row in rows), default=0)
        table.add_column(
            Text(visible(column)),
            justify="right" if position >= len(columns) - right else "left",
            no_wrap=longest <= SHORT,
        )
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    _console().print(table)


def show(document: Document) -> None:
    """A result: its title, its sections, and what it means last, where a reader's eye is."""
    say(document.title)
    show_sections(document.sections)
    for line in (*document.told, *([document.headline] if document.headline else ())):
        say(f"• {line}")


def show_verdict(document: Document) -> None:
    """A result that is a verdict: that first, then what else is worth saying, then the figures."""
    say(document.headline)
    say(document.title)
    for line in document.told:
        say(f"• {line}")
    show_sections(document.sections)


def show_sections(sections: Iterable[Section]) -> None:
    """Sections as tables and lines; what is for pages alone is left out."""
    for section in sections:
        if section.is_detail:
            continue
        if section.table is not None:
            table = section.table
            rows = [[_cell_text(cell) for cell in row] for row in table.rows]
            print_table(section.title, list(table.head), rows, table.right)
        elif section.title:
            say(section.title)
        for sentence in section.sentences:
            say(sentence)


def _cell_text(cell: Cell) -> str:
    from anonagram.present.sections import Bar, Interval

    if isinstance(cell, Bar):
        return bar(cell.share)
    return interval(*vars(cell).values()) if isinstance(cell, Interval) else cell


def print_frame(title: str, frame: pl.DataFrame) -> None:
    """A small frame; a missing value is shown as an empty cell."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.rows()]
    print_table(title, frame.columns, rows)


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # a title may be wider than its table
    is_whole = not sys.stdout.isatty()
    text = Text(visible(without_passwords(title)), no_wrap=is_whole, overflow="ignore")
    return Table(
        title=text,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        title_style="bold",
        pad_edge=is_whole,
        collapse_padding=not is_whole,
    )


def _bar_width() -> int:
    is_narrow = sys.stdout.isatty() and _terminal_width() < NARROW
    return NARROW_BAR if is_narrow else BAR_WIDTH


def bar(share: float) -> str:
    """A bar for a share between 0 and 1.

    >>> bar(0.1)
    '███'
    """
    eighths = round(share * _bar_width() * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def interval(low: float, middle: float, high: float, start: float, end: float) -> str:
    """A range with a value in it, drawn on a line from start to end.

    >>> interval(2, 5, 8, 0, 10)
    '      ├────────●────────┤      '
    """
    if end <= start:
        return "●"
    width = _bar_width()
    left, dot, right = (
        round((place - start) / (end - start) * width) for place in (low, middle, high)
    )
    line = [" "] * (width + 1)
    line[left : right + 1] = ["─"] * (right - left + 1)
    line[left], line[right] = "├", "┤"
    line[dot] = "●"
    return "".join(line)


@contextmanager
def steps() -> Iterator[dict[str, float]]:
    """Show each step of the work on a terminal, and note how many seconds it takes."""
    seconds: dict[str, float] = {}
    current: list[tuple[str, float]] = []

    def finish() -> None:
        if current:
            name, begun = current.pop()
            seconds[name] = seconds.get(name, 0) + time.perf_counter() - begun

    with _spinner() as show:

        def begin(name: str) -> None:
            finish()
            current.append((name, time.perf_counter()))
            show(name)

        try:
            with listening(begin):
                yield seconds
        finally:
            finish()


@contextmanager
def _spinner() -> Iterator[Any]:
    if not sys.stderr.isatty():
        yield lambda _name: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # what is printed meanwhile goes its own way: Rich would read codes and markup in it
    alone: Any = {"transient": True, "redirect_stdout": False, "redirect_stderr": False}
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), **alone) as progress:
        task = progress.add_task("Starting")
        yield lambda name: progress.update(task, description=visible(name))
