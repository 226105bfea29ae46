"""Where members of a family are found: in the files of its package, and in installed packages.

A package that brings a method of its own names its module in its ``pyproject.toml``::

    [project.entry-points."anonagram.methods"]
    my_method = "my_package.my_method"
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pkgutil import iter_modules


@cache
def load_all(home: str) -> None:
    """Import every file of a family's package, and what installed packages add to the family."""
    if not home:
        return
    for found in iter_modules(import_module(home).__path__):
        if not found.name.startswith("_"):
            import_module(f"{home}.{found.name}")
    for point in entry_points(group=home):
        _load(point)


def load_named(home: str, name: str) -> None:
    """Import the one file that is called as the member is; most are, and it saves the others."""
    if home and not name.startswith("_") and find_spec(f"{home}.{name}"):
        import_module(f"{home}.{name}")


def _load(point: EntryPoint) -> None:
    """Import what another package brings; when it fails, that is told and the rest still works."""
    try:
        point.load()
    except Exception as error:
        source = point.dist.name if point.dist else "an installed package"
        warnings.warn(
            f"{point.name!r} of {source} cannot be used: {error}", RuntimeWarning, stacklevel=2
        )
