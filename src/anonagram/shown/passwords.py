"""Addresses of databases without their passwords, wherever they are shown.

>>> without_passwords("There is no file postgresql:/me:hunter2@host/db.")
'There is no file postgresql:/me:…@host/db.'
>>> without_passwords("postgresql://me@host/db?password=hunter2&table=patients")
'postgresql://me@host/db?password=…&table=patients'
"""

from __future__ import annotations

import re
from urllib.parse import unquote

HIDDEN = "…"
SECRET_NAMES = re.compile("pass|pwd|token|secret|signature|credential|auth", re.IGNORECASE)
# from a user's name to the last @ of the line: a password may hold anything, also an @
_AFTER_USER = re.compile(r"([a-z][a-z0-9+.-]*:/{1,3}[^\s/:@]*):(?!…@)[^\n]*@", re.IGNORECASE)
# an address that lost its @ has the password where a port would be
_AS_PORT = re.compile(
    r"([a-z][a-z0-9+.-]*:/{1,3}[^\s/:@]*):(?!…|\d+(?:\W|$))[^\s/@]+", re.IGNORECASE
)
_AS_OPTION = re.compile(r"((?:^|[?&\s'\"(])([\w%]+)=)('[^'\n]*'|[^\s&]+)")


def without_passwords(text: str) -> str:
    """A text in which the passwords of addresses are hidden, also of misspelt ones."""
    text = _AFTER_USER.sub(rf"\1:{HIDDEN}@", text)
    return _AS_OPTION.sub(_hidden_option, _AS_PORT.sub(rf"\1:{HIDDEN}", text))


def _hidden_option(found: re.Match[str]) -> str:
    return f"{found[1]}{HIDDEN}" if SECRET_NAMES.search(unquote(found[2])) else found[0]
