"""Parts of a kernel, such as the functions it calls, get no machine code of their own.

numba optimises every function that a kernel calls and makes machine code of it, then copies it into
the kernel, optimises it again and makes its machine code again. Only the kernel's own is ever run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import MethodType
from typing import Any

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of variables begin where a kernel finds what its parts know of Python."""


@contextmanager
def only_linked(target: Any) -> Iterator[None]:
    """Until the end, what numba compiles for other compiled code alone is kept for linking only."""
    from numba.core.compiler_lock import global_compiler_lock

    run = target.get_executable

    def run_or_link(library: Any, description: Any, environment: Any) -> Any:
        if not _is_part(library, description):
            function = run(library, description, environment)
            _set_environments(library)
            return function
        library._optimize_final_module = _leave
        library._finalize_final_module = MethodType(_finish, library)
        return _name_of_part(description, environment, library)

    with global_compiler_lock:  # other people's code does not see the change
        target.get_executable = run_or_link
        try:
            yield
        finally:
            del target.get_executable


def _is_part(library: Any, description: Any) -> bool:
    """Whether Python cannot call the function."""
    try:
        library.get_function(description.llvm_cpython_wrapper_name)
    except NameError:
        return True
    return False


def _name_of_part(description: Any, environment: Any, library: Any) -> Any:
    """What numba finds the part by; it cannot be called."""
    functions: Any = import_module("numba._dynfunc")
    name = description.qualname.split(".")[-1]
    return functions.make_function(
        description.lookup_module(), name, "part of a kernel", 0, environment, (library,)
    )


def _leave() -> None:
    """Do nothing: what the part is copied into is optimised as a whole."""


def _finish(library: Any) -> None:
    """All that numba does with a finished library but for making machine code."""
    library._finalize_dynamic_globals()
    library._finalized = True


def _set_environments(library: Any) -> None:
    """Tell the kernel where its parts' knowledge of Python is, as for one that is loaded."""
    environments: Any = import_module("numba.core.environment")
    for variable in library._final_module.global_variables:
        if variable.name.startswith(ENVIRONMENT):
            environment = environments.lookup_environment(variable.name)
            if environment is not None:
                library.codegen.set_env(variable.name, environment)
