"""Writing a page."""

from __future__ import annotations

from pathlib import Path

from anonagram.errors import CannotWrite


def save_page(text: str, path: str | Path) -> None:
    """Write a page to a file, replacing what an earlier run wrote."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"{path} was not written: {error}.", "choose another place.") from error
