"""Loading kept kernels without what numba needs only to compile.

numba makes itself ready to compile before it loads anything, and imports the modules of all functions
that were compiled into a kernel: together longer than the rest of a short command.
"""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def load_kept(dispatcher: Any, signature: Any) -> Any:
    """A compiled form of a kernel from its cache, as numba has it; None where there is none."""
    cache, target = dispatcher._cache, dispatcher.targetctx
    cache._cache_file._load_data = lambda name: _load(cache._cache_file._data_path(name))
    # not load_overload, which makes numba ready to compile
    return cache._load_overload(signature, target)


def _load(path: str) -> Any:
    with Path(path).open("rb") as file:
        return _Unpickler(file).load()


class _Unpickler(pickle.Unpickler):
    """As numba's, but for modules that are not imported yet."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    """What a compiled function knows of Python: the constants alone are ever looked at."""
    environment: Any = import_module("numba.core.environment")
    if module in sys.modules:
        return environment._rebuild_env(module, constants, name)
    made = environment.Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    return made
