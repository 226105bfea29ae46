"""Independent pieces of work, on as many threads as there are processors.

What comes out never depends on the number of threads; ``ANONAGRAM_THREADS`` sets it.

>>> in_threads(pow, [(2, 3), (3, 2)])
[8, 9]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import cache
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


def thread_count() -> int:
    """How many threads to use."""
    chosen = os.environ.get("ANONAGRAM_THREADS", "")
    return max(1, int(chosen)) if chosen.isdigit() else os.cpu_count() or 1


def in_threads(work: Callable[..., T], arguments: Iterable[tuple[Any, ...]]) -> list[T]:
    """The results of work on each tuple of arguments, in their order."""
    todo = list(arguments)
    if thread_count() == 1 or len(todo) < 2:
        return [work(*each) for each in todo]
    with ThreadPoolExecutor(thread_count()) as pool:
        return list(pool.map(lambda each: work(*each), todo))


def spreading(
    work: Callable[..., tuple[list[T], list[tuple[Any, ...]]]], first: tuple[Any, ...]
) -> list[T]:
    """The results of work that finds more work on the way, in no order.

    It gives its results, and the arguments of what is still to be done.

    >>> halves = lambda n: ([n], [(n // 2,), (n // 2,)] if n > 1 else [])
    >>> sorted(spreading(halves, (4,)))
    [1, 1, 1, 1, 2, 2, 4]
    """
    # here, where steps such as compiling are heard
    found, waiting = work(*first)
    if thread_count() == 1:
        while waiting:
            results, more = work(*waiting.pop())
            found += results
            waiting += more
        return found
    with ThreadPoolExecutor(thread_count()) as pool:
        going = {pool.submit(work, *arguments) for arguments in waiting}
        try:
            while going:
                done, going = wait(going, return_when=FIRST_COMPLETED)
                for each in done:
                    results, more = each.result()
                    found += results
                    going |= {pool.submit(work, *arguments) for arguments in more}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def beside(work: Callable[[], T]) -> Callable[[], T]:
    """Begin some work; the function that is given back waits for what comes out of it.

    With one thread it is done when it is asked for.

    >>> squares = beside(lambda: [n * n for n in range(4)])
    >>> squares()
    [0, 1, 4, 9]
    """
    if thread_count() == 1:
        return cache(work)
    future: Future[T] = Future()
    context = copy_context()  # whoever listens to its steps still does

    def run() -> None:
        try:
            future.set_result(context.run(work))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run).start()
    return future.result
