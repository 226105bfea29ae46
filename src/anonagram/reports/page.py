"""Writing a page."""

from __future__ import annotations

from pathlib import Path

from anonagram.errors import CannotWrite

MARK = "<!-- made by Anonagram -->"


def require_page_place(path: Path) -> None:
    """Refuse a place where something stands that is no page of ours, before any work is done."""
    if path.exists() and not (path.is_file() and MARK in path.read_text("utf-8", "replace")):
        raise CannotWrite(f"{path} exists, and is no page of Anonagram.", "choose another name.")


def save_page(text: str, path: str | Path) -> None:
    """Write a page to a file, replacing what an earlier run wrote."""
    try:
        Path(path).write_text(f"{text.rstrip()}\n{MARK}\n", encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"{path} was not written: {error}.", "choose another place.") from error
