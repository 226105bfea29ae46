"""Memory that was freed is kept for what comes next.

Columns of many rows are made and freed one after the other. To give each back to the system, and to
take it anew, costs as much as what is done with many of them: every page is cleared again.
"""

from __future__ import annotations

import ctypes
import os
import sys

from anonagram.runtime.threads import thread_count

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""What glibc calls them."""
LARGEST = 1 << 25
"""The most that glibc takes for a threshold: what is larger is always given back."""


def keep_freed() -> None:
    """Keep what this process frees until it ends; before Polars is imported, its memory too.

    It may hold more than it needs at one time, so not where memory is to be spared.
    """
    if sys.platform != "linux":
        return
    threads = thread_count()
    # the allocator that Polars brings along reads this when it is loaded
    os.environ.setdefault("_RJEM_MALLOC_CONF", f"dirty_decay_ms:-1,narenas:{threads}")
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if set_option is not None:
        set_option(MMAP_THRESHOLD, LARGEST)
        set_option(TRIM_THRESHOLD, (1 << 31) - 1)
        set_option(ARENA_MAX, threads)
