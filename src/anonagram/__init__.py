"""Anonagram publishes tables about people by rearranging values instead of blurring them.

An anagram keeps every letter and hides the word; Anonagram keeps every value and hides the person.

For the protector, who publishes
    `Schema` says what each column is, `Microdata` reads the table, a method such as `Anatomy`
    makes a `Release` with a secret `Key`; `release.write` puts it into a folder. `tune` finds how
    strongly a table must be masked.

For the analyst, who gets a release
    `Release.read` opens the folder and checks that it is whole; `release.query` answers a question
    in SQL with `Answers`: each `Answer` has an estimate, and bounds between which the truth lies.

For the subject, who is in the data
    `anonagram.verify.verify` gives a `Verification`: what somebody who knows her would learn from
    a release.

For the auditor, who doubts a release
    A privacy model such as `LDiversity` recomputes the promise from the published tables alone and
    gives a `Finding`; `audit` attacks a masked table that any tool made and gives an `Audit`, made
    of each `Attack`'s `AttackResult`; `intersect` tells what several releases say together.

When something goes wrong
    `AnonagramError` is the root of everything raised on purpose.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pkgutil import get_data
from typing import Any

__version__ = "0.1.0"


def _homes() -> dict[str, str]:
    """The module of each public name, as the list beside this file says."""
    listed = ast.parse(get_data(__name__, "__init__.pyi") or b"").body
    imports = [node for node in listed if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_HOMES = _homes()
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: heavy libraries wait until then."""
    if name not in _HOMES:
        raise AttributeError(f"module 'anonagram' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
