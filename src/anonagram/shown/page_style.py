"""How our pages look: one palette and one hand for all of them, light and dark, phone and desk.

A page carries its style with it, and its policy knows the style by its hash.

>>> page_style("p { margin: 0 }").endswith("p { margin: 0 }")
True
"""

from __future__ import annotations

from importlib.resources import files

PALETTE = ("#3a93d2", "#e0600f", "#8338e0", "#7a7a72")
"""Told apart by people who see fewer colours, and seen on white and on black (a test measures it)."""


def page_style(own: str = "") -> str:
    """The style of a page, with what only this page needs."""
    shared = files("anonagram.shown").joinpath("page.css").read_text(encoding="utf-8")
    for place, colour in enumerate(PALETTE, 1):
        shared = shared.replace(f"MARK{place}", colour)
    return shared + own
