"""Writing results to files."""

from __future__ import annotations

from pathlib import Path

from anonagram.errors import CannotWrite

PRIVATE = 0o600
MARK = "<!-- made by Anonagram -->"


def require_page_place(path: Path) -> None:
    """Refuse a place where something stands that is no page of ours, before any work is done."""
    if path.exists() and not (path.is_file() and MARK in path.read_text("utf-8", "replace")):
        raise CannotWrite(f"{path} exists, and is no page of Anonagram.", "choose another name.")


def require_new_file(path: Path) -> None:
    """Refuse a place where something stands already, or where there is no folder."""
    if path.exists():
        raise CannotWrite(f"{path} exists.", "choose another name, or remove it.")
    if not path.absolute().parent.is_dir():
        raise CannotWrite(f"There is no folder {path.parent}.", "make it, or name another.")


def save_text(text: str, path: str | Path, *, is_private: bool = False) -> None:
    """Write a text to a file; a private one only its owner may read."""
    try:
        if is_private:
            Path(path).touch(mode=PRIVATE)
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"{path} was not written: {error}.", "choose another place.") from error


def save_page(page: str, path: str | Path) -> None:
    """Write a page to a file, replacing what an earlier run wrote."""
    save_text(f"{page.rstrip()}\n{MARK}\n", path)
