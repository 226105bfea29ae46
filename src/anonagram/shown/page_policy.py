"""What a page that we write may do: run what it was written with, and nothing else.

The policy is named in the page itself, so it also holds where the page is opened from a disk. It
lets a page load nothing, send nothing (no form either) and run only scripts and styles whose hashes
it tells.

>>> print(policy(style="p { color: red }").split("; ")[1])
script-src 'none'
"""

from __future__ import annotations

import base64
import hashlib

FORBIDDEN = (
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    # nothing in the page may make code or markup out of a text
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)


def policy(*, script: str = "", style: str = "") -> str:
    """The tags that let a page run this script and style, and do nothing else.

    They must stand before both; script and style are what stands between their tags, to the letter.
    """
    default, *rest = FORBIDDEN
    content = "; ".join(
        [default, f"script-src {_only(script)}", f"style-src {_only(style)}", *rest]
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{content}">\n'
        '<meta name="referrer" content="no-referrer">'
    )


def _only(text: str) -> str:
    if not text:
        return "'none'"
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
