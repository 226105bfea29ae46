"""Pages as PDF, printed by a browser that is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from anonagram.errors import CannotWrite

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
SECONDS = 120


def find_browser() -> str:
    """A browser that prints, or why there is none."""
    asked = os.environ.get("ANONAGRAM_BROWSER")
    found = asked or next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise CannotWrite(
            "There is no browser to print with.",
            "install chromium, or open the page and print it there.",
        )
    return found


def print_page(page: Path, path: Path) -> None:
    """Print a page of ours; it loads nothing, so the browser needs no network."""
    browser = find_browser()
    with tempfile.TemporaryDirectory() as profile:
        words = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
            f"--user-data-dir={profile}", f"--print-to-pdf={path.absolute()}",
            page.absolute().as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotWrite(
                f"{browser} did not print {page}: {error}.", "print it there."
            ) from error
    if done.returncode or not path.is_file():
        raise CannotWrite(f"{browser} did not print {page}.", "open the page and print it there.")
