"""Compiling kernels once and finding them again.

Compiled code is kept in the user's cache folder (``~/.cache/anonagram`` or what
``ANONAGRAM_CACHE_DIR`` names), never in the install folder, so a read-only install works. The
folder's name carries a hash of the kernel's file and of all that it imports: editing one kernel that
another calls would otherwise leave the caller's old machine code in use. Where no folder can be
written, kernels are compiled anew in each process and everything still works.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any

from anonagram.kernels.kept import load_kept
from anonagram.kernels.parts import only_linked
from anonagram.runtime.progress import aside

_one_at_a_time = RLock()


def cache_folder(file: Path) -> Path:
    """Where the compiled kernels of a file are kept, as long as it and all that it imports stay."""
    chosen = os.environ.get("ANONAGRAM_CACHE_DIR")
    # expanduser leaves ~ as it is where there is no home, and then no folder can be made
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    digest = hashlib.sha256()
    for each in sorted(_files_of(file)):
        digest.update(each.read_bytes())
    return Path(chosen or Path(home) / "anonagram") / f"{file.stem}-{digest.hexdigest()[:16]}"


def _files_of(file: Path) -> set[Path]:
    """A file of kernels, and all such files that it and they import."""
    found, waiting = set(), [file]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += _imported(here)
    return found


@cache
def _imported(file: Path) -> list[Path]:
    names = re.findall(r"^from anonagram\.kernels\.(\w+) import", file.read_text("utf-8"), re.M)
    return [Path(__file__).with_name(f"{name}.py") for name in names]


def _can_keep(folder: Path) -> bool:
    if not folder.is_absolute():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


class Kernel:
    """A function that becomes machine code on its first call, without the interpreter lock.

    numba itself is imported then: it takes longer to start than many a command to run.
    """

    def __init__(self, function: Callable[..., Any], *, owns: bool = True) -> None:
        update_wrapper(self, function)
        self.function = function
        self.owns = owns
        """Whether it makes arrays or gives some back, and so must count who holds them."""

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function for callers in Python."""
        with _one_at_a_time:
            return self.__dict__.get("dispatcher") or _kept(self.function, owns=self.owns)

    @cached_property
    def part(self) -> Any:
        """What numba makes of it inside another kernel, which is kept with all its parts."""
        with _one_at_a_time:
            return self.__dict__.get("part") or _part(self.function, owns=self.owns)

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self.dispatcher(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """How another kernel sees it."""
        return self.part._numba_type_


def compiled(function: Callable[..., Any]) -> Any:
    """Compile to machine code on first call, without the interpreter lock, and cache it."""
    return Kernel(function)


def in_place(function: Callable[..., Any]) -> Any:
    """The same for a kernel that makes no arrays and gives none back.

    It need not count who holds the arrays that it is lent: for a few rows that takes as long as the
    work, and threads wait for each other meanwhile.
    """
    return Kernel(function, owns=False)


def by_types(choose: Callable[..., Any]) -> Any:
    """A function inside kernels that is another one for other types of its arguments.

    It is called with the types and gives back what is compiled for them, as `in_place`.
    """

    def chosen(*_arguments: Any) -> Any:
        raise TypeError(f"{choose.__name__} can be called in compiled code only.")

    update_wrapper(chosen, choose)
    _to_be_told.append((chosen, choose))
    return chosen


_to_be_told: list[tuple[Any, Any]] = []
"""What numba does not know yet of functions that depend on types."""


@cache
def numba() -> Any:
    """The library, ready to load kernels."""
    with _one_at_a_time:
        import numba
        from numba.core.registry import cpu_target

        memory: Any = import_module("numba.core.runtime")
        memory.rtsys.initialize(cpu_target.target_context)  # for the arrays that kernels return
        return numba


def _get_ready_to_compile() -> None:
    """Let numba learn all that it and kernels know, which takes as long as the rest of its start."""
    _without_blas()
    extending: Any = import_module("numba.extending")
    while _to_be_told:
        chosen, choose = _to_be_told.pop()
        extending.overload(chosen, jit_options={"_nrt": False})(choose)


@cache
def _without_blas() -> None:
    """Let numba get ready, but for what no kernel needs.

    It would import scipy.linalg to see whether there is a BLAS, which takes as long again, and no
    kernel multiplies matrices: that scipy is there is enough to know.
    """
    from numba.core.registry import cpu_target
    from numba.np import linalg

    ensure = linalg.ensure_blas
    linalg.ensure_blas = _require_scipy
    try:
        arraymath: Any = import_module("numba.np.arraymath")
        arraymath.ensure_blas = ensure
    finally:
        linalg.ensure_blas = ensure
    cpu_target.target_context.refresh()


def _require_scipy() -> None:
    if find_spec("scipy") is None:
        raise ImportError("scipy is not installed")


def _part(function: Callable[..., Any], *, owns: bool) -> Any:
    """A kernel that only other kernels can call: the ways in from Python cost as much as itself."""
    library = numba()
    part = library.njit(
        nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=owns
    )(function)  # fmt: skip
    part.compile = _lending(part) if not owns else part.compile
    template = part.get_call_template

    def without_literals(arguments: Any, keywords: Any) -> Any:
        """One compiled form for numbers, whether a caller's are constants or not."""
        return template(tuple(map(library.types.unliteral, arguments)), keywords)

    part.get_call_template = without_literals
    return part


def _lending(dispatcher: Any) -> Callable[[Any], Any]:
    """Compile what must not give arrays back: nobody would have counted them."""
    make = dispatcher.compile

    def compile_checked(signature: Any) -> Any:
        found = make(signature)
        for made in list(dispatcher.overloads.values()):
            if _holds_arrays(made.signature.return_type):
                raise TypeError(f"{dispatcher.__name__} is in_place and gives an array back.")
        return found

    return compile_checked


def _holds_arrays(kind: Any) -> bool:
    from numba.core.registry import cpu_target

    found: bool = cpu_target.target_context.data_model_manager[kind].contains_nrt_meminfo()
    return found


def _kept(function: Callable[..., Any], *, owns: bool) -> Any:
    library = numba()
    folder = cache_folder(Path(function.__code__.co_filename))
    if not _can_keep(folder):
        _get_ready_to_compile()
        return library.njit(nogil=True, no_cfunc_wrapper=True, _nrt=owns)(function)
    config = library.config
    saved = config.CACHE_DIR
    # numba looks at this setting when the decorator runs, so other packages' caches stay theirs
    config.CACHE_DIR = str(folder)
    try:
        dispatcher = library.njit(
            cache=True, nogil=True, no_cfunc_wrapper=True, _nrt=owns
        )(function)  # fmt: skip
    finally:
        config.CACHE_DIR = saved
    # a full disk or a damaged cache file costs time, not the work
    dispatcher._cache.save_overload = _tolerant(dispatcher._cache.save_overload)
    dispatcher.compile = _told(dispatcher)
    if not owns:
        dispatcher.compile = _lending(dispatcher)
    return dispatcher


def _told(dispatcher: Any) -> Callable[[Any], Any]:
    """Finding or compiling a form of a kernel; that it is compiled is told, and that only once.

    Compiling makes millions of objects that live until its end: collecting garbage would find none.
    """
    find, make = _tolerant(load_kept), dispatcher.compile

    def compile_or_find(signature: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        with _one_at_a_time, ExitStack() as told:

            def find_or_tell(wanted: Any, _target: Any) -> Any:
                found = find(dispatcher, wanted)
                if found is None:
                    _get_ready_to_compile()
                    told.enter_context(aside("Compiling, which is kept for the next time"))
                    told.enter_context(only_linked(dispatcher.targetctx))
                return found

            dispatcher._cache.load_overload = find_or_tell
            try:
                return make(signature)
            finally:
                if was_on:
                    gc.enable()

    return compile_or_find


def _tolerant(work: Callable[..., Any]) -> Callable[..., Any]:
    def attempt(*arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Exception:
            return None

    return attempt
