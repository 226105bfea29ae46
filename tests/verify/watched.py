"""A page in a browser, and everything that it must not do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


class Watched:
    """An open page with all that it asked for, complained of or popped up."""

    def __init__(
        self, browser: Any, path: Path, *, width: int = 1280, scheme: str = "light"
    ) -> None:
        self.address = path.as_uri()
        self.page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda line: self.complaints.append(line.text))
        self.page.on("dialog", self._refuse)
        self.page.on("popup", lambda other: self.complaints.append(other.url))
        self.page.goto(self.address)

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def close(self) -> None:
        """Close it; nothing but its own file may have been asked for, and nothing gone wrong."""
        assert self.complaints == []
        assert self.asked == [self.address]
        assert self.page.url == self.address
        self.page.close()


def without_shares(text: str) -> str:
    """A sentence without its shares, whose last digits a browser rounds in another way."""
    return re.sub(r"[0-9.]+%|[0-9]+ times", "…", text)


def opened(browser: Any, folder: Path) -> Watched:
    """The page of a bundle, ready to be asked."""
    watched = Watched(browser, folder / "verify.html")
    watched.page.evaluate("() => ready")
    return watched
