"""The names that a package offers, listed once, in its ``__init__.pyi``.

Type checkers read that file. The package reads it too and imports a name when it is first used, so
that whoever needs one file of it does not wait for all the others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pkgutil import get_data
from typing import Any


def listed(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """What a package calls ``__all__``, ``__getattr__`` and ``__dir__``.

    >>> names, get, _ = listed("anonagram.profile")
    >>> "Profile" in names, get("Profile").__module__
    (True, 'anonagram.profile.profile')
    """
    content = ast.parse(get_data(package, "__init__.pyi") or b"").body
    imports = [node for node in content if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: str(node.module) for node in imports for alias in node.names}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return list(homes), get, lambda: sorted(homes)
