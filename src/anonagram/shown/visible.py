r"""Texts that others wrote, shown so that they cannot steer what shows them.

A name or a value may hold bytes that recolour a terminal, set its title, move its cursor, or turn
the reading direction so that a text looks like another. They are shown as they would be written in
Python, and everything else as it is.

>>> print(visible("flu\x1b[2J\u202e"))
flu\x1b[2J\u202e
"""

from __future__ import annotations

import re

# control characters (C0, DEL, C1), marks and overrides of direction, line and paragraph separators,
# characters that have no shape, and halves of surrogates; joiners stay, as scripts and emoji need them
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """A text in one line, in which what cannot be seen is written out."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_lines(text: str) -> str:
    """A text whose line breaks are meant."""
    return "\n".join(visible(line) for line in text.split("\n"))
